//! Tasks that an earlier run left: given up with what they belong to, or not to be followed any more.

use vestibule_host::view::CallState;
use vestibule_protocol::ChatId;
use vestibule_tests::{Puppet, Scene, ended, eventually, records, soon};

use super::{Bench, Form, bench, entry_of_call, greet, is_task, task};

const FORM: Form = Form::Asked;

/// A chat with a task that the server was asked about again after a restart.
async fn followed_again() -> (Scene, ChatId, Puppet) {
    let Bench {
        scene,
        chat,
        server,
        stage,
        puppet,
        model,
    } = bench(FORM).await;
    scene.call(chat, "a task", is_task).await;
    drop((puppet, model));
    let scene = scene.reopen().await;
    let mut puppet = stage.puppet().await;
    greet(&mut puppet, FORM).await;
    scene.ready(server).await;
    puppet.hear("tasks/get").await;
    (scene, chat, puppet)
}

/// The row with the button of the task goes with its chat.
#[tokio::test]
async fn a_task_of_an_earlier_run_is_given_up_with_its_chat() {
    let (scene, chat, mut puppet) = followed_again().await;
    scene.host.chat_trash(chat, true).await.unwrap();
    let cancel = puppet.hear("tasks/cancel").await;
    assert_eq!(cancel["params"]["taskId"], "secret-7");
    puppet.answer(&cancel, task(FORM, "cancelled")).await;
    scene.close().await;
}

/// The row with the button of the task goes with its message.
#[tokio::test]
async fn a_task_of_an_earlier_run_is_given_up_with_its_message() {
    let (scene, chat, mut puppet) = followed_again().await;
    let message = scene.newest_entries(chat).await[0].id;
    scene.host.message_delete(message).await.unwrap();
    let cancel = soon("the task is given up", puppet.hear("tasks/cancel")).await;
    assert_eq!(cancel["params"]["taskId"], "secret-7");
    puppet.answer(&cancel, task(FORM, "cancelled")).await;
    let ends = async || ended(&records(&scene.store).await);
    let cancelled = ("task.follow".into(), "build".into(), Some("cancelled".into()));
    eventually("the end of the task in the ledger", async || {
        ends().await.contains(&cancelled)
    })
    .await;
    scene.close().await;
}

/// The row of a task can be missing, for example because the disk was full.
#[tokio::test]
async fn a_call_whose_task_cannot_be_followed_again_is_shown_as_interrupted() {
    let Bench {
        scene,
        chat,
        puppet,
        model,
        ..
    } = bench(FORM).await;
    scene.call(chat, "a task", is_task).await;
    let entry = entry_of_call(&scene, chat).await;
    scene.store.remove_task(entry).await.unwrap();
    drop((puppet, model));
    let scene = scene.reopen().await;
    let left = Scene::calls(&scene.newest_entries(chat).await).pop().unwrap();
    assert_eq!(left.state, CallState::Interrupted { sent: true });
    scene.close().await;
}
