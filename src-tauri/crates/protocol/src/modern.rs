//! What 2026-07-28 put in place of the handshake: each request describes itself in `_meta`, each result says
//! of what kind it is, and a server that needs something from the user says so in a result and is asked
//! again with the answers. What the server wants carried back is kept as the very bytes it wrote, because it
//! may have signed them; nothing here looks inside.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

use crate::Revision;
use crate::json::{RawJson, ScanError};
use crate::jsonrpc::{HeadMember, RequestId, RpcError, RpcResult, UNSUPPORTED_PROTOCOL_VERSION};
use crate::lenient;
use crate::mcp::{CacheHint, Implementation, LogLevel, ServerCapabilities};

/// The most things a server may want at once.
pub const MAX_INPUT_REQUESTS: usize = 32;
/// The longest state a server may want carried back, in bytes of JSON.
pub const MAX_STATE_BYTES: usize = 64 * 1024;
/// The longest name of one of the things a server wants, in bytes.
const MAX_KEY_BYTES: usize = 1024;
/// The most revisions a server may name.
const MAX_VERSIONS: usize = 64;

const MEMBER_TWICE: &str = "a member of the result comes twice";

/// What a request says of itself: its `_meta`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RequestMeta<'a> {
    /// The revision the request is written in; only modern requests say it.
    #[serde(
        rename = "io.modelcontextprotocol/protocolVersion",
        skip_serializing_if = "Option::is_none"
    )]
    pub protocol_version: Option<Revision>,
    #[serde(
        rename = "io.modelcontextprotocol/clientInfo",
        skip_serializing_if = "Option::is_none"
    )]
    pub client_info: Option<&'a RawValue>,
    /// What can be asked back because of this very request.
    #[serde(
        rename = "io.modelcontextprotocol/clientCapabilities",
        skip_serializing_if = "Option::is_none"
    )]
    pub client_capabilities: Option<&'a RawValue>,
    /// From which level on the server may log about this request; without it, it logs nothing.
    #[serde(
        rename = "io.modelcontextprotocol/logLevel",
        skip_serializing_if = "Option::is_none"
    )]
    pub log_level: Option<LogLevel>,
    /// Under which name progress is to be reported. In every revision.
    #[serde(rename = "progressToken", skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<i64>,
}

/// Why a result is not one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BrokenResult(pub String);

/// Of what kind a result is.
#[derive(Clone, Debug)]
pub enum ResultKind {
    /// It is what the method promises. A result that does not say its kind is of this one.
    Complete(CacheHint),
    /// The server needs something first.
    InputRequired(InputRequired),
    /// The answer is a task, or about one. Only where the extension for it was declared.
    Task,
}

/// What a server needs before it can answer.
#[derive(Clone, Debug)]
pub struct InputRequired {
    /// Under which name it wants what, in its order; `None` when it only wants to be asked again.
    pub requests: Option<InputRequests>,
    /// What it wants carried back: a JSON string, byte for byte as it came.
    pub state: Option<Box<RawValue>>,
}

/// One thing a server wants: a request without an id.
#[derive(Clone, Debug, Deserialize)]
pub struct InputRequest {
    pub method: String,
    /// An object, when present.
    #[serde(default)]
    pub params: Option<Box<RawValue>>,
}

/// Things a server wants, each under its name, in its order; no name comes twice.
#[derive(Clone, Debug, Default)]
pub struct InputRequests(pub Vec<(String, InputRequest)>);

impl From<ScanError> for BrokenResult {
    fn from(error: ScanError) -> Self {
        Self(error.to_string())
    }
}

/// Names what is wrong without quoting more than serde does.
impl From<serde_json::Error> for BrokenResult {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// Takes a member that a result may have only once.
pub(crate) fn once<T>(member: &mut Option<T>, value: T) -> Result<(), BrokenResult> {
    match member.replace(value) {
        None => Ok(()),
        Some(_) => Err(BrokenResult(MEMBER_TWICE.into())),
    }
}

impl ResultKind {
    /// Reads of what kind a result is, without reading what it holds.
    ///
    /// # Errors
    /// When the kind is unknown or when what the server needs cannot be read.
    pub fn read(result: RpcResult<'_>) -> Result<Self, BrokenResult> {
        if !result.raw().is_object() {
            return Err(BrokenResult("the result is not an object".into()));
        }
        if result.has_member_twice() {
            return Err(BrokenResult(MEMBER_TWICE.into()));
        }
        let kind = result.member(HeadMember::ResultType);
        let kind: Option<String> = kind.map_or(Ok(None), RawJson::read)?;
        match kind.as_deref() {
            None | Some("complete") => Ok(Self::Complete(cache_hint(result))),
            Some("task") => Ok(Self::Task),
            Some("input_required") => InputRequired::read(result).map(Self::InputRequired),
            Some(_) => Err(BrokenResult("a kind of result this app does not know".into())),
        }
    }
}

fn cache_hint(result: RpcResult<'_>) -> CacheHint {
    let ttl = result.member(HeadMember::TtlMs).and_then(|ttl| ttl.read().ok());
    let scope = result.member(HeadMember::CacheScope).and_then(RawJson::text);
    CacheHint::new(ttl, scope.as_deref())
}

impl InputRequired {
    fn read(result: RpcResult<'_>) -> Result<Self, BrokenResult> {
        let requests = result.member(HeadMember::InputRequests);
        let requests: Option<InputRequests> = requests.map_or(Ok(None), RawJson::read)?;
        let state = result.member(HeadMember::RequestState);
        let state = state.filter(|state| !state.is_null());
        let state = state.map(|state| match state.get().len() {
            _ if !state.is_string() => Err(BrokenResult("the state to carry back is not text".into())),
            0..=MAX_STATE_BYTES => Ok(state.read()?),
            _ => Err(BrokenResult(format!(
                "the state to carry back is longer than {MAX_STATE_BYTES} bytes"
            ))),
        });
        let state = state.transpose()?;
        if state.is_none() && requests.as_ref().is_none_or(|requests| requests.0.is_empty()) {
            return Err(BrokenResult("input is required, but it is not said which".into()));
        }
        Ok(Self { requests, state })
    }
}

impl<'de> Deserialize<'de> for InputRequests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = InputRequests;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the things the server wants, by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InputRequests, A::Error> {
                let mut entries: Vec<(String, InputRequest)> = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    if entries.len() == MAX_INPUT_REQUESTS || key.len() > MAX_KEY_BYTES {
                        return Err(A::Error::custom("the server wants too much at once"));
                    }
                    if entries.iter().any(|(other, _)| *other == key) {
                        return Err(A::Error::custom("the server wants two things under one name"));
                    }
                    entries.push((key, map.next_value()?));
                }
                Ok(InputRequests(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// What a server answers to `server/discover`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscoverResult {
    /// The revisions it speaks, as text: some may be unknown to this app.
    #[serde(deserialize_with = "few_versions")]
    pub supported_versions: Vec<String>,
    /// What it can do.
    #[serde(default)]
    pub capabilities: ServerCapabilities,
    /// Its hint for the model; untrusted text.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub instructions: Option<String>,
    #[serde(rename = "_meta", default, deserialize_with = "lenient::or_default")]
    meta: ResultMeta,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct ResultMeta {
    #[serde(
        rename = "io.modelcontextprotocol/serverInfo",
        default,
        deserialize_with = "lenient::or_default"
    )]
    server_info: Implementation,
}

impl DiscoverResult {
    /// What the server calls itself; empty when it does not say. For display only.
    #[must_use]
    pub fn server_info(&self) -> &Implementation {
        &self.meta.server_info
    }
}

fn few_versions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    lenient::at_most(deserializer, MAX_VERSIONS)
}

/// The revisions a server names when it refuses that of a request; `None` when the error is about something
/// else. Empty when it names none.
#[must_use]
pub fn supported_versions(error: &RpcError) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Data {
        #[serde(deserialize_with = "few_versions")]
        supported: Vec<String>,
    }
    if error.code != UNSUPPORTED_PROTOCOL_VERSION {
        return None;
    }
    let data = error.data.as_ref();
    let named = data.and_then(|data| serde_json::from_str::<Data>(data.get()).ok());
    Some(named.map(|data| data.supported).unwrap_or_default())
}

/// The changes a client subscribes to, or a server agrees to send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionFilter {
    /// Of the list of tools.
    #[serde(deserialize_with = "lenient::or_default", skip_serializing_if = "is_false")]
    pub tools_list_changed: bool,
    /// Of the list of prompts.
    #[serde(deserialize_with = "lenient::or_default", skip_serializing_if = "is_false")]
    pub prompts_list_changed: bool,
    /// Of the list of resources.
    #[serde(deserialize_with = "lenient::or_default", skip_serializing_if = "is_false")]
    pub resources_list_changed: bool,
    /// Of these resources, by address.
    #[serde(
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "BTreeSet::is_empty"
    )]
    pub resource_subscriptions: BTreeSet<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl SubscriptionFilter {
    /// Whether it selects nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The `_meta` of parameters; `None` where it is missing or is no `T`. In every revision.
#[must_use]
pub fn meta_of<T: DeserializeOwned>(params: RawJson<'_>) -> Option<T> {
    #[derive(Deserialize)]
    struct Params<T> {
        #[serde(rename = "_meta")]
        meta: T,
    }
    let params: Params<T> = params.read().ok()?;
    Some(params.meta)
}

/// The subscription a notification belongs to, if it says so. Its JSON type counts.
#[must_use]
pub fn subscription_of(params: RawJson<'_>) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        subscription: RequestId,
    }
    meta_of(params).map(|Meta { subscription }| subscription)
}

#[cfg(test)]
mod tests;
