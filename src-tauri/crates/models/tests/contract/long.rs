//! Long replies that are within the limits, and short ones that would cost the parser too much.

use super::wires::{endpoint, over};
use super::*;

/// A record of Ollama, as version 0.12 writes it.
fn record(message: Value, done: bool) -> Value {
    json!({ "model": "llama3.2", "created_at": "2026-11-22T10:00:00.123456789Z", "message": message, "done": done })
}

/// The last record, with what the reply took.
fn last_record(eval_count: u64) -> Value {
    let mut last = record(json!({ "role": "assistant", "content": "" }), true);
    last["done_reason"] = json!("stop");
    for (name, number) in [
        ("total_duration", 60_123_456_789_u64),
        ("load_duration", 1_234_567_890),
        ("prompt_eval_count", 26),
        ("prompt_eval_duration", 123_456_789),
        ("eval_count", eval_count),
        ("eval_duration", 58_123_456_789),
    ] {
        last[name] = json!(number);
    }
    last
}

/// Ollama's reply has a record a token and no blank line between them.
#[tokio::test]
async fn a_reply_of_thousands_of_tokens_is_whole_over_ollama() {
    let head = send("HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n");
    let words: Vec<_> = (0..3000).map(|number| format!(" word{number}")).collect();
    let records = words
        .iter()
        .map(|word| record(json!({ "role": "assistant", "content": word }), false));
    let lines: String = records
        .chain([last_record(3000)])
        .map(|record| format!("{record}\n"))
        .collect();
    let endpoint = endpoint(vec![head, send(&lines)]).await;
    let (events, error) = read(&over(Wire::Ollama, &endpoint.base), hello()).await;
    assert_eq!(error, None);
    assert_eq!(text(&events), words.concat());
    assert_eq!(finished(&events), &FinishReason::Stop);
}

/// A call over Responses: its item is done, and the last event repeats it.
fn called(arguments: &str) -> Vec<Step> {
    let call = json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add",
        "arguments": arguments, "status": "completed" });
    let mut begun = call.clone();
    (begun["arguments"], begun["status"]) = (json!(""), json!("in_progress"));
    let response = json!({ "id": "resp_1", "object": "response", "created_at": 0, "model": "m",
        "status": "completed", "output": [call] });
    let events = [
        json!({ "type": "response.output_item.added", "output_index": 0, "item": begun }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": call }),
        json!({ "type": "response.completed", "response": response }),
    ];
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    vec![stream_head(), send(&events.iter().map(event).collect::<String>())]
}

#[tokio::test]
async fn a_call_with_many_small_objects_is_made_over_responses() {
    let rows = vec![json!({ "id": 1, "name": "ab" }); 25_000];
    let arguments = json!({ "rows": rows });
    let endpoint = endpoint(called(&arguments.to_string())).await;
    let (events, error) = read(&over(Wire::Responses, &endpoint.base), hello()).await;
    assert_eq!(error, None);
    assert_eq!(calls(&events), [parsed("add", arguments)]);
}

/// The brackets that close them are in a string, where they close nothing.
#[tokio::test]
async fn arguments_that_would_be_salvaged_for_gigabytes_end_the_reply() {
    let open = "[".repeat(30_000);
    for arguments in [
        open.clone(),
        format!("{open}\"{}\"{}", "]".repeat(30_000), "\"\",".repeat(20_000)),
    ] {
        let endpoint = endpoint(called(&arguments)).await;
        let (events, error) = read(&over(Wire::Responses, &endpoint.base), hello()).await;
        let limit = ModelLimits::default().line;
        assert_eq!(error, Some(ModelError::TooLarge { limit }));
        assert_eq!(calls(&events), []);
    }
}
