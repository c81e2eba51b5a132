//! An answer that a limit of tokens ended is continued by the model, or asked for once more as a whole.

use serde_json::Value;
use vestibule_host::view::{ChatSettings, EntryBody, EntryView, InputProblem, Problem, TextState};
use vestibule_protocol::ChatId;
use vestibule_tests::{Scene, Turn};

/// What stands in a chat, and how far each answer is.
fn said(entries: &[EntryView]) -> Vec<(&str, Option<TextState>)> {
    let mut said = vec![];
    for entry in entries {
        said.push(match &entry.body {
            EntryBody::User { text, .. } => (text.as_str(), None),
            EntryBody::Assistant { text, state, .. } => (text.as_str(), Some(*state)),
            _ => ("failure", None),
        });
    }
    said
}

fn messages(request: &Value) -> Vec<Value> {
    request["messages"].as_array().unwrap().clone()
}

fn roles(request: &Value) -> Vec<String> {
    let role = |message: Value| message["role"].as_str().unwrap().to_owned();
    messages(request).into_iter().map(role).collect()
}

async fn continued(scene: &Scene, chat: ChatId) -> Vec<EntryView> {
    scene.host.chat_continue(chat).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    scene.finished(chat).await
}

#[tokio::test]
async fn an_answer_that_a_limit_ended_is_continued() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::limited("Once upon"));
    scene.say(chat, "Tell me a story.").await;
    let first = ("Tell me a story.", None);
    let half = ("Once upon", Some(TextState::Length));
    assert_eq!(said(&scene.finished(chat).await), [first, half]);
    model.asked().await;
    // Also after a restart, and when it ends so again.
    let scene = scene.reopen().await;
    model.will(Turn::limited(" a time"));
    continued(&scene, chat).await;
    let second = model.asked().await;
    assert_eq!(roles(&second), ["system", "user", "assistant", "user"]);
    assert_eq!(messages(&second)[2]["content"], "Once upon");
    model.will(Turn::words(", in Oslo."));
    let entries = continued(&scene, chat).await;
    let rest = (" a time", Some(TextState::Length));
    let end = (", in Oslo.", Some(TextState::Done));
    assert_eq!(said(&entries), [first, half, rest, end]);
    let third = model.asked().await;
    assert_eq!(
        messages(&third)[..4],
        messages(&second)[..],
        "the beginning stays"
    );
    model.will(Turn::words("The end."));
    scene.say(chat, "And then?").await;
    scene.finished(chat).await;
    let fourth = model.asked().await;
    assert_eq!(messages(&fourth)[..6], messages(&third)[..]);
    assert_eq!(roles(&fourth)[4..], ["assistant", "user", "assistant", "user"]);
    scene.close().await;
}

#[tokio::test]
async fn a_limit_of_the_user_says_so_and_the_answer_is_continued() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    let longest = |longest| ChatSettings {
        longest,
        ..ChatSettings::default()
    };
    scene.host.chat_settings(chat, longest(Some(64))).await.unwrap();
    model.will(Turn::full("Once upon", 10, 64));
    scene.say(chat, "Tell me a story.").await;
    let entries = scene.finished(chat).await;
    assert_eq!(
        said(&entries)[1..],
        [("Once upon", Some(TextState::Length)), ("failure", None)]
    );
    model.will(Turn::words(" a time."));
    let entries = continued(&scene, chat).await;
    let end = (" a time.", Some(TextState::Done));
    assert_eq!(said(&entries)[1..], [("Once upon", Some(TextState::Length)), end]);
    scene.close().await;
}

#[tokio::test]
async fn tried_again_it_is_left_out() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let again = scene.host.chat_continue(chat).await;
    assert_eq!(again, Err(Problem::Input(InputProblem::Gone)), "nothing was said");
    model.will(Turn::limited("Once upon"));
    scene.say(chat, "Tell me a story.").await;
    scene.finished(chat).await;
    model.asked().await;
    model.will(Turn::words("It was a dark night."));
    scene.host.chat_retry(chat).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    let entries = scene.finished(chat).await;
    assert_eq!(
        said(&entries)[1..],
        [
            ("Once upon", Some(TextState::Interrupted)),
            ("It was a dark night.", Some(TextState::Done))
        ]
    );
    assert_eq!(roles(&model.asked().await), ["system", "user"]);
    let again = scene.host.chat_continue(chat).await;
    assert_eq!(again, Err(Problem::Input(InputProblem::Gone)), "it has its end");
    scene.close().await;
}
