//! Messages that are written while the model works wait for its end, and for the user where it was stopped.

use serde_json::json;
use vestibule_host::view::{EntryBody, EntryView, InputProblem, Problem, QueuedView};
use vestibule_policy::Scope;
use vestibule_protocol::ChatId;
use vestibule_tests::{Scene, Turn, text_result, tool, yes};

/// What a chat shows in words.
fn said(entries: &[EntryView]) -> Vec<&str> {
    let words = entries.iter().filter_map(|entry| match &entry.body {
        EntryBody::User { text, .. } | EntryBody::Assistant { text, .. } => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

async fn queue(scene: &Scene, chat: ChatId, text: &str) {
    scene.host.queue_add(chat, text.into(), vec![]).await.unwrap();
}

async fn waiting(scene: &Scene, chat: ChatId) -> Vec<QueuedView> {
    scene.window.catch_up(&scene.host).await;
    scene.window.now().chats[&chat].queue.clone()
}

async fn texts(scene: &Scene, chat: ChatId) -> Vec<String> {
    let waiting = waiting(scene, chat).await;
    waiting.into_iter().map(|message| message.text).collect()
}

#[tokio::test]
async fn messages_wait_for_the_answer_and_are_sent_one_after_the_other() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let (first, go_on) = Turn::halting("He", "llo.");
    model.will(first);
    scene.say(chat, "Hi.").await;
    model.asked().await;
    for text in ["One.", "Two?", "Three."] {
        queue(&scene, chat, text).await;
    }
    let listed = waiting(&scene, chat).await;
    scene
        .host
        .queue_edit(chat, listed[1].id, "Two.".into())
        .await
        .unwrap();
    scene.host.queue_remove(chat, listed[2].id).await.unwrap();
    assert_eq!(texts(&scene, chat).await, ["One.", "Two."]);
    let gone = scene.host.queue_edit(chat, listed[2].id, "x".into()).await;
    assert_eq!(gone, Err(Problem::Input(InputProblem::Gone)));
    model.will(Turn::words("First."));
    model.will(Turn::words("Second."));
    go_on.send(()).unwrap();
    let all = ["Hi.", "Hello.", "One.", "First.", "Two.", "Second."];
    scene
        .window
        .until("both messages answered", |seen| {
            said(seen.chat(chat)) == all && !seen.chats[&chat].busy
        })
        .await;
    assert_eq!(texts(&scene, chat).await, [""; 0]);
    scene.close().await;
}

#[tokio::test]
async fn a_message_waits_while_a_card_is_open() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({})));
    scene.say(chat, "Read it.").await;
    let question = scene.person.asked().await;
    model.asked().await;
    queue(&scene, chat, "And then?").await;
    assert_eq!(texts(&scene, chat).await, ["And then?"]);
    assert!(model.is_unasked());
    model.will(Turn::words("Milk."));
    model.will(Turn::words("Bread."));
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("milk")).await;
    let all = ["Read it.", "Let me see.", "Milk.", "And then?", "Bread."];
    scene
        .window
        .until("the message after the answer", |seen| {
            said(seen.chat(chat)) == all
        })
        .await;
    scene.finished(chat).await;
    scene.close().await;
}

#[tokio::test]
async fn a_stopped_turn_keeps_what_waits_also_over_a_restart_until_it_is_sent() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let (first, _held) = Turn::halting("He", "llo.");
    model.will(first);
    scene.say(chat, "Hi.").await;
    model.asked().await;
    queue(&scene, chat, "One.").await;
    queue(&scene, chat, "Two.").await;
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    assert_eq!(texts(&scene, chat).await, ["One.", "Two."]);
    let scene = scene.reopen().await;
    assert!(model.is_unasked());
    let listed = waiting(&scene, chat).await;
    assert_eq!(listed.len(), 2);

    // The second one first; what is left follows, since that turn ends well.
    model.will(Turn::words("Second."));
    model.will(Turn::words("First."));
    scene.host.queue_send(chat, listed[1].id).await.unwrap();
    let sent = ["Two.", "Second.", "One.", "First."];
    scene
        .window
        .until("both messages answered", |seen| {
            said(seen.chat(chat)).ends_with(&sent) && !seen.chats[&chat].busy
        })
        .await;
    scene.close().await;
}

#[tokio::test]
async fn a_message_sent_now_stops_the_answer_and_goes_first() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let (first, _held) = Turn::halting("He", "llo.");
    model.will(first);
    scene.say(chat, "Hi.").await;
    model.asked().await;
    scene
        .window
        .until("the first word", |seen| said(seen.chat(chat)) == ["Hi.", "He"])
        .await;
    queue(&scene, chat, "One.").await;
    queue(&scene, chat, "Wait!").await;
    model.will(Turn::words("Yes?"));
    model.will(Turn::words("First."));
    let listed = waiting(&scene, chat).await;
    scene.host.queue_send(chat, listed[1].id).await.unwrap();
    let all = ["Hi.", "He", "Wait!", "Yes?", "One.", "First."];
    scene
        .window
        .until("the message that was sent now", |seen| {
            said(seen.chat(chat)) == all && !seen.chats[&chat].busy
        })
        .await;
    scene.close().await;
}

#[tokio::test]
async fn a_message_sent_now_waits_again_where_the_user_stops_before_it_goes() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let (first, _held) = Turn::halting("He", "llo.");
    model.will(first);
    scene.say(chat, "Hi.").await;
    model.asked().await;
    scene
        .window
        .until("the first word", |seen| said(seen.chat(chat)) == ["Hi.", "He"])
        .await;
    queue(&scene, chat, "Wait!").await;
    let listed = waiting(&scene, chat).await;
    scene.host.queue_send(chat, listed[0].id).await.unwrap();
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    assert_eq!(waiting(&scene, chat).await, listed);
    scene.close().await;
    assert!(model.is_unasked());
}

/// The change comes at another moment of the sending each time.
#[tokio::test]
async fn a_change_that_succeeds_while_a_message_is_sent_counts() {
    let scene = Scene::new().await;
    for moment in 0..24 {
        let (chat, mut model) = scene.scripted_chat().await;
        let (first, _held) = Turn::halting("He", "llo.");
        model.will(first);
        scene.say(chat, "Hi.").await;
        model.asked().await;
        queue(&scene, chat, "Before.").await;
        scene.host.chat_stop(chat);
        scene.finished(chat).await;
        let [message] = &waiting(&scene, chat).await[..] else {
            panic!("one message waits")
        };
        model.will(Turn::words("Read."));
        let edit = async {
            for _ in 0..moment {
                tokio::task::yield_now().await;
            }
            scene.host.queue_edit(chat, message.id, "After.".into()).await
        };
        let (sent, edited) = tokio::join!(scene.host.queue_send(chat, message.id), edit);
        sent.unwrap();
        let text = match edited {
            Ok(()) => "After.",
            Err(problem) => {
                assert_eq!(problem, Problem::Input(InputProblem::Gone));
                "Before."
            }
        };
        scene
            .window
            .until("the message answered", |seen| {
                said(seen.chat(chat)).ends_with(&[text, "Read."]) && !seen.chats[&chat].busy
            })
            .await;
    }
    scene.close().await;
}

#[tokio::test]
async fn what_waits_goes_with_its_chat() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    scene.say(chat, "Hi.").await;
    model.asked().await;
    queue(&scene, chat, "Zanzibar").await;
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    scene.host.chat_delete(chat).await.unwrap();
    let settings = scene.store.settings().await.unwrap();
    assert!(!settings.keys().any(|key| key.starts_with("chat-queue.")));
    let gone = scene.host.queue_add(chat, "x".into(), vec![]).await;
    assert_eq!(gone, Err(Problem::Input(InputProblem::Gone)));
    scene.close().await;
}
