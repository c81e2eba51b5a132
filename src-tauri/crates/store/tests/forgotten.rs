//! The files, hosts and salts beside records are gone only where a record says that the user deleted them. Emptied by
//! another program they are missed, also in files of versions that deleted without a record.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use support::{Folder, chat, draft, intruder, server};
use vestibule_policy::{Digest, Mention, canonical};
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

/// The steps of a file of format 5, as they were released.
const FORMAT_5: [&str; 5] = [
    include_str!("../src/schema/0001_first.sql"),
    include_str!("../src/schema/0002_workspaces.sql"),
    include_str!("../src/schema/0003_places.sql"),
    include_str!("../src/schema/0004_tasks.sql"),
    include_str!("../src/schema/0005_ledger_names.sql"),
];

/// A file of format 5.
struct Old {
    file: Connection,
    head: (i64, [u8; 32]),
}

impl Old {
    fn create(folder: &Folder) -> Self {
        let file = intruder(&folder.database());
        for step in FORMAT_5 {
            file.execute_batch(step).unwrap();
        }
        file.pragma_update(None, "user_version", 5).unwrap();
        let head = (0, [0; 32]);
        Self { file, head }
    }

    fn server(&self) -> String {
        let id = ServerId::new().to_string();
        let sql = "INSERT INTO servers (id, name, command, args, env, wanted, created)
                   VALUES (?1, 'old', 'old', '[]', '[]', 0, 1)";
        self.file.execute(sql, [&id]).unwrap();
        id
    }

    fn chat(&self) -> String {
        let id = ChatId::new().to_string();
        let sql = "INSERT INTO chats (id, workspace, title, created, updated)
                   VALUES (?1, '00000000-0000-0000-0000-000000000000', 'old', 1, 1)";
        self.file.execute(sql, [&id]).unwrap();
        id
    }

    /// A record as format 5 sealed it, with a name beside it.
    fn record(&mut self, server: &str, chat: &str) {
        let seq = self.head.0 + 1;
        let salt = format!("salt {seq}");
        let body = json!({ "bytes": 1, "names": Digest::of_names(&salt, &names()) });
        let hex: String = self.head.1.iter().map(|byte| format!("{byte:02x}")).collect();
        let sealed = canonical(&json!({
            "v": 1, "seq": seq, "prev": hex, "at": seq, "kind": "intent", "server": server, "chat": chat,
            "action": "tool.call", "object": "read", "decision": "allowed", "because": null, "body": body,
        }));
        let hash: [u8; 32] = Sha256::digest(format!("vestibule/v1/ledger\0{sealed}")).into();
        let sql = "INSERT INTO ledger (seq, prev, at, kind, server, chat, action, object, decision, because, body, hash)
                   VALUES (?1, ?2, ?1, 'intent', ?3, ?4, 'tool.call', 'read', 'allowed', 'null', ?5, ?6)";
        let values = (seq, self.head.1, server, chat, canonical(&body), hash);
        self.file.execute(sql, values).unwrap();
        let sql = "UPDATE ledger_head SET seq = ?1, hash = ?2";
        self.file.execute(sql, (seq, hash)).unwrap();
        let sql = "INSERT INTO ledger_words (seq, server, chat, salt) VALUES (?1, ?2, ?3, ?4)";
        self.file.execute(sql, (seq, server, chat, salt)).unwrap();
        let sql = "INSERT INTO ledger_names (seq, what, name) VALUES (?1, 'file', ?2)";
        self.file.execute(sql, (seq, PLACE)).unwrap();
        self.head = (seq, hash);
    }

    fn remove(&self, table: &str, id: &str) {
        let sql = format!("DELETE FROM {table} WHERE id = ?1");
        assert_eq!(self.file.execute(&sql, [id]).unwrap(), 1);
    }
}

/// Records 1 and 4 are of a living chat and server, 2 of a deleted chat, 3 of a removed server.
fn old_file() -> (Folder, String) {
    let folder = Folder::new();
    let mut old = Old::create(&folder);
    let (server, removed) = (old.server(), old.server());
    let (living, deleted) = (old.chat(), old.chat());
    old.record(&server, &living);
    old.record(&server, &deleted);
    old.record(&removed, &living);
    old.record(&server, &living);
    old.remove("chats", &deleted);
    old.remove("servers", &removed);
    (folder, removed)
}

/// Shows HO-009 and TL-023.
#[tokio::test]
async fn a_file_of_format_5_with_deletions_opens_and_verifies() {
    let (folder, removed) = old_file();
    assert_intact(verify_file(&folder.database()).unwrap(), 4);
    for _ in 0..2 {
        let store = folder.open();
        let upgrade = newest(&store).await;
        assert_eq!((upgrade.seq, upgrade.action.as_str()), (5, "ledger.upgrade"));
        let gone = upgrade.body["gone"].as_array().unwrap();
        assert_eq!(gone.len(), 2, "a chat and a server");
        assert!(gone.contains(&Value::from(removed.clone())));
        assert_eq!(
            naming(&store).await,
            2,
            "what stood beside living records is kept"
        );
        let servers = store.removed_servers().await.unwrap();
        let servers: Vec<_> = servers
            .iter()
            .map(|one| (one.id.to_string(), &*one.name))
            .collect();
        assert_eq!(servers, [(removed.clone(), "")]);
        store.close().await;
        assert_intact(verify_file(&folder.database()).unwrap(), 5);
    }
}

/// Shows TL-023.
#[tokio::test]
async fn names_of_old_records_that_were_emptied_are_missed() {
    for (attack, seq) in [
        ("DELETE FROM ledger_words WHERE seq = 4", 4),
        ("DELETE FROM chats", 1),
        ("DELETE FROM ledger_servers", 1),
    ] {
        let (folder, _) = old_file();
        folder.open().close().await;
        intruder(&folder.database()).execute_batch(attack).unwrap();
        assert_missed(verify_file(&folder.database()).unwrap(), seq);
    }
}

/// Puts a file back to format 5, deletes everything, and lets Vestibule upgrade it once more.
const DOWNGRADE: &str = "PRAGMA foreign_keys = OFF;
    DELETE FROM chats; DELETE FROM servers; DELETE FROM ledger_names; DELETE FROM ledger_words;
    DROP TABLE ledger_servers; DROP INDEX ledger_config; DROP TABLE row_macs; DROP TABLE row_macs_head;
    DROP TABLE native_replies; DROP TABLE model_usage; DROP TABLE model_costs;
    ALTER TABLE chats DROP COLUMN settings;
    DROP TABLE models; DROP TABLE connections;
    CREATE TABLE models (id TEXT PRIMARY KEY NOT NULL, label TEXT NOT NULL, kind TEXT NOT NULL, base_url TEXT,
                         model TEXT NOT NULL, created INTEGER NOT NULL, price_in INTEGER, price_out INTEGER) STRICT;
    PRAGMA user_version = 5;";

/// Shows TL-023.
#[tokio::test]
async fn a_second_upgrade_excuses_nothing() {
    let (upgraded, _) = old_file();
    upgraded.open().close().await;
    let made = used().await.folder;
    for folder in [upgraded, made] {
        intruder(&folder.database()).execute_batch(DOWNGRADE).unwrap();
        folder.open().close().await;
        assert_missed(verify_file(&folder.database()).unwrap(), 1);
    }
}

#[tokio::test]
async fn an_upgrade_that_lists_very_many_chats_fits_into_records() {
    let folder = Folder::new();
    let mut old = Old::create(&folder);
    old.file.execute_batch("BEGIN").unwrap();
    let server = old.server();
    for _ in 0..8_001 {
        let chat = old.chat();
        old.record(&server, &chat);
    }
    old.file.execute("DELETE FROM chats", []).unwrap();
    old.file.execute_batch("COMMIT").unwrap();
    drop(old);
    folder.open().close().await;
    assert_intact(verify_file(&folder.database()).unwrap(), 8_003);
}
