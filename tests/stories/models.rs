//! A model's endpoint that does not do its part: the chat says so, keeps what was written, and trying again works.

use serde_json::json;
use vestibule_host::view::{
    EntryBody, EntryView, InputProblem, ModelProblem, Problem, SettingsChange, TextState,
};
use vestibule_protocol::ChatId;
use vestibule_tests::{Scene, Turn, text_result, tool};

fn failure(entries: &[EntryView]) -> &Problem {
    match &entries.last().unwrap().body {
        EntryBody::Failure {
            problem,
            retryable: true,
        } => problem,
        other => panic!("{other:?}"),
    }
}

/// Tries again; the failure goes, and the user's message stands there once.
async fn try_again(scene: &Scene, chat: ChatId) -> Vec<EntryView> {
    scene.host.chat_retry(chat).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    let entries = scene.finished(chat).await;
    assert_eq!(failures(&entries), 0);
    let said = entries
        .iter()
        .filter(|entry| matches!(entry.body, EntryBody::User { .. }));
    assert_eq!(said.count(), 1);
    entries
}

fn failures(entries: &[EntryView]) -> usize {
    let is_failure = |entry: &&EntryView| matches!(entry.body, EntryBody::Failure { .. });
    entries.iter().filter(is_failure).count()
}

fn last_words(entries: &[EntryView]) -> (&str, TextState) {
    match &entries.last().unwrap().body {
        EntryBody::Assistant { text, state, .. } => (text, *state),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_refusal_is_its_own_sentence_and_trying_again_works() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    let refusals = [
        (
            // Longer than what is waited for by itself.
            Turn::refusal("429 Too Many Requests", "retry-after: 3600\r\n", "slow down"),
            "busy",
        ),
        (
            Turn::refusal("401 Unauthorized", "", r#"{"error":{"message":"no"}}"#),
            "unauthorized",
        ),
        (
            Turn::refusal("404 Not Found", "", r#"{"error":{"message":"no such model"}}"#),
            "missing",
        ),
        (Turn::refusal("503 Service Unavailable", "", "busy"), "refused"),
        (Turn::cut("Once upon"), "cut"),
        (
            Turn::refusal("200 OK", "content-type: text/event-stream\r\n", "data: {oops\n\n"),
            "odd",
        ),
    ];
    let mut first = true;
    for (turn, what) in refusals {
        if what == "refused" {
            // Such a refusal may pass, so it comes to the user after the third.
            for _ in 0..2 {
                model.will(Turn::refusal("503 Service Unavailable", "", "busy"));
            }
        }
        model.will(turn);
        if first {
            scene.say(chat, "Tell me a story.").await;
            first = false;
        } else {
            scene.host.chat_retry(chat).await.unwrap();
            scene.window.catch_up(&scene.host).await;
        }
        let entries = scene.finished(chat).await;
        assert_eq!(failures(&entries), 1, "the failure before it is gone");
        let problem = failure(&entries);
        let fits = match what {
            "busy" => matches!(
                problem,
                Problem::Model(ModelProblem::ModelBusy {
                    retry_after_s: Some(3600),
                    ..
                })
            ),
            "unauthorized" => matches!(problem, Problem::Model(ModelProblem::ModelUnauthorized { .. })),
            "missing" => matches!(problem, Problem::Model(ModelProblem::ModelMissing { .. })),
            "refused" => matches!(
                problem,
                Problem::Model(ModelProblem::ModelRefused { status: 503, .. })
            ),
            "cut" => matches!(problem, Problem::Model(ModelProblem::ModelCut)),
            _ => matches!(
                problem,
                Problem::Model(ModelProblem::ModelMalformed { .. }) | Problem::Model(ModelProblem::ModelCut)
            ),
        };
        assert!(fits, "{what}: {problem:?}");
    }
    model.will(Turn::words("Once upon a time."));
    let entries = try_again(&scene, chat).await;
    assert_eq!(last_words(&entries), ("Once upon a time.", TextState::Done));
    scene.close().await;
}

#[tokio::test]
async fn an_endpoint_that_is_down_loses_nothing() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.stop().await;
    scene.say(chat, "Are you there?").await;
    let entries = scene.finished(chat).await;
    assert!(
        matches!(
            failure(&entries),
            Problem::Model(ModelProblem::ModelUnreachable { .. })
        ),
        "{entries:?}"
    );
    let scene = scene.reopen().await;
    let kept = scene.newest_entries(chat).await;
    assert_eq!(kept, entries);
    // Another model can take over.
    scene.host.chat_model(chat, None).await.unwrap();
    let entries = try_again(&scene, chat).await;
    assert_eq!(last_words(&entries).1, TextState::Done);
    scene.close().await;
}

/// What a model said before it broke off stays readable, but is not told back to it as said.
#[tokio::test]
async fn half_a_reply_is_kept_and_not_told_again() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::cut("Half a sen"));
    scene.say(chat, "Go.").await;
    let entries = scene.finished(chat).await;
    assert!(
        matches!(&entries[1].body, EntryBody::Assistant { text, state: TextState::Interrupted, .. } if text == "Half a sen"),
        "{entries:?}"
    );
    model.asked().await;
    model.will(Turn::words("A whole sentence."));
    try_again(&scene, chat).await;
    let told = model.asked().await;
    assert!(!told.to_string().contains("Half a sen"), "{told}");
    scene.close().await;
}

/// A slow model does not hold up anything: the words so far are shown, other chats work.
#[tokio::test]
async fn a_slow_model_keeps_nobody_else_waiting() {
    let scene = Scene::new().await;
    let (slow, slow_model) = scene.scripted_chat().await;
    let (quick, quick_model) = scene.scripted_chat().await;
    let (turn, go_on) = Turn::halting("One… ", "two.");
    slow_model.will(turn);
    scene.say(slow, "Count.").await;
    let spoken = |seen: &vestibule_tests::Projection| matches!(&seen.chat(slow).last().unwrap().body, EntryBody::Assistant { text, .. } if text == "One… ");
    scene.window.until("the first words", spoken).await;
    let busy = scene.host.chat_send(slow, "More.".into(), vec![]).await;
    assert_eq!(
        busy,
        Err(Problem::Input(InputProblem::ChatBusy)),
        "one turn at a time; nothing was taken"
    );
    quick_model.will(Turn::words("At once."));
    scene.say(quick, "Now.").await;
    assert_eq!(last_words(&scene.finished(quick).await).0, "At once.");
    go_on.send(()).unwrap();
    let entries = scene.finished(slow).await;
    assert_eq!(last_words(&entries), ("One… two.", TextState::Done));
    assert_eq!(entries.len(), 2);
    scene.close().await;
}

/// A model that calls on and on is stopped by the user's own number.
#[tokio::test]
async fn a_model_without_an_end_is_given_one() {
    let scene = Scene::new().await;
    let few = SettingsChange {
        max_rounds: Some(3),
        ..SettingsChange::default()
    };
    scene.host.settings_save(few).await.unwrap();
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    scene.agrees();
    for _ in 0..3 {
        model.will(Turn::call("again", "notes__read", json!({})));
    }
    scene.say(chat, "Go.").await;
    for _ in 0..3 {
        let call = puppet.hear("tools/call").await;
        puppet.answer(&call, text_result("more")).await;
    }
    let entries = scene.finished(chat).await;
    assert_eq!(
        *failure(&entries),
        Problem::Model(ModelProblem::TooManyRounds { rounds: 3 })
    );
    for _ in 0..3 {
        model.asked().await;
    }
    // The person may let it go on.
    model.will(Turn::words("Done now."));
    let entries = try_again(&scene, chat).await;
    assert_eq!(last_words(&entries).0, "Done now.");
    scene.close().await;
}
