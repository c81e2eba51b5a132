//! What a vendor keeps in its cache between the rounds of a chat.

use super::model_answer::ModelAnswer;
use super::wires::{asked, endpoint, over};
use super::*;

/// Only what stays the same from round to round is marked: the instructions, the tools, and the talk so far.
#[tokio::test]
async fn anthropic_is_told_what_to_cache() {
    let mut endpoint = endpoint(ModelAnswer::words("Hei").over(Wire::Anthropic)).await;
    let request = ModelRequest {
        system: Some("Be brief.".to_owned()),
        tools: vec![ToolSpec {
            name: "add".to_owned(),
            description: "Adds".to_owned(),
            input_schema: json!({ "type": "object" }),
        }],
        ..hello()
    };
    assert_eq!(
        read(&over(Wire::Anthropic, &endpoint.base), request).await.1,
        None
    );
    let body = asked(&mut endpoint).await.body;
    for part in ["/system/0", "/tools/0", "/messages/0/content/0"] {
        let marked = body.pointer(part).and_then(|part| part.get("cache_control"));
        assert!(marked.is_some(), "{part}: {body}");
    }
}

/// The vendor counts what it wrote to its cache beside what it read, and charges more for it.
#[tokio::test]
async fn what_anthropic_wrote_to_its_cache_is_counted() {
    let start = json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "stop_sequence": null,
        "usage": { "input_tokens": 5, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 1000,
            "cache_creation": { "ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 0 },
            "output_tokens": 1 } } });
    let events = [
        start,
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Hei" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null },
            "usage": { "output_tokens": 3 } }),
        json!({ "type": "message_stop" }),
    ];
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    let said = vec![stream_head(), send(&events.iter().map(event).collect::<String>())];
    let endpoint = endpoint(said).await;
    let (events, error) = read(&over(Wire::Anthropic, &endpoint.base), hello()).await;
    assert_eq!(error, None);
    let usage = Usage {
        input: 1007,
        output: 3,
        cached: 2,
        cache_written: 1000,
    };
    assert!(events.contains(&ModelEvent::Usage(usage)), "{events:?}");
}

/// A copy without marks, and how many there were.
fn unmarked(value: &Value) -> (Value, usize) {
    match value {
        Value::Object(members) => {
            let mut marks = 0;
            let kept = members.iter().filter(|(name, _)| *name != "cache_control");
            let kept = kept.map(|(name, value)| {
                let (value, within) = unmarked(value);
                marks += within;
                (name.clone(), value)
            });
            let kept = Value::Object(kept.collect());
            marks += usize::from(members.contains_key("cache_control"));
            (kept, marks)
        }
        Value::Array(items) => {
            let (items, marks): (Vec<_>, Vec<_>) = items.iter().map(unmarked).unzip();
            (Value::Array(items), marks.into_iter().sum())
        }
        other => (other.clone(), 0),
    }
}

/// What a round sent is the beginning of what the next one sends, so that the vendor finds it in its cache: the same
/// instructions, the same tools in the same order, the same talk. The marks are at its end, and never more than the four
/// that Anthropic takes.
#[tokio::test]
async fn anthropic_finds_the_last_round_in_its_cache() {
    let mut endpoint =
        FakeEndpoint::answering(Box::new(|_| ModelAnswer::words("Hei").over(Wire::Anthropic))).await;
    let model = over(Wire::Anthropic, &endpoint.base);
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "Adds".to_owned(),
        input_schema: json!({ "type": "object", "properties": { "b": {}, "a": {} } }),
    };
    let call = |number: i64| ModelCall {
        id: format!("c{number}"),
        name: "add".to_owned(),
        arguments: CallArguments::Parsed(json!({ "b": 1, "a": number }).as_object().unwrap().clone()),
    };
    let result = |number: i64| ModelMessage::ToolResult {
        call: format!("c{number}"),
        name: "add".to_owned(),
        parts: vec![ResultPart::Text("3".to_owned())],
        failed: false,
    };
    let mut request = ModelRequest {
        system: Some("Be brief.".to_owned()),
        tools: vec![tool("add"), tool("sub")],
        ..hello()
    };
    let mut before: Option<Value> = None;
    for round in 0..4 {
        assert_eq!(read(&model, request.clone()).await.1, None);
        let body = asked(&mut endpoint).await.body;
        let last = body["messages"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["role"], "user");
        for (part, expected) in [(&body["system"], 1), (&body["tools"], 1), (&last, 1)] {
            assert_eq!(unmarked(part).1, expected, "{round}: {body}");
        }
        let (now, marks) = unmarked(&body);
        assert!(marks <= 4, "{body}");
        if let Some(before) = before {
            for part in ["system", "tools"] {
                assert_eq!(now[part].to_string(), before[part].to_string(), "{round}");
            }
            let (now, before) = (now["messages"].as_array(), before["messages"].as_array());
            let (now, before) = (now.unwrap(), before.unwrap());
            assert_eq!(now[..before.len()], before[..], "{round}");
        }
        before = Some(now);
        request.messages.push(ModelMessage::Assistant {
            text: "Let me see.".to_owned(),
            calls: vec![call(round)],
            native: None,
        });
        request.messages.push(result(round));
    }
}

/// The name of the list of messages in a request.
fn messages_of(wire: Wire) -> &'static str {
    match wire {
        Wire::Responses => "input",
        Wire::Gemini => "contents",
        Wire::ChatCompletions | Wire::Azure | Wire::Anthropic | Wire::Ollama => "messages",
    }
}

/// The text of a request without its list of messages, and the text of that list without its end.
fn split(wire: Wire, body: &Value) -> (String, String) {
    let (mut body, _) = unmarked(body);
    let messages = body.as_object_mut().unwrap().remove(messages_of(wire)).unwrap();
    let text = messages.to_string();
    (body.to_string(), text.strip_suffix(']').unwrap().to_owned())
}

/// Byte by byte, over every wire: what stands around the talk is the same in each round, and the talk of a round
/// is the beginning of that of the next one.
#[tokio::test]
async fn a_request_begins_with_the_request_of_the_round_before_over_every_wire() {
    for wire in Wire::ALL {
        let mut endpoint = FakeEndpoint::answering(Box::new(move |request| {
            match request.head.starts_with("POST /api/show ") {
                true => super::wires::shown(),
                false => ModelAnswer::words("Hei").over(wire),
            }
        }))
        .await;
        let model = over(wire, &endpoint.base);
        let tool = |name: &str| ToolSpec {
            name: name.to_owned(),
            description: "Adds".to_owned(),
            input_schema: json!({ "type": "object", "properties": { "b": {}, "a": {} } }),
        };
        let mut request = ModelRequest {
            system: Some("Be brief.".to_owned()),
            tools: vec![tool("sub"), tool("add")],
            ..hello()
        };
        let mut before: Option<(String, String)> = None;
        for round in 0..4 {
            assert_eq!(read(&model, request.clone()).await.1, None, "{wire:?}");
            let now = split(wire, &asked(&mut endpoint).await.body);
            if let Some(before) = before {
                assert_eq!(now.0, before.0, "{wire:?}");
                assert!(now.1.len() > before.1.len(), "{wire:?}");
                assert!(
                    now.1.starts_with(&before.1),
                    "{wire:?}: {} after {}",
                    now.1,
                    before.1
                );
            }
            before = Some(now);
            let arguments = json!({ "b": 1, "a": round }).as_object().unwrap().clone();
            request.messages.push(ModelMessage::Assistant {
                text: "Let me see.".to_owned(),
                calls: vec![ModelCall {
                    id: format!("c{round}"),
                    name: "add".to_owned(),
                    arguments: CallArguments::Parsed(arguments),
                }],
                native: None,
            });
            request.messages.push(ModelMessage::ToolResult {
                call: format!("c{round}"),
                name: "add".to_owned(),
                parts: vec![ResultPart::Text("3".to_owned())],
                failed: false,
            });
        }
    }
}
