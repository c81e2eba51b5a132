//! What the rehearsal promises to a newcomer and to the host.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

use futures::StreamExt;
use serde_json::{Value, json};
use vestibule_models::*;

const TOOLS: [&str; 13] = [
    "add",
    "weather",
    "slow",
    "fail",
    "remember",
    "recall",
    "forget",
    "ask_form",
    "open_page",
    "ask_model",
    "list_roots",
    "picture",
    "change_tools",
];

fn request(messages: Vec<ModelMessage>) -> ModelRequest {
    let tools = TOOLS.map(|tool| ToolSpec {
        name: format!("tour__{tool}"),
        description: String::new(),
        input_schema: json!({ "type": "object", "properties": { "city": { "type": "string" } } }),
    });
    ModelRequest {
        messages,
        tools: tools.to_vec(),
        ..ModelRequest::default()
    }
}

fn user(text: &str) -> ModelMessage {
    ModelMessage::User {
        text: text.to_owned(),
    }
}

/// A conversation in which the user has spoken before.
fn later(text: &str) -> Vec<ModelMessage> {
    let earlier = ModelMessage::Assistant {
        text: "…".to_owned(),
        calls: vec![],
        native: None,
    };
    vec![user("hi"), earlier, user(text)]
}

async fn play(request: ModelRequest) -> (String, Vec<ModelCall>, FinishReason) {
    let events: Vec<_> = rehearsal_without_pauses()
        .stream(request)
        .await
        .unwrap()
        .collect()
        .await;
    let (mut text, mut calls, mut finish) = (String::new(), vec![], None);
    for event in events {
        match event.unwrap() {
            ModelEvent::Text(piece) => text.push_str(&piece),
            ModelEvent::Call(call) => calls.push(call),
            ModelEvent::Finished(reason) => finish = Some(reason),
            other => panic!("unexpected {other:?}"),
        }
    }
    (text, calls, finish.expect("a reply ends with a finish"))
}

fn shown(calls: &[ModelCall]) -> Vec<(String, Value)> {
    let shown = calls.iter().map(|call| match &call.arguments {
        CallArguments::Parsed(arguments) => (call.name.clone(), Value::Object(arguments.clone())),
        CallArguments::Invalid { .. } => panic!("the rehearsal never makes an invalid call"),
    });
    shown.collect()
}

fn result(call: &ModelCall, text: &str, failed: bool) -> ModelMessage {
    ModelMessage::ToolResult {
        call: call.id.clone(),
        name: call.name.clone(),
        parts: vec![ResultPart::Text(text.to_owned())],
        failed,
    }
}

/// Plays one reply, answers its calls, and plays the next.
async fn play_on(
    mut messages: Vec<ModelMessage>,
    text: &str,
    failed: bool,
) -> (String, Vec<ModelCall>, FinishReason) {
    let (said, calls, _) = play(request(messages.clone())).await;
    let results: Vec<_> = calls.iter().map(|call| result(call, text, failed)).collect();
    messages.push(ModelMessage::Assistant {
        text: said,
        calls,
        native: None,
    });
    messages.extend(results);
    play(request(messages)).await
}

#[tokio::test]
async fn the_first_message_greets_and_makes_a_harmless_call() {
    let (text, calls, finish) = play(request(vec![user("hello")])).await;
    assert!(text.contains("a script, not an AI"), "{text}");
    assert_eq!(
        shown(&calls),
        [("tour__weather".to_owned(), json!({ "city": "Oslo" }))]
    );
    assert_eq!(finish, FinishReason::ToolCalls);
}

#[tokio::test]
async fn words_choose_tools() {
    let cases = [
        ("add 20 and 22", vec![("add", json!({ "a": 20, "b": 22 }))]),
        ("7+8", vec![("add", json!({ "a": 7, "b": 8 }))]),
        (
            "weather in Bergen",
            vec![("weather", json!({ "city": "Bergen" }))],
        ),
        (
            "be slow for 90 seconds",
            vec![("slow", json!({ "seconds": 30, "steps": 5 }))],
        ),
        ("fail", vec![("fail", json!({ "how": "tool_error" }))]),
        ("crash", vec![("fail", json!({ "how": "crash" }))]),
        ("show me a form", vec![("ask_form", json!({}))]),
        ("open a page", vec![("open_page", json!({}))]),
        (
            "sample",
            vec![(
                "ask_model",
                json!({ "question": "In one sentence: what is a vestibule?" }),
            )],
        ),
        ("which folders", vec![("list_roots", json!({}))]),
        ("a picture", vec![("picture", json!({}))]),
        ("change", vec![("change_tools", json!({}))]),
        ("forget it", vec![("forget", json!({ "key": "note" }))]),
        (
            "Remember: buy bread.",
            vec![("remember", json!({ "key": "note", "text": "buy bread" }))],
        ),
        (
            "do both",
            vec![
                ("add", json!({ "a": 2, "b": 3 })),
                ("weather", json!({ "city": "Oslo" })),
            ],
        ),
        ("2 加 5", vec![("add", json!({ "a": 2, "b": 5 }))]),
        ("北京的天气", vec![("weather", json!({ "city": "北京" }))]),
    ];
    for (said, expected) in cases {
        let (_, calls, finish) = play(request(later(said))).await;
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(tool, value)| (format!("tour__{tool}"), value))
            .collect();
        assert_eq!(
            (shown(&calls), finish),
            (expected, FinishReason::ToolCalls),
            "{said}"
        );
    }
}

#[tokio::test]
async fn words_it_does_not_know_are_answered_with_those_it_knows() {
    let (text, calls, finish) = play(request(later("tell me about the Norwegian constitution"))).await;
    assert_eq!((calls, finish), (vec![], FinishReason::Stop));
    assert!(
        text.contains("understand only a few words") && text.contains("| weather in Oslo |"),
        "{text}"
    );
}

#[tokio::test]
async fn a_tool_that_is_not_offered_is_not_called() {
    let mut request = request(later("show me a form"));
    request.tools.retain(|tool| tool.name == "tour__add");
    let (text, calls, _) = play(request).await;
    assert_eq!(calls, []);
    assert!(
        text.contains("**ask_form**") && !text.contains("| form |"),
        "{text}"
    );
}

#[tokio::test]
async fn a_result_is_quoted_and_ends_the_turn() {
    let (text, calls, finish) = play_on(later("add 2 and 3"), "{\"sum\":5}", false).await;
    assert_eq!((calls, finish), (vec![], FinishReason::Stop));
    assert_eq!(text, "**add** answered:\n\n```text\n{\"sum\":5}\n```");
}

#[tokio::test]
async fn two_results_become_a_table() {
    let (text, _, _) = play_on(later("both"), "fine | really", false).await;
    assert!(
        text.contains("| Tool | Result |\n|---|---|\n| `add` | `fine ¦ really` |\n| `weather` |"),
        "{text}"
    );
}

#[tokio::test]
async fn a_denial_is_told_with_its_reason_and_not_tried_again() {
    let (text, calls, _) = play_on(later("weather"), "The user denied this call: not today", true).await;
    assert_eq!(calls, []);
    assert!(
        text.starts_with("You denied the call to **weather**") && text.contains("not today"),
        "{text}"
    );
}

#[tokio::test]
async fn a_failure_is_told_as_a_failure() {
    let (text, _, _) = play_on(later("fail"), "the disk is full", true).await;
    assert!(
        text.starts_with("**fail** did not work") && text.contains("the disk is full"),
        "{text}"
    );
}

#[tokio::test]
async fn a_note_is_read_back_once_and_the_turn_always_ends() {
    let mut messages = later("remember the milk");
    let mut names = vec![];
    for round in 0.. {
        let (text, calls, _) = play(request(messages.clone())).await;
        if calls.is_empty() {
            break;
        }
        assert!(
            round < 3,
            "the rehearsal never makes more than three rounds of calls"
        );
        names.extend(calls.iter().map(|call| call.name.clone()));
        let results: Vec<_> = calls.iter().map(|call| result(call, "ok", false)).collect();
        messages.push(ModelMessage::Assistant {
            text,
            calls,
            native: None,
        });
        messages.extend(results);
    }
    assert_eq!(names, ["tour__remember", "tour__recall"]);
}

#[tokio::test]
async fn calls_have_ids_that_never_repeat_in_a_conversation() {
    let first = play(request(later("both"))).await.1;
    let mut messages = later("both");
    messages.push(ModelMessage::Assistant {
        text: String::new(),
        calls: first.clone(),
        native: None,
    });
    messages.extend(first.iter().map(|call| result(call, "ok", false)));
    messages.push(user("both"));
    let second = play(request(messages)).await.1;
    let ids: std::collections::BTreeSet<_> =
        first.iter().chain(&second).map(|call| call.id.clone()).collect();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn chinese_is_answered_in_chinese() {
    let (text, calls, _) = play(request(vec![user("你好")])).await;
    assert!(text.contains("一段脚本，不是人工智能"), "{text}");
    assert_eq!(
        shown(&calls),
        [("tour__weather".to_owned(), json!({ "city": "奥斯陆" }))]
    );
}

#[tokio::test]
async fn without_tools_it_says_that_a_real_model_would_answer() {
    let messages = vec![user("Capital of Norway?")];
    let (text, calls, _) = play(ModelRequest {
        messages,
        ..ModelRequest::default()
    })
    .await;
    assert!(
        calls.is_empty() && text.contains("`Capital of Norway?`") && text.contains("not an AI"),
        "{text}"
    );
}

#[tokio::test]
async fn a_token_ceiling_cuts_the_text_and_drops_the_calls() {
    let request = ModelRequest {
        max_tokens: Some(2),
        ..request(vec![user("hello")])
    };
    let (text, calls, finish) = play(request).await;
    assert_eq!(
        (text.as_str(), calls, finish),
        ("Hello. I am ", vec![], FinishReason::Length)
    );
}

#[tokio::test(start_paused = true)]
async fn the_words_arrive_in_small_pieces_with_pauses() {
    let started = tokio::time::Instant::now();
    let pieces = rehearsal()
        .stream(request(vec![user("hello")]))
        .await
        .unwrap()
        .count()
        .await;
    assert!(pieces > 20, "{pieces}");
    let taken = started.elapsed();
    assert!(
        taken > std::time::Duration::from_millis(200) && taken < std::time::Duration::from_secs(3),
        "{taken:?}"
    );
}

#[tokio::test]
async fn it_says_that_it_is_scripted() {
    let rehearsal = rehearsal();
    assert_eq!((rehearsal.label(), rehearsal.scripted()), ("Rehearsal", true));
}
