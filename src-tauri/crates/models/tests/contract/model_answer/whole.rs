//! A reply as one document, for clients that ask for no stream.

use serde_json::{Value, json};
use vestibule_models::Wire;

use super::{ModelAnswer, chat_usage};

impl ModelAnswer {
    pub(crate) fn whole(&self, wire: Wire) -> Value {
        match wire {
            Wire::ChatCompletions | Wire::Azure => self.whole_chat(),
            Wire::Responses => self.whole_response(),
            Wire::Anthropic => self.whole_message(),
            Wire::Gemini => self.gemini_end(&self.gemini_parts()),
            Wire::Ollama => self.whole_record(),
        }
    }

    fn whole_chat(&self) -> Value {
        let mut message = json!({ "role": "assistant", "content": self.text, "refusal": null });
        if let Some((thought, _)) = &self.thought {
            message["reasoning_content"] = json!(thought);
        }
        if !self.calls.is_empty() {
            message["tool_calls"] = json!(self.chat_calls());
        }
        let reason = self.reason("stop", "tool_calls", "length");
        let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": reason });
        json!({ "id": "r1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice],
            "usage": chat_usage() })
    }

    fn whole_message(&self) -> Value {
        let mut content = vec![];
        if let Some((thought, signature)) = &self.thought {
            content.push(json!({ "type": "thinking", "thinking": thought, "signature": signature }));
        }
        if !self.text.is_empty() {
            content.push(json!({ "type": "text", "text": self.text }));
        }
        for (id, name, arguments) in &self.calls {
            content.push(json!({ "type": "tool_use", "id": id, "name": name, "input": arguments }));
        }
        let reason = self.reason("end_turn", "tool_use", "max_tokens");
        json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": reason, "stop_sequence": null,
            "usage": { "input_tokens": 5, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 0,
                "output_tokens": 3 } })
    }

    fn whole_record(&self) -> Value {
        let mut message = json!({ "role": "assistant", "content": self.text });
        if let Some((thought, _)) = &self.thought {
            message["thinking"] = json!(thought);
        }
        if !self.calls.is_empty() {
            message["tool_calls"] = json!(self.ollama_calls());
        }
        self.ollama_end(message)
    }
}
