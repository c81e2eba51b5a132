//! What is kept of a model's rounds: replies in their vendor's form, tokens and cost. A file of before has neither, and
//! opens with everything in it.

mod support;

use serde_json::json;
use support::{Folder, at, chat, intruder};
use vestibule_protocol::{EntryId, ModelId};
use vestibule_store::{ModelRecord, ModelUsage, NativeReplyRow, ReplyOrigin, Store, StoreError};

/// Undoes the step that brought what this file is about.
const OF_BEFORE: &str = "
    DROP TABLE native_replies;
    DROP TABLE model_usage;
    ALTER TABLE models DROP COLUMN price_cached;
    ALTER TABLE models DROP COLUMN context;
    ALTER TABLE chats DROP COLUMN without_tools;
    PRAGMA user_version = 7;";

fn model() -> ModelRecord {
    ModelRecord {
        id: ModelId::new(),
        label: "At home".to_owned(),
        kind: "open_ai_compatible".to_owned(),
        base_url: Some("http://localhost:11434/v1".to_owned()),
        model: "small".to_owned(),
        price_in: Some(150_000),
        price_out: None,
        price_cached: None,
        context: None,
        created: at(1),
    }
}

fn origin(connection: ModelId, model: &str) -> ReplyOrigin {
    ReplyOrigin {
        connection,
        address: "http://localhost:11434/v1".to_owned(),
        wire: "open_ai_compatible".to_owned(),
        model: model.to_owned(),
    }
}

#[tokio::test]
async fn a_file_of_before_opens_and_keeps_everything() {
    let folder = Folder::new();
    let store = folder.open();
    let (model, mut chat) = (model(), chat("Trip", 10));
    chat.model = Some(model.id);
    let body = json!({ "kind": "user", "text": "What should I pack?" });
    store.put_model(&model).await.unwrap();
    store.create_chat(&chat).await.unwrap();
    let entry = EntryId::new();
    store
        .append_entry(chat.id, entry, at(20), body.clone())
        .await
        .unwrap();
    store.close().await;
    let file = intruder(&folder.database());
    file.execute_batch(OF_BEFORE).unwrap();
    drop(file);

    let store = folder.open();
    chat.updated = at(20);
    assert_eq!(store.chats().await.unwrap(), [chat.clone()]);
    assert_eq!(store.models().await.unwrap(), std::slice::from_ref(&model));
    assert_eq!(store.entry(entry).await.unwrap().unwrap().body, body);
    let origin = origin(model.id, "small");
    assert_eq!(store.native_replies(chat.id, &origin).await.unwrap(), []);
    assert!(store.model_usage().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_reply_is_there_for_the_model_it_came_from_alone() {
    let store = Store::in_memory().unwrap();
    let (model, chat) = (model(), chat("Trip", 10));
    store.put_model(&model).await.unwrap();
    store.create_chat(&chat).await.unwrap();
    let entry = EntryId::new();
    store
        .append_entry(chat.id, entry, at(20), json!({}))
        .await
        .unwrap();
    let row = NativeReplyRow {
        entry,
        origin: origin(model.id, "small"),
        reply: json!({ "signature": "c2ln" }),
    };
    store.put_native_reply(&row).await.unwrap();
    assert!(!format!("{row:?}").contains("c2ln"));
    let of = async |origin: &ReplyOrigin| store.native_replies(chat.id, origin).await.unwrap();
    assert_eq!(of(&row.origin).await, std::slice::from_ref(&row));
    let moved = ReplyOrigin {
        address: "http://localhost:1/v1".to_owned(),
        ..row.origin.clone()
    };
    for other in [origin(model.id, "large"), origin(ModelId::new(), "small"), moved] {
        assert_eq!(of(&other).await, []);
    }
    store.remove_model(model.id).await.unwrap();
    assert_eq!(of(&row.origin).await, [], "it goes with its model");

    store.put_native_reply(&row).await.unwrap();
    store.remove_entry(entry).await.unwrap();
    assert_eq!(of(&row.origin).await, [], "and with its entry");
    let gone = store.put_native_reply(&row).await;
    assert!(matches!(gone, Err(StoreError::Unknown { .. })), "{gone:?}");
}

#[tokio::test]
async fn what_rounds_took_adds_up() {
    let store = Store::in_memory().unwrap();
    let (model, chat) = (ModelId::new(), chat("Trip", 10));
    store.create_chat(&chat).await.unwrap();
    let round = |input, cost| ModelUsage {
        input,
        output: 3,
        cached: 1,
        cost,
    };
    for usage in [round(7, None), round(8, Some(2_500_000)), round(9, Some(1))] {
        store.add_model_usage(chat.id, model, at(1), usage).await.unwrap();
    }
    let total = ModelUsage {
        input: 24,
        output: 9,
        cached: 3,
        cost: Some(2_500_001),
    };
    assert_eq!(store.model_usage().await.unwrap()[&chat.id], total);
    store.delete_chat(chat.id).await.unwrap();
    assert!(store.model_usage().await.unwrap().is_empty());
}
