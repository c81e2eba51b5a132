use serde_json::json;
use vestibule_protocol::WorkspaceId;
use vestibule_store::ChatRecord;

use super::*;

fn message(text: &str) -> EntryBody {
    EntryBody::User {
        text: text.to_owned(),
        attachments: vec![],
    }
}

async fn chat(store: &Store) -> ChatId {
    let now = Timestamp::now();
    let chat = ChatRecord {
        id: ChatId::new(),
        workspace: WorkspaceId::home(),
        title: "A chat".to_owned(),
        model: None,
        settings: None,
        created: now,
        updated: now,
        pinned: false,
        archived: false,
        trashed: None,
    };
    store.create_chat(&chat).await.unwrap();
    chat.id
}

/// The texts of a chat for a reader who has read it before, who gets what a new reader gets.
async fn texts(transcript: &Transcript, chat: ChatId) -> Vec<String> {
    let read = transcript.entries(chat).await.unwrap();
    let new = Transcript::new(transcript.store.clone(), EventStream::default());
    assert_eq!(read, new.entries(chat).await.unwrap());
    let text = |entry: Arc<EntryView>| match &entry.body {
        EntryBody::User { text, .. } => text.clone(),
        other => panic!("no message: {other:?}"),
    };
    read.into_iter().map(text).collect()
}

#[tokio::test]
async fn who_reads_a_chat_again_gets_every_change_of_it() {
    let store = Store::in_memory().unwrap();
    let (chat, other) = (chat(&store).await, chat(&store).await);
    let transcript = Transcript::new(store, EventStream::default());
    let mut first = transcript.add(chat, message("first")).await.unwrap();
    let second = transcript.add(chat, message("second")).await.unwrap();
    transcript.add(other, message("elsewhere")).await.unwrap();
    assert_eq!(texts(&transcript, chat).await, ["first", "second"]);
    assert_eq!(texts(&transcript, other).await, ["elsewhere"]);

    first.body = message("changed");
    transcript.put(&mut first).await.unwrap();
    assert_eq!(texts(&transcript, chat).await, ["changed", "second"]);
    let version = message("another second");
    transcript.add_version(chat, second.id, version).await.unwrap();
    assert_eq!(texts(&transcript, chat).await, ["changed", "another second"]);
    transcript.show_branch(chat, second.id).await.unwrap();
    assert_eq!(texts(&transcript, chat).await, ["changed", "second"]);
    transcript.end_branch(chat, first.id).await.unwrap();
    assert_eq!(texts(&transcript, chat).await, ["changed"]);
    // The newest version is the one that is shown.
    transcript.resume_branch(chat).await.unwrap();
    assert_eq!(texts(&transcript, chat).await, ["changed", "another second"]);
    transcript.splice_out(chat, first.id).await.unwrap();
    assert_eq!(texts(&transcript, chat).await, ["another second"]);
    transcript.forget(chat);
    assert_eq!(texts(&transcript, chat).await, ["another second"]);
}

#[tokio::test]
async fn an_entry_of_a_later_version_is_left_out_and_kept() {
    let store = Store::in_memory().unwrap();
    let (now, chat) = (Timestamp::now(), chat(&store).await);
    let later = json!({ "kind": "hologram", "depth": 3 });
    let user = message("hello");
    let bodies = [later.clone(), json(&user)];
    let entries = bodies.map(|body| (EntryId::in_chat(chat), now, body));
    store.append_entries(chat, entries.to_vec()).await.unwrap();

    let transcript = Transcript::new(store.clone(), EventStream::default());
    let all = transcript.entries(chat).await.unwrap();
    let page = transcript.page(chat, EntriesPart::Newest).await.unwrap();
    let [all] = <[_; 1]>::try_from(all).unwrap();
    let [shown] = <[_; 1]>::try_from(page.entries).unwrap();
    assert_eq!(all.body, user);
    assert_eq!(shown.body, user);
    assert_eq!(store.entries(chat).await.unwrap()[0].body, later);
}
