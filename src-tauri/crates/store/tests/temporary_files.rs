//! Where texts of chats are written: only in the folder of the database, which no other account can read.

mod support;

use std::env;
use std::path::Path;

use serde_json::json;
use support::trace::{self, Call};
use support::{at, chat};
use vestibule_protocol::EntryId;
use vestibule_store::Store;

const NAME: &str = "statements_that_change_many_pages_write_to_no_temporary_file";

/// This test plays both parts: started with [`trace::ROLE`] set, it is the process that is traced.
#[tokio::test]
async fn statements_that_change_many_pages_write_to_no_temporary_file() {
    if let Some(path) = env::var_os(trace::ROLE) {
        return change_many_pages(Path::new(&path)).await;
    }
    let trace = trace::of_test(NAME);
    let written = trace.calls.iter().filter_map(|call| match call {
        Call::Write { file, .. } => Some(file),
        _ => None,
    });
    let written: Vec<_> = written.collect();
    assert!(!written.is_empty());
    for file in written {
        assert!(file.starts_with(trace.folder.path()), "{}", file.display());
    }
}

/// Before a statement that may fail halfway changes a page, SQLite copies the page.
async fn change_many_pages(path: &Path) {
    let store = Store::open(path).expect("the store opens");
    let chat = chat("many pages", 1);
    store.create_chat(&chat).await.expect("a chat can be made");
    let entries = (0..200).map(|_| (EntryId::new(), at(1), json!({ "text": "x".repeat(4_000) })));
    store
        .append_entries(chat.id, entries.collect())
        .await
        .expect("entries can be added");
    store.delete_chat(chat.id).await.expect("a chat can be deleted");
    store.close().await;
}
