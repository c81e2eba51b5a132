//! Messages to one line of bytes, without the newline, which belongs to the transport. Raw parameters may
//! have come from text written over several lines; inside JSON a line break outside a string is only
//! whitespace, so it is turned into a space and the line stays one line.

use serde::Serialize;
use serde_json::value::RawValue;
use thiserror::Error;

use super::{RequestId, RpcError};

/// A value of ours could not be written as JSON (for instance a map with keys that are not text).
#[derive(Debug, Error)]
#[error("could not write a message as JSON: {0}")]
pub struct EncodeError(#[from] serde_json::Error);

#[derive(Serialize)]
struct Out<'a, P: ?Sized, R: ?Sized> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RequestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a RpcError>,
}

impl Default for Out<'_, RawValue, RawValue> {
    fn default() -> Self {
        Self {
            jsonrpc: "2.0",
            id: None,
            method: None,
            params: None,
            result: None,
            error: None,
        }
    }
}

/// A request. `params` must serialise to an object.
///
/// # Errors
/// When `params` cannot be written as JSON.
pub fn encode_request<P: Serialize + ?Sized>(
    id: &RequestId,
    method: &str,
    params: Option<&P>,
) -> Result<Vec<u8>, EncodeError> {
    let out = Out::<P, RawValue> {
        jsonrpc: "2.0",
        id: Some(id),
        method: Some(method),
        params,
        result: None,
        error: None,
    };
    line(&out)
}

/// A notification. `params` must serialise to an object.
///
/// # Errors
/// When `params` cannot be written as JSON.
pub fn encode_notification<P: Serialize + ?Sized>(
    method: &str,
    params: Option<&P>,
) -> Result<Vec<u8>, EncodeError> {
    let out = Out::<P, RawValue> {
        jsonrpc: "2.0",
        id: None,
        method: Some(method),
        params,
        result: None,
        error: None,
    };
    line(&out)
}

/// The good answer to a request of the other side.
///
/// # Errors
/// When `result` cannot be written as JSON.
pub fn encode_result<R: Serialize + ?Sized>(id: &RequestId, result: &R) -> Result<Vec<u8>, EncodeError> {
    let out = Out::<RawValue, R> {
        jsonrpc: "2.0",
        id: Some(id),
        method: None,
        params: None,
        result: Some(result),
        error: None,
    };
    line(&out)
}

/// The refusal of a request of the other side.
///
/// # Errors
/// When `error` cannot be written as JSON.
pub fn encode_error(id: &RequestId, error: &RpcError) -> Result<Vec<u8>, EncodeError> {
    line(&Out {
        id: Some(id),
        error: Some(error),
        ..Out::default()
    })
}

fn line<T: Serialize>(message: &T) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::with_capacity(256);
    serde_json::to_writer(&mut bytes, message)?;
    // The serialiser escapes control characters in strings, so these are whitespace of a raw value.
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'\n', b'\r', &bytes[at..]) {
        at += found;
        bytes[at] = b' ';
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// STD-002.
    #[test]
    fn a_message_stays_on_one_line_whatever_its_raw_parameters_look_like() {
        let raw = RawValue::from_string("{\n  \"a\":\r\n \"b\\nc\"}".to_owned()).unwrap();
        let bytes = encode_request(&RequestId::Number(1), "m", Some(&raw)).unwrap();
        assert!(!bytes.contains(&b'\n') && !bytes.contains(&b'\r'));
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(
            value,
            json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": "b\nc"}})
        );
    }

    #[test]
    fn an_answer_has_exactly_one_of_result_and_error() {
        let id = RequestId::Text("x".into());
        let result: Value = serde_json::from_slice(&encode_result(&id, &json!({})).unwrap()).unwrap();
        assert_eq!(result, json!({"jsonrpc": "2.0", "id": "x", "result": {}}));
        let error = encode_error(&id, &RpcError::new(-32601, "no")).unwrap();
        let error: Value = serde_json::from_slice(&error).unwrap();
        assert_eq!(
            error,
            json!({"jsonrpc": "2.0", "id": "x", "error": {"code": -32601, "message": "no"}})
        );
    }
}
