//! Large parts of results: written with their entry, read in pieces, and gone with it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use serde_json::{Value, json};
use support::{Folder, at, chat};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{
    BlobKind, BranchEntry, ChatRecord, NewBlob, SearchTerms, Store, StoreError, WholeEntry,
};

const CANARY: &str = "qzxcanary";

fn blob(number: u32, kind: BlobKind, content: &[u8]) -> NewBlob {
    NewBlob {
        number,
        kind,
        mime: None,
        content: content.to_vec(),
    }
}

/// A body that refers to the blobs of these numbers, which are texts.
fn body(numbers: &[u32]) -> Value {
    let parts = numbers
        .iter()
        .map(|number| json!({ "type": "stored", "part": { "number": number, "form": { "form": "text" } } }));
    let parts: Vec<_> = parts.collect();
    json!({ "kind": "call", "state": "answered", "result": { "content": parts } })
}

async fn put_chat(store: &Store, id: ChatId) {
    let chat = ChatRecord { id, ..chat("A", 1) };
    store.create_chat(&chat).await.expect("the chat can be made");
}

/// An entry with one text.
async fn add(store: &Store, chat: ChatId, text: &str) -> EntryId {
    let entry = EntryId::in_chat(chat);
    let running = json!({ "kind": "call", "state": "running" });
    store
        .append_entry(chat, entry, at(2), running)
        .await
        .expect("the entry can be added");
    let blobs = vec![blob(0, BlobKind::Text, text.as_bytes())];
    store
        .update_entry_with(entry, &body(&[0]), blobs)
        .await
        .expect("the entry can be written");
    entry
}

async fn found(store: &Store, words: &str) -> Vec<EntryId> {
    let found = store.search(SearchTerms::new(words), 10).await;
    let entries = found.expect("it can be searched").entries.into_iter();
    entries.map(|record| record.id).collect()
}

fn files_with_canary(folder: &Folder) -> usize {
    let database = folder.database();
    let parent = database.parent().expect("the database is in a folder");
    let files = std::fs::read_dir(parent).expect("the folder can be listed");
    let has_it = |file: &std::fs::DirEntry| {
        let bytes = std::fs::read(file.path()).expect("the file can be read");
        bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes())
    };
    files
        .map(|file| file.expect("the file is listed"))
        .filter(has_it)
        .count()
}

#[tokio::test]
async fn a_blob_is_read_in_pieces_of_its_own_entry() {
    let folder = Folder::new();
    let store = folder.open();
    let id = ChatId::new();
    put_chat(&store, id).await;
    let text = "one line of a text\n".repeat(20_000);
    let (entry, other) = (add(&store, id, &text).await, add(&store, id, "another").await);
    let facts = store.blob_facts(entry, 0).await.unwrap().unwrap();
    assert_eq!((facts.bytes, facts.kind), (text.len() as u64, BlobKind::Text));
    let some = store.blob_pieces(entry, 0, 1, 100_000).await.unwrap();
    assert_eq!(some.len(), 3, "those of 32 kB that have no more together");
    let rest = store.blob_pieces(entry, 0, 4, usize::MAX).await.unwrap();
    let first = store.blob_pieces(entry, 0, 0, 0).await.unwrap();
    assert_eq!(first.len(), 1, "one at least");
    assert_eq!(
        [first, some, rest].concat().concat(),
        text.as_bytes(),
        "they are the whole text"
    );
    assert_eq!(
        store.blob(entry, 0).await.unwrap().unwrap().content,
        text.as_bytes()
    );
    assert_eq!(store.blob(other, 0).await.unwrap().unwrap().content, b"another");
    assert_eq!(store.blob(entry, 1).await.unwrap(), None);
    assert_eq!(
        store.blob_pieces(entry, 0, facts.pieces, 1).await.unwrap(),
        Vec::<Vec<u8>>::new()
    );
    assert_eq!(store.blob(EntryId::in_chat(id), 0).await.unwrap(), None);
    store.close().await;
}

#[tokio::test]
async fn a_blob_that_cannot_be_written_leaves_its_entry_as_it_was() {
    let folder = Folder::new();
    let store = folder.open();
    let id = ChatId::new();
    put_chat(&store, id).await;
    let entry = add(&store, id, CANARY).await;
    let before = store.entry(entry).await.unwrap();
    let again = vec![blob(0, BlobKind::Text, b"other")];
    let refused = store
        .update_entry_with(entry, &json!({ "kind": "call" }), again)
        .await;
    assert!(matches!(refused, Err(StoreError::Refused { .. })), "{refused:?}");
    let huge = vec![blob(1, BlobKind::Image, &vec![0; 64 * 1024 * 1024 + 1])];
    let refused = store
        .update_entry_with(entry, &json!({ "kind": "call" }), huge)
        .await;
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
    let unknown = EntryId::in_chat(id);
    let refused = store
        .update_entry_with(unknown, &json!({}), vec![blob(0, BlobKind::Text, b"x")])
        .await;
    assert!(matches!(refused, Err(StoreError::Unknown { .. })), "{refused:?}");
    assert_eq!(store.entry(entry).await.unwrap(), before);
    assert_eq!(
        store.blob(entry, 0).await.unwrap().unwrap().content,
        CANARY.as_bytes()
    );
    assert_eq!(found(&store, CANARY).await, [entry]);
    store.close().await;
}

#[tokio::test]
async fn a_stored_text_is_searched_as_far_as_any_other_and_leaves_the_index_with_its_entry() {
    let folder = Folder::new();
    let store = folder.open();
    let id = ChatId::new();
    put_chat(&store, id).await;
    let line = "nothing to see in this line\n";
    let near = format!("{}{CANARY}\n{}", line.repeat(8_000), line.repeat(20_000));
    let far = format!("{}{CANARY}\n", line.repeat(20_000));
    let (near, far) = (add(&store, id, &near).await, add(&store, id, &far).await);
    assert_eq!(found(&store, CANARY).await, [near]);
    // Once more, as the user makes a choice about a result.
    store.update_entry(near, body(&[0])).await.unwrap();
    assert_eq!(found(&store, CANARY).await, [near]);
    store.remove_entry(far).await.unwrap();
    store.delete_exchange(near, None).await.unwrap();
    assert_eq!(found(&store, CANARY).await, []);
    store.truncate_log().await.unwrap();
    assert_eq!(files_with_canary(&folder), 0);
    store.close().await;
}

#[tokio::test]
async fn blobs_go_with_their_chat_and_those_of_a_temporary_chat_reach_no_file() {
    let folder = Folder::new();
    let store = folder.open();
    let (id, temporary) = (ChatId::new(), ChatId::temporary());
    put_chat(&store, temporary).await;
    let entry = add(&store, temporary, &CANARY.repeat(50_000)).await;
    assert!(store.blob(entry, 0).await.unwrap().is_some());
    assert_eq!(files_with_canary(&folder), 0);
    store.delete_chat(temporary).await.unwrap();
    assert_eq!(store.blob(entry, 0).await.unwrap(), None);

    put_chat(&store, id).await;
    let entry = add(&store, id, &CANARY.repeat(50_000)).await;
    assert_ne!(files_with_canary(&folder), 0);
    store.delete_chat(id).await.unwrap();
    store.truncate_log().await.unwrap();
    assert_eq!(store.blob(entry, 0).await.unwrap(), None);
    assert_eq!(files_with_canary(&folder), 0);
    store.close().await;
}

#[tokio::test]
async fn a_whole_chat_brings_its_blobs_and_a_backup_has_them() {
    let folder = Folder::new();
    let store = folder.open();
    let (id, entry) = (ChatId::new(), EntryId::new());
    let record = vestibule_store::EntryRecord {
        id: entry,
        chat: id,
        position: 0,
        parent: None,
        at: at(2),
        body: body(&[0]),
    };
    let whole = WholeEntry {
        entry: BranchEntry { record, shown: true },
        blobs: vec![blob(0, BlobKind::Text, CANARY.as_bytes())],
    };
    let chat = ChatRecord { id, ..chat("A", 1) };
    store.add_whole_chat(&chat, vec![whole]).await.unwrap();
    assert_eq!(found(&store, CANARY).await, [entry]);
    let backup = tempfile::NamedTempFile::new().unwrap();
    store.write_backup(backup.path()).unwrap();
    store.close().await;
    let copy = Store::open(backup.path()).unwrap();
    assert_eq!(
        copy.blob(entry, 0).await.unwrap().unwrap().content,
        CANARY.as_bytes()
    );
    copy.close().await;
}
