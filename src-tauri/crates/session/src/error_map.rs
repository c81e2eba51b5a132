//! Errors of a server that ask for something to be done before the call is made again. They become variants of
//! their own, because the caller can do it; everything else stays what the server said.

use serde::Deserialize;
use serde_json::Value;
use vestibule_protocol::jsonrpc::{MISSING_CLIENT_CAPABILITY, RpcError};

use crate::error::CallError;
use crate::url_elicitation;

/// An error of a server that opened with a handshake.
pub(crate) fn map_legacy_error(error: CallError) -> CallError {
    match error {
        CallError::Rpc(error) => match url_elicitation::required_pages(&error) {
            Some(pages) => CallError::PagesRequired { pages, error },
            None => CallError::Rpc(error),
        },
        other => other,
    }
}

/// An error of a modern server.
pub(crate) fn map_modern_error(error: CallError) -> CallError {
    match error {
        CallError::Rpc(error) if error.code == MISSING_CLIENT_CAPABILITY => CallError::CapabilitiesRequired {
            required: required(&error),
            error,
        },
        other => other,
    }
}

/// What the server needs declared; an empty object when it does not say.
fn required(error: &RpcError) -> Value {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Data {
        required_capabilities: serde_json::Map<String, Value>,
    }
    let data = error.data.as_ref();
    let said = data.and_then(|data| serde_json::from_str::<Data>(data.get()).ok());
    Value::Object(said.map(|data| data.required_capabilities).unwrap_or_default())
}
