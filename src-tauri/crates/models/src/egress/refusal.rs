//! Turns an answer that is not 200, and an error inside one that is, into the error that the user reads.
//!
//! What the endpoint said is read up to a limit, and only to quote it or to recognise what it means. It is never
//! followed, rendered or trusted.

use std::time::Duration;

use serde_json::Value;
use vestibule_egress::{HttpAnswer, StatusCode};

use super::ModelEgress;
use crate::ModelError;

const BODY_LIMIT: usize = 64 * 1024;
const BODY_WAIT: Duration = Duration::from_secs(5);
const QUOTE_LIMIT: usize = 500;

pub(super) async fn refusal(egress: &ModelEgress, answer: HttpAnswer) -> ModelError {
    let endpoint = egress.endpoint.clone();
    let status = answer.status();
    match status {
        StatusCode::UNAUTHORIZED => return ModelError::Unauthorized { endpoint },
        _ if status.is_redirection() => return ModelError::Redirected { endpoint },
        _ => {}
    }
    let retry_after = answer.retry_after();
    // The status alone already says what happened; a body that does not arrive only shortens the quote.
    let body = answer.beginning(BODY_LIMIT, BODY_WAIT).await;
    let said = ErrorDocument::read(&String::from_utf8_lossy(&body));
    if asks_to_wait(status.as_u16(), retry_after) && !said.is_out_of_credit() {
        return said.rate_limit(egress, retry_after);
    }
    let known = said.known(egress, status.as_u16());
    known.unwrap_or_else(|| ModelError::Refused {
        status: status.as_u16(),
        detail: egress.quoted(&said.detail),
    })
}

/// The error of an endpoint that had answered with 200. `status` is the one that it gives there, if it gives one.
pub(crate) fn failure_inside(egress: &ModelEgress, status: Option<u16>, body: &str) -> ModelError {
    let said = ErrorDocument::read(body);
    let status = status.or(said.status);
    let asks_to_wait = status.is_some_and(|status| asks_to_wait(status, None)) || said.is_rate_limit();
    if asks_to_wait && !said.is_out_of_credit() {
        return said.rate_limit(egress, None);
    }
    if let Some(known) = said.known(egress, status.unwrap_or(200)) {
        return known;
    }
    let detail = egress.quoted(&said.detail);
    if status.is_some_and(|status| matches!(status, 408 | 425 | 500..=599)) || said.is_own_failure() {
        return ModelError::Failed { detail };
    }
    ModelError::Refused {
        status: status.unwrap_or(200),
        detail,
    }
}

/// What an endpoint says of an error, in any of the shapes that compatible servers use.
struct ErrorDocument {
    /// Its words; all that came where there are none.
    detail: String,
    /// Whether those are its words.
    is_message: bool,
    /// Its code, type and status, as far as they are names.
    names: Vec<String>,
    /// Its code where that is a status of HTTP, as OpenRouter, Google and llama.cpp have it.
    status: Option<u16>,
}

impl ErrorDocument {
    fn read(body: &str) -> Self {
        let document = serde_json::from_str::<Value>(body).unwrap_or(Value::Null);
        let error = error_of(&document);
        let field = |name: &str| error.and_then(|error| error.get(name));
        let words = error.and_then(|error| error.get("message").unwrap_or(error).as_str());
        let is_empty = document.as_object().is_some_and(serde_json::Map::is_empty);
        let names = ["code", "type", "status"].map(|name| field(name).and_then(Value::as_str));
        let code = field("code").and_then(Value::as_u64);
        Self {
            detail: words.unwrap_or(if is_empty { "" } else { body }).to_owned(),
            is_message: words.is_some(),
            names: names.into_iter().flatten().map(str::to_owned).collect(),
            status: code
                .and_then(|code| u16::try_from(code).ok())
                .filter(|code| (400..600).contains(code)),
        }
    }

    fn has_name(&self, names: &[&str]) -> bool {
        self.names.iter().any(|name| names.contains(&name.as_str()))
    }

    fn has_words(&self, words: &[&str]) -> bool {
        let detail = self.detail.to_ascii_lowercase();
        words.iter().any(|words| detail.contains(words))
    }

    fn rate_limit(&self, egress: &ModelEgress, retry_after: Option<Duration>) -> ModelError {
        ModelError::RateLimited {
            retry_after,
            detail: egress.quoted(&self.detail),
        }
    }

    /// The error with a message of its own that it is, if it is one.
    fn known(&self, egress: &ModelEgress, status: u16) -> Option<ModelError> {
        let model = egress.model.clone();
        let detail = || egress.quoted(&self.detail);
        if self.is_of_a_missing_model(status) {
            return Some(ModelError::NoSuchModel {
                endpoint: egress.endpoint.clone(),
                model,
                detail: detail(),
            });
        }
        if self.refuses_tools() {
            return Some(ModelError::ToolsRefused { model });
        }
        let too_long = status < 500 && self.is_too_long();
        too_long.then(|| ModelError::ContextExceeded { detail: detail() })
    }

    /// Vendors answer with 404, and OpenAI with its code for a missing model, also where the model is there and may not
    /// be used so.
    fn is_of_a_missing_model(&self, status: u16) -> bool {
        if self.has_name(&["model_not_found"]) {
            return !self.has_words(&["must be verified"]);
        }
        // Ollama, llama.cpp, vLLM and Anthropic say it only in words, Anthropic as "model: name".
        let missing = ["not found", "not exist", "no such model", "unknown model"];
        let is_named = self.detail.to_ascii_lowercase().starts_with("model:");
        let says_so = self.has_words(&["model"]) && (is_named || self.has_words(&missing));
        status == 404 && self.is_message && says_so
    }

    /// Whether the request is longer than the model can read. OpenAI and llama.cpp have a code for it, and all have
    /// words: vLLM, OpenRouter and Mistral "… maximum context length …", OpenAI's Responses "… exceeds the context window
    /// …", Anthropic "prompt is too long: …", Google "… exceeds the maximum number of tokens allowed".
    fn is_too_long(&self) -> bool {
        self.has_name(&["context_length_exceeded", "exceed_context_size_error"])
            || self.has_words(&[
                "maximum context length",
                "available context size",
                "exceeds the context window",
                "prompt is too long",
                "exceed context limit",
                "exceeds the maximum number of tokens",
                "greater than the context length",
            ])
    }

    /// Servers say it only in words: Ollama "… does not support tools", OpenRouter "No endpoints found that support tool
    /// use", vLLM "… requires --enable-auto-tool-choice …".
    fn refuses_tools(&self) -> bool {
        self.has_words(&[
            "does not support tools",
            "that support tool use",
            "--enable-auto-tool-choice",
        ])
    }

    /// OpenAI and Moonshot answer with 429 as well where the account has no credit, which no wait changes.
    fn is_out_of_credit(&self) -> bool {
        self.has_name(&["insufficient_quota", "exceeded_current_quota_error"])
    }

    /// The names of OpenAI, Anthropic and Google, for errors without a status.
    fn is_rate_limit(&self) -> bool {
        self.has_name(&[
            "rate_limit_exceeded",
            "rate_limit_error",
            "overloaded_error",
            "RESOURCE_EXHAUSTED",
        ])
    }

    /// Whether it is a fault of the endpoint and not of the request, by the names of the same vendors.
    fn is_own_failure(&self) -> bool {
        self.has_name(&[
            "server_error",
            "api_error",
            "timeout_error",
            "INTERNAL",
            "UNAVAILABLE",
        ])
    }
}

/// The object with the error, or its words. Google sends errors as a list, and OpenAI's Responses those of a stream
/// inside the reply or as the event itself.
fn error_of(document: &Value) -> Option<&Value> {
    let places = ["/error", "/0/error", "/response/error"];
    let at = |place: &&str| document.pointer(place).filter(|error| !error.is_null());
    let itself = || Some(document).filter(|document| document["type"] == "error");
    places.iter().find_map(at).or_else(itself)
}

/// 529 is Anthropic's status while it is overloaded.
fn asks_to_wait(status: u16, retry_after: Option<Duration>) -> bool {
    match status {
        429 | 529 => true,
        503 => retry_after.is_some(),
        _ => false,
    }
}

/// At most 500 characters, on one line, without control characters.
pub(super) fn shorten(text: &str) -> String {
    let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = visible.clone().take(QUOTE_LIMIT).collect();
    if visible.count() > QUOTE_LIMIT {
        short.push('…');
    }
    short.trim().to_owned()
}
