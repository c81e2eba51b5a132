//! A reply over Responses: items begin, grow and are done, and the last event repeats them all.

use serde_json::{Value, json};

use super::{ModelAnswer, named_event};

/// What was said so far.
#[derive(Default)]
struct Saying {
    events: Vec<Value>,
    output: Vec<Value>,
}

impl ModelAnswer {
    pub(super) fn responses(&self) -> Vec<String> {
        let mut saying = Saying::default();
        for kind in ["response.created", "response.in_progress"] {
            let begun = response("in_progress", &[]);
            saying.events.push(json!({ "type": kind, "response": begun }));
        }
        if let Some((thought, ciphertext)) = &self.thought {
            saying.reasoning(thought, ciphertext);
        }
        if !self.text.is_empty() {
            saying.message(self.text);
        }
        for (id, name, arguments) in &self.calls {
            saying.call(id, name, &arguments.to_string());
        }
        let mut events = saying.events;
        events.push(self.responses_end(&saying.output));
        let numbered = |(number, mut body): (usize, Value)| {
            body["sequence_number"] = json!(number);
            named_event(&body)
        };
        events.into_iter().enumerate().map(numbered).collect()
    }

    fn responses_end(&self, output: &[Value]) -> Value {
        if !self.cut {
            return json!({ "type": "response.completed", "response": response("completed", output) });
        }
        let mut whole = response("incomplete", output);
        whole["incomplete_details"] = json!({ "reason": "max_output_tokens" });
        json!({ "type": "response.incomplete", "response": whole })
    }

    /// The reply as one document.
    pub(super) fn whole_response(&self) -> Value {
        let events = self.responses();
        let (_, last) = events.last().unwrap().split_once("data: ").unwrap();
        let mut last: Value = serde_json::from_str(last).unwrap();
        last["response"].take()
    }
}

impl Saying {
    /// Adds an item: how it begins, the events in which it grows, and what it is when it is done.
    fn item(&mut self, begun: Value, growing: Vec<Value>, done: Value) {
        let index = self.output.len();
        let event = |kind: &str, item: Value| json!({ "type": kind, "output_index": index, "item": item });
        self.events.push(event("response.output_item.added", begun));
        for mut event in growing {
            event["output_index"] = json!(index);
            event["item_id"] = done["id"].clone();
            self.events.push(event);
        }
        self.events.push(event("response.output_item.done", done.clone()));
        self.output.push(done);
    }

    fn reasoning(&mut self, thought: &str, ciphertext: &str) {
        let id = format!("rs_{ciphertext}");
        let part = |text: &str| json!({ "type": "summary_text", "text": text });
        let event = |kind: &str, name: &str, value: Value| {
            let kind = format!("response.reasoning_summary_{kind}");
            json!({ "type": kind, "summary_index": 0, name: value })
        };
        let growing = vec![
            event("part.added", "part", part("")),
            event("text.delta", "delta", json!(thought)),
            event("text.done", "text", json!(thought)),
            event("part.done", "part", part(thought)),
        ];
        let begun = json!({ "type": "reasoning", "id": id, "summary": [] });
        let mut done = begun.clone();
        done["summary"] = json!([part(thought)]);
        done["encrypted_content"] = json!(ciphertext);
        self.item(begun, growing, done);
    }

    fn message(&mut self, text: &str) {
        let part =
            |text: &str| json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] });
        let event = |kind: &str, name: &str, value: Value| json!({ "type": format!("response.{kind}"), "content_index": 0, name: value });
        let mut growing = vec![
            event("content_part.added", "part", part("")),
            event("output_text.delta", "delta", json!(text)),
            event("output_text.done", "text", json!(text)),
            event("content_part.done", "part", part(text)),
        ];
        for words in &mut growing[1..3] {
            words["logprobs"] = json!([]);
        }
        let message = |status: &str, content: Value| json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": content });
        self.item(
            message("in_progress", json!([])),
            growing,
            message("completed", json!([part(text)])),
        );
    }

    fn call(&mut self, id: &str, name: &str, arguments: &str) {
        let call = |arguments: &str, status: &str| {
            json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
                "arguments": arguments, "status": status })
        };
        let kind = "response.function_call_arguments";
        let growing = vec![
            json!({ "type": format!("{kind}.delta"), "delta": arguments }),
            json!({ "type": format!("{kind}.done"), "name": name, "arguments": arguments }),
        ];
        self.item(call("", "in_progress"), growing, call(arguments, "completed"));
    }
}

fn response(status: &str, output: &[Value]) -> Value {
    json!({ "id": "resp_1", "object": "response", "created_at": 0, "model": "m", "status": status, "output": output,
        "error": null, "incomplete_details": null, "instructions": null, "metadata": {},
        "parallel_tool_calls": true, "temperature": 1.0, "top_p": 1.0, "tool_choice": "auto", "tools": [],
        "usage": { "input_tokens": 7, "output_tokens": 3, "total_tokens": 10,
            "input_tokens_details": { "cached_tokens": 2, "cache_write_tokens": 0 },
            "output_tokens_details": { "reasoning_tokens": 0 } } })
}
