//! Chats and their entries: their order, what goes with them, and work that was interrupted.

mod support;

use serde_json::json;
use support::{Folder, at, chat, draft, rule, server};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{ChatRecord, LedgerDraft, LedgerFilter, ModelRecord, Store, StoreError};

async fn put_chat(store: &Store, title: &str, updated: i64) -> ChatId {
    let chat = chat(title, updated);
    store.create_chat(&chat).await.expect("the chat can be made");
    chat.id
}

#[tokio::test]
async fn one_chat_is_read_as_it_is_in_the_list() {
    let store = Store::in_memory().unwrap();
    put_chat(&store, "other", 1).await;
    let temporary = ChatRecord {
        id: ChatId::temporary(),
        ..chat("temporary", 2)
    };
    store.create_chat(&temporary).await.unwrap();
    put_chat(&store, "usual", 3).await;
    for listed in store.chats().await.unwrap() {
        assert_eq!(store.chat(listed.id).await.unwrap(), Some(listed));
    }
    for unknown in [ChatId::new(), ChatId::temporary()] {
        assert_eq!(store.chat(unknown).await.unwrap(), None);
    }
}

/// The keys of the settings that a host keeps for a chat.
const OF_A_CHAT: [&str; 6] = [
    "draft",
    "chat-queue",
    "chat-off",
    "chat-tools-off",
    "chat-only",
    "imported",
];

async fn put_settings(store: &Store, chat: ChatId) {
    for key in OF_A_CHAT {
        let key = format!("{key}.{chat}");
        let put = store.put_setting(&key, json!("words")).await;
        put.expect("the setting can be kept");
    }
}

async fn keys(store: &Store) -> Vec<String> {
    let settings = store.settings().await.expect("the settings can be read");
    settings.into_keys().collect()
}

#[tokio::test]
async fn deleting_a_chat_takes_its_draft_its_queue_and_its_other_settings_along() {
    let store = Store::in_memory().unwrap();
    for temporary in [false, true] {
        let (mut gone, mut trashed) = (chat("gone", 1), chat("trashed", 2));
        if temporary {
            (gone.id, trashed.id) = (ChatId::temporary(), ChatId::temporary());
        }
        for chat in [&gone, &trashed] {
            store.create_chat(chat).await.unwrap();
            put_settings(&store, chat.id).await;
        }
        store.delete_chat(gone.id).await.unwrap();
        let left = keys(&store).await;
        assert!(
            !left.iter().any(|key| key.contains(&gone.id.to_string())),
            "{left:?}"
        );
        assert_eq!(left.len(), OF_A_CHAT.len());
        if temporary {
            store.delete_chat(trashed.id).await.unwrap();
        } else {
            assert!(!store.delete_trashed_chat(trashed.id).await.unwrap());
            assert_eq!(keys(&store).await.len(), OF_A_CHAT.len());
            store.trash_chat(trashed.id, Some(at(3))).await.unwrap();
            assert!(store.delete_trashed_chat(trashed.id).await.unwrap());
        }
        assert_eq!(keys(&store).await, [""; 0]);
    }
}

/// Versions before this one could leave them.
#[tokio::test]
async fn settings_of_a_chat_that_is_not_there_go_at_the_next_start() {
    let folder = Folder::new();
    let store = folder.open();
    let (stays, server) = (put_chat(&store, "stays", 1).await, server("notes").id);
    let kept = [
        format!("draft.{stays}"),
        "draft.new".to_owned(),
        format!("listed.{server}"),
    ];
    for key in &kept {
        store.put_setting(key, json!("words")).await.unwrap();
    }
    put_settings(&store, ChatId::new()).await;
    store.close().await;
    let store = folder.open();
    assert_eq!(keys(&store).await, kept);
}

#[tokio::test]
async fn deleting_a_chat_takes_its_entries_and_rules_and_leaves_the_ledger() {
    let store = Store::in_memory().unwrap();
    let server = server("notes");
    store.put_server(&server).await.unwrap();
    let (gone, stays) = (
        put_chat(&store, "gone", 1).await,
        put_chat(&store, "stays", 2).await,
    );
    for chat in [gone, stays] {
        store
            .append_entry(chat, EntryId::new(), at(3), json!({}))
            .await
            .unwrap();
        store.put_rule(&rule(server.id, Some(chat))).await.unwrap();
        store
            .append(LedgerDraft {
                chat: Some(chat),
                ..draft(1)
            })
            .await
            .unwrap();
    }
    let everywhere = rule(server.id, None);
    store.put_rule(&everywhere).await.unwrap();
    store.delete_chat(gone).await.unwrap();
    store.delete_chat(gone).await.unwrap();

    let chats = store.chats().await.unwrap();
    assert_eq!(chats.iter().map(|chat| chat.id).collect::<Vec<_>>(), [stays]);
    assert!(store.entries(gone).await.unwrap().is_empty());
    assert_eq!(store.entries(stays).await.unwrap().len(), 1);
    let chats: Vec<_> = store
        .rules()
        .await
        .unwrap()
        .iter()
        .map(|rule| rule.chat)
        .collect();
    assert_eq!(chats, [Some(stays), None]);
    let of_gone = LedgerFilter {
        chat: Some(gone),
        ..LedgerFilter::default()
    };
    let left = store.ledger(of_gone).await.unwrap();
    let left: Vec<_> = left.iter().map(|record| record.action.as_str()).collect();
    assert_eq!(left, ["chat.delete", "tool.call"]);
}

#[tokio::test]
async fn what_was_deleted_is_no_longer_in_the_file() {
    let folder = Folder::new();
    let store = folder.open();
    let chat = put_chat(&store, "secret", 1).await;
    let text = "a-confession-".repeat(2000);
    store
        .append_entry(
            chat,
            EntryId::new(),
            at(2),
            json!({ "kind": "user", "text": text }),
        )
        .await
        .unwrap();
    store.close().await;
    let holds = |path| {
        std::fs::read(path)
            .unwrap()
            .windows(12)
            .any(|part| part == b"a-confession")
    };
    assert!(holds(folder.database()));
    let store = folder.open();
    store.delete_chat(chat).await.unwrap();
    store.close().await;
    assert!(!holds(folder.database()));
}

#[tokio::test]
async fn the_chat_with_the_latest_entry_comes_first() {
    let store = Store::in_memory().unwrap();
    let (old, new) = (
        put_chat(&store, "old", 10).await,
        put_chat(&store, "new", 20).await,
    );
    let order = || async {
        store
            .chats()
            .await
            .unwrap()
            .iter()
            .map(|chat| chat.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(order().await, [new, old]);
    store
        .append_entry(old, EntryId::new(), at(30), json!({}))
        .await
        .unwrap();
    assert_eq!(order().await, [old, new]);
    store
        .append_entry(old, EntryId::new(), at(15), json!({}))
        .await
        .unwrap();
    store.rename_chat(new, "renamed").await.unwrap();
    let chats = store.chats().await.unwrap();
    assert_eq!(chats[0].updated, at(30));
    assert_eq!(chats[1].title, "renamed");
    let from = async |from| store.rename_chat_from(new, from, "by the model").await.unwrap();
    assert!(!from("another").await && from("renamed").await);
    assert_eq!(store.chats().await.unwrap()[1].title, "by the model");
}

#[tokio::test]
async fn the_first_message_names_a_chat_and_later_ones_do_not() {
    let folder = Folder::new();
    let store = folder.open();
    let chat = put_chat(&store, "", 1).await;
    for title in ["Trip to Oslo", "Another"] {
        let added = store.append_entry_titled(chat, EntryId::new(), at(2), json!({}), title.to_owned());
        added.await.unwrap();
    }
    assert_eq!(store.chats().await.unwrap()[0].title, "Trip to Oslo");
    assert_eq!(store.entries(chat).await.unwrap().len(), 2);
    let gone = store.append_entry_titled(ChatId::new(), EntryId::new(), at(3), json!({}), String::new());
    assert!(matches!(gone.await, Err(StoreError::Unknown { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_added_at_once_each_get_their_own_place() {
    let folder = Folder::new();
    let store = folder.open();
    let chat = put_chat(&store, "busy", 1).await;
    let mut adding = tokio::task::JoinSet::new();
    for number in 0..40 {
        let store = store.clone();
        adding.spawn(async move {
            store
                .append_entry(chat, EntryId::new(), at(number), json!({ "number": number }))
                .await
        });
    }
    let mut places = adding
        .join_all()
        .await
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .unwrap();
    places.sort_unstable();
    assert_eq!(places, (0..40).collect::<Vec<_>>());
    let kept: Vec<_> = store
        .entries(chat)
        .await
        .unwrap()
        .iter()
        .map(|entry| entry.position)
        .collect();
    assert_eq!(kept, places);
}

#[tokio::test]
async fn interrupted_work_is_found_by_its_state() {
    let store = Store::in_memory().unwrap();
    let chat = put_chat(&store, "trip", 1).await;
    let (running, waiting, done) = (EntryId::new(), EntryId::new(), EntryId::new());
    for (entry, state) in [(running, "running"), (waiting, "waiting"), (done, "running")] {
        store
            .append_entry(chat, entry, at(1), json!({ "state": state }))
            .await
            .unwrap();
    }
    store
        .append_entry(chat, EntryId::new(), at(1), json!({ "text": "running" }))
        .await
        .unwrap();
    store
        .append_entry(
            chat,
            EntryId::new(),
            at(1),
            json!({ "state": { "deep": "running" } }),
        )
        .await
        .unwrap();
    store
        .update_entry(done, json!({ "state": "done" }))
        .await
        .unwrap();

    let found = |states: &'static [&str]| {
        let store = store.clone();
        async move {
            let entries = store.entries_where_state(states).await.unwrap();
            entries.iter().map(|entry| entry.id).collect::<Vec<_>>()
        }
    };
    assert_eq!(found(&["running"]).await, [running]);
    assert_eq!(found(&["waiting", "running"]).await, [running, waiting]);
    assert_eq!(found(&[]).await, []);
}

#[tokio::test]
async fn chats_of_a_removed_model_go_back_to_the_default() {
    let store = Store::in_memory().unwrap();
    let model = ModelRecord::new(None, "small", at(1));
    store.put_model(&model).await.unwrap();
    let chat = put_chat(&store, "trip", 1).await;
    store.set_chat_model(chat, Some(model.id)).await.unwrap();
    assert_eq!(store.chats().await.unwrap()[0].model, Some(model.id));
    store.remove_model(model.id).await.unwrap();
    assert!(store.models().await.unwrap().is_empty());
    assert_eq!(store.chats().await.unwrap()[0].model, None);
}
