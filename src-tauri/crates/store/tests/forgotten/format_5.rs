//! Files of format 5, whose versions deleted without a record: an upgrade lists what was gone, once.

use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use vestibule_policy::{Digest, canonical};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::verify_file;

use crate::support::{Folder, intruder};
use crate::{PLACE, assert_intact, assert_missed, names, naming, newest, used};

/// The steps of a file of format 5, as they were released.
const FORMAT_5: [&str; 5] = [
    include_str!("../../src/schema/0001_first.sql"),
    include_str!("../../src/schema/0002_workspaces.sql"),
    include_str!("../../src/schema/0003_places.sql"),
    include_str!("../../src/schema/0004_tasks.sql"),
    include_str!("../../src/schema/0005_ledger_names.sql"),
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
    DROP INDEX entries_by_parent; DROP INDEX entries_selected; DROP INDEX entries_changed;
    DROP TRIGGER entry_selected_or_not; DROP TRIGGER entry_deleted; ALTER TABLE chats DROP COLUMN branch_changes;
    DROP INDEX entries_by_number; DROP INDEX entries_without_number; DROP TABLE entry_words;
    ALTER TABLE entries DROP COLUMN changed; ALTER TABLE entries DROP COLUMN number;
    ALTER TABLE chats DROP COLUMN pinned;
    ALTER TABLE chats DROP COLUMN archived; ALTER TABLE chats DROP COLUMN trashed;
    ALTER TABLE entries DROP COLUMN parent; ALTER TABLE entries DROP COLUMN selected;
    ALTER TABLE chats DROP COLUMN settings;
    ALTER TABLE budgets DROP COLUMN currency; ALTER TABLE spending DROP COLUMN currency;
    DROP TABLE models; DROP TABLE connections; DROP TABLE draft_files;
    DROP TABLE blob_pieces; DROP TABLE blobs;
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
