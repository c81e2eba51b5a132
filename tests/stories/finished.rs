//! The end of a turn is told, for the notification of the operating system.

use tokio::sync::broadcast::error::TryRecvError;
use vestibule_host::view::FinishedChat;
use vestibule_tests::{Scene, Turn};

#[tokio::test]
async fn a_chat_that_finished_is_told_and_one_that_the_user_stopped_is_not() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let mut finished = scene.host.finished_chats();
    let (stopped, _go_on) = Turn::halting("He", "llo.");
    model.will(stopped);
    scene.say(chat, "Hi.").await;
    model.asked().await;
    scene.host.chat_stop(chat);
    scene
        .window
        .until("the chat to be idle", |seen| !seen.chats[&chat].busy)
        .await;
    assert_eq!(finished.try_recv(), Err(TryRecvError::Empty));
    model.will(Turn::words("Hello."));
    scene.say(chat, "Again.").await;
    let told = FinishedChat {
        chat,
        ended_well: true,
    };
    assert_eq!(finished.recv().await, Ok(told));
    scene.close().await;
}

#[tokio::test]
async fn messages_that_waited_are_answered_before_the_end_is_told() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let mut finished = scene.host.finished_chats();
    let (first, go_on) = Turn::halting("He", "llo.");
    model.will(first);
    scene.say(chat, "Hi.").await;
    model.asked().await;
    scene.host.queue_add(chat, "And?".into(), vec![]).await.unwrap();
    model.will(Turn::words("That is all."));
    go_on.send(()).unwrap();
    let told = FinishedChat {
        chat,
        ended_well: true,
    };
    assert_eq!(finished.recv().await, Ok(told));
    scene
        .window
        .until("both answers", |seen| {
            seen.chat(chat).len() == 4 && !seen.chats[&chat].busy
        })
        .await;
    assert_eq!(finished.try_recv(), Err(TryRecvError::Empty));
    scene.close().await;
}
