use std::path::Path;
use std::sync::mpsc;

use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::json;
use vestibule_protocol::{ChatId, EntryId, WorkspaceId};

use crate::{ChatRecord, Store, create_private_file};

const CANARY: &str = "qzxcanary";

/// How many files of a folder have the canary.
fn files_with_canary(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).unwrap();
    let holds = files.map(|file| file.unwrap().path()).filter(|path| {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes())
    });
    holds.count()
}

/// A store in this folder, and a chat in it that says the canary.
async fn telling_store(folder: &Path) -> (Store, ChatId) {
    let store = Store::open(&folder.join("vestibule.db")).unwrap();
    let chat = ChatRecord {
        id: ChatId::new(),
        workspace: WorkspaceId::home(),
        title: "A chat".to_owned(),
        model: None,
        settings: None,
        created: Timestamp::UNIX_EPOCH,
        updated: Timestamp::UNIX_EPOCH,
        pinned: false,
        archived: false,
        trashed: None,
    };
    store.create_chat(&chat).await.unwrap();
    let body = json!({ "kind": "user", "text": CANARY });
    let at = Timestamp::UNIX_EPOCH;
    store
        .append_entry(chat.id, EntryId::new(), at, body)
        .await
        .unwrap();
    (store, chat.id)
}

/// Waits for what the writing thread does before this.
async fn written(store: &Store) {
    store.write(|_| Ok(())).await.unwrap();
}

#[tokio::test]
async fn words_of_a_chat_that_is_deleted_during_a_check_of_the_ledger_are_in_no_file_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let (store, chat) = telling_store(folder.path()).await;
    let (begun, begins) = tokio::sync::oneshot::channel();
    let (end, ends) = mpsc::channel::<()>();
    let checked = tokio::spawn({
        let (store, mut begun) = (store.clone(), Some(begun));
        let hold = move |_, _| {
            if let Some(begun) = begun.take() {
                begun.send(()).unwrap();
                ends.recv().unwrap();
            }
        };
        async move { store.verify(hold).await }
    });
    begins.await.unwrap();
    store.delete_chat(chat).await.unwrap();
    store.truncate_log().await.unwrap();
    assert_ne!(files_with_canary(folder.path()), 0, "the check still reads it");
    end.send(()).unwrap();
    checked.await.unwrap().unwrap();
    written(&store).await;
    assert_eq!(files_with_canary(folder.path()), 0);
    store.close().await;
}

#[tokio::test]
async fn a_log_that_could_not_be_emptied_is_emptied_after_a_backup() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (store, chat) = telling_store(folder.path()).await;
    let reading = store.truncation().begin_reading();
    store.delete_chat(chat).await.unwrap();
    store.truncate_log().await.unwrap();
    drop(reading);
    assert_ne!(files_with_canary(folder.path()), 0);
    let backup = other.path().join("backup.db");
    create_private_file(&backup).unwrap();
    store.write_backup(&backup).unwrap();
    written(&store).await;
    assert_eq!(files_with_canary(folder.path()), 0);
    assert_eq!(files_with_canary(other.path()), 0);
    store.close().await;
}

/// A program that has the database open keeps SQLite from removing the log.
#[tokio::test]
async fn a_log_that_could_not_be_emptied_is_emptied_before_the_store_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let (store, chat) = telling_store(folder.path()).await;
    let other = Connection::open(folder.path().join("vestibule.db")).unwrap();
    let count = "SELECT count(*) FROM chats";
    let chats: i64 = other.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(chats, 1);
    let reading = store.truncation().begin_reading();
    store.delete_chat(chat).await.unwrap();
    store.truncate_log().await.unwrap();
    drop(reading);
    store.close().await;
    assert_eq!(files_with_canary(folder.path()), 0);
}

/// Copies of the files while the store is open are what the end of the process leaves.
#[tokio::test]
async fn a_log_that_a_killed_run_left_is_emptied_at_the_next_start() {
    let (folder, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (store, chat) = telling_store(folder.path()).await;
    store.delete_chat(chat).await.unwrap();
    for file in ["vestibule.db", "vestibule.db-wal"] {
        std::fs::copy(folder.path().join(file), killed.path().join(file)).unwrap();
    }
    store.close().await;
    assert_ne!(files_with_canary(killed.path()), 0);
    let store = Store::open(&killed.path().join("vestibule.db")).unwrap();
    assert_eq!(files_with_canary(killed.path()), 0);
    store.close().await;
}
