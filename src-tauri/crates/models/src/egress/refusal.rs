//! Turns an answer that is not 200 into the error that the user reads.
//!
//! The body is read up to a limit and only to quote it or to recognise a missing model. It is never followed,
//! rendered or trusted.

use std::time::Duration;

use futures::StreamExt;
use reqwest::{StatusCode, header::RETRY_AFTER};
use serde_json::Value;

use super::ModelEgress;
use crate::ModelError;

const BODY_LIMIT: usize = 64 * 1024;
const BODY_WAIT: Duration = Duration::from_secs(5);
const QUOTE_LIMIT: usize = 500;
const LONGEST_WAIT: u64 = 24 * 60 * 60;

pub(super) async fn refusal(egress: &ModelEgress, response: reqwest::Response) -> ModelError {
    let endpoint = egress.endpoint.clone();
    let status = response.status();
    match status {
        StatusCode::UNAUTHORIZED => return ModelError::Unauthorized { endpoint },
        StatusCode::TOO_MANY_REQUESTS => {
            return ModelError::RateLimited {
                retry_after: retry_after(&response),
            };
        }
        _ if status.is_redirection() => return ModelError::Redirected { endpoint },
        _ => {}
    }
    let body = read_body(response).await;
    let document = serde_json::from_str::<Value>(&body).unwrap_or(Value::Null);
    if names_a_missing_model(status, &document) {
        return ModelError::NoSuchModel {
            endpoint,
            model: egress.model.clone(),
        };
    }
    let detail = message(&document).unwrap_or(body.as_str());
    ModelError::Refused {
        status: status.as_u16(),
        detail: egress.quoted(detail),
    }
}

/// What an error document says, in any of the shapes that compatible servers use.
pub(crate) fn message(document: &Value) -> Option<&str> {
    let error = document.get("error")?;
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

fn retry_after(response: &reqwest::Response) -> Option<Duration> {
    let seconds: u64 = response
        .headers()
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds.min(LONGEST_WAIT)))
}

async fn read_body(response: reqwest::Response) -> String {
    let mut kept = Vec::new();
    let reading = async {
        let mut body = response.bytes_stream();
        while let Some(Ok(chunk)) = body.next().await {
            let room = BODY_LIMIT - kept.len();
            kept.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if kept.len() == BODY_LIMIT {
                break;
            }
        }
    };
    // The status alone already says what happened; a body that does not arrive only shortens the quote.
    let finished = tokio::time::timeout(BODY_WAIT, reading).await;
    tracing::debug!(whole = finished.is_ok(), "read the body of an error response");
    String::from_utf8_lossy(&kept).into_owned()
}
