//! Signed rows as the store keeps them, apart from who holds the key.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use secrecy::SecretString;
use support::{Folder, at, intruder, rule, server};
use vestibule_store::{RowFault, RowKey, RuleRecord, Store, StoreError};

fn key(text: &str) -> RowKey {
    RowKey::new(SecretString::from(text))
}

/// Signs everything that is there with the key `text`.
async fn signed(store: &Store, text: &str) -> i64 {
    store.sign_rows(key(text), 0, |_| true).await.unwrap()
}

async fn faults(store: &Store) -> Vec<Option<RowFault>> {
    let rules = store.checked_rules().await.unwrap();
    rules.into_iter().map(|checked| checked.fault).collect()
}

/// A store with one server and a rule of it, signed.
async fn kept(folder: &Folder) -> (Store, RuleRecord, i64) {
    let store = folder.open();
    let server = server("notes");
    let rule = rule(server.id, None);
    store.put_server(&server).await.unwrap();
    store.put_rule(&rule).await.unwrap();
    let generation = signed(&store, "own").await;
    (store, rule, generation)
}

#[tokio::test]
async fn without_a_key_nothing_is_signed_or_found() {
    let folder = Folder::new();
    let store = folder.open();
    let server = server("notes");
    store.put_server(&server).await.unwrap();
    store.put_rule(&rule(server.id, None)).await.unwrap();
    assert_eq!(faults(&store).await, [None]);
    assert!(!store.has_signed_rows().await.unwrap());
}

#[tokio::test]
async fn what_the_store_writes_matches_after_reopening() {
    let folder = Folder::new();
    let (store, rule, _) = kept(&folder).await;
    let second = RuleRecord {
        id: vestibule_protocol::RuleId::new(),
        ..rule.clone()
    };
    store.put_rule(&second).await.unwrap();
    store.touch_rule(rule.id, at(90)).await.unwrap();
    let generation = *store.row_generation().borrow();
    store.close().await;
    let store = folder.open();
    store.use_row_key(key("own"), generation).await.unwrap();
    assert_eq!(faults(&store).await, [None, None]);
    assert!(
        store
            .checked_servers()
            .await
            .unwrap()
            .iter()
            .all(|checked| checked.fault.is_none())
    );
}

#[tokio::test]
async fn a_use_of_a_rule_keeps_the_generation_and_a_change_raises_it() {
    let folder = Folder::new();
    let (store, rule, generation) = kept(&folder).await;
    store.put_rule(&rule).await.unwrap();
    let after = *store.row_generation().borrow();
    assert_eq!(after, generation + 1);
    store.touch_rule(rule.id, at(90)).await.unwrap();
    assert_eq!(*store.row_generation().borrow(), after);
    assert_eq!(faults(&store).await, [None]);
}

/// A use of a rule does not sign what another program wrote into its row meanwhile.
#[tokio::test]
async fn an_edit_while_the_store_is_open_is_not_signed_by_a_use() {
    let folder = Folder::new();
    let (store, rule, _) = kept(&folder).await;
    intruder(&folder.database())
        .execute("UPDATE rules SET expires = NULL, body = '{}'", [])
        .unwrap();
    store.touch_rule(rule.id, at(90)).await.unwrap();
    assert_eq!(faults(&store).await, [Some(RowFault::Changed)]);
}

/// Nor does a change of another row sign a list that was edited in the file.
#[tokio::test]
async fn an_edited_list_is_not_signed_by_a_change() {
    let folder = Folder::new();
    let (store, rule, _) = kept(&folder).await;
    intruder(&folder.database())
        .execute_batch("DELETE FROM rules; DELETE FROM row_macs WHERE kind = 'rule';")
        .unwrap();
    store.put_server(&server("other")).await.unwrap();
    assert_eq!(faults(&store).await, [Some(RowFault::Missing)]);
    let generation = *store.row_generation().borrow();
    store.close().await;
    let store = folder.open();
    assert!(
        !store.use_row_key(key("own"), generation).await.unwrap(),
        "something is missing from the list"
    );
    assert_eq!(faults(&store).await, []);
    assert!(
        store
            .checked_servers()
            .await
            .unwrap()
            .iter()
            .all(|checked| checked.fault.is_none())
    );
    store.put_rule(&rule).await.unwrap();
    assert_eq!(faults(&store).await, [None]);
}

#[tokio::test]
async fn an_older_generation_makes_rules_stale() {
    let folder = Folder::new();
    let (store, _, generation) = kept(&folder).await;
    store.close().await;
    let store = folder.open();
    store.use_row_key(key("own"), generation + 1).await.unwrap();
    assert_eq!(faults(&store).await, [Some(RowFault::Stale)]);
}

#[tokio::test]
async fn another_key_signs_nothing_that_counts() {
    let folder = Folder::new();
    let (store, _, generation) = kept(&folder).await;
    store.close().await;
    let store = folder.open();
    store.use_row_key(key("other"), generation).await.unwrap();
    assert_eq!(faults(&store).await, [Some(RowFault::Unsigned)]);
}

/// A change that fails leaves the list as it was.
#[tokio::test]
async fn a_refused_change_is_not_in_the_list() {
    let folder = Folder::new();
    let (store, rule, _) = kept(&folder).await;
    let orphan = RuleRecord {
        server: vestibule_protocol::ServerId::new(),
        ..rule
    };
    assert!(matches!(
        store.put_rule(&orphan).await,
        Err(StoreError::Unknown { .. })
    ));
    assert_eq!(faults(&store).await, [None]);
}
