//! Rounds of a model: what it signed goes back to it, what it took is counted, what may pass is tried again, and a call
//! written as text is asked.

mod read_length;
mod without_words;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vestibule_consent::QuestionBody;
use vestibule_host::view::{
    CallState, ChatEffort, ChatSettings, ChatUsageView, Currency, EntryBody, EntryView, FactSource,
    ModelDraft, ModelProblem, Problem, SwitchFact, UsageView,
};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, ModelId};
use vestibule_tests::{Home, Model, Scene, Turn, model_draft, text_result, tool, tool_names, yes};

use super::cost_budgets::dollars;

/// The replies of a request, as the model reads them.
fn replies(request: &Value) -> Vec<&Value> {
    let messages = request["messages"].as_array().unwrap().iter();
    messages
        .filter(|message| message["role"] == "assistant")
        .collect()
}

/// What the model signed may be in its own table and on the way to that model, and nowhere else: no event, no window, no
/// log, no other model. The scene looks for it at its end.
#[tokio::test]
async fn what_a_model_signed_goes_back_to_it_and_nowhere_else() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    scene.agrees();
    let home = Home {
        listener: Some(model.base_url.clone()),
        database: true,
        ..Home::default()
    };
    let signature = scene.plant("a signature", home).unwrap_or_else(|| "c2ln".into());
    for round in 0..3 {
        let (thought, id) = (format!("Thought {round}."), format!("call_{round}"));
        let arguments = json!({ "page": round });
        model.will(Turn::signed_call(
            &thought,
            &signature,
            &id,
            "notes__read",
            &arguments,
        ));
    }
    model.will(Turn::words("Read."));
    scene.say(chat, "Read three pages.").await;
    for _ in 0..3 {
        let call = puppet.hear("tools/call").await;
        puppet.answer(&call, text_result("page")).await;
    }
    scene.finished(chat).await;
    for round in 0..4 {
        let request = model.asked().await;
        let replies = replies(&request);
        assert_eq!(replies.len(), round);
        for (earlier, reply) in replies.into_iter().enumerate() {
            assert_eq!(reply["reasoning_content"], format!("Thought {earlier}."));
            let signed = reply.pointer("/tool_calls/0/extra_content/google/thought_signature");
            assert_eq!(signed, Some(&json!(signature)));
        }
    }
    // The chat is opened again, and goes on where it was. Its server is away, so its calls are told as text; what was
    // thought is still the model's own.
    let scene = scene.reopen().await;
    model.will(Turn::words("Three."));
    scene.say(chat, "How many?").await;
    scene.finished(chat).await;
    let told = model.asked().await;
    assert!(
        told.to_string().contains(r#""reasoning_content":"Thought 2.""#),
        "{told}"
    );

    let (_, mut other) = scene.scripted_chat().await;
    let id = scene.window.now().models.last().unwrap().id;
    scene.person.judges_models();
    let change = scene.host.chat_model(chat, Some(id)).await.unwrap();
    scene.agreed(change).await;
    other.will(Turn::words("Also three."));
    scene.say(chat, "And you?").await;
    scene.finished(chat).await;
    let told = other.asked().await;
    assert!(told.to_string().contains("Three."), "the talk goes along");
    assert!(!told.to_string().contains(&signature) && !told.to_string().contains("Thought 0."));
    scene.close().await;
}

/// A model with prices: 2.50 for a million tokens read, 0.25 from the cache, 10 written.
pub(crate) async fn priced(scene: &Scene, chat: ChatId) -> Model {
    let model = Model::start().await;
    let id = scene.add_model(&model.base_url, None).await;
    let draft = ModelDraft {
        price_in: Some(2_500_000),
        price_out: Some(10_000_000),
        price_cached: Some(250_000),
        ..model_draft(id, "Priced")
    };
    scene.host.model_save(draft).await.unwrap();
    scene.host.chat_model(chat, Some(id)).await.unwrap();
    model
}

fn last_usage(entries: &[EntryView]) -> Option<UsageView> {
    match entries.last().unwrap().body {
        EntryBody::Assistant { usage, .. } => usage,
        _ => None,
    }
}

#[tokio::test]
async fn the_cost_of_a_chat_is_the_sum_by_hand() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let model = priced(&scene, chat).await;
    // Read, of those from the cache, written, and what that costs in millionths, by hand.
    let rounds = [
        (1000, 0, 100, 2_500 + 1_000),
        (1200, 1000, 80, 500 + 250 + 800),
        (1400, 1200, 7, 500 + 300 + 70),
    ];
    for (read, cached, written, cost) in rounds {
        model.will(Turn::counted("So.", read, cached, written));
        scene.say(chat, "Go on.").await;
        let usage = UsageView {
            input: read,
            output: written,
            cached,
            cost: Some(cost),
            currency: Currency::DOLLAR,
            estimated: false,
        };
        assert_eq!(last_usage(&scene.finished(chat).await), Some(usage));
    }
    let total = ChatUsageView {
        input: 3600,
        output: 187,
        cached: 2200,
        costs: vec![dollars(5_920)],
    };
    let shown = |scene: &Scene| scene.window.now().chats[&chat].usage.clone();
    assert_eq!(shown(&scene), Some(total.clone()));
    let scene = scene.reopen().await;
    assert_eq!(shown(&scene), Some(total));
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_asks_to_wait_is_asked_once_more_and_no_word_comes_twice() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::refusal("429 Too Many Requests", "retry-after: 3\r\n", ""));
    model.will(Turn::words("Here I am."));
    let began = Instant::now();
    scene.say(chat, "Hello?").await;
    let waits = |seen: &vestibule_tests::Projection| seen.chats[&chat].retry.is_some();
    let seen = scene.window.until("a wait", waits).await;
    assert!(matches!(
        seen.chats[&chat].retry.as_ref().unwrap().problem,
        Problem::Model(ModelProblem::ModelBusy {
            retry_after_s: Some(3),
            ..
        })
    ));
    let entries = scene.finished(chat).await;
    assert!(began.elapsed() >= Duration::from_secs(3));
    assert_eq!(entries.len(), 2, "{entries:?}");
    let EntryBody::Assistant { text, .. } = &entries[1].body else {
        panic!("{entries:?}")
    };
    assert_eq!(text, "Here I am.");
    assert!(scene.window.now().chats[&chat].retry.is_none());
    model.asked().await;
    model.asked().await;
    assert!(model.is_unasked());
    scene.close().await;
}

#[tokio::test]
async fn a_wait_can_be_stopped_and_words_are_never_asked_for_twice() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::refusal("429 Too Many Requests", "retry-after: 50\r\n", ""));
    scene.say(chat, "Hello?").await;
    let waits = |seen: &vestibule_tests::Projection| seen.chats[&chat].retry.is_some();
    scene.window.until("a wait", waits).await;
    scene.host.chat_stop(chat);
    let entries = scene.finished(chat).await;
    assert_eq!(entries.len(), 1, "nothing was said: {entries:?}");
    model.asked().await;

    model.will(Turn::cut("Half a"));
    scene.say(chat, "Go on.").await;
    let entries = scene.finished(chat).await;
    let EntryBody::Failure { problem, .. } = &entries.last().unwrap().body else {
        panic!("{entries:?}")
    };
    assert_eq!(*problem, Problem::Model(ModelProblem::ModelCut));
    model.asked().await;
    assert!(model.is_unasked(), "after a word nothing is tried again");
    scene.close().await;
}

/// The user allowed the tool for good; a call that is text is asked all the same, because an example looks like it.
#[tokio::test]
async fn a_call_written_as_text_is_marked_and_always_asked() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("Read."));
    scene.say(chat, "Read.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Always)).await;
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("page")).await;
    scene.finished(chat).await;

    let written = r#"{"name": "notes__read", "arguments": {"page": 2}}"#;
    model.will(Turn::words(&format!("```json\n{written}\n```")));
    model.will(Turn::words("Read again."));
    scene.say(chat, "Read again.").await;
    let question = scene.person.asked().await;
    let QuestionBody::CallTool(asked) = &question.about else {
        panic!("{question:?}")
    };
    assert!(asked.findings.as_text, "the card says so");
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    assert_eq!(call["params"]["arguments"], json!({ "page": 2 }));
    puppet.answer(&call, text_result("page two")).await;
    let entries = scene.finished(chat).await;
    let call = Scene::calls(&entries).pop().unwrap();
    assert!(call.as_text && matches!(call.state, CallState::Answered { .. }));
    let shows_it = |entry: &EntryView| matches!(&entry.body, EntryBody::Assistant { text, .. } if text.contains("notes__read"));
    assert!(!entries.iter().any(shows_it), "its row stands for it");
    let mut told = Value::Null;
    while !model.is_unasked() {
        told = model.asked().await;
    }
    assert!(
        told.to_string().contains("page two"),
        "the model reads the result"
    );

    // The same words as part of an answer stay words.
    model.will(Turn::words(&format!("For example: {written}")));
    scene.say(chat, "How do you call it?").await;
    assert_eq!(Scene::calls(&scene.finished(chat).await).len(), 2);
    scene.close().await;
}

#[tokio::test]
async fn a_model_that_refuses_tools_goes_on_without() {
    let scene = Scene::new().await;
    let (_, _puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    let refusal = r#"{"error":{"message":"scripted does not support tools"}}"#;
    model.will(Turn::refusal("400 Bad Request", "", refusal));
    scene.say(chat, "Hello?").await;
    let entries = scene.finished(chat).await;
    let EntryBody::Failure { problem, .. } = &entries.last().unwrap().body else {
        panic!("{entries:?}")
    };
    let refused = ModelProblem::ModelTakesNoTools {
        model: "scripted".into(),
    };
    assert_eq!(*problem, Problem::Model(refused));
    assert_eq!(tool_names(&model.asked().await), ["notes__read"]);
    model.will(Turn::words("Hello."));
    scene.host.chat_without_tools(chat).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    scene.finished(chat).await;
    assert!(tool_names(&model.asked().await).is_empty());
    // It is the user's word on this model now, in every chat, until it is taken back in the settings.
    let id = scene.window.now().chats[&chat].model.unwrap();
    let no = SwitchFact {
        value: false,
        source: FactSource::User,
    };
    let models = scene.window.now().models;
    let tools = models.iter().find(|model| model.id == id).unwrap().facts.tools;
    assert_eq!(tools, Some(no));
    let other = scene.chat().await;
    scene.host.chat_model(other, Some(id)).await.unwrap();
    for (draft, offered) in [(None, 0), (Some(model_draft(id, "Mine")), 1)] {
        if let Some(draft) = draft {
            scene.host.model_save(draft).await.unwrap();
        }
        model.will(Turn::words("Still here."));
        scene.say(other, "And now?").await;
        scene.finished(other).await;
        assert_eq!(tool_names(&model.asked().await).len(), offered);
    }
    scene.close().await;
}

/// A model of before there was a choice, and one the address alone decides.
#[tokio::test]
async fn the_wire_is_the_one_of_the_model() {
    use vestibule_host::view::ModelWire;
    let scene = Scene::new().await;
    let added = [
        ("http://127.0.0.1:4009/v1", ModelWire::ChatCompletions),
        ("http://localhost:11434", ModelWire::Ollama),
    ];
    for (address, expected) in added {
        let id: ModelId = scene.add_model(address, None).await;
        let connection = scene.connection_of(id).await;
        let shown = scene.window.now().connections;
        let wire = shown.iter().find(|one| one.id == connection).unwrap().wire;
        assert_eq!(wire, expected, "{address}");
    }
    scene.close().await;
}

/// What a chat asks of its model goes along with each of its requests, and stays with the chat.
#[tokio::test]
async fn the_settings_of_a_chat_go_to_its_model() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let settings = ChatSettings {
        effort: Some(ChatEffort::High),
        temperature: Some(20),
        longest: Some(64),
        budget: None,
        large_results: None,
    };
    scene.host.chat_settings(chat, settings).await.unwrap();
    let scene = scene.reopen().await;
    assert_eq!(scene.window.now().chats[&chat].settings, settings);
    model.will(Turn::full("Once upon", 10, 64));
    scene.say(chat, "Tell me a story.").await;
    let entries = scene.finished(chat).await;
    let told = model.asked().await;
    assert_eq!(told["temperature"], 0.2);
    assert_eq!(told["reasoning_effort"], "high");
    assert!(
        told["max_tokens"] == 64 || told["max_completion_tokens"] == 64,
        "{told}"
    );
    let problem = Problem::Model(ModelProblem::LongestAnswer { tokens: 64 });
    assert!(
        matches!(&entries.last().unwrap().body, EntryBody::Failure { problem: said, .. } if *said == problem),
        "{entries:?}"
    );
    scene
        .host
        .chat_settings(chat, ChatSettings::default())
        .await
        .unwrap();
    model.will(Turn::words("Once upon a time."));
    scene.say(chat, "Go on.").await;
    scene.finished(chat).await;
    let told = model.asked().await;
    assert!(
        told.get("temperature").is_none() && told.get("reasoning_effort").is_none(),
        "{told}"
    );
    scene.close().await;
}
