//! The first signing of a database, and files that are made to look as if it had not happened.

use super::*;

/// After the first signing a row without a signature counts as edited.
#[tokio::test]
async fn stripped_signatures_do_not_bring_back_the_time_before_them() {
    let strip = "DELETE FROM row_macs; DELETE FROM row_macs_head;
        UPDATE rules SET body = json_remove(body, '$.expires') WHERE body ->> '$.decision' = 'allow'";
    let mut house = House::new().await.attacked(run(strip)).await;
    let faults = house.faults();
    assert!(
        faults.contains(&(RowTable::Rule, RowFault::Unsigned)),
        "{faults:?}"
    );
    assert!(
        faults.contains(&(RowTable::Server, RowFault::Unsigned)),
        "{faults:?}"
    );
    house.accept_tools().await;
    assert!(house.is_asked("read", json!({})).await);
    assert_eq!(
        house.rule("burn"),
        ToolRule::Never,
        "a refusal holds all the same"
    );
    house.close().await;
}

/// The same with the tables dropped and the format set back.
#[tokio::test]
async fn a_database_set_back_to_the_old_format_is_not_signed_again() {
    let mut house = House::new().await.attacked(set_back).await;
    let faults = house.faults();
    assert!(
        faults.contains(&(RowTable::Rule, RowFault::Unsigned)),
        "{faults:?}"
    );
    house.accept_tools().await;
    assert!(house.is_asked("read", json!({})).await);
    house.close().await;
}

/// Makes the file one of format 5, as it was before rows were signed.
fn set_back(file: &rusqlite::Connection) {
    file.execute_batch(
        "DROP TABLE row_macs; DROP TABLE row_macs_head; DROP INDEX ledger_config;
         PRAGMA foreign_keys = OFF; DROP TABLE native_replies; DROP TABLE model_usage;
         DROP TABLE model_costs; DROP INDEX entries_by_parent; DROP INDEX entries_selected;
         DROP INDEX entries_changed; DROP TRIGGER entry_selected_or_not; DROP TRIGGER entry_deleted;
         ALTER TABLE chats DROP COLUMN branch_changes;
         DROP INDEX entries_by_number; DROP INDEX entries_without_number; DROP TABLE entry_words;
         ALTER TABLE entries DROP COLUMN changed; ALTER TABLE entries DROP COLUMN number;
         ALTER TABLE chats DROP COLUMN pinned;
         ALTER TABLE chats DROP COLUMN archived; ALTER TABLE chats DROP COLUMN trashed;
         ALTER TABLE entries DROP COLUMN parent; ALTER TABLE entries DROP COLUMN selected;
         ALTER TABLE budgets DROP COLUMN currency; ALTER TABLE spending DROP COLUMN currency;
         ALTER TABLE chats DROP COLUMN settings; DROP TABLE models; DROP TABLE connections; DROP TABLE draft_files;
         DROP TABLE blob_pieces; DROP TABLE blobs;
         CREATE TABLE models (id TEXT PRIMARY KEY NOT NULL, label TEXT NOT NULL, kind TEXT NOT NULL, base_url TEXT,
                              model TEXT NOT NULL, created INTEGER NOT NULL, price_in INTEGER,
                              price_out INTEGER) STRICT;
         DROP TABLE ledger_servers; PRAGMA user_version = 5;",
    )
    .unwrap();
}

impl House {
    /// Opened again after database and keychain became those of a version that did not sign rows, and after `edited`.
    async fn made_old(self, edited: impl FnOnce(&rusqlite::Connection)) -> Self {
        let keychain = self.keychain.clone();
        self.reopened(async |opening| {
            keychain.remove(&SecretName::RowKey).await.unwrap();
            keychain.remove(&SecretName::RowGeneration).await.unwrap();
            edit(opening, |file| {
                set_back(file);
                edited(file);
            });
        })
        .await
    }
}

/// A database of today: its rules are signed once, as far as the ledger has granted them, and hold.
#[tokio::test]
async fn a_database_from_before_signatures_is_signed_once_and_its_rules_hold() {
    let mut house = House::new().await.made_old(|_| {}).await;
    assert_eq!(house.found(), []);
    assert_eq!(house.scene.host.rows().protection, RowsProtection::Signed);
    assert_eq!(
        house.scene.host.rows().unproven_tools,
        3,
        "first definitions were never written down"
    );
    house.start(&tools()).await;
    assert!(!house.is_asked("read", json!({})).await);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    // From now on an edit is one.
    let mut house = house.attacked(run("UPDATE rules SET expires = NULL")).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Changed)]);
    assert!(house.is_asked("read", json!({})).await);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    assert_eq!(house.scene.host.rows().unproven_tools, 0);
    house.close().await;
}

/// What was edited before the first signing is not signed with the rest.
#[tokio::test]
async fn a_first_signing_covers_only_what_the_ledger_granted() {
    let edited = run(
        "UPDATE rules SET body = json_set(body, '$.expires', '2999-01-01T00:00:00Z') WHERE body ->> '$.decision' = 'allow';
        INSERT INTO servers (id, name, command, args, env, wanted, created)
        VALUES ('00000000-0000-4000-8000-00000000000a', 'helper', '/bin/true', '[]', '[]', 1, 0)",
    );
    let mut house = House::new().await.made_old(edited).await;
    let unsigned = RowFault::Unsigned;
    assert_eq!(
        house.faults(),
        [(RowTable::Server, unsigned), (RowTable::Rule, unsigned)]
    );
    house.start(&tools()).await;
    assert!(house.is_asked("read", json!({})).await);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    house.close().await;
}

/// A permission that the ledger says was taken back is not signed, whatever the file has.
#[tokio::test]
async fn a_first_signing_leaves_out_what_was_taken_back() {
    let house = House::new().await;
    let rule = house
        .scene
        .store
        .rules()
        .await
        .unwrap()
        .into_iter()
        .find(|rule| rule.body["decision"] == "allow")
        .unwrap();
    house.scene.host.rule_take_back(rule.id).await.unwrap();
    house.scene.store.put_rule(&rule).await.unwrap();
    let mut house = house.made_old(|_| {}).await;
    house.start(&tools()).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Unsigned)]);
    assert!(house.is_asked("read", json!({})).await);
    house.close().await;
}
