//! Turns of a model behind the interface of Anthropic.

use serde_json::{Value, json};

use super::{Part, Turn, event, stream_head};

impl Turn {
    /// A reply as Anthropic streams it: a thought with its signature, and words. Empty words are none.
    #[must_use]
    pub fn claude(thought: Option<(&str, &str)>, words: &str) -> Self {
        let usage = json!({ "input_tokens": 400, "output_tokens": 1 });
        let message = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage });
        let mut events = vec![json!({ "type": "message_start", "message": message })];
        if let Some((thought, signature)) = thought {
            let start = json!({ "type": "thinking", "thinking": "", "signature": "" });
            let deltas = [
                json!({ "type": "thinking_delta", "thinking": thought }),
                json!({ "type": "signature_delta", "signature": signature }),
            ];
            events.extend(block(0, &start, deltas));
        }
        if !words.is_empty() {
            let start = json!({ "type": "text", "text": "" });
            let deltas = [json!({ "type": "text_delta", "text": words })];
            events.extend(block(usize::from(thought.is_some()), &start, deltas));
        }
        let end = json!({ "stop_reason": "end_turn", "stop_sequence": null });
        events.push(json!({ "type": "message_delta", "delta": end, "usage": { "output_tokens": 3 } }));
        events.push(json!({ "type": "message_stop" }));
        let named = |one: &Value| {
            format!(
                "event: {}\n{}",
                one["type"].as_str().unwrap_or_default(),
                event(one)
            )
        };
        let body = events.iter().map(named).collect::<String>();
        Self(vec![Part::Bytes(stream_head()), Part::Bytes(body.into_bytes())])
    }
}

/// A block of a reply as Anthropic streams it.
fn block(index: usize, start: &Value, deltas: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut events = vec![json!({ "type": "content_block_start", "index": index, "content_block": start })];
    for delta in deltas {
        events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
    }
    events.push(json!({ "type": "content_block_stop", "index": index }));
    events
}
