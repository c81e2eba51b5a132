//! A window that reloads, and an application that starts again: both find everything as it was.

use futures::StreamExt;
use serde_json::json;
use vestibule_consent::Answer;
use vestibule_host::view::{CallState, EntryBody, EntryView, InboxMessage, ServerState};
use vestibule_policy::{Because, Scope};
use vestibule_tests::{Opening, Projection, Scene, Stage, Turn, Window, pass, text_result, tool, yes};

/// Snapshot and events: whoever starts in the middle ends at the same place, and never sees a word twice.
#[tokio::test]
async fn a_window_opened_at_any_moment_shows_the_same_in_the_end() {
    let scene = Scene::new().await;
    scene.tour().await;
    scene.agrees();
    let chat = scene.chat().await;
    scene
        .host
        .chat_send(chat, "both Oslo 2 and 3".into(), vec![])
        .await
        .unwrap();
    let mut windows = vec![];
    let mut moments = vec![];
    loop {
        let window = Window::open(&scene.host).await;
        let now = window.now();
        let over = !now.chats[&chat].busy;
        moments.push(now);
        windows.push(window);
        if over {
            break;
        }
        let so_far = scene.window.now().seq;
        scene
            .window
            .until("a few more events", |seen| {
                seen.seq > so_far + 2 || !seen.chats[&chat].busy
            })
            .await;
    }
    scene.window.catch_up(&scene.host).await;
    let last = scene.window.now();
    assert!(windows.len() > 5, "the turn went on while windows opened");
    for window in &windows {
        window.until("everything", |seen| seen.seq >= last.seq).await;
        same(&window.now(), &last);
    }
    let from_disk = scene.newest_entries(chat).await;
    assert_eq!(last.chat(chat), from_disk);
    for moment in &moments {
        for entry in moment.chat(chat) {
            let end = from_disk.iter().find(|end| end.id == entry.id).unwrap();
            assert!(
                words(end).starts_with(words(entry)),
                "{entry:?} grew into {end:?}"
            );
        }
    }
    // A window keeps the host open.
    drop(windows);
    scene.close().await;
}

fn words(entry: &EntryView) -> &str {
    match &entry.body {
        EntryBody::Assistant { text, .. } | EntryBody::User { text, .. } => text,
        _ => "",
    }
}

fn same(one: &Projection, other: &Projection) {
    assert_eq!(one.chats, other.chats);
    assert_eq!(one.entries, other.entries);
    assert_eq!(one.servers, other.servers);
    assert_eq!(one.models, other.models);
    assert_eq!(one.settings, other.settings);
    assert_eq!(one.waiting, other.waiting);
}

#[tokio::test]
async fn everything_is_found_again_after_a_restart() {
    let scene = Scene::new().await;
    let (server, mut puppet, stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, model) = scene.scripted_chat().await;
    scene.host.chat_rename(chat, "My title").await.unwrap();
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("Done."));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Always)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("ok")).await;
    let entries = scene.finished(chat).await;
    scene.window.catch_up(&scene.host).await;
    let before = scene.window.now();

    let scene = scene.reopen().await;
    let after = scene.window.now();
    assert_eq!(after.chats[&chat].title, "My title");
    assert_eq!(after.chats, before.chats);
    assert_eq!(after.chat(chat), entries);
    assert_eq!(
        (&after.models, &after.settings),
        (&before.models, &before.settings)
    );
    assert_eq!(after.servers[&server].place, before.servers[&server].place);
    assert_eq!(
        after.servers[&server].state,
        ServerState::Stopped,
        "a yes for once was for once"
    );

    // The rule is still there: the start is asked, the call is not.
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[tool("read")]).await;
    scene.ready(server).await;
    model.will(Turn::call("two", "notes__read", json!({})));
    model.will(Turn::words("Again."));
    scene.say(chat, "Again.").await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("ok")).await;
    let last = Scene::calls(&scene.finished(chat).await).pop().unwrap();
    assert!(
        matches!(
            last.because[..],
            [Because::Rule {
                scope: Scope::Always,
                ..
            }]
        ),
        "{last:?}"
    );
    scene.close().await;
}

/// What was under way when the application was cut off is marked, and the chat can go on.
#[tokio::test]
async fn what_was_under_way_is_marked_as_interrupted() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("slow"), tool("read")]).await;
    let (calling, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__slow", json!({})));
    scene.say(calling, "Go.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    puppet.hear("tools/call").await;
    let (asking, other) = scene.scripted_chat().await;
    other.will(Turn::call("two", "notes__read", json!({})));
    scene.say(asking, "Go.").await;
    scene.person.asked().await;
    let (speaking, speaker) = scene.scripted_chat().await;
    let (turn, _go_on) = Turn::halting("Half a", " sentence");
    speaker.will(turn);
    scene.say(speaking, "Go.").await;
    let spoken = |seen: &Projection| seen.chat(speaking).len() == 2;
    scene.window.until("the first words", spoken).await;

    // The folder as it is now, as a power cut would leave it.
    let cut = Opening::default();
    for file in std::fs::read_dir(scene.folder()).unwrap().flatten() {
        let name = file.file_name();
        if name.to_string_lossy().starts_with("vestibule.db") {
            std::fs::copy(file.path(), cut.folder().join(name)).unwrap();
        }
    }
    let after = cut.open().await;
    let state = |chat| Scene::calls(after.window.now().chat(chat)).pop().unwrap().state;
    assert_eq!(state(calling), CallState::Interrupted { sent: true });
    assert_eq!(state(asking), CallState::Interrupted { sent: false });
    let entries = after.window.now().chat(speaking).to_vec();
    assert!(
        matches!(
            &entries[1].body,
            EntryBody::Assistant {
                state: vestibule_host::view::TextState::Interrupted,
                ..
            }
        ),
        "{entries:?}"
    );
    assert!(after.window.now().chats.values().all(|chat| !chat.busy));
    after.host.close().await;
    scene.close().await;
}

/// What a user typed is on disk when the window says that it was taken.
#[tokio::test]
async fn a_message_that_was_taken_is_on_disk() {
    let scene = Scene::new().await;
    let (chat, _model) = scene.scripted_chat().await;
    scene
        .host
        .chat_send(chat, "Keep this.".into(), vec![])
        .await
        .unwrap();
    let kept = scene.store.entries(chat).await.unwrap();
    assert_eq!(kept[0].body["text"], "Keep this.");
    pass(std::time::Duration::ZERO).await;
    scene.close().await;
}

/// What was entered on a card comes before the card, for a window that is loaded anew, and is gone with its question.
#[tokio::test]
async fn a_consent_window_that_is_loaded_anew_first_hears_what_was_entered() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.host.server_start(server).await.unwrap();
    let card = scene.person.asked().await;
    let entered = json!({ "scope": "always" }).as_object().cloned().unwrap();
    scene
        .host
        .consent_keep(card.id, &card.nonce, Some(entered.clone()));

    let mut again = Box::pin(scene.host.consent_window());
    let Some(InboxMessage::Kept { kept }) = again.next().await else {
        panic!("the cards came first")
    };
    assert_eq!(kept.len(), 1);
    assert_eq!(
        (kept[0].question, &kept[0].nonce, &kept[0].entered),
        (card.id, &card.nonce, &entered)
    );
    let Some(InboxMessage::State(state)) = again.next().await else {
        panic!("no cards came")
    };
    assert_eq!(state.questions[0].nonce, card.nonce);

    scene.person.say(&card, Answer::Cancel).await;
    let mut last = Box::pin(scene.host.consent_window());
    let Some(InboxMessage::State(state)) = last.next().await else {
        panic!("something was kept of a question that is gone")
    };
    assert!(state.questions.is_empty());
    scene.close().await;
}
