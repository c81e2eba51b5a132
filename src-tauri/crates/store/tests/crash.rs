//! Kill the process while it writes, again and again: what was acknowledged is there, and nothing is half done.

#![allow(clippy::disallowed_methods, reason = "the store's crash test starts itself")]

mod support;

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use support::{Folder, at, chat, draft, intruder};
use vestibule_protocol::EntryId;
use vestibule_store::{LedgerFilter, Store, StoreError, Verification};

const ROLE: &str = "VESTIBULE_STORE_TEST_WRITES_TO";
const ROUNDS: usize = 6;

#[derive(Default)]
struct Acknowledged {
    ledger: Vec<(i64, String)>,
    entries: Vec<(EntryId, i64)>,
}

/// This test plays both parts: started with [`ROLE`] set, it is the process that is killed.
#[tokio::test]
async fn every_acknowledged_row_survives_a_killed_process() {
    if let Some(path) = env::var_os(ROLE) {
        return write_until_killed(path).await;
    }
    let folder = Folder::new();
    let mut acknowledged = Acknowledged::default();
    for round in 0..ROUNDS {
        let child = spawn_writer(&folder.database());
        let before = acknowledged.ledger.len();
        kill_after(child, 20 + round * 17, &folder.database(), &mut acknowledged);
        assert!(acknowledged.ledger.len() > before);
        check(&folder, &acknowledged).await;
    }
}

fn spawn_writer(path: &Path) -> Child {
    Command::new(env::current_exe().expect("this test has a file"))
        .args([
            "--exact",
            "every_acknowledged_row_survives_a_killed_process",
            "--nocapture",
        ])
        .env(ROLE, path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test can start itself")
}

/// Writes and says so, line by line, for ever.
async fn write_until_killed(path: OsString) {
    let store = Store::open(Path::new(&path)).expect("the store opens after the crash before");
    let chat = chat("crash", 1);
    store.create_chat(&chat).await.expect("a chat can be made");
    let mut out = io::stdout();
    for number in 0.. {
        let receipt = store.append(draft(number)).await.expect("a record can be added");
        writeln!(out, "\nledger {} {:02x?}", receipt.seq, receipt.hash).expect("the parent listens");
        let entry = EntryId::new();
        let body = json!({ "state": "running", "text": "…".repeat(1000) });
        store
            .append_entry(chat.id, entry, at(number), body)
            .await
            .expect("an entry can be added");
        store
            .update_entry(entry, json!({ "number": number }))
            .await
            .expect("an entry can be changed");
        writeln!(out, "\nentry {entry} {number}").expect("the parent listens");
    }
}

fn kill_after(mut child: Child, lines: usize, path: &Path, acknowledged: &mut Acknowledged) {
    let mut out = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let mut line = String::new();
    let mut seen = 0;
    // After the kill, what the pipe still holds was acknowledged as well.
    while {
        line.clear();
        out.read_line(&mut line).expect("the pipe can be read") > 0
    } {
        if !note(&line, acknowledged) {
            continue;
        }
        seen += 1;
        if seen == lines {
            let refusal = Store::open(path).expect_err("the child has it open");
            assert!(matches!(refusal, StoreError::InUse { .. }), "{refusal:?}");
            child.kill().expect("the child can be killed");
        }
    }
    let status = child.wait().expect("the child has ended");
    assert!(
        seen >= lines && !status.success(),
        "the child ended by itself: {status}"
    );
}

fn note(line: &str, acknowledged: &mut Acknowledged) -> bool {
    // A last line without its end was cut off by the kill.
    let Some(line) = line.strip_suffix('\n') else {
        return false;
    };
    let mut words = line.splitn(3, ' ');
    match (words.next(), words.next(), words.next()) {
        (Some("ledger"), Some(seq), Some(hash)) => {
            acknowledged
                .ledger
                .push((seq.parse().expect("a number"), hash.to_owned()));
        }
        (Some("entry"), Some(id), Some(number)) => {
            acknowledged
                .entries
                .push((id.parse().expect("an id"), number.parse().expect("a number")));
        }
        _ => return false,
    }
    true
}

async fn check(folder: &Folder, acknowledged: &Acknowledged) {
    let store = folder.open();
    let mut kept = Vec::new();
    let mut filter = LedgerFilter {
        limit: 1000,
        ..LedgerFilter::default()
    };
    loop {
        let page = store
            .ledger(filter.clone())
            .await
            .expect("the ledger can be read");
        let Some(last) = page.last() else { break };
        filter.before = Some(last.seq);
        kept.extend(
            page.iter()
                .map(|record| (record.seq, format!("{:02x?}", record.hash))),
        );
    }
    for row in &acknowledged.ledger {
        assert!(
            kept.contains(row),
            "record {} was acknowledged and is gone",
            row.0
        );
    }
    for (id, number) in &acknowledged.entries {
        let entry = store.entry(*id).await.expect("entries can be read");
        let entry = entry.unwrap_or_else(|| panic!("entry {id} was acknowledged and is gone"));
        assert_eq!(entry.body, json!({ "number": number }));
    }
    let verified = store.verify(|_, _| {}).await.expect("the ledger can be checked");
    assert!(matches!(verified, Verification::Intact { .. }), "{verified:?}");
    store.close().await;
    let integrity: String = intruder(&folder.database())
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .expect("the file can be checked");
    assert_eq!(integrity, "ok");
}
