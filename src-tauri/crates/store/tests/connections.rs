//! Connections and their models. A file in which each model had an address and a key of its own opens with everything
//! in it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use serde_json::json;
use support::{Folder, at, chat, intruder};
use vestibule_app_protocol::Currency;
use vestibule_protocol::{ConnectionId, EntryId, ModelId};
use vestibule_store::{ConnectionRecord, ModelRecord, NativeReplyRow, ReplyOrigin, Store};

/// The steps of a file of format 8, as they were released.
const FORMAT_8: [&str; 8] = [
    include_str!("../src/schema/0001_first.sql"),
    include_str!("../src/schema/0002_workspaces.sql"),
    include_str!("../src/schema/0003_places.sql"),
    include_str!("../src/schema/0004_tasks.sql"),
    include_str!("../src/schema/0005_ledger_names.sql"),
    include_str!("../src/schema/0006_ledger_servers.sql"),
    include_str!("../src/schema/0007_row_macs.sql"),
    include_str!("../src/schema/0008_models.sql"),
];

const CHAT: &str = "019a0000-0000-7000-8000-0000000000c1";
const ENTRY: &str = "019a0000-0000-7000-8000-0000000000e1";
const SMALL: &str = "019a0000-0000-7000-8000-0000000000a1";
const LARGE: &str = "019a0000-0000-7000-8000-0000000000a2";
const REHEARSAL: &str = "00000000-0000-7000-8000-000000000000";

/// A file of format 8 with two models, a chat with one of them, and what was said in it.
fn of_format_8() -> Folder {
    let folder = Folder::new();
    let file = intruder(&folder.database());
    for step in FORMAT_8 {
        file.execute_batch(step).unwrap();
    }
    file.execute_batch(&format!(
        r#"INSERT INTO models (id, label, kind, base_url, model, created, price_in, price_out, price_cached, context)
           VALUES ('{REHEARSAL}', 'Rehearsal', 'rehearsal', NULL, '', 0, NULL, NULL, NULL, NULL),
                  ('{SMALL}', 'At home', 'ollama', 'http://localhost:11434', 'small', 5, NULL, NULL, NULL, 8192),
                  ('{LARGE}', 'Large', 'anthropic', 'https://models.example/', 'large', 6, 3000000, 15000000, 300000,
                   NULL);
           INSERT INTO chats (id, workspace, title, model, without_tools, created, updated)
           VALUES ('{CHAT}', '00000000-0000-0000-0000-000000000000', 'Trip', '{LARGE}', '{LARGE}', 1, 2);
           INSERT INTO entries (id, chat, position, at, body) VALUES ('{ENTRY}', '{CHAT}', 0, 2, '{{"kind":"assistant"}}');
           INSERT INTO native_replies (entry, connection, address, wire, model, reply)
           VALUES ('{ENTRY}', '{LARGE}', 'https://models.example/', 'anthropic', 'large', '{{"signature":"c2ln"}}');
           INSERT INTO model_usage (chat, at, model, input, output, cached, cost)
           VALUES ('{CHAT}', 2, '{LARGE}', 10, 3, 1, 77);
           INSERT INTO settings (key, value) VALUES ('settings', '{{"default_model":"{SMALL}"}}');
           PRAGMA user_version = 8;"#
    ))
    .unwrap();
    folder
}

#[tokio::test]
async fn a_file_of_before_opens_with_every_model_at_a_connection() {
    let folder = of_format_8();
    let store = folder.open();
    let connections = store.connections().await.unwrap();
    let shown: Vec<_> = connections
        .iter()
        .map(|one| (one.id.to_string(), &*one.wire, &*one.base_url, one.unmerged))
        .collect();
    // A key is found under the id of its model, so a connection has the id of the model it was.
    assert_eq!(
        shown,
        [
            (SMALL.to_owned(), "ollama", "http://localhost:11434", true),
            (LARGE.to_owned(), "anthropic", "https://models.example/", true),
        ]
    );
    assert!(
        connections
            .iter()
            .all(|one| one.headers.is_empty() && one.label.is_empty())
    );
    let large = ModelRecord {
        id: LARGE.parse().unwrap(),
        label: "Large".to_owned(),
        price_in: Some(3_000_000),
        price_out: Some(15_000_000),
        price_cached: Some(300_000),
        // It refused tools in the chat, which is a fact of the model now.
        tools: Some(false),
        ..ModelRecord::new(Some(LARGE.parse().unwrap()), "large", at(6))
    };
    let models = store.models().await.unwrap();
    assert_eq!(models.len(), 3);
    assert_eq!(models[0].connection, None, "the rehearsal needs none");
    assert_eq!(models[1].context, Some(8192));
    assert_eq!(models[2], large);
    keeps_the_chat(&store).await;
    store.close().await;
    keeps_the_chat(&folder.open()).await;
}

async fn keeps_the_chat(store: &Store) {
    let chats = store.chats().await.unwrap();
    assert_eq!((chats.len(), chats[0].model), (1, Some(LARGE.parse().unwrap())));
    let origin = ReplyOrigin {
        configured: LARGE.parse().unwrap(),
        address: "https://models.example/".to_owned(),
        wire: "anthropic".to_owned(),
        model: "large".to_owned(),
    };
    let replies = store.native_replies(chats[0].id, &origin).await.unwrap();
    assert_eq!(replies[0].reply, json!({ "signature": "c2ln" }));
    assert_eq!(
        store.model_usage().await.unwrap()[&chats[0].id].costs,
        [(Currency::DOLLAR, 77)]
    );
    let settings = store.setting("settings").await.unwrap().unwrap();
    assert_eq!(settings["default_model"], SMALL);
}

fn connection(millisecond: i64) -> ConnectionRecord {
    ConnectionRecord {
        id: ConnectionId::new(),
        label: "Work".to_owned(),
        wire: "anthropic".to_owned(),
        base_url: "https://models.example/".to_owned(),
        headers: vec!["X-Team".to_owned(), "X-Project".to_owned()],
        created: at(millisecond),
        unmerged: true,
    }
}

#[tokio::test]
async fn connections_that_are_the_same_become_one_with_all_models() {
    let store = Store::in_memory().unwrap();
    let [first, second, other] = [1, 2, 3].map(connection);
    let mut models = vec![];
    for one in [&first, &second, &other] {
        store.put_connection(one).await.unwrap();
        models.push(ModelRecord::new(Some(one.id), "m", one.created));
    }
    store.put_models(&models).await.unwrap();
    store
        .merge_connections(vec![vec![first.id, second.id]])
        .await
        .unwrap();
    let merged = |record: ConnectionRecord| ConnectionRecord {
        unmerged: false,
        ..record
    };
    assert_eq!(
        store.connections().await.unwrap(),
        [merged(first.clone()), merged(other.clone())]
    );
    let at = store
        .models()
        .await
        .unwrap()
        .into_iter()
        .map(|model| model.connection);
    assert_eq!(at.collect::<Vec<_>>(), [first.id, first.id, other.id].map(Some));
}

#[tokio::test]
async fn a_connection_goes_with_its_models_and_their_replies() {
    let store = Store::in_memory().unwrap();
    let [gone, stays] = [1, 2].map(connection);
    store.put_connection(&gone).await.unwrap();
    store.put_connection(&stays).await.unwrap();
    let model = ModelRecord::new(Some(gone.id), "m", at(1));
    let other = ModelRecord::new(Some(stays.id), "m", at(2));
    store.put_models(&[model.clone(), other.clone()]).await.unwrap();
    let mut chat = chat("Trip", 10);
    chat.model = Some(model.id);
    store.create_chat(&chat).await.unwrap();
    let entry = EntryId::new();
    store
        .append_entry(chat.id, entry, at(20), json!({}))
        .await
        .unwrap();
    let origin = |configured: ModelId| ReplyOrigin {
        configured,
        address: gone.base_url.clone(),
        wire: gone.wire.clone(),
        model: "m".to_owned(),
    };
    let row = NativeReplyRow {
        entry,
        origin: origin(model.id),
        reply: json!({}),
    };
    store.put_native_reply(&row).await.unwrap();
    store.remove_connection(gone.id).await.unwrap();
    assert_eq!(store.connections().await.unwrap(), [stays]);
    assert_eq!(store.models().await.unwrap(), [other]);
    assert_eq!(store.chats().await.unwrap()[0].model, None);
    assert_eq!(
        store.native_replies(chat.id, &origin(model.id)).await.unwrap(),
        []
    );
}

/// Adds two models of one connection.
async fn two_models(store: &Store) -> [ModelRecord; 2] {
    let from = connection(1);
    store.put_connection(&from).await.unwrap();
    let models = [("kept", 1), ("removed", 2)];
    let models = models.map(|(name, added)| ModelRecord::new(Some(from.id), name, at(added)));
    store.put_models(&models).await.unwrap();
    models
}

#[tokio::test]
async fn what_a_server_says_of_a_model_changes_nothing_else_of_it() {
    let store = Store::in_memory().unwrap();
    let [kept, removed] = two_models(&store).await;
    // The user changes one model and removes the other while their server is asked.
    let priced = ModelRecord {
        price_in: Some(3),
        ..kept.clone()
    };
    store.put_model(&priced).await.unwrap();
    store.remove_model(removed.id).await.unwrap();
    let facts = json!({ "context": 8192 });
    store
        .put_reported(&[(kept.id, facts.clone()), (removed.id, facts.clone())])
        .await
        .unwrap();
    let reported = ModelRecord {
        reported: Some(facts),
        ..priced
    };
    assert_eq!(store.models().await.unwrap(), [reported]);
}

#[tokio::test]
async fn changes_of_a_model_at_once_all_hold_and_bring_none_back() {
    let store = Store::in_memory().unwrap();
    let [kept, removed] = two_models(&store).await;
    store.remove_model(removed.id).await.unwrap();
    let changed = tokio::join!(
        store.change_model(kept.id, |model| model.favourite = true),
        store.change_model(kept.id, |model| model.tools = Some(false)),
        store.change_model(removed.id, |model| model.favourite = true),
    );
    assert_eq!(
        (changed.0.unwrap(), changed.1.unwrap(), changed.2.unwrap()),
        (true, true, false)
    );
    let changed = ModelRecord {
        favourite: true,
        tools: Some(false),
        ..kept
    };
    assert_eq!(store.models().await.unwrap(), [changed]);
}
