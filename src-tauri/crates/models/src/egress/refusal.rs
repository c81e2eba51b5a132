//! Turns an answer that is not 200 into the error that the user reads.
//!
//! The body is read up to a limit and only to quote it or to recognise a missing model. It is never followed,
//! rendered or trusted.

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
    let body = String::from_utf8_lossy(&body);
    let document = serde_json::from_str::<Value>(&body).unwrap_or(Value::Null);
    if asks_to_wait(status, retry_after) && !is_out_of_credit(&document) {
        return ModelError::RateLimited { retry_after };
    }
    if names_a_missing_model(status, &document) {
        return ModelError::NoSuchModel {
            endpoint,
            model: egress.model.clone(),
        };
    }
    let detail = message(&document).unwrap_or(&body);
    if refuses_tools(detail) {
        return ModelError::ToolsRefused {
            model: egress.model.clone(),
        };
    }
    let quoted = egress.quoted(detail);
    if status.is_client_error() && says_too_long(detail, &document) {
        return ModelError::ContextExceeded { detail: quoted };
    }
    ModelError::Refused {
        status: status.as_u16(),
        detail: quoted,
    }
}

/// 529 is Anthropic's status while it is overloaded.
fn asks_to_wait(status: StatusCode, retry_after: Option<Duration>) -> bool {
    match status.as_u16() {
        429 | 529 => true,
        503 => retry_after.is_some(),
        _ => false,
    }
}

/// Whether the request is longer than the model can read. OpenAI and llama.cpp have a code for it, and all have words:
/// vLLM, OpenRouter and Mistral "… maximum context length …", Anthropic "prompt is too long: …", Google "… exceeds the
/// maximum number of tokens allowed".
fn says_too_long(detail: &str, document: &Value) -> bool {
    let named = ["/error/code", "/error/type"].iter().any(|place| {
        let name = document.pointer(place).and_then(Value::as_str);
        matches!(
            name,
            Some("context_length_exceeded" | "exceed_context_size_error")
        )
    });
    let detail = detail.to_ascii_lowercase();
    let words = [
        "maximum context length",
        "available context size",
        "prompt is too long",
        "exceed context limit",
        "exceeds the maximum number of tokens",
        "greater than the context length",
    ];
    named || words.iter().any(|words| detail.contains(words))
}

/// What an error document says, in any of the shapes that compatible servers use.
pub(crate) fn message(document: &Value) -> Option<&str> {
    // Google sends its errors as a list.
    let error = document.get("error").or_else(|| document.get(0)?.get("error"))?;
    error.get("message").unwrap_or(error).as_str()
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

fn names_a_missing_model(status: StatusCode, document: &Value) -> bool {
    let code = document.pointer("/error/code").and_then(Value::as_str);
    if code == Some("model_not_found") {
        return true;
    }
    // Ollama, llama.cpp and vLLM say it only in words.
    status == StatusCode::NOT_FOUND
        && message(document).is_some_and(|text| text.to_ascii_lowercase().contains("model"))
}

/// OpenAI and Moonshot answer with 429 as well where the account has no credit, which no wait changes.
fn is_out_of_credit(document: &Value) -> bool {
    ["/error/code", "/error/type"].iter().any(|place| {
        let name = document.pointer(place).and_then(Value::as_str);
        matches!(name, Some("insufficient_quota" | "exceeded_current_quota_error"))
    })
}

/// Servers say it only in words: Ollama "… does not support tools", OpenRouter "No endpoints found that support tool
/// use", vLLM "… requires --enable-auto-tool-choice …".
fn refuses_tools(detail: &str) -> bool {
    let detail = detail.to_ascii_lowercase();
    [
        "does not support tools",
        "that support tool use",
        "--enable-auto-tool-choice",
    ]
    .iter()
    .any(|words| detail.contains(words))
}
