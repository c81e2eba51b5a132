//! A ledger of very many records.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use vestibule_policy::canonical;

use super::intruder;

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

/// Replaces the ledger of a database by a sealed one of this many records, half a minute apart, without the store, which
/// would sync each record by itself.
pub(crate) fn write(path: &Path, records: i64) {
    let mut connection = intruder(path);
    let transaction = connection.transaction().expect("a transaction begins");
    transaction
        .execute_batch(
            "DROP TRIGGER ledger_only_grows; DROP TRIGGER ledger_is_never_edited;
             DROP TRIGGER ledger_is_never_shortened;
             DELETE FROM ledger_words; DELETE FROM ledger;",
        )
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
