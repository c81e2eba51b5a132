//! Stop: the turn ends, the question goes, the server is told, and what was said stays.

use std::time::Duration;

use serde_json::json;
use vestibule_host::view::{
    CallProblem, CallState, EntryBody, Problem, QuestionProblem, ServerState, SettingsChange, TextState,
};
use vestibule_policy::Scope;
use vestibule_tests::{Scene, Turn, ended, pass, records, text_result, tool, yes};

/// CX-001: the server hears that nobody waits any more, and its late answer disturbs nothing.
#[tokio::test]
async fn stop_ends_a_running_call_and_tells_the_server() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[tool("slow")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__slow", json!({})));
    scene.agrees();
    scene.say(chat, "Go.").await;
    let call = puppet.hear("tools/call").await;
    scene.host.chat_stop(chat);
    let cancelled = puppet.hear("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
    puppet.answer(&call, text_result("too late")).await;
    let entry = Scene::calls(&scene.finished(chat).await).remove(0);
    assert_eq!(entry.state, CallState::Cancelled { sent: true });

    // The chat and the server go on.
    model.will(Turn::call("two", "notes__slow", json!({})));
    model.will(Turn::words("Done."));
    scene.say(chat, "Again.").await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("in time")).await;
    let entries = scene.finished(chat).await;
    let last = Scene::calls(&entries).pop().unwrap();
    assert!(matches!(last.state, CallState::Answered { .. }), "{last:?}");
    scene.ready(server).await;
    let ends = ended(&records(&scene.store).await);
    let words: Vec<_> = ends.iter().map(|(_, _, end)| end.as_deref()).collect();
    // The start of the server, the address of the model, and the two calls.
    assert_eq!(
        words,
        [None, Some("changed"), Some("cancelled"), Some("answered")]
    );
    scene.close().await;
}

#[tokio::test]
async fn stop_withdraws_the_question() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({})));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    scene.host.chat_stop(chat);
    let entry = Scene::calls(&scene.finished(chat).await).remove(0);
    assert_eq!(entry.state, CallState::Cancelled { sent: false });
    let quiet = |seen: &vestibule_tests::Projection| seen.waiting.is_empty();
    scene.window.until("no question", quiet).await;
    let late = vestibule_tests::give(&scene.host, &question, yes(Scope::Once)).await;
    assert_eq!(late, Err(Problem::Question(QuestionProblem::AnswerStale)));
    scene.close().await;
    while let Some(message) = puppet.next().await {
        assert_ne!(message["method"], "tools/call", "{message}");
    }
}

#[tokio::test]
async fn stop_keeps_the_words_that_were_said() {
    let scene = Scene::new().await;
    let (chat, model) = scene.scripted_chat().await;
    let (turn, _go_on) = Turn::halting("So far ", "and further");
    model.will(turn);
    scene.say(chat, "Go.").await;
    let spoken = |seen: &vestibule_tests::Projection| matches!(&seen.chat(chat).last().unwrap().body, EntryBody::Assistant { text, .. } if text == "So far ");
    scene.window.until("the first words", spoken).await;
    scene.host.chat_stop(chat);
    let entries = scene.finished(chat).await;
    let EntryBody::Assistant { text, state, .. } = &entries.last().unwrap().body else {
        panic!("{entries:?}")
    };
    assert_eq!((text.as_str(), *state), ("So far ", TextState::Stopped));
    // The next message goes on from there.
    model.will(Turn::words("Here I am."));
    scene.say(chat, "And?").await;
    scene.finished(chat).await;
    scene.close().await;
}

/// One button for everything: turns, questions, servers.
#[tokio::test]
async fn stop_everything_stops_everything() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[tool("slow"), tool("read")]).await;
    let (busy, model) = scene.scripted_chat().await;
    let (asking, other_model) = scene.scripted_chat().await;
    scene.lets_servers_start();
    model.will(Turn::call("one", "notes__slow", json!({})));
    scene.say(busy, "Go.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    puppet.hear("tools/call").await;
    other_model.will(Turn::call("two", "notes__read", json!({})));
    scene.say(asking, "Go.").await;
    scene.person.asked().await;
    scene.host.stop_everything().await.unwrap();
    for (chat, sent) in [(busy, true), (asking, false)] {
        let entry = Scene::calls(&scene.finished(chat).await).remove(0);
        assert_eq!(entry.state, CallState::Cancelled { sent });
    }
    let stopped = |view: &vestibule_host::view::ServerView| view.state == ServerState::Stopped;
    scene.server(server, "a stopped server", stopped).await;
    let quiet = |seen: &vestibule_tests::Projection| seen.waiting.is_empty();
    scene.window.until("no question", quiet).await;
    scene.close().await;
}

/// CX-003: silence has an end; the server is told, and the model too.
/// Shows TL-023.
#[tokio::test]
async fn a_call_without_a_sign_of_life_is_given_up() {
    let scene = Scene::new().await;
    let short = SettingsChange {
        call_timeout_s: Some(5),
        ..SettingsChange::default()
    };
    scene.host.settings_save(short).await.unwrap();
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("hang")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__hang", json!({})));
    model.will(Turn::words("It does not answer."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    let call = puppet.hear("tools/call").await;
    pass(Duration::from_secs(6)).await;
    let cancelled = puppet.hear("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
    let entry = Scene::calls(&scene.finished(chat).await).remove(0);
    let CallState::Failed { problem } = &entry.state else {
        panic!("{entry:?}")
    };
    // What was really waited, the five seconds at least.
    assert!(
        matches!(
            problem,
            Problem::Call(CallProblem::CallTimedOut { seconds: 5..=8 })
        ),
        "{problem:?}"
    );
    scene.close().await;
}

/// Deleting a chat stops what happens in it.
#[tokio::test]
async fn a_deleted_chat_takes_its_turn_with_it() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("slow")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__slow", json!({})));
    scene.agrees();
    scene.say(chat, "Go.").await;
    puppet.hear("tools/call").await;
    scene.host.chat_delete(chat).await.unwrap();
    puppet.hear("notifications/cancelled").await;
    let gone = |seen: &vestibule_tests::Projection| !seen.chats.contains_key(&chat);
    scene.window.until("the chat gone", gone).await;
    assert_eq!(scene.newest_entries(chat).await, []);
    scene.close().await;
}
