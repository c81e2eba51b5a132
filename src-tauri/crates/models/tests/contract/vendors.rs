//! Vendors that refuse a request in which what they signed is missing or altered, in the words the real ones use.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::model_answer::ModelAnswer;
use super::*;

/// No two of them issue the same ids and signatures.
static STARTED: AtomicUsize = AtomicUsize::new(1);

/// A vendor that makes `rounds` rounds of parallel calls and then answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vendor {
    /// Gemini 3 behind Google's Chat Completions.
    GeminiChat,
    /// DeepSeek V4 behind its own address or another gateway.
    DeepSeek,
    Anthropic,
    Gemini,
    OpenAi,
}

impl Vendor {
    pub(crate) const ALL: [Self; 5] = [
        Self::GeminiChat,
        Self::DeepSeek,
        Self::Anthropic,
        Self::Gemini,
        Self::OpenAi,
    ];

    pub(crate) fn wire(self) -> Wire {
        match self {
            Self::GeminiChat | Self::DeepSeek => Wire::ChatCompletions,
            Self::Anthropic => Wire::Anthropic,
            Self::Gemini => Wire::Gemini,
            Self::OpenAi => Wire::Responses,
        }
    }

    pub(crate) fn model(self, base: &Url) -> RemoteModel {
        let (path, model) = match self {
            Self::GeminiChat => ("/v1beta/openai", "gemini-3-pro"),
            Self::DeepSeek => ("/v1", "deepseek-v4"),
            Self::Anthropic => ("", "claude-sonnet-5"),
            Self::Gemini => ("", "gemini-3-pro"),
            Self::OpenAi => ("/v1", "gpt-5.2"),
        };
        let mut base = base.clone();
        base.set_path(path);
        remote_model(self.wire(), base, None, model.to_owned())
    }

    pub(crate) async fn start(self, rounds: usize) -> FakeEndpoint {
        let mut signed = BTreeMap::new();
        let mut round = 0;
        let own = STARTED.fetch_add(1, Ordering::Relaxed);
        FakeEndpoint::answering(Box::new(move |request| {
            if let Err(refusal) = self.check(&request.body, &signed) {
                return match self {
                    Self::GeminiChat => refused(&google_refusal(&refusal, true)),
                    _ => refusal_over(self.wire(), &refusal),
                };
            }
            round += 1;
            if round > rounds {
                return ModelAnswer::words("Done.").over(self.wire());
            }
            let thought = (format!("Round {round}."), format!("c2lnbmVk{own:04}{round:04}"));
            let ids = ["a", "b"].map(|call| format!("call_{own}_{round}_{call}"));
            signed.insert(ids[0].clone(), thought.clone());
            let calls = ids.map(|id| (id, "add", json!({ "a": round })));
            let said = ModelAnswer {
                thought: Some(thought),
                calls: calls.to_vec(),
                ..ModelAnswer::default()
            };
            said.over(self.wire())
        }))
        .await
    }

    /// Whether everything in the request that was signed came back as it was.
    fn check(self, body: &Value, signed: &BTreeMap<String, (String, String)>) -> Result<(), String> {
        match self {
            Self::GeminiChat => google_chat(body, signed),
            Self::DeepSeek => deepseek(body, signed),
            Self::Anthropic => anthropic(body, signed),
            Self::Gemini => gemini(body, signed),
            Self::OpenAi => openai(body, signed),
        }
    }
}

/// A bad request as the vendor of a wire refuses it.
pub(crate) fn refusal_over(wire: Wire, message: &str) -> Vec<Step> {
    let body = match wire {
        Wire::Gemini => google_refusal(message, false),
        Wire::Anthropic => {
            json!({ "type": "error", "error": { "type": "invalid_request_error", "message": message } })
        }
        Wire::ChatCompletions | Wire::Responses | Wire::Azure => {
            json!({ "error": { "message": message, "type": "invalid_request_error", "param": null, "code": null } })
        }
        Wire::Ollama => json!({ "error": message }),
    };
    refused(&body)
}

/// Google's form of a refusal, which its Chat Completions put into a list.
fn google_refusal(message: &str, listed: bool) -> Value {
    let error = json!({ "error": { "code": 400, "message": message, "status": "INVALID_ARGUMENT" } });
    if listed { json!([error]) } else { error }
}

fn refused(body: &Value) -> Vec<Step> {
    let headers = "content-type: application/json\r\n";
    answer("400 Bad Request", headers, &body.to_string())
}

type Signed = BTreeMap<String, (String, String)>;

/// What Google documents for calls of other models.
const PLACEHOLDER: &str = "skip_thought_signature_validator";

fn list<'a>(body: &'a Value, name: &str) -> &'a [Value] {
    body[name].as_array().map_or(&[], Vec::as_slice)
}

fn google_signature(id: &str, given: Option<&str>, signed: &Signed) -> Result<(), String> {
    match (given, signed.get(id)) {
        (None, _) => Err(format!(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work \
             correctly, and missing thought_signature may lead to degraded model performance. Function call `{id}`"
        )),
        (Some(given), Some((_, issued))) if given == issued => Ok(()),
        (Some(PLACEHOLDER), None) => Ok(()),
        (Some(_), _) => Err("Thought signature is not valid.".to_owned()),
    }
}

/// Only the calls after the user's last message are looked at, and of parallel ones the first.
fn google_chat(body: &Value, signed: &Signed) -> Result<(), String> {
    let messages = list(body, "messages");
    let turn = messages
        .iter()
        .rposition(|message| message["role"] == "user")
        .unwrap_or(0);
    for message in &messages[turn..] {
        if let Some(call) = list(message, "tool_calls").first() {
            let given = call
                .pointer("/extra_content/google/thought_signature")
                .and_then(Value::as_str);
            google_signature(call["id"].as_str().unwrap(), given, signed)?;
        }
    }
    Ok(())
}

fn gemini(body: &Value, signed: &Signed) -> Result<(), String> {
    let contents = list(body, "contents");
    let spoken = |content: &Value| {
        list(content, "parts")
            .iter()
            .any(|part| part.get("text").is_some())
    };
    let turn = contents
        .iter()
        .rposition(|content| content["role"] == "user" && spoken(content))
        .unwrap_or(0);
    for content in &contents[turn..] {
        let mut calls = list(content, "parts")
            .iter()
            .filter(|part| part.get("functionCall").is_some());
        if let Some(call) = calls.next() {
            let id = call.pointer("/functionCall/id").and_then(Value::as_str).unwrap();
            google_signature(id, call["thoughtSignature"].as_str(), signed)?;
        }
    }
    Ok(())
}

/// Every reply with calls carries its reasoning, be it empty where another model made it.
fn deepseek(body: &Value, signed: &Signed) -> Result<(), String> {
    for message in list(body, "messages") {
        let Some(call) = list(message, "tool_calls").first() else {
            continue;
        };
        let issued = signed
            .get(call["id"].as_str().unwrap())
            .map_or("", |(thought, _)| thought);
        if message["reasoning_content"].as_str() != Some(issued) {
            return Err(
                "The `reasoning_content` in the thinking mode must be passed back to the API.".to_owned(),
            );
        }
    }
    Ok(())
}

fn anthropic(body: &Value, signed: &Signed) -> Result<(), String> {
    for (at, message) in list(body, "messages").iter().enumerate() {
        let blocks = list(message, "content");
        let call = blocks.iter().find(|block| block["type"] == "tool_use");
        let Some((thought, signature)) = call.and_then(|call| signed.get(call["id"].as_str().unwrap()))
        else {
            continue;
        };
        let first = &blocks[0];
        if first["type"] != "thinking" {
            return Err(format!(
                "messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When \
                 `thinking` is enabled, a final `assistant` message must start with a thinking block."
            ));
        }
        if first["signature"] != json!(signature) || first["thinking"] != json!(thought) {
            return Err(format!(
                "messages.{at}.content.0: Invalid `signature` in `thinking` block"
            ));
        }
    }
    Ok(())
}

fn openai(body: &Value, signed: &Signed) -> Result<(), String> {
    if body["store"] != json!(false)
        || !body["include"]
            .to_string()
            .contains("reasoning.encrypted_content")
    {
        return Err("the reasoning would be kept instead of encrypted".to_owned());
    }
    let mut before = &Value::Null;
    for item in list(body, "input") {
        let issued = item["call_id"]
            .as_str()
            .filter(|_| item["type"] == "function_call");
        if let Some((_, ciphertext)) = issued.and_then(|id| signed.get(id)) {
            if before["type"] != "reasoning" {
                return Err(format!(
                    "Item {} of type 'function_call' was provided without its required 'reasoning' item: \
                     'rs_{ciphertext}'.",
                    item["id"]
                ));
            }
            if before["encrypted_content"] != json!(ciphertext) {
                return Err("The encrypted content could not be verified.".to_owned());
            }
        }
        before = item;
    }
    Ok(())
}
