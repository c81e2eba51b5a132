//! Servers from npm, which know the handshake only: in each of its revisions, what they are for.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::ContentBlock;
use vestibule_tests::{servers_gone, soon};

use crate::listening::page;
use crate::meeting::{Met, meet};
use crate::{Peer, from_npm, installed};

/// PS-001, CX-001: what the newest revision offers is in `everything`; this is what holds in all of them.
#[tokio::test]
async fn the_everything_server_answers_in_every_revision() {
    let peer = from_npm("server-everything", &["stdio"]);
    for offer in Revision::HANDSHAKES {
        let met = meet(&peer, offer).await;
        assert_eq!(met.revision(), offer);
        let tools = met.tools().await;
        let asks = tools.contains(&"trigger-elicitation-request".to_owned());
        assert_eq!(asks, offer >= Revision::V2025_06_18, "{offer}: {tools:?}");
        let last = met
            .last_report(
                "trigger-long-running-operation",
                json!({ "duration": 0.1, "steps": 2 }),
            )
            .await;
        assert!(last.is_some_and(|report| report.total == Some(2.0)), "{offer}");
        let picture = met.result("get-tiny-image", json!({})).await.content;
        assert!(
            picture
                .iter()
                .any(|block| matches!(block, ContentBlock::Image { .. })),
            "{offer}"
        );
        given_up(&met).await;
        soon("a ping", met.session.ping()).await.unwrap();
        met.part().await;
    }
}

/// Nobody waits for a call any more, and the session goes on.
async fn given_up(met: &Met) {
    let call = met.call(
        "trigger-long-running-operation",
        json!({ "duration": 30, "steps": 30 }),
    );
    let given_up = tokio::time::timeout(Duration::from_millis(100), call).await;
    assert!(given_up.is_err(), "{given_up:?}");
    assert!(
        met.text("echo", json!({ "message": "after" }))
            .await
            .contains("after")
    );
}

/// RO-001, RO-002, RO-004, TL-018: it asks for folders, and keeps to the last it was told.
#[tokio::test]
async fn the_filesystem_server_reads_and_writes_in_its_folder_and_in_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("letter.txt");
    for offer in Revision::HANDSHAKES {
        let met = meet(
            &from_npm("server-filesystem", &[&folder.path().display().to_string()]),
            offer,
        )
        .await;
        assert_eq!(met.revision(), offer);
        assert_eq!(met.tools().await.len(), 14);
        met.asked("roots").await;
        met.result(
            "write_file",
            json!({ "path": inside, "content": format!("dear {offer}") }),
        )
        .await;
        assert_eq!(std::fs::read_to_string(&inside).unwrap(), format!("dear {offer}"));
        let read = met.result("read_text_file", json!({ "path": inside })).await;
        assert_eq!(
            read.structured_content,
            Some(json!({ "content": format!("dear {offer}") }))
        );
        assert!(
            met.refuses("read_text_file", json!({ "path": "/etc/hostname" }))
                .await
        );
        met.part().await;
    }
}

/// What it was told is there in the next session, in the same file.
#[tokio::test]
async fn the_memory_server_remembers() {
    let folder = tempfile::tempdir().unwrap();
    let mut peer = from_npm("server-memory", &[]);
    let file = folder.path().join("memory.jsonl").display().to_string();
    peer.env.push(("MEMORY_FILE_PATH".into(), file));
    for (known, offer) in Revision::HANDSHAKES.into_iter().enumerate() {
        let met = meet(&peer, offer).await;
        assert_eq!(met.revision(), offer);
        assert_eq!(met.tools().await.len(), 9);
        let ada = json!({ "name": offer.as_str(), "entityType": "revision", "observations": ["is spoken"] });
        met.result("create_entities", json!({ "entities": [ada] })).await;
        let graph = met
            .result("read_graph", json!({}))
            .await
            .structured_content
            .unwrap();
        assert_eq!(
            graph["entities"].as_array().map(Vec::len),
            Some(known + 1),
            "{graph}"
        );
        let resources = soon("resources", met.session.list_resources())
            .await
            .unwrap()
            .items;
        assert_eq!(resources.len(), 1);
        met.part().await;
    }
}

const PAGE: &str =
    "<!doctype html><title>A quiet page</title><button onclick=\"textContent='It rang.'\">Ring</button>";

/// Its browser opens a page of this computer, presses the button there, and is gone when the session has ended.
#[tokio::test]
async fn the_playwright_server_uses_a_page_and_its_browser_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().display().to_string();
    let script = installed("npm/node_modules/@playwright/mcp/cli.js")
        .display()
        .to_string();
    let browser = chromium();
    let args = [
        &script,
        "--headless",
        "--no-sandbox",
        "--isolated",
        "--executable-path",
        &browser,
        "--output-dir",
        &output,
    ];
    let peer = Peer {
        command: "node".into(),
        args: args.map(str::to_owned).into(),
        env: vec![("TMPDIR".into(), output.clone())],
    };
    let address = page(PAGE).await;

    let met = meet(&peer, Revision::V2025_11_25).await;
    assert!(met.tools().await.contains(&"browser_navigate".to_owned()));
    let opened = met.text("browser_navigate", json!({ "url": address })).await;
    assert!(opened.contains("A quiet page"), "{opened}");
    let seen = met.text("browser_snapshot", json!({})).await;
    let (before, _) = seen
        .split_once("[ref=")
        .expect("a button")
        .1
        .split_once(']')
        .unwrap();
    met.result(
        "browser_click",
        json!({ "element": "the button", "target": before }),
    )
    .await;
    let seen = met.text("browser_snapshot", json!({})).await;
    assert!(seen.contains("It rang."), "{seen}");
    met.part().await;
    soon("the end of the browser", servers_gone(folder.path())).await;
}

fn chromium() -> String {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
    let paths = names
        .iter()
        .flat_map(|name| folders.map(|folder| format!("{folder}/{name}")));
    paths
        .into_iter()
        .find(|path| Path::new(path).exists())
        .expect("Chromium; `make setup-tests` installs it")
}
