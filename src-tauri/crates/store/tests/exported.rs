//! A file the ledger was exported to is told from a database, and a changed line of it is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::path::PathBuf;

use serde_json::{Value, json};
use support::{Folder, draft};
use vestibule_store::{
    ExportBreak, ExportCheck, LedgerFilter, LedgerRecord, Store, is_export, verify_export,
};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(record: &LedgerRecord) -> Value {
    json!({
        "seq": record.seq, "at": record.at.to_string(), "kind": record.kind.as_str(), "server": record.server,
        "chat": record.chat, "action": record.action, "object": record.object, "decision": record.decision,
        "because": record.because, "body": record.body, "prev": hex(&record.prev), "hash": hex(&record.hash),
        "server_name": null, "files": [],
    })
}

/// Six exported records, oldest first.
async fn lines() -> Vec<Value> {
    let store = Store::in_memory().unwrap();
    for number in 1..=6 {
        store.append(draft(number)).await.unwrap();
    }
    let filter = LedgerFilter {
        after: Some(0),
        ..LedgerFilter::default()
    };
    store.ledger(filter).await.unwrap().iter().map(line).collect()
}

fn written(folder: &Folder, lines: &[Value]) -> PathBuf {
    let path = folder.database().with_file_name("export.jsonl");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text).unwrap();
    path
}

#[tokio::test]
async fn a_whole_export_and_one_with_gaps_hold() {
    let folder = Folder::new();
    let mut lines = lines().await;
    let whole = ExportCheck {
        records: 6,
        first: 1,
        last: 6,
        gaps: 0,
        broken: None,
    };
    assert_eq!(verify_export(&written(&folder, &lines)).unwrap(), whole);
    lines.remove(3);
    lines.remove(0);
    let path = written(&folder, &lines);
    let filtered = ExportCheck {
        records: 4,
        first: 2,
        gaps: 1,
        ..whole
    };
    assert_eq!(verify_export(&path).unwrap(), filtered);
    assert!(is_export(&path).unwrap());
}

#[tokio::test]
async fn a_changed_line_of_an_export_is_found() {
    let lines = lines().await;
    for (member, value) in [
        ("object", json!("tool 9")),
        ("decision", json!(null)),
        ("body", json!({})),
        ("at", json!("2026-01-01T00:00:00Z")),
        ("hash", json!("0".repeat(64))),
    ] {
        let folder = Folder::new();
        let mut lines = lines.clone();
        lines[2][member] = value;
        let check = verify_export(&written(&folder, &lines)).unwrap();
        assert_eq!(
            (check.broken, check.last),
            (Some((3, ExportBreak::Altered)), 2),
            "{member}"
        );
    }
    let folder = Folder::new();
    let mut swapped = lines.clone();
    swapped.swap(2, 3);
    let check = verify_export(&written(&folder, &swapped)).unwrap();
    assert_eq!(check.broken, Some((4, ExportBreak::Order)));
    let mut other = lines.clone();
    other[2]["hash"] = json!("not a hash");
    let check = verify_export(&written(&folder, &other)).unwrap();
    assert_eq!(check.broken, Some((3, ExportBreak::Unreadable)));
}

/// A record of another ledger in its place has a hash of its own that holds, but does not continue the one before.
#[tokio::test]
async fn a_record_of_another_ledger_is_found() {
    let folder = Folder::new();
    let mut one = lines().await;
    let store = Store::in_memory().unwrap();
    for number in [7, 8, 9] {
        store.append(draft(number)).await.unwrap();
    }
    let filter = LedgerFilter {
        after: Some(2),
        ..LedgerFilter::default()
    };
    one[2] = line(&store.ledger(filter).await.unwrap()[0]);
    let check = verify_export(&written(&folder, &one)).unwrap();
    assert_eq!(check.broken, Some((3, ExportBreak::Link)));
}

#[tokio::test]
async fn a_database_is_no_export() {
    let folder = Folder::new();
    let store = folder.open();
    store.append(draft(1)).await.unwrap();
    store.close().await;
    assert!(!is_export(&folder.database()).unwrap());
    let path = folder.database().with_file_name("notes.txt");
    std::fs::write(&path, "not JSON").unwrap();
    assert!(!is_export(&path).unwrap());
}
