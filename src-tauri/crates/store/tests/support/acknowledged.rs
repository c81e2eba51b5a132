//! A process that writes to a store and says what the store acknowledged, and whether that is there afterwards.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;
use vestibule_protocol::EntryId;
use vestibule_store::{LedgerFilter, LedgerRecord, Store, Verification};

use super::{at, chat, draft, intruder};

/// What the store acknowledged: numbers and hashes of records, and entries with the number in their body.
#[derive(Clone, Default)]
pub(crate) struct Acknowledged {
    pub(crate) ledger: Vec<(i64, String)>,
    pub(crate) entries: Vec<(EntryId, i64)>,
}

/// Writes records and entries, and prints a line for each once it is acknowledged.
pub(crate) async fn write(database: &Path, rounds: i64) {
    let store = Store::open(database).expect("the store opens after the crash before");
    let chat = chat("crash", 1);
    store.create_chat(&chat).await.expect("a chat can be made");
    let mut out = io::stdout();
    for number in 0..rounds {
        // A record is flushed whichever handle adds it.
        let unflushed = store.unflushed();
        let added = unflushed.append(draft(number)).await;
        let receipt = added.expect("a record can be added");
        writeln!(out, "\nledger {} {:02x?}", receipt.seq, receipt.hash).expect("the parent listens");
        let entry = EntryId::new();
        let body = json!({ "state": "running", "text": "…".repeat(1000) });
        // Flushed with the change after it.
        unflushed
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

impl Acknowledged {
    /// Takes a line of [`write`]. Says whether it acknowledges something.
    pub(crate) fn note(&mut self, line: &str) -> bool {
        // A last line without its end was cut off by the kill.
        let Some(line) = line.strip_suffix('\n') else {
            return false;
        };
        let mut words = line.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("ledger"), Some(seq), Some(hash)) => {
                self.ledger
                    .push((seq.parse().expect("a number"), hash.to_owned()));
            }
            (Some("entry"), Some(id), Some(number)) => {
                self.entries
                    .push((id.parse().expect("an id"), number.parse().expect("a number")));
            }
            _ => return false,
        }
        true
    }

    /// Opens the database and panics where something acknowledged is gone or the file is damaged.
    pub(crate) async fn check(&self, database: &Path) {
        let store = Store::open(database).expect("the store opens after the crash");
        let kept = all_records(&store).await;
        for row in &self.ledger {
            assert!(
                kept.contains(row),
                "record {} was acknowledged and is gone",
                row.0
            );
        }
        for (id, number) in &self.entries {
            let entry = store.entry(*id).await.expect("entries can be read");
            let entry = entry.unwrap_or_else(|| panic!("entry {id} was acknowledged and is gone"));
            assert_eq!(entry.body, json!({ "number": number }));
        }
        let verified = store.verify(|_, _| {}).await.expect("the ledger can be checked");
        assert!(matches!(verified, Verification::Intact { .. }), "{verified:?}");
        store.close().await;
        let integrity: String = intruder(database)
            .pragma_query_value(None, "integrity_check", |row| row.get(0))
            .expect("the file can be checked");
        assert_eq!(integrity, "ok");
    }
}

/// The number and hash of each record.
async fn all_records(store: &Store) -> Vec<(i64, String)> {
    let hash = |record: &LedgerRecord| (record.seq, format!("{:02x?}", record.hash));
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
        let Some(last) = page.last() else { return kept };
        filter.before = Some(last.seq);
        kept.extend(page.iter().map(hash));
    }
}
