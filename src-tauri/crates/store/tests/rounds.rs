//! What is kept of a model's rounds: replies in their vendor's form, tokens and cost.

mod support;

use serde_json::json;
use support::{at, chat};
use vestibule_app_protocol::Currency;
use vestibule_protocol::{ConnectionId, EntryId, ModelId};
use vestibule_store::{
    ChatUsage, ConnectionRecord, ModelRecord, ModelUsage, NativeReplyRow, ReplyOrigin, Store, StoreError,
};

fn connection() -> ConnectionRecord {
    ConnectionRecord {
        id: ConnectionId::new(),
        label: String::new(),
        wire: "open_ai_compatible".to_owned(),
        base_url: "http://localhost:11434/v1".to_owned(),
        headers: vec![],
        created: at(1),
        unmerged: false,
    }
}

fn model(connection: &ConnectionRecord) -> ModelRecord {
    ModelRecord {
        price_in: Some(150_000),
        ..ModelRecord::new(Some(connection.id), "small", at(1))
    }
}

fn origin(configured: ModelId, model: &str) -> ReplyOrigin {
    ReplyOrigin {
        configured,
        address: "http://localhost:11434/v1".to_owned(),
        wire: "open_ai_compatible".to_owned(),
        model: model.to_owned(),
    }
}

fn euro() -> Currency {
    "EUR".parse().expect("it is a currency")
}

#[tokio::test]
async fn a_reply_is_there_for_the_model_it_came_from_alone() {
    let store = Store::in_memory().unwrap();
    let connection = connection();
    let (model, chat) = (model(&connection), chat("Trip", 10));
    store.put_connection(&connection).await.unwrap();
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
        currency: Currency::DOLLAR,
    };
    for usage in [round(7, None), round(8, Some(2_500_000)), round(9, Some(1))] {
        store.add_model_usage(chat.id, model, at(1), usage).await.unwrap();
    }
    let euros = ModelUsage {
        currency: euro(),
        ..round(10, Some(7))
    };
    store.add_model_usage(chat.id, model, at(2), euros).await.unwrap();
    let total = ChatUsage {
        input: 34,
        output: 12,
        cached: 4,
        costs: vec![(euro(), 7), (Currency::DOLLAR, 2_500_001)],
    };
    let of_chat = store.model_usage_of_chat(chat.id).await.unwrap();
    assert_eq!(of_chat.as_ref(), Some(&total));
    assert_eq!(store.model_usage().await.unwrap()[&chat.id], total);
    store.delete_chat(chat.id).await.unwrap();
    assert_eq!(store.model_usage_of_chat(chat.id).await.unwrap(), None);
    assert!(store.model_usage().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_a_month_cost_stays_when_its_chats_go() {
    let store = Store::in_memory().unwrap();
    let (model, chat) = (ModelId::new(), chat("Trip", 10));
    store.create_chat(&chat).await.unwrap();
    let day = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
    let (may, later, june) = (
        day("2026-05-10T12:00:00Z"),
        day("2026-05-20T12:00:00Z"),
        day("2026-06-10T12:00:00Z"),
    );
    let round = |cost| ModelUsage {
        cost,
        ..ModelUsage::default()
    };
    let costs = [(may, Some(2)), (may, None), (later, Some(40)), (june, Some(700))];
    for (at, cost) in costs {
        store
            .add_model_usage(chat.id, model, at, round(cost))
            .await
            .unwrap();
    }
    store
        .add_model_cost(later, Currency::DOLLAR, 1_000)
        .await
        .unwrap();
    store.delete_chat(chat.id).await.unwrap();
    let gone = store.add_model_usage(chat.id, model, may, round(Some(5))).await;
    assert!(matches!(gone, Err(StoreError::Unknown { .. })), "{gone:?}");
    store.add_model_cost(later, euro(), 3).await.unwrap();
    let of_month = async |at| store.model_costs_of_month(at).await.unwrap();
    assert_eq!(of_month(may).await, [(euro(), 3), (Currency::DOLLAR, 1_047)]);
    assert_eq!(of_month(june).await, [(Currency::DOLLAR, 700)]);
    assert_eq!(of_month(day("2025-05-10T12:00:00Z")).await, []);
}

#[tokio::test]
async fn a_day_begins_at_midnight_where_the_user_is() {
    let store = Store::in_memory().unwrap();
    let noon = jiff::civil::date(2026, 5, 20).at(12, 0, 0, 0);
    let midnight = noon.to_zoned(jiff::tz::TimeZone::system()).unwrap();
    let midnight = midnight.start_of_day().unwrap().timestamp();
    let before = midnight - jiff::SignedDuration::from_millis(1);
    for (at, cost) in [(before, 5), (midnight, 70)] {
        store.add_model_cost(at, Currency::DOLLAR, cost).await.unwrap();
    }
    let of_day = async |at| store.model_costs_of_day(at).await.unwrap();
    assert_eq!(of_day(before).await, [(Currency::DOLLAR, 5)]);
    assert_eq!(of_day(midnight).await, [(Currency::DOLLAR, 70)]);
    let month = store.model_costs_of_month(midnight).await.unwrap();
    assert_eq!(month, [(Currency::DOLLAR, 75)]);
}

#[tokio::test]
async fn a_claim_without_bounds_is_the_most_that_is_counted() {
    let store = Store::in_memory().unwrap();
    for _ in 0..3 {
        store
            .add_model_cost(at(1), Currency::DOLLAR, u64::MAX)
            .await
            .unwrap();
    }
    assert_eq!(
        store.model_costs_of_month(at(1)).await.unwrap(),
        [(Currency::DOLLAR, 4_000_000_000_000_000_000)]
    );
}
