//! A tool is called: by the rehearsal, by a model, several at once.

use serde_json::json;
use vestibule_consent::{About, Answer};
use vestibule_host::view::{CallState, ContentView, EntryBody, TextState};
use vestibule_policy::{Because, Scope};
use vestibule_tests::{Scene, Turn, ended, records, results, text_result, tool, tool_names, yes};

/// What a newcomer sees without a key and without a network.
#[tokio::test]
async fn the_first_message_leads_to_a_finished_result() {
    let scene = Scene::new().await;
    scene.tour().await;
    let chat = scene.chat().await;
    scene.say(chat, "What is the weather in Oslo?").await;

    let question = scene.person.asked().await;
    let About::CallTool(call) = &question.about else {
        panic!("{question:?}")
    };
    assert_eq!((question.server.name.as_str(), call.tool.name.as_str()), ("tour", "weather"));
    assert_eq!(call.arguments["city"], "Oslo");
    assert_eq!(question.cause.as_ref().unwrap().chat, chat);
    let waiting = scene.window.until("a waiting row", |seen| !seen.waiting.is_empty()).await;
    let row = Scene::calls(waiting.chat(chat)).pop().unwrap();
    assert_eq!(row.state, CallState::Waiting { question: question.id });
    scene.person.say(&question, yes(Scope::Once)).await;

    let entries = scene.finished(chat).await;
    let kinds: Vec<&str> = entries
        .iter()
        .map(|entry| match &entry.body {
            EntryBody::User { .. } => "user",
            EntryBody::Assistant { state: TextState::Done, scripted: true, .. } => "rehearsal",
            EntryBody::Call(_) => "call",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["user", "rehearsal", "call", "rehearsal"]);
    let call = Scene::calls(&entries).pop().unwrap();
    let CallState::Answered { result, .. } = &call.state else {
        panic!("{call:?}")
    };
    assert_eq!(result.structured.as_ref().unwrap()["city"], "Oslo");
    assert_eq!(result.misfits, Vec::<String>::new());
    assert_eq!(call.because, [Because::Person { scope: Scope::Once }]);
    assert_eq!(scene.window.now().chats[&chat].title, "What is the weather in Oslo?");
    let ends = ended(&records(&scene.store).await);
    assert_eq!(ends[1], ("tool.call".into(), "weather".into(), Some("answered".into())));
    scene.close().await;
}
