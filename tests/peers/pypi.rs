//! Servers from PyPI. Those on the newest generation of their SDK speak both eras; one never moved on.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use vestibule_protocol::Revision;
use vestibule_session::CallOptions;
use vestibule_tests::soon;

use crate::listening::page;
use crate::meeting::meet;
use crate::{Peer, from_pypi, installed};

/// LC-001, LC-005, TL-002.
#[tokio::test]
async fn the_time_server_answers_in_every_revision() {
    for offer in Revision::ALL {
        let met = meet(&from_pypi("mcp-server-time"), offer).await;
        assert_eq!(met.revision(), offer);
        assert_eq!(met.tools().await, ["get_current_time", "convert_time"]);
        let noon =
            json!({ "source_timezone": "Europe/Oslo", "time": "12:00", "target_timezone": "Asia/Tokyo" });
        let said = met.text("convert_time", noon).await;
        assert!(said.contains("Asia/Tokyo"), "{said}");
        assert!(
            met.refuses("get_current_time", json!({ "timezone": "Nowhere" }))
                .await
        );
        soon("a ping", met.session.ping()).await.unwrap();
        met.part().await;
    }
}

#[tokio::test]
async fn the_git_server_answers_in_every_revision() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    git(path, &["init", "--quiet"]);
    std::fs::write(path.join("note.txt"), "hello").unwrap();
    for offer in Revision::ALL {
        let met = meet(&from_pypi("mcp-server-git"), offer).await;
        assert_eq!(met.revision(), offer);
        assert_eq!(met.tools().await.len(), 12);
        let said = met.text("git_status", json!({ "repo_path": path })).await;
        assert!(said.contains("note.txt"), "{said}");
        assert!(
            met.refuses("git_status", json!({ "repo_path": "/nowhere" }))
                .await
        );
        met.part().await;
    }
}

#[expect(clippy::disallowed_methods, reason = "the test makes a repository")]
fn git(folder: &Path, args: &[&str]) {
    let made = std::process::Command::new("git")
        .args(args)
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(made.success());
}

/// It reads a page of this computer, by its tool and by its prompt.
#[tokio::test]
async fn the_fetch_server_reads_a_page_in_every_revision() {
    let address =
        page("<!doctype html><title>News</title><article><h1>News</h1><p>All is well here.</p></article>")
            .await;
    let mut peer = from_pypi("mcp-server-fetch");
    peer.args.push("--allow-private-ips".into());
    // Where it finds Node, it installs npm packages in the middle of its first call.
    let no_node = installed("py/bin/python3").with_file_name("");
    peer.env.push(("PATH".into(), no_node.display().to_string()));
    for offer in Revision::ALL {
        let met = meet(&peer, offer).await;
        assert_eq!(met.revision(), offer);
        assert_eq!(met.tools().await, ["fetch"]);
        let said = met.text("fetch", json!({ "url": address })).await;
        assert!(said.contains("All is well here."), "{said}");
        assert!(
            met.refuses("fetch", json!({ "url": format!("{address}nowhere") }))
                .await
        );
        let arguments = BTreeMap::from([("url".to_owned(), address.clone())]);
        let prompt = met
            .session
            .get_prompt("fetch", &arguments, CallOptions::default());
        let prompt = soon("a prompt", prompt).await.unwrap();
        assert!(format!("{prompt:?}").contains("All is well here."), "{prompt:?}");
        met.part().await;
    }
}

/// Its SDK is the generation before the newest revision.
#[tokio::test]
async fn the_sqlite_server_keeps_rows_in_every_revision_with_a_handshake() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer {
        command: installed("py1/bin/mcp-server-sqlite").display().to_string(),
        args: vec![
            "--db-path".into(),
            folder.path().join("rows.db").display().to_string(),
        ],
        env: vec![],
    };
    for offer in Revision::HANDSHAKES {
        let met = meet(&peer, offer).await;
        assert_eq!(met.revision(), offer);
        assert_eq!(met.tools().await.len(), 6);
        met.result(
            "create_table",
            json!({ "query": "CREATE TABLE IF NOT EXISTS spoken (revision TEXT)" }),
        )
        .await;
        let row = format!("INSERT INTO spoken VALUES ('{offer}')");
        met.result("write_query", json!({ "query": row })).await;
        let rows = met
            .text("read_query", json!({ "query": "SELECT revision FROM spoken" }))
            .await;
        assert!(rows.contains(offer.as_str()), "{rows}");
        met.text("append_insight", json!({ "insight": format!("{offer} works") }))
            .await;
        let memo = met
            .session
            .read_resource("memo://insights", CallOptions::default());
        let memo = soon("the memo", memo).await.unwrap();
        assert!(
            format!("{memo:?}").contains(&format!("{offer} works")),
            "{memo:?}"
        );
        met.part().await;
    }
}
