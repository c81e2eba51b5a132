//! Chats that are read page by page.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::HashMap;

use serde_json::{Value, json};
use support::{at, chat};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{
    BranchRead, BranchRow, BranchState, Change, EntriesFrom, EntriesPage, Store, StoreError,
};

/// A chat with so many entries, and their ids in order.
async fn long_chat(store: &Store, count: i64) -> (ChatId, Vec<EntryId>) {
    let chat = chat("long", 1);
    store.create_chat(&chat).await.unwrap();
    let mut ids = vec![];
    for number in 0..count {
        let id = EntryId::new();
        store
            .append_entry(chat.id, id, at(number), json!({ "text": number }))
            .await
            .unwrap();
        ids.push(id);
    }
    (chat.id, ids)
}

/// The first and the last position of a page, and whether there are entries before and after it.
fn bounds(page: &EntriesPage) -> (i64, i64, bool, bool) {
    let first = page.entries.first().unwrap().position;
    let last = page.entries.last().unwrap().position;
    assert_eq!(page.entries.len(), usize::try_from(last - first + 1).unwrap());
    (first, last, page.earlier, page.later)
}

#[tokio::test]
async fn a_chat_is_read_from_its_end_to_its_beginning_and_back_in_pages_of_sixty() {
    let store = Store::in_memory().unwrap();
    let (chat, _) = long_chat(&store, 130).await;
    long_chat(&store, 5).await;
    let read = async |from| bounds(&store.entries_page(chat, from).await.unwrap());
    assert_eq!(read(EntriesFrom::Newest).await, (70, 129, true, false));
    assert_eq!(read(EntriesFrom::Before(70)).await, (10, 69, true, true));
    assert_eq!(read(EntriesFrom::Before(10)).await, (0, 9, false, true));
    assert_eq!(read(EntriesFrom::After(9)).await, (10, 69, true, true));
    assert_eq!(read(EntriesFrom::After(69)).await, (70, 129, true, false));
    assert_eq!(read(EntriesFrom::After(128)).await, (129, 129, true, false));
}

#[tokio::test]
async fn a_page_around_an_entry_has_it_in_the_middle() {
    let store = Store::in_memory().unwrap();
    let (chat, ids) = long_chat(&store, 130).await;
    let read = async |entry: usize| {
        let from = EntriesFrom::Around(ids[entry]);
        bounds(&store.entries_page(chat, from).await.unwrap())
    };
    assert_eq!(read(65).await, (35, 94, true, true));
    assert_eq!(read(0).await, (0, 29, false, true));
    assert_eq!(read(129).await, (99, 129, true, false));
}

#[tokio::test]
async fn a_page_around_an_entry_of_another_chat_is_refused() {
    let store = Store::in_memory().unwrap();
    let (chat, _) = long_chat(&store, 3).await;
    let (_, others) = long_chat(&store, 3).await;
    let refused = store.entries_page(chat, EntriesFrom::Around(others[1])).await;
    assert!(
        matches!(
            refused,
            Err(StoreError::Unknown {
                what: "chat entry",
                ..
            })
        ),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_page_of_large_entries_is_shorter_and_never_empty() {
    let store = Store::in_memory().unwrap();
    let (chat, ids) = long_chat(&store, 4).await;
    for id in &ids[1..] {
        let body = json!({ "text": "x".repeat(5 * 1024 * 1024) });
        store.update_entry(*id, body).await.unwrap();
    }
    let read = async |from| bounds(&store.entries_page(chat, from).await.unwrap());
    assert_eq!(read(EntriesFrom::Newest).await, (3, 3, true, false));
    assert_eq!(read(EntriesFrom::Before(3)).await, (2, 2, true, true));
    assert_eq!(read(EntriesFrom::After(-1)).await, (0, 1, false, true));
}

#[tokio::test]
async fn an_empty_chat_is_an_empty_page() {
    let store = Store::in_memory().unwrap();
    let (chat, _) = long_chat(&store, 0).await;
    let page = store.entries_page(chat, EntriesFrom::Newest).await.unwrap();
    assert_eq!((page.entries.len(), page.earlier, page.later), (0, false, false));
    assert!(!store.has_entries(chat).await.unwrap());
    let (talked, _) = long_chat(&store, 1).await;
    assert!(store.has_entries(talked).await.unwrap());
}

/// What a reader has of a chat.
#[derive(Default)]
struct Known {
    state: Option<BranchState>,
    entries: HashMap<EntryId, Change>,
}

/// Reads what a reader does not have, and gives the bodies that were read and whether the whole branch was looked at.
async fn read_unknown(store: &Store, chat: ChatId, known: &mut Known) -> (Vec<Value>, bool) {
    let has = known.entries.clone();
    let has = move |id: EntryId, change| (has.get(&id) == Some(&change)).then_some(id);
    let read: BranchRead<Value, _> = store.typed_entries(chat, known.state, has).await.unwrap();
    known.state = Some(read.state);
    let mut bodies = vec![];
    for row in read.rows {
        match row {
            BranchRow::Known(id) => assert!(known.entries.contains_key(&id)),
            BranchRow::Read(read) => {
                known.entries.insert(read.record.id, read.change);
                bodies.push(read.record.body.unwrap());
            }
        }
    }
    (bodies, read.is_whole)
}

#[tokio::test]
async fn a_reader_gets_only_the_entries_that_changed_since_it_read_them() {
    let store = Store::in_memory().unwrap();
    let (chat, ids) = long_chat(&store, 3).await;
    let mut known = Known::default();
    let (first, is_whole) = read_unknown(&store, chat, &mut known).await;
    assert!(first.len() == 3 && is_whole);
    let none = || (vec![], false);
    assert_eq!(read_unknown(&store, chat, &mut known).await, none());

    // The second body is the same as the first.
    for _ in 0..2 {
        let changed = json!({ "text": "changed" });
        store.update_entry(ids[1], changed.clone()).await.unwrap();
        assert_eq!(
            read_unknown(&store, chat, &mut known).await,
            (vec![changed], false)
        );
    }

    let (added, words) = (EntryId::new(), json!({ "text": "one more" }));
    store
        .append_entry(chat, added, at(8), words.clone())
        .await
        .unwrap();
    assert_eq!(read_unknown(&store, chat, &mut known).await, (vec![words], false));

    let (version, other) = (EntryId::new(), json!({ "text": "another version" }));
    let appended = store.append_version(ids[1], version, at(9), other.clone());
    appended.await.unwrap();
    assert_eq!(read_unknown(&store, chat, &mut known).await, (vec![other], true));
    // What is not shown changes meanwhile.
    let hidden = json!({ "text": "changed out of sight" });
    store.update_entry(ids[2], hidden.clone()).await.unwrap();
    assert_eq!(read_unknown(&store, chat, &mut known).await, none());
    store.select_branch(ids[2]).await.unwrap();
    assert_eq!(read_unknown(&store, chat, &mut known).await, (vec![hidden], true));
    store.remove_entry(added).await.unwrap();
    assert_eq!(read_unknown(&store, chat, &mut known).await, (vec![], true));

    let read = store.typed_entries::<Value, _>(chat, None, |id, _| Some(id));
    let shown = read.await.unwrap().rows.into_iter().map(|row| match row {
        BranchRow::Known(id) => id,
        BranchRow::Read(read) => read.record.id,
    });
    assert_eq!(shown.collect::<Vec<_>>(), ids);
}
