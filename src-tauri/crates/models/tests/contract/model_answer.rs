//! A model's reply as each wire writes it: as a stream, and whole.

mod responses;
mod whole;

use serde_json::{Value, json};
use vestibule_models::Wire;

use super::*;

/// What a model says in one reply.
#[derive(Clone, Default)]
pub(crate) struct ModelAnswer {
    /// What it thought, with the vendor's signature or ciphertext.
    pub(crate) thought: Option<(String, String)>,
    pub(crate) text: &'static str,
    pub(crate) calls: Vec<(String, &'static str, Value)>,
    /// Whether the limit of tokens ended it.
    pub(crate) cut: bool,
}

/// Seven tokens read, two of them from the cache, and three written.
pub(crate) const USAGE: Usage = Usage {
    input: 7,
    output: 3,
    cached: 2,
    cache_written: 0,
};

impl ModelAnswer {
    pub(crate) fn words(text: &'static str) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// The whole answer over a wire.
    pub(crate) fn over(&self, wire: Wire) -> Vec<Step> {
        vec![head(wire), send(&self.events(wire).concat())]
    }

    /// The answer, broken off in the middle: its last part is missing.
    pub(crate) fn cut_over(&self, wire: Wire) -> Vec<Step> {
        let mut events = self.events(wire);
        let end = match wire {
            // The end is the last event alone, or with the counts before it.
            Wire::Anthropic => 2,
            Wire::ChatCompletions | Wire::Azure => 3,
            Wire::Responses | Wire::Gemini | Wire::Ollama => 1,
        };
        events.truncate(events.len() - end);
        vec![head(wire), send(&events.concat())]
    }

    fn events(&self, wire: Wire) -> Vec<String> {
        match wire {
            Wire::ChatCompletions | Wire::Azure => self.chat(),
            Wire::Responses => self.responses(),
            Wire::Anthropic => self.anthropic(),
            Wire::Gemini => self.gemini(),
            Wire::Ollama => self.ollama(),
        }
    }

    fn chat(&self) -> Vec<String> {
        let mut chunks = vec![delta(json!({ "role": "assistant", "content": "" }))];
        if let Some((thought, _)) = &self.thought {
            chunks.push(delta(json!({ "reasoning_content": thought })));
        }
        if !self.text.is_empty() {
            chunks.push(delta(json!({ "content": self.text })));
        }
        for (index, mut call) in self.chat_calls().into_iter().enumerate() {
            call["index"] = json!(index);
            chunks.push(delta(json!({ "tool_calls": [call] })));
        }
        chunks.push(finish(self.reason("stop", "tool_calls", "length")));
        let mut counts = chunk(&[]);
        counts["usage"] = chat_usage();
        chunks.push(counts);
        let mut events: Vec<_> = chunks.iter().map(event).collect();
        events.push("data: [DONE]\n\n".to_owned());
        events
    }

    fn chat_calls(&self) -> Vec<Value> {
        let calls = self
            .calls
            .iter()
            .enumerate()
            .map(|(index, (id, name, arguments))| {
                let function = json!({ "name": name, "arguments": arguments.to_string() });
                let mut call = json!({ "id": id, "type": "function", "function": function });
                if let (0, Some((_, signature))) = (index, &self.thought) {
                    call["extra_content"] = json!({ "google": { "thought_signature": signature } });
                }
                call
            });
        calls.collect()
    }

    fn anthropic(&self) -> Vec<String> {
        let mut events = vec![json!({ "type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
            "stop_reason": null, "stop_sequence": null,
            "usage": { "input_tokens": 5, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 0,
                "output_tokens": 1 } } })];
        let mut index = 0;
        let mut block = |start: Value, deltas: Vec<Value>| {
            events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
            for delta in deltas {
                events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
            }
            events.push(json!({ "type": "content_block_stop", "index": index }));
            index += 1;
        };
        if let Some((thought, signature)) = &self.thought {
            block(
                json!({ "type": "thinking", "thinking": "", "signature": "" }),
                vec![
                    json!({ "type": "thinking_delta", "thinking": thought }),
                    json!({ "type": "signature_delta", "signature": signature }),
                ],
            );
        }
        if !self.text.is_empty() {
            block(
                json!({ "type": "text", "text": "" }),
                vec![json!({ "type": "text_delta", "text": self.text })],
            );
        }
        for (id, name, arguments) in &self.calls {
            let partial = json!({ "type": "input_json_delta", "partial_json": arguments.to_string() });
            block(
                json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
                vec![partial],
            );
        }
        let reason = self.reason("end_turn", "tool_use", "max_tokens");
        events.push(
            json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null },
            "usage": { "output_tokens": 3 } }),
        );
        events.push(json!({ "type": "message_stop" }));
        events.iter().map(named_event).collect()
    }

    fn gemini_parts(&self) -> Vec<Value> {
        let mut parts = vec![];
        if let Some((thought, _)) = &self.thought {
            parts.push(json!({ "text": thought, "thought": true }));
        }
        if !self.text.is_empty() {
            parts.push(json!({ "text": self.text }));
        }
        for (index, (id, name, arguments)) in self.calls.iter().enumerate() {
            let mut part = json!({ "functionCall": { "id": id, "name": name, "args": arguments } });
            if let (0, Some((_, signature))) = (index, &self.thought) {
                part["thoughtSignature"] = json!(signature);
            }
            parts.push(part);
        }
        parts
    }

    fn gemini(&self) -> Vec<String> {
        let parts = self.gemini_parts().into_iter();
        let mut chunks: Vec<_> = parts.map(|part| gemini_chunk(&[part])).collect();
        chunks.push(self.gemini_end(&[json!({ "text": "" })]));
        chunks.iter().map(event).collect()
    }

    /// The chunk that ends the reply, with these parts.
    fn gemini_end(&self, parts: &[Value]) -> Value {
        let mut last = gemini_chunk(parts);
        last["candidates"][0]["finishReason"] = json!(self.reason("STOP", "STOP", "MAX_TOKENS"));
        last["usageMetadata"] = json!({ "promptTokenCount": 7, "cachedContentTokenCount": 2,
            "candidatesTokenCount": 3, "totalTokenCount": 10 });
        last
    }

    fn ollama(&self) -> Vec<String> {
        let mut records = vec![];
        if let Some((thought, _)) = &self.thought {
            records.push(ollama_record(
                json!({ "role": "assistant", "content": "", "thinking": thought }),
            ));
        }
        if !self.text.is_empty() {
            records.push(ollama_record(
                json!({ "role": "assistant", "content": self.text }),
            ));
        }
        for call in self.ollama_calls() {
            records.push(ollama_record(
                json!({ "role": "assistant", "content": "", "tool_calls": [call] }),
            ));
        }
        records.push(self.ollama_end(json!({ "role": "assistant", "content": "" })));
        records.iter().map(|record| format!("{record}\n")).collect()
    }

    fn ollama_calls(&self) -> Vec<Value> {
        let calls = self.calls.iter().map(
            |(id, name, arguments)| json!({ "id": id, "function": { "name": name, "arguments": arguments } }),
        );
        calls.collect()
    }

    /// The record that ends the reply, with this message.
    fn ollama_end(&self, message: Value) -> Value {
        let mut last = ollama_record(message);
        last["done"] = json!(true);
        last["done_reason"] = json!(self.reason("stop", "stop", "length"));
        for (name, count) in [
            ("prompt_eval_count", 7),
            ("prompt_eval_cached_count", 2),
            ("eval_count", 3),
        ] {
            last[name] = json!(count);
        }
        last
    }

    fn reason(&self, stop: &'static str, calls: &'static str, cut: &'static str) -> &'static str {
        match (self.cut, self.calls.is_empty()) {
            (true, _) => cut,
            (false, true) => stop,
            (false, false) => calls,
        }
    }
}

fn head(wire: Wire) -> Step {
    match wire {
        Wire::Ollama => {
            send("HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n")
        }
        _ => stream_head(),
    }
}

fn chat_usage() -> Value {
    json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10,
        "prompt_tokens_details": { "cached_tokens": 2 } })
}

fn gemini_chunk(parts: &[Value]) -> Value {
    json!({ "candidates": [{ "index": 0, "content": { "role": "model", "parts": parts } }],
        "modelVersion": "m", "responseId": "r1" })
}

fn ollama_record(message: Value) -> Value {
    json!({ "model": "m", "created_at": "2026-11-22T10:00:00Z", "message": message, "done": false })
}

fn event(body: &Value) -> String {
    format!("data: {body}\n\n")
}

fn named_event(body: &Value) -> String {
    format!("event: {}\n{}", body["type"].as_str().unwrap(), event(body))
}
