//! Small servers made with the SDKs of others (`servers/`), each in both eras, over pipes and over HTTP. They offer the
//! same, so that one list of promises is held by all of them.

use std::collections::BTreeMap;

use serde_json::json;
use vestibule_protocol::Revision;
use vestibule_protocol::elicitation::ElicitResult;
use vestibule_protocol::mcp::{CompletionParams, CompletionTarget};
use vestibule_session::CallOptions;
use vestibule_tests::{program, soon};

use crate::listening::Listening;
use crate::meeting::{Heard, Met, ROOT, meet, meet_at, members};
use crate::{Peer, installed, root};

pub(crate) fn typescript() -> Peer {
    Peer {
        command: "node".into(),
        args: vec![server("typescript.cjs")],
        env: vec![(
            "NODE_PATH".into(),
            installed("npm/node_modules").display().to_string(),
        )],
    }
}

fn python() -> Peer {
    Peer {
        command: installed("py/bin/python").display().to_string(),
        args: vec![server("python.py")],
        env: vec![],
    }
}

fn rust() -> Peer {
    Peer {
        command: program("vestibule-rmcp-server").display().to_string(),
        args: vec![],
        env: vec![],
    }
}

fn server(file: &str) -> String {
    root()
        .join("tests/peers/servers")
        .join(file)
        .display()
        .to_string()
}

#[tokio::test]
async fn a_server_of_the_typescript_sdk_keeps_its_promises_over_stdio_in_both_eras() {
    over_stdio(&typescript()).await;
}

#[tokio::test]
async fn a_server_of_the_typescript_sdk_keeps_its_promises_over_http_in_both_eras() {
    over_http(typescript()).await;
}

#[tokio::test]
async fn a_server_of_the_python_sdk_keeps_its_promises_over_stdio_in_both_eras() {
    over_stdio(&python()).await;
}

#[tokio::test]
async fn a_server_of_the_python_sdk_keeps_its_promises_over_http_in_both_eras() {
    over_http(python()).await;
}

#[tokio::test]
async fn a_server_of_the_rust_sdk_keeps_its_promises_over_stdio_in_both_eras() {
    over_stdio(&rust()).await;
}

#[tokio::test]
async fn a_server_of_the_rust_sdk_keeps_its_promises_over_http_in_both_eras() {
    over_http(rust()).await;
}

async fn over_stdio(peer: &Peer) {
    for offer in Revision::ALL {
        let met = meet(peer, offer).await;
        assert_eq!(met.revision(), offer);
        keeps_its_promises(&met).await;
        met.part().await;
    }
}

async fn over_http(mut peer: Peer) {
    peer.args.push("http".into());
    let Listening { program, address } = Listening::anywhere(&peer).await;
    for offer in Revision::ALL {
        let met = meet_at(&address, offer).await;
        assert_eq!(met.revision(), offer);
        keeps_its_promises(&met).await;
        met.part().await;
    }
    program.end().await;
}

async fn keeps_its_promises(met: &Met) {
    let offer = met.revision();
    let tools = met.tools().await;
    assert_eq!(tools[..4], ["add", "greet", "folder", "count"], "{offer}");
    let sum = met.result("add", json!({ "a": 40, "b": 2 })).await;
    assert_eq!(sum.structured_content, Some(json!({ "sum": 42 })), "{offer}");
    assert!(met.refuses("add", json!({ "a": "forty" })).await, "{offer}");
    assert!(met.refuses("nothing", json!({})).await, "{offer}");
    let last = met.last_report("count", json!({})).await;
    assert!(
        last.as_ref().is_some_and(|report| report.total == Some(3.0)),
        "{offer}: {last:?}"
    );
    assert_eq!(met.text("folder", json!({})).await, ROOT, "{offer}");
    met.asked("roots").await;
    // Forms came with this revision.
    if offer >= Revision::V2025_06_18 {
        met.fills_in
            .send_replace(ElicitResult::filled(members(json!({ "name": "Ada" }))));
        assert_eq!(met.text("greet", json!({})).await, "Hello, Ada.", "{offer}");
        assert_eq!(met.asked("form").await["required"], json!(["name"]), "{offer}");
    }
    reads(met).await;
    watches(met).await;
}

async fn reads(met: &Met) {
    let offer = met.revision();
    let read = soon(
        "a note",
        met.session.read_resource("note://one", CallOptions::default()),
    )
    .await
    .unwrap();
    assert!(format!("{read:?}").contains("a note"), "{offer}: {read:?}");
    let missing = soon(
        "a read",
        met.session.read_resource("note://none", CallOptions::default()),
    )
    .await;
    assert!(
        missing.as_ref().is_err_and(|error| error.is_not_found()),
        "{offer}: {missing:?}"
    );
    let arguments = BTreeMap::from([("city".to_owned(), "Oslo".to_owned())]);
    let plan = met.session.get_prompt("plan", &arguments, CallOptions::default());
    let plan = soon("a plan", plan).await.unwrap();
    assert!(
        format!("{plan:?}").contains("Plan a day in Oslo."),
        "{offer}: {plan:?}"
    );
    let started = CompletionParams {
        target: CompletionTarget::Prompt { name: "plan".into() },
        argument: "city".into(),
        value: "Os".into(),
        chosen: BTreeMap::new(),
    };
    let values = soon("completions", met.session.complete(&started))
        .await
        .unwrap()
        .values;
    assert_eq!(values, ["Oslo", "Osaka"], "{offer}");
}

/// What is watched is heard of, in the era in which a server does not have to keep a list for it.
async fn watches(met: &Met) {
    if !met.revision().is_modern() {
        return;
    }
    soon("watching", met.session.subscribe_resource("note://one"))
        .await
        .unwrap();
    met.result("touch", json!({})).await;
    met.heard("a change", |heard| {
        matches!(heard, Heard::Updated(uri) if uri == "note://one").then_some(())
    })
    .await;
}
