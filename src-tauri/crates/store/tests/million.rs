//! A long ledger is checked while a user waits for it. `make ledger` does this with a million records in a release
//! build and says how long it took; otherwise there are fewer.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use support::{Folder, intruder};
use vestibule_policy::canonical;
use vestibule_store::{LedgerBreak, Verification, verify_file};

/// How long a user waits for a million records.
const PATIENCE: Duration = Duration::from_secs(10);

fn wanted() -> i64 {
    let wanted = std::env::var("VESTIBULE_RECORDS").ok();
    wanted.map_or(5_000, |number| {
        number.parse().expect("VESTIBULE_RECORDS is a number")
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A body as long as that of a call, and the salt beside it.
fn body(seq: i64) -> (Value, String) {
    let digest = hex(&Sha256::digest(seq.to_le_bytes()));
    let salt = digest[..36].to_owned();
    let names = vestibule_policy::Digest::of_names(&salt, &BTreeSet::new());
    let body = json!({
        "arguments": digest, "bytes": seq, "definition": digest, "edited": false, "names": names,
        "names_kept": true, "question": digest,
    });
    (body, salt)
}

/// Writes a sealed ledger without the store, which would sync each record by itself.
fn write(path: &Path, records: i64) {
    let mut connection = intruder(path);
    let transaction = connection.transaction().expect("a transaction begins");
    transaction
        .execute_batch("DROP TRIGGER ledger_only_grows; DROP TRIGGER ledger_is_never_edited;")
        .expect("the triggers are there");
    let mut prev = [0_u8; 32];
    {
        let mut insert = transaction
            .prepare(
                "INSERT INTO ledger (seq, prev, at, kind, action, object, decision, because, body, hash)
                 VALUES (?1, ?2, ?1, 'intent', 'tool.call', 'search', 'allowed', 'null', ?3, ?4)",
            )
            .expect("the columns are there");
        let mut salts = transaction
            .prepare("INSERT INTO ledger_words (seq, salt) VALUES (?1, ?2)")
            .expect("the columns are there");
        for seq in 1..=records {
            let (body, salt) = body(seq);
            let sealed = canonical(&json!({
                "v": 1, "seq": seq, "prev": hex(&prev), "at": seq, "kind": "intent", "server": null, "chat": null,
                "action": "tool.call", "object": "search", "decision": "allowed", "because": null, "body": body,
            }));
            let hash: [u8; 32] = Sha256::digest(format!("vestibule/v1/ledger\0{sealed}")).into();
            insert
                .execute((seq, prev, canonical(&body), hash))
                .expect("a record is written");
            salts.execute((seq, salt)).expect("its salt is written");
            prev = hash;
        }
    }
    transaction
        .execute("UPDATE ledger_head SET seq = ?1, hash = ?2", (records, prev))
        .expect("the head is written");
    transaction.commit().expect("it is kept");
}

#[tokio::test]
async fn a_million_records_are_checked_within_ten_seconds() {
    let folder = Folder::new();
    folder.open().close().await;
    let records = wanted();
    write(&folder.database(), records);
    let began = Instant::now();
    let found = verify_file(&folder.database()).expect("the ledger can be checked");
    let took = began.elapsed();
    assert!(
        matches!(found, Verification::Intact { records: checked, .. } if checked == records),
        "{found:?}"
    );
    if records >= 1_000_000 {
        assert!(took < PATIENCE, "{records} records took {took:?}");
    }
    let bad = records - records / 7;
    let flip = format!("UPDATE ledger SET body = replace(body, 'false', 'falsf') WHERE seq = {bad}");
    intruder(&folder.database())
        .execute_batch(&flip)
        .expect("it is changed");
    let found = verify_file(&folder.database()).expect("the ledger can be checked");
    let altered = Verification::Broken {
        seq: bad,
        what: LedgerBreak::Altered,
    };
    assert_eq!(found, altered);
    report(records, took);
}

#[allow(clippy::print_stderr, reason = "whoever measures reads it")]
fn report(records: i64, took: Duration) {
    eprintln!("{records} records were checked in {:.2} s", took.as_secs_f64());
}
