//! What was said is found again in every chat, in words of any script, and is in no file once it is deleted.

mod support;

use serde_json::{Value, json};
use support::{Folder, at, chat, intruder};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{SearchTerms, Store};

async fn put_chat(store: &Store) -> ChatId {
    let chat = chat("a chat", 1);
    store.create_chat(&chat).await.expect("the chat is kept");
    chat.id
}

fn user(text: &str) -> Value {
    json!({ "kind": "user", "text": text })
}

fn answer(text: &str, state: &str) -> Value {
    json!({ "kind": "assistant", "text": text, "state": state })
}

async fn add(store: &Store, chat: ChatId, body: Value) -> EntryId {
    let entry = EntryId::new();
    let added = store.append_entry(chat, entry, at(2), body).await;
    added.expect("the entry is kept");
    entry
}

async fn found(store: &Store, search: &str) -> Vec<EntryId> {
    let found = store.search(SearchTerms::new(search), 50).await;
    let found = found.expect("the index can be read");
    found.entries.iter().map(|entry| entry.id).collect()
}

#[tokio::test]
async fn words_of_every_script_are_found_by_their_beginning() {
    let store = Store::in_memory().unwrap();
    let chat = put_chat(&store).await;
    let weather = add(&store, chat, user("今天北京的天气怎么样? And Oslo's weather?")).await;
    let other = add(&store, chat, user("我们在北边，京都很远。 Osl")).await;
    let call = json!({
        "kind": "call", "arguments": { "city": "Tromsø" }, "state": "answered",
        "result": { "content": [{ "type": "text", "text": "snow_depth = 42 cm" }] },
    });
    let call = add(&store, chat, call).await;
    for search in ["天气", "北京 oslo", "weath", "WEATHER 天", "oslo's", "气"] {
        assert_eq!(found(&store, search).await, [weather], "{search}");
    }
    assert_eq!(found(&store, "北").await, [other, weather]);
    assert_eq!(found(&store, "osl").await, [other, weather]);
    for search in ["tromsø", "snow_dep", "42"] {
        assert_eq!(found(&store, search).await, [call], "{search}");
    }
    for nothing in [
        "京都天气",
        "北京 42",
        "eather",
        "snow depth 43",
        "%",
        "\"",
        "NOT",
        "a* OR b",
        "",
    ] {
        assert_eq!(found(&store, nothing).await, [], "{nothing}");
    }
}

#[tokio::test]
async fn an_answer_is_found_once_it_is_finished_and_only_by_what_it_says_then() {
    let store = Store::in_memory().unwrap();
    let chat = put_chat(&store).await;
    let entry = add(&store, chat, answer("Zanz", "streaming")).await;
    assert_eq!(found(&store, "zanz").await, []);
    let update = async |body| store.update_entry(entry, body).await.unwrap();
    update(answer("Zanzibar opens", "streaming")).await;
    assert_eq!(found(&store, "zanzibar").await, []);
    update(answer("Zanzibar opens at nine", "done")).await;
    assert_eq!(found(&store, "zanzibar nine").await, [entry]);
    update(answer("Oslo opens at ten", "done")).await;
    assert_eq!(found(&store, "zanzibar").await, []);
    assert_eq!(found(&store, "ten").await, [entry]);
    store.remove_entry(entry).await.unwrap();
    assert_eq!(found(&store, "ten").await, []);
}

#[tokio::test]
async fn other_branches_are_searched_and_the_trash_is_not() {
    let store = Store::in_memory().unwrap();
    let (kept, gone) = (put_chat(&store).await, put_chat(&store).await);
    let first = add(&store, kept, user("How is Oslo?")).await;
    let second = EntryId::new();
    store
        .append_version(first, second, at(3), user("How is Bergen?"))
        .await
        .unwrap();
    let trashed = add(&store, gone, user("Oslo too")).await;
    assert_eq!(found(&store, "oslo").await, [trashed, first]);
    store.trash_chat(gone, Some(at(4))).await.unwrap();
    assert_eq!(found(&store, "oslo").await, [first]);
    store.trash_chat(gone, None).await.unwrap();
    assert_eq!(found(&store, "oslo").await, [trashed, first]);
    store.delete_exchange(second, None).await.unwrap();
    assert_eq!(found(&store, "bergen").await, []);
}

#[tokio::test]
async fn a_search_says_that_there_is_more() {
    let store = Store::in_memory().unwrap();
    let chat = put_chat(&store).await;
    for number in 0..5 {
        add(&store, chat, user(&format!("hello {number}"))).await;
    }
    let search = async |limit| store.search(SearchTerms::new("hello"), limit).await.unwrap();
    assert!(search(4).await.more);
    let all = search(5).await;
    assert!(!all.more && all.entries.len() == 5);
}

/// Different words for each number, as many as a message has.
fn text(number: usize, canary: &str) -> String {
    let mut seed = number as u64 * 2_654_435_761 + 1;
    let mut next = |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut words: Vec<String> = (0..60)
        .map(|_| match next(5) {
            0 => "的一是不了人我在有他这为之大来以个中上们"
                .chars()
                .skip(next(14) as usize)
                .take(6)
                .collect(),
            _ => format!("word{}", next(4_000)),
        })
        .collect();
    words.insert(next(60) as usize, canary.to_owned());
    words.join(" ")
}

/// Adds entries as versions before the index wrote them, in one transaction.
fn add_unindexed(
    folder: &Folder,
    chats: &[ChatId],
    entries: usize,
    canary: impl Fn(usize) -> String,
) -> usize {
    let mut file = intruder(&folder.database());
    // As the store writes: otherwise copies of entries stay where a page was split.
    file.pragma_update(None, "secure_delete", "ON")
        .expect("the file can be written");
    let transaction = file.transaction().expect("the file can be written");
    let mut bytes = 0;
    for number in 0..entries {
        let text = text(number, &canary(number));
        bytes += text.len();
        let values = (
            EntryId::new().to_string(),
            chats[number % chats.len()].to_string(),
            i64::try_from(number).expect("the file can be written"),
            user(&text).to_string(),
        );
        let sql = "INSERT INTO entries (id, chat, position, at, body) VALUES (?1, ?2, ?3, ?3, ?4)";
        transaction.execute(sql, values).expect("the file can be written");
    }
    transaction.commit().expect("the file can be written");
    bytes
}

#[tokio::test]
async fn a_database_from_before_the_index_is_filled_in_steps_that_go_on_after_an_end() {
    let folder = Folder::new();
    let store = folder.open();
    let chat = put_chat(&store).await;
    let bytes = add_unindexed(&folder, &[chat], 600, |number| format!("canary{number}"));
    let unindexed = async |store: &Store| {
        let found = store.search(SearchTerms::new("canary7"), 50).await.unwrap();
        (found.unindexed, found.entries.len())
    };
    assert_eq!(unindexed(&store).await, (600, 0));
    assert!(store.index_more().await.unwrap());
    store.close().await;
    let store = folder.open();
    assert_eq!(unindexed(&store).await, (536, 1));
    while store.index_more().await.unwrap() {}
    assert_eq!(unindexed(&store).await, (0, 11));
    store.close().await;
    let sql = "SELECT sum(length(block)) FROM entry_words_data";
    let index: i64 = intruder(&folder.database())
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    assert!(
        index * 2 <= bytes as i64 * 5,
        "{index} bytes for {bytes} bytes of text"
    );
}

/// The words themselves and their beginnings: an index may keep one without the other.
#[tokio::test]
async fn after_deleting_for_ever_no_word_is_in_any_file() {
    let folder = Folder::new();
    let store = folder.open();
    let (gone, stays) = (put_chat(&store).await, put_chat(&store).await);
    let canary = |number| match number % 2 {
        0 => format!("qzxcanary{number}"),
        _ => format!("stays{number}"),
    };
    add_unindexed(&folder, &[gone, stays], 1_200, canary);
    while store.index_more().await.unwrap() {}
    store.rename_chat(gone, "qzxcanary in the title").await.unwrap();
    assert_eq!(found(&store, "qzxcanary600").await.len(), 1);
    let holds = || {
        let files = std::fs::read_dir(folder.database().parent().unwrap()).unwrap();
        let holds = files.map(|file| file.unwrap().path()).filter(|path| {
            let bytes = std::fs::read(path).unwrap();
            bytes.windows(6).any(|part| part == b"qzxcan")
        });
        holds.count()
    };
    assert_ne!(holds(), 0);
    store.trash_chat(gone, Some(at(5))).await.unwrap();
    store.delete_chat(gone).await.unwrap();
    store.truncate_log().await.unwrap();
    assert_eq!(holds(), 0);
    while store.index_more().await.unwrap() {}
    assert_eq!(found(&store, "stays601").await.len(), 1);
    store.close().await;
    assert_eq!(holds(), 0);
}
