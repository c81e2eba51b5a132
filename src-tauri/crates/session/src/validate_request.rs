//! What a server may ask for, given what was declared to it. One rule for both eras: what was not declared, and
//! what is not a proper request, is refused here, so a user is never asked something the server had no right
//! to ask or something that cannot be shown whole.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use vestibule_protocol::Revision;
use vestibule_protocol::elicitation::{BrokenRequest, ElicitForm, ElicitUrl};
use vestibule_protocol::json::RawJson;
use vestibule_protocol::jsonrpc::{INVALID_PARAMS, METHOD_NOT_FOUND, RpcError};

use crate::event::ServerRequest;

/// The longest request for a model's answer, in bytes of JSON.
const MAX_SAMPLING_BYTES: usize = 16 * 1024 * 1024;

/// A request of the server as what it is, or the refusal it gets.
pub(crate) fn validate_request(
    revision: Revision,
    declared: &Value,
    method: &str,
    params: Option<RawJson<'_>>,
) -> Result<ServerRequest, RpcError> {
    let params = || params.ok_or_else(|| invalid("parameters are missing"));
    match method {
        "roots/list" => require(declared, "roots").map(|()| ServerRequest::ListRoots),
        "sampling/createMessage" => {
            require(declared, "sampling")?;
            sampling(&declared["sampling"], params()?)
        }
        "elicitation/create" => {
            require(declared, "elicitation")?;
            elicitation(revision, &declared["elicitation"], params()?)
        }
        _ => Err(RpcError::new(METHOD_NOT_FOUND, "there is no such method")),
    }
}

fn require(declared: &Value, name: &str) -> Result<(), RpcError> {
    match declared.get(name) {
        Some(_) => Ok(()),
        None => Err(not_supported(name)),
    }
}

/// A request for a model's answer.
fn sampling(declared: &Value, params: RawJson<'_>) -> Result<ServerRequest, RpcError> {
    require_tools(declared, params)?;
    Ok(ServerRequest::CreateMessage(params.to_buf()))
}

/// A request to fill in a form or to visit a page.
fn elicitation(revision: Revision, declared: &Value, params: RawJson<'_>) -> Result<ServerRequest, RpcError> {
    match read_mode(declared, params)? {
        ElicitationMode::Form => {
            let form = ElicitForm::read(params).map_err(broken)?;
            Ok(ServerRequest::ElicitForm(form))
        }
        ElicitationMode::Url => {
            let page = ElicitUrl::read(params, !revision.is_modern()).map_err(broken)?;
            Ok(ServerRequest::ElicitUrl(page))
        }
    }
}

/// What a server may send to a model is bounded, and tools have to be declared.
fn require_tools(declared: &Value, params: RawJson<'_>) -> Result<(), RpcError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Said {
        #[serde(default)]
        tools: Option<IgnoredAny>,
        #[serde(default)]
        tool_choice: Option<IgnoredAny>,
    }
    if params.get().len() > MAX_SAMPLING_BYTES {
        return Err(invalid("the request is too long"));
    }
    let said: Said = params.read().map_err(|_| invalid("a member comes twice"))?;
    if declared.get("tools").is_none() && (said.tools.is_some() || said.tool_choice.is_some()) {
        return Err(invalid("the client did not declare sampling.tools"));
    }
    Ok(())
}

enum ElicitationMode {
    Form,
    Url,
}

/// An empty capability means forms, as does a request without a mode.
fn read_mode(declared: &Value, params: RawJson<'_>) -> Result<ElicitationMode, RpcError> {
    #[derive(Deserialize)]
    struct Said {
        #[serde(default)]
        mode: Option<String>,
    }
    let said: Said = params.read().map_err(|_| invalid("the mode is not text"))?;
    let none_named = declared.as_object().is_none_or(Map::is_empty);
    match said.mode.as_deref().unwrap_or("form") {
        "form" if none_named || declared.get("form").is_some() => Ok(ElicitationMode::Form),
        "url" if declared.get("url").is_some() => Ok(ElicitationMode::Url),
        _ => Err(invalid("this mode was not declared")),
    }
}

fn invalid(message: &str) -> RpcError {
    RpcError::new(INVALID_PARAMS, message)
}

fn broken(error: BrokenRequest) -> RpcError {
    RpcError::new(INVALID_PARAMS, error.0)
}

fn not_supported(name: &str) -> RpcError {
    let reason = json!({ "reason": format!("the client did not declare the capability {name}") });
    RpcError {
        data: serde_json::value::to_raw_value(&reason).ok(),
        ..RpcError::new(METHOD_NOT_FOUND, format!("{name} is not supported"))
    }
}
