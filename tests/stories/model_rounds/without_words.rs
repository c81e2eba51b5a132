//! Replies without words: empty, withheld, or thoughts alone.

use serde_json::{Value, json};
use vestibule_host::view::{
    ConnectionDraft, EntryBody, EntryView, ModelProblem, ModelWire, Problem, TextState,
};
use vestibule_tests::{Model, Scene, Turn, connection_draft};

use super::replies;

/// An answer without words is no end that the user would notice, and one that was filtered looks like a whole one.
#[tokio::test]
async fn an_answer_that_is_empty_or_withheld_says_so() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let problem = |entries: &[EntryView]| match &entries.last().unwrap().body {
        EntryBody::Failure { problem, retryable } => Some((problem.clone(), *retryable)),
        _ => None,
    };
    let said = |problem| Some((Problem::Model(problem), true));
    model.will(Turn::words(""));
    scene.say(chat, "Hi.").await;
    let empty = ModelProblem::AnswerEmpty { reason: None };
    assert_eq!(problem(&scene.finished(chat).await), said(empty));
    model.asked().await;

    model.will(Turn::withheld("The first step is"));
    scene.host.chat_retry(chat).await.unwrap();
    let entries = scene.finished(chat).await;
    assert_eq!(problem(&entries), said(ModelProblem::AnswerWithheld));
    let broken = &entries[entries.len() - 2].body;
    assert!(
        matches!(broken, EntryBody::Assistant { text, state: TextState::Interrupted, .. } if text == "The first step is"),
        "{broken:?}"
    );
    model.asked().await;

    // What was withheld is not told to the model as its answer.
    model.will(Turn::words("Hello."));
    scene.host.chat_retry(chat).await.unwrap();
    let entries = scene.finished(chat).await;
    assert_eq!(problem(&entries), None);
    assert_eq!(replies(&model.asked().await), Vec::<&Value>::new());
    scene.close().await;
}

/// Anthropic refuses a chat in which a turn ends with a thought, so the thought would make the chat unusable.
#[tokio::test]
async fn a_chat_goes_on_after_a_reply_of_thoughts_alone() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let mut model = Model::start().await;
    let draft = ConnectionDraft {
        wire: Some(ModelWire::Anthropic),
        ..connection_draft(&model.base_url, None, &["claude-scripted"])
    };
    let id = scene.add_connection(draft).await;
    scene.host.chat_model(chat, Some(id)).await.unwrap();

    model.will(Turn::claude(Some(("Nothing is left to say.", "c2ln")), ""));
    scene.say(chat, "Thank you.").await;
    let failed = |entries: &[EntryView]| match &entries.last().unwrap().body {
        EntryBody::Failure { problem, .. } => Some(problem.clone()),
        _ => None,
    };
    let empty = Problem::Model(ModelProblem::AnswerEmpty { reason: None });
    assert_eq!(failed(&scene.finished(chat).await), Some(empty));
    let first = model.asked().await["messages"].clone();

    model.will(Turn::claude(None, "You are welcome."));
    scene.host.chat_retry(chat).await.unwrap();
    let entries = scene.finished(chat).await;
    assert_eq!(failed(&entries), None);
    let again = model.asked().await["messages"].clone();
    assert_eq!(again, first, "the thought is not told as a turn");

    // It is none later either, and also after a restart.
    let scene = scene.reopen().await;
    model.will(Turn::claude(Some(("Easy.", "c2ln")), "Bye."));
    scene.say(chat, "Bye.").await;
    assert_eq!(failed(&scene.finished(chat).await), None);
    let told = model.asked().await["messages"].clone();
    let roles: Vec<_> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["role"].clone())
        .collect();
    assert_eq!(
        roles,
        [json!("user"), json!("assistant"), json!("user")],
        "{told}"
    );
    assert!(!told.to_string().contains("c2ln"), "{told}");
    scene.close().await;
}
