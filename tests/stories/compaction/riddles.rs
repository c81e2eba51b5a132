//! Chats of riddles with a model that reads little, and what their requests and entries say.

use serde_json::Value;
use vestibule_chat_tools::estimate::tokens;
use vestibule_host::view::{ChatSummary, Compaction, EntryBody, EntryView, ModelDraft, SettingsChange};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_tests::{Model, Scene, Turn, model_draft};

/// How much the model of these chats reads, in tokens.
pub(super) const CONTEXT: u32 = 8_192;
pub(super) const SUMMARY: &str = "The user asks riddles. Nothing is open.";

/// A chat whose model reads little.
pub(crate) async fn small_chat(scene: &Scene) -> (ChatId, Model) {
    let (chat, model) = scene.scripted_chat().await;
    let id = scene.store.models().await.unwrap().pop().unwrap().id;
    let draft = ModelDraft {
        context: Some(CONTEXT),
        ..model_draft(id, "Small")
    };
    scene.host.model_save(draft).await.unwrap();
    (chat, model)
}

/// The same with a model that has prices.
pub(super) async fn priced_small_chat(scene: &Scene) -> (ChatId, Model) {
    let (chat, model) = small_chat(scene).await;
    let id = scene.store.models().await.unwrap().pop().unwrap().id;
    let draft = ModelDraft {
        context: Some(CONTEXT),
        price_in: Some(2_500_000),
        price_out: Some(10_000_000),
        ..model_draft(id, "Priced")
    };
    scene.host.model_save(draft).await.unwrap();
    (chat, model)
}

/// The tokens of a request by our estimate.
pub(super) fn size(request: &Value) -> u64 {
    tokens(&request["messages"].to_string()) + tokens(&request["tools"].to_string())
}

pub(super) fn is_for_summary(request: &Value) -> bool {
    let system = request["messages"][0]["content"].to_string();
    assert!(size(request) <= u64::from(CONTEXT), "{}", size(request));
    system.contains("You summarize")
}

/// What the user says for the nth time.
pub(super) fn riddle(number: usize) -> String {
    format!("Riddle number {number}, who am I?")
}

/// An answer of about a thousand tokens.
pub(super) fn long_answer(number: usize) -> String {
    format!("Answer {number}. {}", "It is a very long story. ".repeat(200))
}

/// Asks riddles until the model is asked for a summary, and gives back that request and the number of the last riddle. The
/// server counts nothing for the answers, so that they cost nothing.
pub(super) async fn until_summary(scene: &Scene, chat: ChatId, model: &mut Model) -> (Value, usize) {
    for number in 0..30 {
        scene.say(chat, &riddle(number)).await;
        let request = model.asked().await;
        if is_for_summary(&request) {
            return (request, number);
        }
        model.will(Turn::counted(&long_answer(number), 0, 0, 0));
        scene.finished(chat).await;
    }
    panic!("no summary was asked for");
}

/// Asks riddles until a summary was written and the last riddle is answered. Gives back the chat, the first request after
/// the summary, and the number of the last riddle.
pub(super) async fn summarized(
    scene: &Scene,
    chat: ChatId,
    model: &mut Model,
) -> (Vec<EntryView>, Value, usize) {
    let (_, last) = until_summary(scene, chat, model).await;
    model.will(Turn::words(SUMMARY));
    let request = model.asked().await;
    assert!(!is_for_summary(&request));
    model.will(Turn::words("A clock."));
    (scene.finished(chat).await, request, last)
}

/// Says something, answers it, and gives back the request.
pub(super) async fn next_request(scene: &Scene, chat: ChatId, model: &mut Model, text: &str) -> Value {
    model.will(Turn::words("So be it."));
    scene.say(chat, text).await;
    scene.finished(chat).await;
    model.asked().await
}

pub(super) fn compactions(entries: &[EntryView]) -> Vec<(EntryId, Compaction)> {
    let of = |entry: &EntryView| match &entry.body {
        EntryBody::Compaction(compaction) => Some((entry.id, compaction.clone())),
        _ => None,
    };
    entries.iter().filter_map(of).collect()
}

/// The newest summary of a chat.
pub(super) fn summary(entries: &[EntryView]) -> (EntryId, ChatSummary) {
    match compactions(entries).pop() {
        Some((entry, Compaction::Summarized(summary))) => (entry, summary),
        other => panic!("{other:?}"),
    }
}

pub(super) fn messages(request: &Value) -> String {
    request["messages"].to_string()
}

/// The riddles whose words are in a request.
pub(super) fn riddles(request: &Value) -> Vec<usize> {
    let told = messages(request);
    (0..30).filter(|number| told.contains(&riddle(*number))).collect()
}

pub(super) async fn change(scene: &Scene, change: SettingsChange) {
    scene.host.settings_save(change).await.unwrap();
}

/// The next request of a round. Each request for a summary before it is answered, and `summaries` counts them.
pub(super) async fn next_round(model: &mut Model, summaries: &mut usize) -> String {
    loop {
        let request = model.asked().await;
        if !is_for_summary(&request) {
            let told = messages(&request);
            assert_eq!(*summaries > 0, told.contains(&format!("| Summary {summaries}:")));
            return told;
        }
        *summaries += 1;
        model.will(Turn::words(&format!("Summary {summaries}: much was read.")));
    }
}
