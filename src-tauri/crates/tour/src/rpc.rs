//! JSON-RPC messages as this server writes and reads them.
//!
//! Only shapes and error codes; nothing here knows a method.

use serde_json::{Value, json};

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const INTERNAL_ERROR: i64 = -32603;
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
/// More calls at once than this server runs.
pub(crate) const BUSY: i64 = -32000;

/// An error reply without its id.
#[derive(Debug)]
pub(crate) struct ErrorReply {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl ErrorReply {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }
}

pub(crate) type RpcOutcome = Result<Value, ErrorReply>;

/// What a client's line holds.
pub(crate) enum ClientMessage {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    Response {
        id: Value,
        outcome: Result<Value, Value>,
    },
}

/// Reads one message. What is none is an invalid request: the id to answer with, and why.
pub(crate) fn incoming(message: Value) -> Result<ClientMessage, (Value, &'static str)> {
    let invalid = |id: Value, why: &'static str| Err((id, why));
    let Value::Object(mut message) = message else {
        return invalid(Value::Null, "a message must be an object");
    };
    let id = message.remove("id");
    if id.as_ref().is_some_and(|id| !is_id(id)) {
        return invalid(Value::Null, "an id must be a string or an integer");
    }
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(id.unwrap_or_default(), "jsonrpc must be \"2.0\"");
    }
    let params = message.remove("params").unwrap_or_else(|| json!({}));
    match (message.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => Ok(ClientMessage::Request { id, method, params }),
        (Some(Value::String(method)), None) => Ok(ClientMessage::Notification { method, params }),
        (Some(_), id) => invalid(id.unwrap_or_default(), "a method must be a string"),
        (None, Some(id)) => response(id, message.remove("result"), message.remove("error")),
        (None, None) => invalid(Value::Null, "a message must have a method or an id"),
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

/// The response with this id, which must have either a result or an error.
fn response(
    id: Value,
    result: Option<Value>,
    error: Option<Value>,
) -> Result<ClientMessage, (Value, &'static str)> {
    let outcome = match (result, error) {
        (Some(result), None) => Ok(result),
        (None, Some(error)) => Err(error),
        _ => return Err((id, "a message must have a method, a result or an error")),
    };
    Ok(ClientMessage::Response { id, outcome })
}

pub(crate) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(crate) fn reply(id: &Value, outcome: RpcOutcome) -> Value {
    match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(ErrorReply { code, message, data }) => {
            let mut error = json!({ "code": code, "message": message });
            if let Some(data) = data {
                error["data"] = data;
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}
