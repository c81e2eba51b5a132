//! Branches of a chat: versions of entries, the branch that is shown, and what each branch sees.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Folder, at, chat, intruder};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{EntriesFrom, EntryVersions, Store, StoreError};

/// A chat in which texts of one letter are said.
struct Talk<'a> {
    store: &'a Store,
    chat: ChatId,
}

impl Talk<'_> {
    async fn new(store: &Store) -> Talk<'_> {
        let chat = chat("talk", 1);
        store.create_chat(&chat).await.unwrap();
        Talk { store, chat: chat.id }
    }

    async fn say(&self, text: &str) -> EntryId {
        let id = EntryId::new();
        let body = json!({ "text": text });
        self.store.append_entry(self.chat, id, at(1), body).await.unwrap();
        id
    }

    async fn instead(&self, of: EntryId, text: &str) -> EntryId {
        let id = EntryId::new();
        let body = json!({ "text": text });
        self.store.append_version(of, id, at(1), body).await.unwrap();
        id
    }

    /// What the chat shows, read as a whole and by pages.
    async fn shown(&self) -> String {
        let text = |body: &Value| body["text"].as_str().unwrap().to_owned();
        let all = self.store.entries(self.chat).await.unwrap();
        let page = self
            .store
            .entries_page(self.chat, EntriesFrom::Newest)
            .await
            .unwrap();
        assert_eq!(page.entries, all);
        for pair in all.windows(2) {
            assert_eq!(pair[1].parent, Some(pair[0].id), "each follows the one before it");
            assert!(pair[0].position < pair[1].position);
        }
        all.iter().map(|entry| text(&entry.body)).collect()
    }

    async fn place(&self, entry: EntryId) -> Option<(u32, u32)> {
        let versions = self.store.versions(entry).await.unwrap();
        versions.map(|EntryVersions { at, of, .. }| (at, of))
    }
}

#[tokio::test]
async fn a_version_begins_a_branch_that_sees_only_its_ancestors_and_nothing_is_lost() {
    let store = Store::in_memory().unwrap();
    let talk = Talk::new(&store).await;
    talk.say("a").await;
    let b = talk.say("b").await;
    let c = talk.say("c").await;
    let other_b = talk.instead(b, "B").await;
    assert_eq!(talk.shown().await, "aB");
    talk.say("C").await;
    let d = talk.say("D").await;
    assert_eq!(talk.shown().await, "aBCD");
    assert_eq!(
        (talk.place(b).await, talk.place(other_b).await),
        (Some((1, 2)), Some((2, 2)))
    );
    assert_eq!(talk.place(d).await, None, "the only one of its kind");

    assert!(store.select_branch(b).await.unwrap());
    assert_eq!(talk.shown().await, "abc", "down to its end");
    assert!(!store.select_branch(c).await.unwrap(), "it is shown already");
    assert!(store.select_branch(d).await.unwrap());
    assert_eq!(
        talk.shown().await,
        "aBCD",
        "an entry in the middle of nothing that is shown"
    );
}

#[tokio::test]
async fn the_first_entry_has_versions_as_well() {
    let store = Store::in_memory().unwrap();
    let talk = Talk::new(&store).await;
    let a = talk.say("a").await;
    talk.say("b").await;
    let other = talk.instead(a, "A").await;
    let third = talk.instead(other, "Ä").await;
    assert_eq!(talk.shown().await, "Ä");
    let versions = store.versions(other).await.unwrap().unwrap();
    assert_eq!((versions.before, versions.after), (Some(a), Some(third)));
    store.select_branch(a).await.unwrap();
    assert_eq!(talk.shown().await, "ab");
    let page = store.entries_page(talk.chat, EntriesFrom::Newest).await.unwrap();
    assert_eq!(page.versions.len(), 1, "the chat beside it has none of them");
    assert_eq!(page.versions[&a].of, 3);
}

#[tokio::test]
async fn an_answer_that_is_asked_for_again_follows_the_same_message() {
    let store = Store::in_memory().unwrap();
    let talk = Talk::new(&store).await;
    let question = talk.say("q").await;
    let first = talk.say("1").await;
    store.end_branch(question).await.unwrap();
    assert_eq!(talk.shown().await, "q");
    assert!(
        store.resume_branch(talk.chat).await.unwrap(),
        "nothing came of it"
    );
    assert_eq!(talk.shown().await, "q1");
    store.end_branch(question).await.unwrap();
    let second = talk.say("2").await;
    assert!(!store.resume_branch(talk.chat).await.unwrap());
    assert_eq!(talk.shown().await, "q2");
    assert_eq!(
        (talk.place(first).await, talk.place(second).await),
        (Some((1, 2)), Some((2, 2)))
    );
}

/// An application that ends between the end of a branch and the first entry of the next shows the old one again.
#[tokio::test]
async fn a_branch_that_nothing_came_of_is_left_at_the_next_start() {
    let store = Store::in_memory().unwrap();
    let (ended, whole) = (Talk::new(&store).await, Talk::new(&store).await);
    let question = ended.say("q").await;
    ended.say("1").await;
    whole.say("w").await;
    store.end_branch(question).await.unwrap();
    store.resume_branches().await.unwrap();
    assert_eq!(
        (ended.shown().await.as_str(), whole.shown().await.as_str()),
        ("q1", "w")
    );
}

#[tokio::test]
async fn what_is_not_shown_has_no_version_added_and_is_no_page() {
    let store = Store::in_memory().unwrap();
    let talk = Talk::new(&store).await;
    let a = talk.say("a").await;
    let b = talk.say("b").await;
    talk.instead(a, "A").await;
    let is_unknown = |result: Result<(), StoreError>| matches!(result, Err(StoreError::Unknown { .. }));
    let added = store.append_version(b, EntryId::new(), at(1), json!({})).await;
    assert!(is_unknown(added.map(drop)));
    assert!(is_unknown(store.end_branch(b).await));
    assert!(is_unknown(store.select_branch(EntryId::new()).await.map(drop)));
    let page = store.entries_page(talk.chat, EntriesFrom::Around(b)).await;
    assert!(is_unknown(page.map(drop)));
    assert_eq!(talk.shown().await, "A");
    let followed = store.remove_entry(a).await;
    assert!(
        matches!(followed, Err(StoreError::Refused { .. })),
        "{followed:?}"
    );
}

#[tokio::test]
async fn a_message_is_deleted_with_its_answers_and_what_follows_stays() {
    let folder = Folder::new();
    let store = folder.open();
    let talk = Talk::new(&store).await;
    let a = talk.say("a").await;
    talk.say("1").await;
    store.end_branch(a).await.unwrap();
    talk.say("zweite").await;
    let b = talk.say("b").await;
    talk.say("2").await;
    store.delete_exchange(a, Some(b)).await.unwrap();
    assert_eq!(talk.shown().await, "b2");
    let other = talk.instead(b, "B").await;
    assert_eq!(talk.shown().await, "B");
    store.delete_exchange(other, None).await.unwrap();
    assert_eq!(talk.shown().await, "b2", "its other version is shown");
    let unknown = store.delete_exchange(other, None).await;
    assert!(matches!(unknown, Err(StoreError::Unknown { .. })), "{unknown:?}");
    store.delete_exchange(b, None).await.unwrap();
    assert_eq!(talk.shown().await, "");
    talk.say("c").await;
    assert_eq!(talk.shown().await, "c");
    store.close().await;
    let bytes = std::fs::read(folder.database()).unwrap();
    assert!(
        !bytes.windows(6).any(|at| at == b"zweite"),
        "its text is overwritten"
    );
}

#[tokio::test]
async fn deleting_a_message_keeps_every_version_of_the_next_one() {
    let folder = Folder::new();
    let store = folder.open();
    let talk = Talk::new(&store).await;
    let a = talk.say("a").await;
    talk.say("1").await;
    let b = talk.say("b").await;
    talk.say("2").await;
    let other = talk.instead(b, "B").await;
    store.delete_exchange(a, Some(other)).await.unwrap();
    assert_eq!(talk.shown().await, "B");
    store.select_branch(b).await.unwrap();
    assert_eq!(talk.shown().await, "b2");
}

#[tokio::test]
async fn a_chat_is_deleted_with_all_its_branches() {
    let folder = Folder::new();
    let store = folder.open();
    let talk = Talk::new(&store).await;
    let a = talk.say("a").await;
    talk.say("b").await;
    talk.instead(a, "A").await;
    store.delete_chat(talk.chat).await.unwrap();
    store.close().await;
    let file = intruder(&folder.database());
    let left: i64 = file
        .query_row("SELECT count(*) FROM entries", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}

/// The entries of a database of before are one branch, also where a removed failure left a gap.
#[tokio::test]
async fn the_entries_of_before_branches_are_one_branch() {
    let folder = Folder::new();
    let file = intruder(&folder.database());
    file.execute_batch(include_str!("formats/10-a.sql")).unwrap();
    file.close().unwrap();
    let store = folder.open();
    let mut lengths = vec![];
    for chat in store.chats().await.unwrap() {
        let entries = store.entries(chat.id).await.unwrap();
        let parents: Vec<_> = entries.iter().map(|entry| entry.parent).collect();
        let mut before: Vec<_> = entries.iter().map(|entry| Some(entry.id)).collect();
        before.rotate_right(1);
        before[0] = None;
        assert_eq!(parents, before);
        lengths.push(entries.len());
    }
    assert_eq!(lengths, [1, 4]);
    store.close().await;
}

/// A page reads the entries of its branch by an index, whatever else the chat has.
#[tokio::test]
async fn a_page_of_one_of_two_long_branches_is_read_by_the_index() {
    let folder = Folder::new();
    let store = folder.open();
    let talk = Talk::new(&store).await;
    let a = talk.say("a").await;
    store.close().await;
    let file = intruder(&folder.database());
    // Two branches of 10,000 entries each: the first of each follows `a`, the others the one before them.
    let rows = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO entries (id, chat, position, at, body, parent, selected)
         SELECT printf('00000000-0000-7000-8000-%012d', i), '{}', i, 1, '{{\"text\":\"x\"}}',
                CASE WHEN i IN (1, 10001) THEN '{a}' ELSE printf('00000000-0000-7000-8000-%012d', i - 1) END, i > 10000
         FROM n",
        talk.chat
    );
    file.execute_batch(&format!("PRAGMA foreign_keys = OFF; {rows}"))
        .unwrap();
    let plan: String = file
        .query_row(
            "EXPLAIN QUERY PLAN SELECT * FROM entries INDEXED BY entries_selected
             WHERE chat = 'c' AND selected AND position < 5 ORDER BY position DESC LIMIT 60",
            [],
            |row| row.get(3),
        )
        .unwrap();
    assert!(
        plan.contains("SEARCH entries USING INDEX entries_selected (chat=? AND position<?)"),
        "{plan}"
    );
    file.close().unwrap();

    let store = folder.open();
    let begun = Instant::now();
    let page = store
        .entries_page(talk.chat, EntriesFrom::Before(10_030))
        .await
        .unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let positions: Vec<i64> = page.entries.iter().map(|entry| entry.position).collect();
    let expected: Vec<i64> = [0].into_iter().chain(10_001..10_030).collect();
    assert_eq!((positions, page.earlier, page.later), (expected, false, true));
    let first: EntryId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    assert!(store.select_branch(first).await.unwrap());
    let page = store.entries_page(talk.chat, EntriesFrom::Newest).await.unwrap();
    assert_eq!(page.entries.last().unwrap().position, 10_000);
    store.close().await;
}

#[tokio::test]
async fn an_entry_of_any_branch_is_deleted_alone() {
    let store = Store::in_memory().unwrap();
    let talk = Talk::new(&store).await;
    talk.say("a").await;
    let b = talk.say("b").await;
    let c = talk.say("c").await;
    let d = talk.say("d").await;
    talk.instead(c, "C").await;
    store.splice_out(c).await.unwrap();
    store.splice_out(c).await.unwrap();
    assert_eq!(talk.shown().await, "abC");
    assert!(store.select_branch(d).await.unwrap());
    assert_eq!(talk.shown().await, "abd");
    store.splice_out(b).await.unwrap();
    store.splice_out(d).await.unwrap();
    assert_eq!(talk.shown().await, "a");
}
