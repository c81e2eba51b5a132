//! The files, hosts and salts beside records are gone only where a record says that the user deleted them. Emptied by
//! another program they are missed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod format_5;
#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use support::{Folder, chat, draft, intruder, server};
use vestibule_policy::Mention;
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{
    LedgerBreak, LedgerDraft, LedgerFilter, LedgerKind, LedgerRecord, Sidecar, Store, StoreError,
    Verification, verify_file,
};

const PLACE: &str = "/home/ada/a-secret-name.md";
/// How many records [`used`] writes.
const RECORDS: i64 = 3;

struct Used {
    folder: Folder,
    server: ServerId,
    chat: ChatId,
}

fn names() -> BTreeSet<Mention> {
    [Mention::File(PLACE.into())].into()
}

fn beside() -> Sidecar {
    Sidecar {
        names: names(),
        content_digests: BTreeMap::new(),
    }
}

fn record(server: ServerId, chat: Option<ChatId>) -> LedgerDraft {
    LedgerDraft {
        server: Some(server),
        chat,
        body: json!({ "bytes": 1 }),
        ..draft(1)
    }
}

/// A file with a server, a chat, and records of both that name a file.
async fn used() -> Used {
    let folder = Folder::new();
    let store = folder.open();
    let (server, chat) = (server("suspicious"), chat("Notes", 1));
    store.put_server(&server).await.unwrap();
    store.create_chat(&chat).await.unwrap();
    for _ in 0..RECORDS {
        let draft = record(server.id, Some(chat.id));
        store.append_with(draft, beside()).await.unwrap();
    }
    store.close().await;
    let (server, chat) = (server.id, chat.id);
    Used { folder, server, chat }
}

impl Used {
    fn verify(&self) -> Verification {
        verify_file(&self.folder.database()).unwrap()
    }

    fn tamper(&self, sql: &str) {
        intruder(&self.folder.database()).execute_batch(sql).unwrap();
    }

    fn holds(&self, text: &str) -> bool {
        let bytes = std::fs::read(self.folder.database()).unwrap();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    }
}

#[track_caller]
fn assert_missed(found: Verification, seq: i64) {
    let what = LedgerBreak::Words;
    assert_eq!(found, Verification::Broken { seq, what });
}

#[track_caller]
fn assert_intact(found: Verification, count: i64) {
    assert!(
        matches!(found, Verification::Intact { records, .. } if records == count),
        "{found:?}"
    );
}

async fn newest(store: &Store) -> LedgerRecord {
    let page = store.ledger(LedgerFilter::default()).await.unwrap();
    page.into_iter().next().unwrap()
}

async fn naming(store: &Store) -> usize {
    let filter = LedgerFilter {
        file: Some("/home/ada".into()),
        ..LedgerFilter::default()
    };
    store.ledger(filter).await.unwrap().len()
}

/// Shows TL-023.
#[tokio::test]
async fn names_of_a_living_chat_that_were_emptied_are_missed() {
    for (attack, seq) in [
        ("DELETE FROM ledger_words WHERE seq = 2", 2),
        ("DELETE FROM ledger_names WHERE seq = 2", 2),
        ("DELETE FROM ledger_words", 1),
        ("DELETE FROM chats", 1),
        ("DELETE FROM ledger_servers", 1),
        ("DELETE FROM servers; DELETE FROM ledger_servers", 1),
    ] {
        let used = used().await;
        assert_intact(used.verify(), RECORDS);
        used.tamper(attack);
        assert_missed(used.verify(), seq);
    }
}

/// The record of a deletion can be added by whatever can write the file, but a deletion leaves no row.
/// Shows TL-023.
#[tokio::test]
async fn a_forged_deletion_excuses_nothing_while_chat_and_server_exist() {
    for action in ["chat.delete", "server.forget"] {
        let used = used().await;
        let store = used.folder.open();
        let forged = LedgerDraft {
            kind: LedgerKind::Config,
            action: action.to_owned(),
            object: String::new(),
            decision: None,
            ..record(used.server, Some(used.chat))
        };
        store.append(forged).await.unwrap();
        store.close().await;
        used.tamper("DELETE FROM ledger_words WHERE seq = 2");
        assert_missed(used.verify(), 2);
    }
}

/// Shows HO-006 and TL-023.
#[tokio::test]
async fn a_deleted_chat_is_named_by_a_record_and_the_ledger_stays_intact() {
    let used = used().await;
    let store = used.folder.open();
    let end = store.ledger_end();
    store.delete_chat(used.chat).await.unwrap();
    let deletion = newest(&store).await;
    assert_eq!(
        (deletion.kind, deletion.action.as_str(), deletion.chat),
        (LedgerKind::Config, "chat.delete", Some(used.chat))
    );
    assert_eq!(*end.borrow(), deletion.seq, "followers of the end hear of it");
    store.delete_chat(used.chat).await.unwrap();
    assert_eq!(newest(&store).await, deletion, "there was nothing to delete");
    // A call that was under way ends after its chat is deleted.
    let late = record(used.server, Some(used.chat));
    store.append_with(late, beside()).await.unwrap();
    assert_eq!(naming(&store).await, 0);
    store.close().await;
    assert_intact(used.verify(), RECORDS + 2);
    assert!(!used.holds("a-secret-name"));
}

/// Shows TL-023.
#[tokio::test]
async fn a_removed_server_keeps_its_name_and_names_until_the_user_deletes_them() {
    let used = used().await;
    let store = used.folder.open();
    let living = server("living");
    store.put_server(&living).await.unwrap();
    assert_eq!(store.removed_servers().await.unwrap(), []);
    store.remove_server(used.server).await.unwrap();
    let removed = store.removed_servers().await.unwrap();
    assert_eq!(removed.len(), 1);
    assert_eq!(
        (removed[0].id, removed[0].name.as_str()),
        (used.server, "suspicious")
    );
    assert_eq!(naming(&store).await, 3);
    assert_eq!(store.ledger_names(used.server).await.unwrap().len(), 1);
    let late = record(used.server, Some(used.chat));
    store.append_with(late, beside()).await.unwrap();
    assert_eq!(naming(&store).await, 4, "also what ends after the removal");

    let refusal = store.forget_server(living.id).await.unwrap_err();
    assert!(matches!(refusal, StoreError::Unknown { .. }), "{refusal:?}");
    store.forget_server(used.server).await.unwrap();
    let deletion = newest(&store).await;
    assert_eq!(
        (deletion.action.as_str(), deletion.server),
        ("server.forget", Some(used.server))
    );
    let refusal = store.forget_server(used.server).await.unwrap_err();
    assert!(matches!(refusal, StoreError::Unknown { .. }), "{refusal:?}");
    assert_eq!(store.removed_servers().await.unwrap(), []);
    assert_eq!(naming(&store).await, 0);
    let late = record(used.server, Some(used.chat));
    store.append_with(late, beside()).await.unwrap();
    assert_eq!(naming(&store).await, 0);
    store.close().await;
    assert_intact(used.verify(), RECORDS + 3);
    assert!(!used.holds("a-secret-name") && !used.holds("suspicious"));
}

#[tokio::test]
async fn a_removed_server_without_records_is_not_listed() {
    let store = Store::in_memory().unwrap();
    let server = server("never used");
    store.put_server(&server).await.unwrap();
    store.remove_server(server.id).await.unwrap();
    assert_eq!(store.removed_servers().await.unwrap(), []);
}

#[tokio::test]
async fn a_word_finds_the_records_of_a_server_by_its_name() {
    let used = used().await;
    let store = used.folder.open();
    let other = server("other");
    store.put_server(&other).await.unwrap();
    store.append(record(other.id, None)).await.unwrap();
    store.remove_server(used.server).await.unwrap();
    for (words, count) in [
        (vec!["SUSPICIOUS"], 3),
        (vec!["tool", "spicio"], 3),
        (vec!["other"], 1),
    ] {
        let filter = LedgerFilter {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            ..LedgerFilter::default()
        };
        assert_eq!(store.ledger(filter).await.unwrap().len(), count, "{words:?}");
    }
}
