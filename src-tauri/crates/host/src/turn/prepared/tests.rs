//! What is made while the user writes is what would be made once they send.

use std::sync::LazyLock;

use super::*;
use crate::turn::read_part::tests::{answered, said, user};
use vestibule_protocol::ModelId;

/// A chat long enough, which ends with this entry.
fn long_branch(last: Arc<EntryView>) -> Vec<Arc<EntryView>> {
    let mut entries: Vec<_> = (0..LEAST_ENTRIES / 3)
        .flat_map(|at| [user("go"), said(""), answered(&format!("call {at}"), "found")])
        .collect();
    entries.extend([user("and?"), last]);
    entries
}

fn with(entries: &[Arc<EntryView>], more: Arc<EntryView>) -> Vec<Arc<EntryView>> {
    [entries, &[more]].concat()
}

fn origin(model: &str) -> ReplyOrigin {
    static CONFIGURED: LazyLock<ModelId> = LazyLock::new(ModelId::new);
    ReplyOrigin {
        configured: *CONFIGURED,
        address: "https://models.example/v1".into(),
        wire: "chat".into(),
        model: model.into(),
    }
}

/// The messages for `after`, where those of `before` were made in advance.
async fn taken(before: &[Arc<EntryView>], after: &[Arc<EntryView>]) -> Option<Vec<ModelMessage>> {
    let (prepared, chat) = (PreparedMessages::default(), ChatId::new());
    let store = Store::in_memory().unwrap();
    let made = prepared.make(&store, chat, Some(origin("m")), before.to_vec());
    made.await.unwrap();
    prepared.take(chat, Some(&origin("m")), after, &HashMap::new())
}

#[tokio::test]
async fn a_message_after_what_was_prepared_makes_the_request_that_it_makes_alone() {
    for last in [said("done"), said(""), answered("last", "found"), user("hello?")] {
        let before = long_branch(last);
        let after = with(&before, user("next"));
        let alone = ReadPart::of(&after).messages(&HashMap::new(), &LeftOut::default());
        assert_eq!(taken(&before, &after).await, Some(alone));
    }
}

#[tokio::test]
async fn what_changed_since_is_made_again() {
    let before = long_branch(said("done"));
    let after = with(&before, user("next"));

    let mut edited = after.clone();
    edited[4] = user("another");
    assert_eq!(taken(&before, &edited).await, None);
    assert_eq!(taken(&before, &with(&after, user("one more"))).await, None);
    assert_eq!(taken(&before, &with(&before, said("no message"))).await, None);
    assert_eq!(taken(&before, &before).await, None);

    let store = Store::in_memory().unwrap();
    let (prepared, chat) = (PreparedMessages::default(), ChatId::new());
    let take = |chat, model: &str| prepared.take(chat, Some(&origin(model)), &after, &HashMap::new());
    let make = async || {
        let made = prepared.make(&store, chat, Some(origin("m")), before.clone());
        made.await.unwrap();
    };
    make().await;
    assert_eq!(take(chat, "another model"), None);
    make().await;
    assert_eq!(take(ChatId::new(), "m"), None);
    assert!(take(chat, "m").is_some(), "another chat does not take it");
    assert_eq!(take(chat, "m"), None, "it is taken once");
}

#[tokio::test]
async fn what_a_message_would_change_is_not_prepared() {
    let EntryBody::Assistant { text, model, .. } = &said("Once upon").body else {
        panic!("an answer")
    };
    let cut = EntryBody::Assistant {
        text: text.clone(),
        reasoning: String::new(),
        model: model.clone(),
        scripted: false,
        state: TextState::Length,
        usage: None,
    };
    let cut = Arc::new(EntryView {
        body: cut,
        ..(*said("")).clone()
    });
    let short = vec![user("hello"), said("done")];
    for before in [short, long_branch(cut)] {
        let after = with(&before, user("next"));
        assert_eq!(taken(&before, &after).await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn what_no_message_took_is_dropped() {
    let store = Store::in_memory().unwrap();
    let (prepared, chat) = (PreparedMessages::default(), ChatId::new());
    let before = long_branch(said("done"));
    prepared.make(&store, chat, None, before).await.unwrap();
    assert!(prepared.prepared().is_some());
    tokio::time::sleep(KEPT + Duration::from_secs(1)).await;
    assert!(prepared.prepared().is_none());
}

#[tokio::test]
async fn nothing_of_a_deleted_chat_is_kept() {
    let store = Store::in_memory().unwrap();
    let (prepared, chat) = (PreparedMessages::default(), ChatId::new());
    let before = long_branch(said("done"));
    prepared.make(&store, chat, None, before).await.unwrap();
    prepared.forget(ChatId::new());
    assert!(prepared.prepared().is_some(), "another chat");
    prepared.forget(chat);
    assert!(prepared.prepared().is_none());
}
