//! Measures the search over all chats: `make bench-search` writes 100,000 messages and prints how long the index takes, how
//! large it is beside the text, how long one key of a search takes, how long it takes to read what stands around a result,
//! and how long deleting a chat takes.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it prints what it measured"
)]

use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::json;
use vestibule_protocol::{ChatId, EntryId, WorkspaceId};
use vestibule_store::{ChatRecord, EntriesFrom, EntryRecord, SearchTerms, Store};

const MESSAGES: usize = 100_000;
const CHATS: usize = 200;
const WORDS: usize = 40;
/// Searches as a user types them.
const TYPED: [&str; 4] = ["天气", "北京 oslo", "weather", "the word12"];
const CHINESE: &str = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生";

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vestibule.db");
    let store = Store::open(&path).unwrap();
    let mut chats = vec![];
    for number in 0..CHATS {
        chats.push(create_chat(&store, number).await);
    }
    let text = write(&Connection::open(&path).unwrap(), &chats);
    let begun = Instant::now();
    while store.index_more().await.unwrap() {}
    let indexed = begun.elapsed();
    let sql = "SELECT sum(length(block)) FROM entry_words_data";
    let index: i64 = Connection::open(&path)
        .unwrap()
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    println!("{MESSAGES} messages, {:.1} MB of text", text as f64 / 1e6);
    println!(
        "index: {:.2} times the text, filled in {indexed:.1?}",
        index as f64 / text as f64
    );
    for typed in TYPED {
        let (slowest, found) = type_search(&store, typed).await;
        println!("{typed}: slowest key {slowest:.1?}, {} results", found.len());
        let (middle, slowest) = jump(&store, &found).await;
        println!("{typed}: a result with what stands around it in {middle:.1?}, slowest {slowest:.1?}");
    }
    let begun = Instant::now();
    store.delete_chat(chats[0]).await.unwrap();
    store.truncate_log().await.unwrap();
    println!(
        "a chat of {} messages deleted in {:.1?}",
        MESSAGES / CHATS,
        begun.elapsed()
    );
    store.close().await;
}

async fn create_chat(store: &Store, number: usize) -> ChatId {
    let chat = ChatRecord {
        id: ChatId::new(),
        workspace: WorkspaceId::home(),
        title: format!("chat {number}"),
        model: None,
        settings: None,
        created: Timestamp::now(),
        updated: Timestamp::now(),
        pinned: false,
        archived: false,
        trashed: None,
    };
    store.create_chat(&chat).await.unwrap();
    chat.id
}

/// Types a search key by key. Returns how long the slowest key took, and what the last one found.
async fn type_search(store: &Store, typed: &str) -> (Duration, Vec<EntryRecord>) {
    let (mut slowest, mut found) = (Duration::ZERO, vec![]);
    for (at, letter) in typed.char_indices() {
        let begun = Instant::now();
        let terms = SearchTerms::new(&typed[..at + letter.len_utf8()]);
        found = store.search(terms, 60).await.unwrap().entries;
        slowest = slowest.max(begun.elapsed());
    }
    (slowest, found)
}

/// Reads the page of the chat around each result. Returns the median and the longest time.
async fn jump(store: &Store, found: &[EntryRecord]) -> (Duration, Duration) {
    let mut times = vec![];
    for hit in found {
        let begun = Instant::now();
        let page = store
            .entries_page(hit.chat, EntriesFrom::Around(hit.id))
            .await
            .unwrap();
        times.push(begun.elapsed());
        assert!(page.entries.iter().any(|entry| entry.id == hit.id));
    }
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() - 1])
}

/// Writes the messages as they are before they are in the index. Returns the bytes of their text.
fn write(file: &Connection, chats: &[ChatId]) -> usize {
    let letters: Vec<char> = CHINESE.chars().collect();
    let (mut seed, mut bytes) = (1_u64, 0);
    let mut next = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    file.execute_batch("BEGIN").unwrap();
    for number in 0..MESSAGES {
        let mut words: Vec<String> = (0..WORDS)
            .map(|_| match next(6) {
                0 => (0..6).map(|_| letters[next(letters.len())]).collect(),
                1 => "the".to_owned(),
                // Few words are used often, as in every language.
                _ => format!("word{}", next(30_000).min(next(30_000)).min(next(30_000))),
            })
            .collect();
        match number % 1_000 {
            0 => words.push("今天北京天气 in oslo".to_owned()),
            1 => words.push("weather".to_owned()),
            _ => {}
        }
        let text = words.join(" ");
        bytes += text.len();
        let body = json!({ "kind": "user", "text": text }).to_string();
        let sql = "INSERT INTO entries (id, chat, position, at, body) VALUES (?1, ?2, ?3, ?3, ?4)";
        let chat = chats[number % chats.len()].to_string();
        let position = i64::try_from(number).unwrap();
        let values = (EntryId::new().to_string(), chat, position, body);
        file.prepare_cached(sql).unwrap().execute(values).unwrap();
    }
    file.execute_batch("COMMIT").unwrap();
    bytes
}
