//! The everything server: all that a server of the handshake era can offer, over each of the three transports.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vestibule_protocol::Revision;
use vestibule_protocol::elicitation::ElicitResult;
use vestibule_protocol::mcp::{CompletionParams, CompletionTarget, ContentBlock, LogLevel};
use vestibule_protocol::task::TaskStatus;
use vestibule_session::{CallError, CallOptions, Called, TaskHandle};
use vestibule_tests::{Program, naming, servers_gone, soon};
use vestibule_transport::{Exit, Wire};

use crate::from_npm;
use crate::listening::Listening;
use crate::meeting::{ANSWER, Heard, Met, ROOT, meet, meet_at, members, text};

const PAGE: &str = "https://example.com/agree";

/// What `offers` shows, over pipes.
#[tokio::test]
async fn over_stdio_it_offers_everything() {
    let met = meet(&from_npm("server-everything", &["stdio"]), Revision::V2025_11_25).await;
    assert_eq!(met.session.info().wire, Wire::Stream);
    offers(&met).await;
    met.part().await;
}

/// SSE-001, SSE-002, SSE-003, SSE-004: the address is posted to first, and what `offers` shows comes all the same.
#[tokio::test]
async fn over_the_first_transport_of_http_it_offers_everything() {
    let (met, program) = over_http("sse", "/sse").await;
    assert_eq!(met.session.info().wire, Wire::HttpSse);
    offers(&met).await;
    met.part().await;
    let seen = |line: &str| line.starts_with("Client Disconnected").then_some(());
    program.said(seen).await.expect("it sees our end");
    program.end().await;
}

/// TR-002, TR-003, TR-028, TR-031, TR-032: what `offers` shows, and its session ends with ours.
#[tokio::test]
async fn over_streamable_http_it_offers_everything() {
    let (met, program) = over_http("streamableHttp", "/mcp").await;
    assert_eq!(met.session.info().wire, Wire::Http);
    offers(&met).await;
    met.part().await;
    let seen = |line: &str| line.starts_with("Received session termination").then_some(());
    program.said(seen).await.expect("our goodbye");
    program.end().await;
}

async fn over_http(how: &str, path: &str) -> (Met, Program) {
    let peer = from_npm("server-everything", &[how]);
    let Listening { program, address } = Listening::at_a_port(&peer, path).await;
    (meet_at(&address, Revision::V2025_11_25).await, program)
}

async fn offers(met: &Met) {
    assert_eq!(met.revision(), Revision::V2025_11_25);
    let tools = met.tools().await;
    assert!(tools.len() >= 17, "{tools:?}");
    told_of_folders(met).await;
    asks(met).await;
    results(met).await;
    progress(met).await;
    resources(met).await;
    prompts(met).await;
    tasks(met).await;
    soon("a ping", met.session.ping()).await.unwrap();
}

/// It asks a while after the opening; its log says when it knows.
async fn told_of_folders(met: &Met) {
    met.asked("roots").await;
    met.heard("that it knows the folder", |heard| match heard {
        Heard::Log(line) => line.data.as_str()?.contains("1 root(s)").then_some(()),
        _ => None,
    })
    .await;
    assert!(met.text("get-roots-list", json!({})).await.contains(ROOT));
}

async fn asks(met: &Met) {
    let said = met
        .text(
            "trigger-sampling-request",
            json!({ "prompt": "What is it?", "maxTokens": 20 }),
        )
        .await;
    assert!(said.contains(ANSWER), "{said}");
    let wish = met.asked("sampling").await;
    assert_eq!(
        (&wish["maxTokens"], &wish["systemPrompt"]),
        (&json!(20), &json!("You are a helpful test server."))
    );

    met.fills_in.send_replace(ElicitResult::filled(members(
        json!({ "name": "Ada", "integer": 7 }),
    )));
    let said = met.text("trigger-elicitation-request", json!({})).await;
    assert!(
        said.contains("- Name: Ada") && said.contains("- Favorite Integer: 7"),
        "{said}"
    );
    let form = met.asked("form").await;
    assert_eq!(form["required"], json!(["name"]));
    assert_eq!(
        form["properties"]["titledSingleSelectEnum"]["oneOf"][0]["const"],
        "hero-1"
    );

    let visit = json!({ "url": PAGE, "message": "Agree there.", "elicitationId": "one" });
    let said = met.text("trigger-url-elicitation", visit).await;
    assert!(said.contains("completed the URL elicitation"), "{said}");
    assert_eq!(
        met.asked("page").await,
        json!({ "url": PAGE, "message": "Agree there.", "elicitationId": "one" })
    );
    page_before_the_call(met).await;
}

/// The call fails with a page to visit, and works when it is made again.
async fn page_before_the_call(met: &Met) {
    let call = json!({ "url": PAGE, "errorPath": true });
    let refused = met.call("trigger-url-elicitation", call.clone()).await;
    let Err(CallError::PagesRequired { pages, error }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(
        (pages.len(), pages[0].url.as_str()),
        (1, "https://modelcontextprotocol.io")
    );
    assert_eq!(error.code, -32042);
    let said = met.text("trigger-url-elicitation", call).await;
    assert!(said.contains(PAGE), "{said}");
}

async fn results(met: &Met) {
    let said = met.text("echo", json!({ "message": "ä\n\u{2028}" })).await;
    assert!(said.contains("ä\n\u{2028}"), "{said}");
    let weather = met
        .result("get-structured-content", json!({ "location": "Chicago" }))
        .await;
    assert!(weather.structured_content.unwrap()["temperature"].is_number());
    let picture = met.result("get-tiny-image", json!({})).await.content;
    let is_picture = |block: &ContentBlock| matches!(block, ContentBlock::Image { mime_type, .. } if mime_type == "image/png");
    assert!(picture.iter().any(is_picture), "{picture:?}");
    let noted = met
        .result("get-annotated-message", json!({ "messageType": "error" }))
        .await
        .content;
    let ContentBlock::Text {
        annotations: Some(noted),
        ..
    } = &noted[0]
    else {
        panic!("{noted:?}")
    };
    assert_eq!(noted.priority, Some(1.0));
    let inside = met
        .result(
            "get-resource-reference",
            json!({ "resourceType": "Text", "resourceId": 1 }),
        )
        .await
        .content;
    assert!(
        inside
            .iter()
            .any(|block| matches!(block, ContentBlock::EmbeddedResource { .. })),
        "{inside:?}"
    );
    assert!(met.refuses("get-sum", json!({ "a": "one", "b": 2 })).await);
    linked(met).await;
}

/// What a link names can be read, though no list names it.
async fn linked(met: &Met) {
    let links = met
        .result("get-resource-links", json!({ "count": 2 }))
        .await
        .content;
    let links: Vec<&str> = links
        .iter()
        .filter_map(|block| match block {
            ContentBlock::ResourceLink(link) => Some(link.uri.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        links,
        ["demo://resource/dynamic/blob/1", "demo://resource/dynamic/text/2"]
    );
    for link in links {
        let read = soon("a link", met.session.read_resource(link, CallOptions::default()))
            .await
            .unwrap();
        assert_eq!(read.value.contents.len(), 1);
    }
}

async fn progress(met: &Met) {
    let last = met
        .last_report(
            "trigger-long-running-operation",
            json!({ "duration": 0.4, "steps": 4 }),
        )
        .await;
    let last = last.expect("a report");
    assert!(last.progress >= 3.0 && last.total == Some(4.0), "{last:?}");
}

/// Also the level of its log: what is below it stays away.
async fn resources(met: &Met) {
    let list = soon("resources", met.session.list_resources())
        .await
        .unwrap()
        .items;
    let templates = soon("patterns", met.session.list_resource_templates())
        .await
        .unwrap()
        .items;
    assert!(list.len() >= 7 && templates.len() == 2, "{list:?} {templates:?}");
    let missing = soon(
        "a read",
        met.session
            .read_resource("demo://nowhere", CallOptions::default()),
    )
    .await;
    assert!(
        missing.as_ref().is_err_and(CallError::is_not_found),
        "{missing:?}"
    );

    let (quiet, loud) = ("demo://resource/dynamic/text/7", "demo://resource/dynamic/text/8");
    soon("a level", met.session.set_log_level(LogLevel::Error))
        .await
        .unwrap();
    soon("watching", met.session.subscribe_resource(quiet))
        .await
        .unwrap();
    soon("a level", met.session.set_log_level(LogLevel::Debug))
        .await
        .unwrap();
    soon("watching", met.session.subscribe_resource(loud))
        .await
        .unwrap();
    let logged = |uri: &'static str| move |heard: &Heard| matches!(heard, Heard::Log(line) if line.data.to_string().contains(uri));
    met.heard("its log", |heard| logged(loud)(heard).then_some(()))
        .await;
    assert!(!met.has_heard(logged(quiet)));

    soon("watching no longer", met.session.unsubscribe_resource(quiet))
        .await
        .unwrap();
    met.result("toggle-subscriber-updates", json!({})).await;
    met.heard("a change", |heard| {
        matches!(heard, Heard::Updated(uri) if uri == loud).then_some(())
    })
    .await;
    assert!(!met.has_heard(|heard| matches!(heard, Heard::Updated(uri) if uri == quiet)));
    met.result("toggle-subscriber-updates", json!({})).await;
}

/// The second argument is completed by what was chosen for the first.
async fn prompts(met: &Met) {
    let prompts = soon("prompts", met.session.list_prompts()).await.unwrap().items;
    assert_eq!(prompts.len(), 4);
    let started = CompletionParams {
        target: CompletionTarget::Prompt {
            name: "completable-prompt".into(),
        },
        argument: "name".into(),
        value: "G".into(),
        chosen: BTreeMap::from([("department".into(), "Marketing".into())]),
    };
    assert_eq!(
        soon("completions", met.session.complete(&started))
            .await
            .unwrap()
            .values,
        ["Grace"]
    );
    let chosen = BTreeMap::from([
        ("department".into(), "Marketing".into()),
        ("name".into(), "Grace".into()),
    ]);
    let prompt = met
        .session
        .get_prompt("completable-prompt", &chosen, CallOptions::default());
    let prompt = soon("a prompt", prompt).await.unwrap();
    assert!(
        format!("{prompt:?}").contains("promote Grace to the head of the Marketing team"),
        "{prompt:?}"
    );
}

/// One that asks in between is followed to its end, another is given up.
async fn tasks(met: &Met) {
    let unclear = begin(met, json!({ "topic": "python", "ambiguous": true })).await;
    let dropped = begin(met, json!({ "topic": "rust" })).await;
    let known = soon("tasks", met.session.list_tasks()).await.unwrap().items;
    assert!(
        [&unclear, &dropped]
            .iter()
            .all(|task| known.iter().any(|known| known.id == task.record().id))
    );
    soon("giving it up", dropped.cancel()).await.unwrap();
    assert_eq!(
        soon("its state", dropped.status()).await.unwrap().status,
        TaskStatus::Cancelled
    );

    let snake = ElicitResult::filled(members(json!({ "interpretation": "snake" })));
    met.fills_in.send_replace(snake);
    let again = met.session.task(unclear.record().clone()).unwrap();
    let report = text(&soon("the report", again.result()).await.unwrap());
    assert!(report.contains("# Research Report: python (snake)"), "{report}");
}

async fn begin(met: &Met, arguments: Value) -> TaskHandle {
    let call = met.session.start_tool(
        "simulate-research-query",
        members(arguments),
        CallOptions::default(),
    );
    match soon("a task", call).await.unwrap() {
        Called::Task(task) => {
            assert_eq!(task.begun().unwrap().status, TaskStatus::Working);
            task
        }
        Called::Done(result) => panic!("{result:?}"),
    }
}

/// STD-010, STD-011: it does not mind the end of its input while its timers run.
#[tokio::test]
async fn it_is_ended_while_its_timers_run_and_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().display().to_string();
    let met = meet(
        &from_npm("server-everything", &["stdio", &mark]),
        Revision::V2025_11_25,
    )
    .await;
    soon("a level", met.session.set_log_level(LogLevel::Debug))
        .await
        .unwrap();
    met.result("toggle-simulated-logging", json!({})).await;
    met.result("toggle-subscriber-updates", json!({})).await;
    assert!(!naming(&mark).is_empty());
    let end = met.part().await;
    assert_eq!(
        end.exit,
        Some(Exit {
            code: None,
            signal: Some(15)
        }),
        "{end}"
    );
    soon("its end", servers_gone(folder.path())).await;
}
