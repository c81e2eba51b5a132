//! Temporary chats are kept like others, in memory alone.

mod support;

use serde_json::json;
use support::{Folder, at, chat, draft};
use vestibule_app_protocol::Currency;
use vestibule_policy::Digest;
use vestibule_protocol::{ChatId, EntryId, ModelId, ServerId};
use vestibule_store::{
    ChatRecord, EntriesFrom, LedgerDraft, LedgerFilter, ModelUsage, NativeReplyRow, ReplyOrigin, Sidecar,
    Store, StoreError, TaskRow, Verification,
};

const CANARY: &str = "qzxcanary";

async fn put_temporary(store: &Store) -> ChatId {
    let chat = ChatRecord {
        id: ChatId::temporary(),
        ..chat(CANARY, 1)
    };
    store.create_chat(&chat).await.expect("the chat can be made");
    chat.id
}

async fn add(store: &Store, chat: ChatId) -> EntryId {
    let entry = EntryId::in_chat(chat);
    let body = json!({ "kind": "user", "text": CANARY });
    let added = store.append_entry(chat, entry, at(2), body).await;
    added.expect("the entry can be added");
    entry
}

fn no_file_has_the_canary(folder: &Folder) {
    let folder = folder.database();
    let parent = folder.parent().expect("the database is in a folder");
    for file in std::fs::read_dir(parent).expect("the folder can be listed") {
        let path = file.expect("the file is listed").path();
        let bytes = std::fs::read(path).expect("the file can be read");
        assert!(!bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()));
    }
}

fn native(entry: EntryId) -> NativeReplyRow {
    NativeReplyRow {
        entry,
        origin: ReplyOrigin {
            configured: ModelId::new(),
            address: "https://models.example".to_owned(),
            wire: "messages".to_owned(),
            model: "one".to_owned(),
        },
        reply: json!({ "signature": CANARY }),
    }
}

#[tokio::test]
async fn everything_that_is_kept_of_a_temporary_chat_is_in_memory_alone() {
    let folder = Folder::new();
    let store = folder.open();
    let chat = put_temporary(&store).await;
    let first = add(&store, chat).await;
    let version = EntryId::in_chat(chat);
    let body = json!({ "kind": "user", "text": CANARY });
    store
        .append_version(first, version, at(3), body.clone())
        .await
        .unwrap();
    store.update_entry(version, body).await.unwrap();
    assert!(store.select_branch(first).await.unwrap());
    assert_eq!(store.versions(first).await.unwrap().unwrap().of, 2);
    let row = native(first);
    store.put_native_reply(&row).await.unwrap();
    let (configured, usage) = (row.origin.configured, usage(7));
    store
        .add_model_usage(chat, configured, at(4), usage)
        .await
        .unwrap();
    store
        .put_setting(&format!("draft.{chat}"), CANARY.into())
        .await
        .unwrap();
    store
        .put_task(&TaskRow {
            entry: first,
            server: ServerId::new(),
            record: json!(CANARY),
        })
        .await
        .unwrap();
    store.rename_chat(chat, &format!("{CANARY} again")).await.unwrap();

    assert_eq!(
        store.native_replies(chat, &row.origin).await.unwrap(),
        std::slice::from_ref(&row)
    );
    let page = store.entries_page(chat, EntriesFrom::Newest).await.unwrap();
    assert_eq!(page.entries.len(), 1);
    assert_eq!(store.chat_branches(chat).await.unwrap().len(), 2);
    assert_eq!(store.model_usage().await.unwrap()[&chat].costs.len(), 1);
    assert_eq!(store.model_costs_of_day(at(4)).await.unwrap()[0].1, 7);
    assert!(
        store
            .settings()
            .await
            .unwrap()
            .contains_key(&format!("draft.{chat}"))
    );
    assert_eq!(store.chats().await.unwrap()[0].title, format!("{CANARY} again"));
    assert_eq!(store.counts().await.unwrap().chats, 0);
    no_file_has_the_canary(&folder);
    store.close().await;
    no_file_has_the_canary(&folder);

    let store = folder.open();
    assert_eq!(store.chats().await.unwrap(), []);
    assert!(store.entry(first).await.unwrap().is_none());
    let costs = store.model_costs_of_day(at(4)).await.unwrap();
    assert_eq!(costs[0].1, 7, "the cost of the day stays");
}

fn usage(cost: u64) -> ModelUsage {
    ModelUsage {
        input: 1,
        output: 1,
        cached: 0,
        cost: Some(cost),
        currency: Currency::DOLLAR,
    }
}

#[tokio::test]
async fn what_comes_after_the_end_of_a_temporary_chat_is_refused_or_in_memory() {
    let folder = Folder::new();
    let store = folder.open();
    let (chat, other) = (put_temporary(&store).await, put_temporary(&store).await);
    let (entry, stays) = (add(&store, chat).await, add(&store, other).await);
    store.delete_chat(chat).await.unwrap();
    let body = json!({ "kind": "user", "text": CANARY });
    for refused in [
        store
            .append_entry(chat, EntryId::in_chat(chat), at(5), body.clone())
            .await
            .map(drop),
        store.update_entry(entry, body).await,
        store.rename_chat(chat, CANARY).await,
    ] {
        assert!(matches!(refused, Err(StoreError::Unknown { .. })), "{refused:?}");
    }
    let key = format!("chat-queue.{chat}");
    store.put_setting(&key, CANARY.into()).await.unwrap();
    assert!(store.entry(entry).await.unwrap().is_none());
    assert!(store.entry(stays).await.unwrap().is_some());
    no_file_has_the_canary(&folder);
}

#[tokio::test]
async fn an_entry_is_kept_only_where_its_id_says() {
    let store = Store::in_memory().unwrap();
    let usual = chat("usual", 1);
    store.create_chat(&usual).await.unwrap();
    let temporary = put_temporary(&store).await;
    for (chat, entry) in [
        (usual.id, EntryId::in_chat(temporary)),
        (temporary, EntryId::new()),
    ] {
        let refused = store.append_entry(chat, entry, at(2), json!({})).await;
        assert!(matches!(refused, Err(StoreError::Refused { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn the_ledger_keeps_the_records_of_a_temporary_chat_without_names_and_is_intact() {
    let folder = Folder::new();
    let store = folder.open();
    let chat = put_temporary(&store).await;
    let of_chat = LedgerDraft {
        chat: Some(chat),
        ..draft(1)
    };
    let sidecar = Sidecar {
        names: vestibule_policy::mentions(&json!(format!("https://{CANARY}.example/"))),
        content_digests: [("arguments", Digest::of_arguments(&json!(CANARY)))].into(),
    };
    store.append_with(of_chat.clone(), sidecar).await.unwrap();
    store.delete_chat(chat).await.unwrap();
    let filter = LedgerFilter {
        chat: Some(chat),
        limit: 10,
        ..LedgerFilter::default()
    };
    let kept = store.ledger(filter).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].body, of_chat.body);
    let verified = store.verify(|_, _| {}).await.unwrap();
    assert!(matches!(verified, Verification::Intact { .. }), "{verified:?}");
    no_file_has_the_canary(&folder);
}
