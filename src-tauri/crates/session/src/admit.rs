//! What a server may ask for, given what was declared to it. One rule for both eras: what was not declared is
//! refused here, so a person is never asked something the server had no right to.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use vestibule_protocol::jsonrpc::{INVALID_PARAMS, METHOD_NOT_FOUND, RpcError};

use crate::event::ServerRequest;

/// A request of the server as what it is, or the refusal it gets. EF-003, ER-004, MR-012.
pub(crate) fn admit(
    declared: &Value,
    method: &str,
    params: Option<Box<RawValue>>,
) -> Result<ServerRequest, RpcError> {
    let require = |name: &str| {
        if declared.get(name).is_some() {
            Ok(())
        } else {
            Err(not_supported(name))
        }
    };
    let params = || params.ok_or_else(|| RpcError::new(INVALID_PARAMS, "parameters are missing"));
    match method {
        "roots/list" => require("roots").map(|()| ServerRequest::ListRoots),
        "sampling/createMessage" => {
            require("sampling")?;
            params().map(ServerRequest::CreateMessage)
        }
        "elicitation/create" => {
            require("elicitation")?;
            let params = params()?;
            require_mode(&declared["elicitation"], &params)?;
            Ok(ServerRequest::Elicit(params))
        }
        _ => Err(RpcError::new(METHOD_NOT_FOUND, "there is no such method")),
    }
}

/// An empty capability means forms, as does a request without a mode.
fn require_mode(declared: &Value, params: &RawValue) -> Result<(), RpcError> {
    #[derive(Deserialize)]
    struct Mode {
        #[serde(default)]
        mode: Option<String>,
    }
    let invalid = |message: &str| RpcError::new(INVALID_PARAMS, message);
    let mode: Mode = serde_json::from_str(params.get()).map_err(|_| invalid("the mode is not text"))?;
    let none_named = declared.as_object().is_none_or(Map::is_empty);
    match mode.mode.as_deref().unwrap_or("form") {
        "form" if none_named || declared.get("form").is_some() => Ok(()),
        "url" if declared.get("url").is_some() => Ok(()),
        _ => Err(invalid("this mode was not declared")),
    }
}

fn not_supported(name: &str) -> RpcError {
    let reason = json!({ "reason": format!("the client did not declare the capability {name}") });
    RpcError {
        data: serde_json::value::to_raw_value(&reason).ok(),
        ..RpcError::new(METHOD_NOT_FOUND, format!("{name} is not supported"))
    }
}
