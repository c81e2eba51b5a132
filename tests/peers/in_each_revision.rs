//! Each server in each revision it speaks: what is proposed, what is answered, and that everything we use works under
//! what was agreed.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::{CallToolResult, ContentBlock, Implementation};
use vestibule_session::{CallError, CallOptions, Era, SessionEvent, SessionHandle, SessionOptions, open};
use vestibule_tests::{program, soon};
use vestibule_transport::guard::Guard;
use vestibule_transport::path::{login_shell_path, resolve};
use vestibule_transport::stdio::{Launch, Patience, StdioTransport};

use crate::{Peer, from_npm, from_pypi};

/// A session with a server, and what the server does of its own accord.
struct Met {
    session: SessionHandle,
    events: mpsc::Receiver<SessionEvent>,
}

#[allow(
    clippy::disallowed_methods,
    reason = "these tests are about a session without a host around it"
)]
async fn meet(peer: &Peer, offer: Revision) -> Met {
    let guard = Guard::start(program("vestibule-driver"), vec!["guard".into(), "peers".into()])
        .await
        .unwrap();
    let search_path = login_shell_path().await;
    let launch = Launch {
        program: resolve(&peer.command, &search_path, None).unwrap(),
        args: peer.args.clone(),
        env: vec![],
        cwd: "/".into(),
        search_path,
    };
    let transport = StdioTransport::spawn(launch, &guard, Patience::default())
        .await
        .unwrap();
    let client = Implementation {
        name: "vestibule-tests".into(),
        version: "1".into(),
        ..Implementation::default()
    };
    let (offer, era) = if offer.is_modern() {
        (Revision::NEWEST_HANDSHAKE, Era::Modern)
    } else {
        (offer, Era::Legacy)
    };
    let options = SessionOptions {
        offer,
        era,
        ..SessionOptions::new(client)
    };
    let (sender, events) = mpsc::channel(4096);
    let session = soon("a session", open(Box::new(transport), options, sender))
        .await
        .unwrap();
    Met { session, events }
}

impl Met {
    #[allow(
        clippy::disallowed_methods,
        reason = "these tests are about a session without a host around it"
    )]
    async fn call(
        &self,
        name: &str,
        arguments: Value,
        options: CallOptions,
    ) -> Result<CallToolResult, CallError> {
        let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
        soon(name, self.session.call_tool(name, arguments, options)).await
    }

    async fn text(&self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments, CallOptions::default()).await.unwrap();
        assert!(!result.is_error, "{result:?}");
        match &result.content[0] {
            ContentBlock::Text { text, .. } => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    async fn names(&self) -> Vec<String> {
        let list = soon("a listing", self.session.list_tools()).await.unwrap();
        assert_eq!(
            (&list.dropped[..], &list.truncated),
            (&[][..], &None),
            "every tool can be used"
        );
        list.items.into_iter().map(|tool| tool.name).collect()
    }

    /// Ends politely, and nothing that happened was out of order.
    async fn part(mut self) {
        soon("the end", self.session.close()).await;
        while let Some(event) = soon("the last event", self.events.recv()).await {
            assert!(!matches!(event, SessionEvent::Oddity(_)), "{event:?}");
        }
    }
}

/// LC-001, LC-005, TL-002.
#[tokio::test]
async fn the_time_server_answers_in_every_revision() {
    for offer in Revision::ALL {
        let met = meet(&from_pypi("mcp-server-time"), offer).await;
        assert_eq!(met.session.info().revision, offer);
        assert_eq!(met.names().await, ["get_current_time", "convert_time"]);
        let noon =
            json!({ "source_timezone": "Europe/Oslo", "time": "12:00", "target_timezone": "Asia/Tokyo" });
        let text = met.text("convert_time", noon).await;
        assert!(text.contains("Asia/Tokyo"), "{text}");
        let wrong = met
            .call(
                "get_current_time",
                json!({ "timezone": "Nowhere" }),
                CallOptions::default(),
            )
            .await;
        assert!(wrong.as_ref().map_or(true, |result| result.is_error), "{wrong:?}");
        if !offer.is_modern() {
            soon("a ping", met.session.ping()).await.unwrap();
        }
        met.part().await;
    }
}

#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "the test makes a repository")]
async fn the_git_server_answers_in_every_revision() {
    let folder = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(made.success());
    std::fs::write(folder.path().join("note.txt"), "hello").unwrap();
    for offer in Revision::ALL {
        let met = meet(&from_pypi("mcp-server-git"), offer).await;
        assert_eq!(met.session.info().revision, offer);
        assert!(met.names().await.contains(&"git_status".to_owned()));
        let text = met
            .text("git_status", json!({ "repo_path": folder.path() }))
            .await;
        assert!(text.contains("note.txt"), "{text}");
        met.part().await;
    }
}

/// PS-001, CX-001: also with progress, structured content, and a call that is given up.
#[tokio::test]
async fn the_everything_server_shows_everything_in_every_revision() {
    for offer in Revision::HANDSHAKES {
        let met = meet(&from_npm("server-everything", &["stdio"]), offer).await;
        assert_eq!(met.session.info().revision, offer);
        let names = met.names().await;
        println!("{offer}: {names:?}");
        let text = met.text("echo", json!({ "message": "ä\n\u{2028}" })).await;
        assert!(text.contains("ä\n\u{2028}"), "{text}");
        progress(&met, offer).await;
        kinds(&met, offer).await;
        given_up(&met).await;
        soon("a ping", met.session.ping()).await.unwrap();
        soon("the end", met.session.close()).await;
    }
}

async fn progress(met: &Met, offer: Revision) {
    let (tell, mut told) = mpsc::channel(64);
    let options = CallOptions {
        progress: Some(tell),
        ..CallOptions::default()
    };
    let arguments = json!({ "duration": 0.4, "steps": 4 });
    let done = met
        .call("trigger-long-running-operation", arguments, options)
        .await
        .unwrap();
    assert!(!done.is_error, "{done:?}");
    let mut last = None;
    while let Some(report) = told.recv().await {
        last = Some((report.progress, report.total));
    }
    assert!(
        matches!(last, Some((steps, Some(4.0))) if steps >= 3.0),
        "{offer}: {last:?}"
    );
}

async fn kinds(met: &Met, offer: Revision) {
    let structured = json!({ "location": "New York" });
    let result = met
        .call("get-structured-content", structured, CallOptions::default())
        .await
        .unwrap();
    // The server sends it whatever was agreed; it is read where it is there.
    assert!(
        result.structured_content.is_some() || offer < Revision::V2025_06_18,
        "{offer}: {result:?}"
    );
    let result = met
        .call("get-tiny-image", json!({}), CallOptions::default())
        .await
        .unwrap();
    assert!(
        result
            .content
            .iter()
            .any(|part| matches!(part, ContentBlock::Image { .. })),
        "{offer}: {result:?}"
    );
    let links = met
        .call(
            "get-resource-links",
            json!({ "count": 2 }),
            CallOptions::default(),
        )
        .await
        .unwrap();
    assert!(
        links
            .content
            .iter()
            .any(|part| matches!(part, ContentBlock::ResourceLink(_))),
        "{offer}: {links:?}"
    );
}

async fn given_up(met: &Met) {
    let arguments = json!({ "duration": 30, "steps": 30 });
    let call = met.call(
        "trigger-long-running-operation",
        arguments,
        CallOptions::default(),
    );
    let given_up = tokio::time::timeout(Duration::from_millis(200), call).await;
    assert!(given_up.is_err(), "nobody waits any more");
    // The session goes on.
    assert!(
        met.text("echo", json!({ "message": "after" }))
            .await
            .contains("after")
    );
}
