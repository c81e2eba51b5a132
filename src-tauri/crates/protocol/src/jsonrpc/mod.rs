//! One JSON-RPC message, to bytes and from bytes. A frame is read once into an envelope whose `params` and
//! `result` stay raw text, so a message that is only passed on is not parsed. Reading is strict where two
//! readers could disagree (key case, duplicate keys, ids, depth) and open where the protocol is open (members
//! it does not know). No error of this module ever quotes more than a short piece of what a peer sent.

mod encode;
mod parse;
mod result;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::json::RawJson;
pub use encode::{EncodeError, encode_error, encode_notification, encode_request, encode_result};
pub use parse::{MAX_BATCH, MAX_ID_BYTES, ParseError, parse, parse_and_count};
pub(crate) use result::HeadMember;
pub use result::{RpcResult, RpcResultBuf};

/// The deepest nesting a frame may have. The envelope itself is level one.
pub const MAX_DEPTH: usize = 64;

/// The message could not be read as JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The JSON was not a request this side can take.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist, or the capability for it was not declared.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// Something went wrong that is not the other side's fault.
pub const INTERNAL_ERROR: i64 = -32603;
/// There is no such resource; up to 2025-11-25, later it is [`INVALID_PARAMS`].
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The user has to visit pages first; 2025-11-25 only.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// The headers of an HTTP request do not say what its body says; from 2026-07-28 on.
pub const HEADER_MISMATCH: i64 = -32020;
/// The request needs a capability it did not declare; from 2026-07-28 on.
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The server does not speak the revision of the request; from 2026-07-28 on.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// The id of a request: an integer or a string, never `null`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    Number(i64),
    Text(String),
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// One message, its payload still raw: what it holds stands in the frame.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    Request {
        /// The sender's id for it.
        id: RequestId,
        method: Cow<'a, str>,
        /// An object, when present.
        params: Option<RawJson<'a>>,
    },
    Notification {
        method: Cow<'a, str>,
        /// An object, when present.
        params: Option<RawJson<'a>>,
    },
    Response {
        /// The id of the request; `None` only for an error about a request that could not be read.
        id: Option<RequestId>,
        /// What came of it.
        outcome: Result<RpcResult<'a>, RpcError>,
    },
}

/// What one frame held.
#[derive(Clone, Debug)]
pub enum Frame<'a> {
    One(Message<'a>),
    /// An array of messages, each read by itself so that a broken one does not spoil the others.
    Batch(Vec<Result<Message<'a>, ParseError>>),
}

/// An error the other side answered with. Its text is the other side's and untrusted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RpcError {
    /// The code; see the constants of this module.
    pub code: i64,
    #[serde(default)]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl RpcError {
    /// An error without data.
    #[must_use]
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Whether only a server of 2026-07-28 or later can have meant this. Any other error says nothing about
    /// the era of the server that sent it.
    #[must_use]
    pub const fn is_modern(&self) -> bool {
        matches!(
            self.code,
            HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION
        )
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}

impl PartialEq for RpcError {
    fn eq(&self, other: &Self) -> bool {
        let data = |error: &Self| error.data.as_ref().map(|raw| raw.get().to_owned());
        self.code == other.code && self.message == other.message && data(self) == data(other)
    }
}

#[cfg(test)]
mod tests;
