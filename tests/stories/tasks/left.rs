//! Tasks that an earlier run left: given up with what they belong to, or not to be followed any more.

use vestibule_host::view::CallState;
use vestibule_tests::{Scene, ended, eventually, records, soon};

use super::{Bench, Form, bench, entry_of_call, greet, is_task, task};

/// The row with the button of the task goes with its chat.
#[tokio::test]
async fn a_task_of_an_earlier_run_is_given_up_with_its_chat() {
    let form = Form::Asked;
    let Bench {
        scene,
        chat,
        server,
        stage,
        puppet,
        model,
    } = bench(form).await;
    scene.call(chat, "a task", is_task).await;
    drop((puppet, model));
    let scene = scene.reopen().await;
    let mut puppet = stage.puppet().await;
    greet(&mut puppet, form).await;
    scene.ready(server).await;
    puppet.hear("tasks/get").await;
    scene.host.chat_trash(chat, true).await.unwrap();
    let cancel = puppet.hear("tasks/cancel").await;
    assert_eq!(cancel["params"]["taskId"], "secret-7");
    puppet.answer(&cancel, task(form, "cancelled")).await;
    scene.close().await;
}

/// The row with the button of the task goes with its message.
#[tokio::test]
async fn a_task_of_an_earlier_run_is_given_up_with_its_message() {
    let form = Form::Asked;
    let Bench {
        scene,
        chat,
        server,
        stage,
        puppet,
        model,
    } = bench(form).await;
    scene.call(chat, "a task", is_task).await;
    drop((puppet, model));
    let scene = scene.reopen().await;
    let mut puppet = stage.puppet().await;
    greet(&mut puppet, form).await;
    scene.ready(server).await;
    puppet.hear("tasks/get").await;
    let message = scene.newest_entries(chat).await[0].id;
    scene.host.message_delete(message).await.unwrap();
    let cancel = soon("the task is given up", puppet.hear("tasks/cancel")).await;
    assert_eq!(cancel["params"]["taskId"], "secret-7");
    puppet.answer(&cancel, task(form, "cancelled")).await;
    let ends = async || ended(&records(&scene.store).await);
    let cancelled = ("task.follow".into(), "build".into(), Some("cancelled".into()));
    eventually("the end of the task in the ledger", async || {
        ends().await.contains(&cancelled)
    })
    .await;
    scene.close().await;
}

/// A full disk keeps the row of the task away, say.
#[tokio::test]
async fn a_call_whose_task_cannot_be_followed_again_is_shown_as_interrupted() {
    let Bench {
        scene,
        chat,
        puppet,
        model,
        ..
    } = bench(Form::Asked).await;
    scene.call(chat, "a task", is_task).await;
    let entry = entry_of_call(&scene, chat).await;
    scene.store.remove_task(entry).await.unwrap();
    drop((puppet, model));
    let scene = scene.reopen().await;
    let left = Scene::calls(&scene.newest_entries(chat).await).pop().unwrap();
    assert_eq!(left.state, CallState::Interrupted { sent: true });
    scene.close().await;
}
