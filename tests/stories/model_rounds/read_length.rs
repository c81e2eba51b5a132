//! How much a model reads, as its server's counts show.

use vestibule_host::view::{EntryBody, EntryView, ModelProblem, Problem, TextState};
use vestibule_tests::{Scene, Turn};

/// A local server that reads 2,048 tokens ends a reply when they are full.
#[tokio::test]
async fn a_reply_that_ends_with_the_context_says_how_much_is_read() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::full("Once upon", 2000, 48));
    scene.say(chat, "Tell me a story.").await;
    let entries = scene.finished(chat).await;
    let reads = |entries: &[EntryView]| match &entries.last().unwrap().body {
        EntryBody::Failure { problem, .. } => problem.clone(),
        other => panic!("{other:?}"),
    };
    let only = |tokens| {
        Problem::Model(ModelProblem::ModelReadsOnly {
            tokens,
            settable: false,
        })
    };
    assert_eq!(reads(&entries), only(2048));

    // Or drops what does not fit and answers all the same: the answer stands.
    let long = "word ".repeat(20_000);
    model.will(Turn::counted("What did you say?", 2048, 0, 5));
    scene.say(chat, &long).await;
    let entries = scene.finished(chat).await;
    assert_eq!(reads(&entries), only(2048));
    let answer = &entries[entries.len() - 2].body;
    assert!(
        matches!(answer, EntryBody::Assistant { text, state: TextState::Done, .. } if text == "What did you say?"),
        "{answer:?}"
    );
    scene.close().await;
}

/// Tokenizers of today put 10 bytes of Russian into a token. What waits is sent, so the answer is no failure.
#[tokio::test]
async fn a_long_message_in_a_language_with_long_tokens_is_answered_and_nothing_else() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    let long =
        "Пожалуйста, подготовьте краткое изложение этого отчёта и предложите следующие шаги. ".repeat(300);
    let counted = u64::try_from(long.len() / 10).unwrap();
    model.will(Turn::counted("Вот изложение.", counted, 0, 5));
    scene.say(chat, &long).await;
    let entries = scene.finished(chat).await;
    let last = &entries.last().unwrap().body;
    assert!(
        matches!(last, EntryBody::Assistant { text, state: TextState::Done, .. } if text == "Вот изложение."),
        "{last:?}"
    );
    scene.close().await;
}
