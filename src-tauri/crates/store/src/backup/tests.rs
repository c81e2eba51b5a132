use serde_json::json;

use super::*;
use crate::Verification;

async fn store_with(path: &Path, value: &str) -> Store {
    let store = Store::open(path).unwrap();
    store.put_setting("mark", json!(value)).await.unwrap();
    store
}

async fn mark(path: &Path) -> serde_json::Value {
    let store = Store::open(path).unwrap();
    let value = store
        .settings()
        .await
        .unwrap()
        .into_iter()
        .find(|(key, _)| key == "mark");
    store.close().await;
    value.unwrap().1
}

/// A database that says "now", with a backup that says "then" waiting beside it.
async fn waiting(folder: &Path) -> (PathBuf, WaitingBackup) {
    let database = folder.join("vestibule.db");
    let store = store_with(&database, "then").await;
    let waiting = WaitingBackup::beside(&database);
    let (path, _) = waiting.create().unwrap();
    store.write_backup(&path).unwrap();
    store.put_setting("mark", json!("now")).await.unwrap();
    store.close().await;
    (database, waiting)
}

#[tokio::test]
async fn a_backup_of_a_store_in_use_is_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(&folder.path().join("vestibule.db"), "then").await;
    let copy = folder.path().join("copy.db");
    create_private_file(&copy).unwrap();
    store.write_backup(&copy).unwrap();
    store.put_setting("mark", json!("now")).await.unwrap();
    assert!(!file::beside(&copy, "-wal").exists());
    assert_eq!(mark(&copy).await, json!("then"));
    let copied = Store::open(&copy).unwrap();
    copied.check_pages().await.unwrap();
    assert_eq!(copied.counts().await.unwrap().records, 0);
    let verified = copied.verify(|_, _| {}).await.unwrap();
    assert!(matches!(verified, Verification::Intact { .. }), "{verified:?}");
    let memory = Store::in_memory().unwrap().write_backup(&copy);
    assert!(matches!(memory, Err(StoreError::Refused { .. })), "{memory:?}");
}

#[tokio::test]
async fn a_confirmed_backup_is_restored_at_the_next_start_and_the_data_of_before_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (database, waiting) = waiting(folder.path()).await;
    waiting.confirm("2026-11-25").unwrap();
    assert_eq!(mark(&database).await, json!("then"));
    assert_eq!(
        mark(&waiting.kept_in("2026-11-25").join("vestibule.db")).await,
        json!("now")
    );
    assert!(!waiting.folder().exists());
    assert_eq!(mark(&database).await, json!("then"));
}

#[tokio::test]
async fn a_backup_that_was_not_confirmed_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let (database, waiting) = waiting(folder.path()).await;
    assert_eq!(mark(&database).await, json!("now"));
    assert!(!waiting.folder().exists());
}

#[tokio::test]
async fn a_confirmation_that_names_a_place_outside_is_not_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let (database, waiting) = waiting(folder.path()).await;
    waiting.confirm("../elsewhere").unwrap();
    assert_eq!(mark(&database).await, json!("now"));
    assert!(!folder.path().join("elsewhere").exists());
}

/// Each place at which a restore can be interrupted: before, between and after its two moves.
#[tokio::test]
async fn a_restore_that_was_interrupted_is_finished_and_replaces_nothing_twice() {
    for moved in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let (database, waiting) = waiting(folder.path()).await;
        waiting.confirm("stamp").unwrap();
        let kept = waiting.kept_in("stamp").join("vestibule.db");
        if moved > 0 {
            create_private_folders(kept.parent().unwrap()).unwrap();
            fs::rename(&database, &kept).unwrap();
        }
        if moved > 1 {
            fs::rename(waiting.path(), &database).unwrap();
        }
        assert_eq!(mark(&database).await, json!("then"), "{moved}");
        assert_eq!(mark(&kept).await, json!("now"), "{moved}");
    }
}
