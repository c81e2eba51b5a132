//! Errors inside an answer that began with 200: they mean what they mean as a status.

use super::*;

/// An answer over a wire that is this document alone.
fn only(wire: Wire, document: &Value) -> Vec<Step> {
    let said = match wire {
        Wire::Ollama => format!("{document}\n"),
        Wire::Anthropic => format!("event: error\ndata: {document}\n\n"),
        _ => format!("data: {document}\n\n"),
    };
    vec![stream_head(), send(&said)]
}

/// The error that comes of such an answer.
async fn error_of(wire: Wire, document: &Value) -> ModelError {
    let endpoint = wires::endpoint(only(wire, document)).await;
    let (events, error) = read(&wires::over(wire, &endpoint.base), hello()).await;
    assert_eq!(events, [], "{wire:?}");
    error.unwrap()
}

/// An error as a wire writes it into a stream. Responses has two forms.
fn forms(wire: Wire, code: Value, kind: &str, message: &str) -> Vec<Value> {
    let error = json!({ "code": code, "type": kind, "message": message });
    match wire {
        Wire::Responses => vec![
            json!({ "type": "error", "sequence_number": 2, "code": code, "message": message, "param": null }),
            json!({ "type": "response.failed", "sequence_number": 2, "response": {
                "id": "resp_1", "object": "response", "status": "failed", "output": [],
                "error": { "code": code, "message": message } } }),
        ],
        Wire::Anthropic => vec![json!({ "type": "error", "error": { "type": kind, "message": message } })],
        Wire::Ollama => vec![json!({ "error": message })],
        Wire::Gemini => vec![json!({ "error": { "code": code, "status": kind, "message": message } })],
        Wire::ChatCompletions | Wire::Azure => vec![json!({ "error": error })],
    }
}

#[tokio::test]
async fn a_chat_that_is_too_long_says_so_also_inside_an_answer() {
    let exceeds =
        "Your input exceeds the context window of this model. Please adjust your input and try again.";
    for wire in Wire::ALL {
        for document in forms(wire, Value::Null, "invalid_request_error", exceeds) {
            let detail = exceeds.to_owned();
            let error = error_of(wire, &document).await;
            assert_eq!(
                error,
                ModelError::ContextExceeded { detail },
                "{wire:?}: {document}"
            );
        }
    }
    for document in forms(Wire::Responses, json!("context_length_exceeded"), "", "Too long.") {
        let detail = "Too long.".to_owned();
        let error = error_of(Wire::Responses, &document).await;
        assert_eq!(error, ModelError::ContextExceeded { detail }, "{document}");
    }
}

#[tokio::test]
async fn a_server_that_is_busy_or_failed_inside_its_answer_can_be_asked_again() {
    let limited = |detail: &str| ModelError::RateLimited {
        retry_after: None,
        detail: detail.to_owned(),
    };
    let failed = |detail: &str| ModelError::Failed {
        detail: detail.to_owned(),
    };
    let (code, kind) = (Value::Null, "");
    let cases = [
        (Wire::Anthropic, code.clone(), "overloaded_error", limited("Why.")),
        (Wire::Anthropic, code.clone(), "rate_limit_error", limited("Why.")),
        (Wire::Anthropic, code.clone(), "api_error", failed("Why.")),
        (
            Wire::Responses,
            json!("rate_limit_exceeded"),
            kind,
            limited("Why."),
        ),
        (Wire::Responses, json!("server_error"), kind, failed("Why.")),
        (Wire::ChatCompletions, code, "server_error", failed("Why.")),
        (Wire::ChatCompletions, json!(429), kind, limited("Why.")),
        (Wire::ChatCompletions, json!(502), kind, failed("Why.")),
        (Wire::Azure, json!("server_error"), kind, failed("Why.")),
        (Wire::Gemini, json!(429), "RESOURCE_EXHAUSTED", limited("Why.")),
        (Wire::Gemini, json!(503), "UNAVAILABLE", failed("Why.")),
    ];
    for (wire, code, kind, expected) in cases {
        for document in forms(wire, code, kind, "Why.") {
            let error = error_of(wire, &document).await;
            assert_eq!(error, expected, "{wire:?}: {document}");
            assert!(error.retryable(), "{wire:?}: {document}");
        }
    }
}

/// Nothing would change by asking once more.
#[tokio::test]
async fn any_other_error_inside_an_answer_is_quoted_and_not_asked_again() {
    for wire in Wire::ALL {
        for document in forms(wire, Value::Null, "invalid_request_error", "It ran into a wall.") {
            let error = error_of(wire, &document).await;
            let detail = "It ran into a wall.".to_owned();
            assert!(!error.retryable());
            assert_eq!(
                error,
                ModelError::Refused { status: 200, detail },
                "{wire:?}: {document}"
            );
        }
    }
    let spent = forms(Wire::Responses, json!("insufficient_quota"), "", "No credit.");
    for document in spent {
        assert!(!error_of(Wire::Responses, &document).await.retryable());
    }
}
