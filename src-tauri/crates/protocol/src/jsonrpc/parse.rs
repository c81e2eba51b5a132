//! Bytes to a message, or a short reason why not. Keys of the envelope count only in their exact case and
//! only once: two readers that settle such doubts differently could be shown different messages. When a
//! broken message still names an id, the reason carries it, so that the request with that id fails at
//! once instead of waiting for a timeout.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use thiserror::Error;

use super::depth::{MAX_DEPTH, is_shallow};
use super::{Frame, Message, RequestId};

/// The most messages one array may hold.
pub const MAX_BATCH: usize = 256;

/// The longest text id, in bytes.
pub const MAX_ID_BYTES: usize = 512;

/// Why a frame is not a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct ParseError {
    /// A short reason in our words.
    pub reason: String,
    /// The id of the answer that is broken, when it could be read.
    pub answers: Option<RequestId>,
    /// The id of the request that is broken, when it could be read: it is owed a refusal.
    pub asks: Option<RequestId>,
}

impl ParseError {
    fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            answers: None,
            asks: None,
        }
    }
}

/// Reads one frame, without its newline. A leading byte order mark is passed over.
///
/// # Errors
/// When the frame is not UTF-8, not JSON, nested beyond [`MAX_DEPTH`], or not a JSON-RPC 2.0 message.
pub fn parse(frame: &[u8]) -> Result<Frame<'_>, ParseError> {
    let frame = frame.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(frame);
    let text = std::str::from_utf8(frame)
        .map_err(|_| ParseError::new("not UTF-8"))?
        .trim_ascii();
    match text.as_bytes().first() {
        Some(b'{') => {}
        Some(b'[') => {}
        Some(_) => return Err(ParseError::new("not a JSON object")),
        None => return Err(ParseError::new("empty")),
    }
    if !is_shallow(text.as_bytes()) {
        return Err(too_deep(text));
    }
    if text.starts_with('[') {
        batch(text)
    } else {
        message(text).map(Frame::One)
    }
}

/// What is nested too deeply is not read, but passed over without recursion, so that the request fails at once.
fn too_deep(text: &str) -> ParseError {
    let mut error = ParseError::new(format!("nested deeper than {MAX_DEPTH} levels"));
    if let Ok(envelope) = serde_json::from_str::<RawEnvelope<'_>>(text) {
        let id = envelope.id.and_then(|id| read_id(id).ok());
        match envelope.method {
            Some(_) => error.asks = id,
            None => error.answers = id,
        }
    }
    error
}

fn batch(text: &str) -> Result<Frame<'_>, ParseError> {
    let parts: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    match parts.len() {
        0 => Err(ParseError::new("an empty array of messages")),
        1..=MAX_BATCH => Ok(Frame::Batch(
            parts.into_iter().map(|part| message(part.get())).collect(),
        )),
        count => Err(ParseError::new(format!(
            "{count} messages in one array, at most {MAX_BATCH} are read"
        ))),
    }
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// `result: null` is a result and `id: null` is an id that is wrong, so presence is kept apart from null.
#[derive(Deserialize)]
struct RawEnvelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn message(text: &str) -> Result<Message<'_>, ParseError> {
    if !text.starts_with('{') {
        return Err(ParseError::new("not a JSON object"));
    }
    let envelope: RawEnvelope<'_> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    match envelope.jsonrpc.as_ref().map(|version| version.0.as_ref()) {
        Some("2.0") => {}
        Some(_) => return Err(ParseError::new("\"jsonrpc\" is not \"2.0\"")),
        None => return Err(ParseError::new("no \"jsonrpc\" member")),
    }
    if envelope.method.is_some() {
        call(envelope)
    } else {
        answer(&envelope)
    }
}

fn call(envelope: RawEnvelope<'_>) -> Result<Message<'_>, ParseError> {
    let id = envelope.id.map(read_id).transpose()?;
    let broken = |reason: &str| ParseError {
        asks: id.clone(),
        ..ParseError::new(reason)
    };
    if envelope.result.is_some() || envelope.error.is_some() {
        return Err(broken("both a call and an answer"));
    }
    // A `params: null` reads as no parameters here; several servers write it so.
    let params = envelope.params;
    if params.is_some_and(|raw| !raw.get().starts_with('{')) {
        return Err(broken("\"params\" is not an object"));
    }
    let method = envelope.method.map(|method| method.0).unwrap_or_default();
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

fn answer<'a>(envelope: &RawEnvelope<'a>) -> Result<Message<'a>, ParseError> {
    let id = match envelope.id {
        // The reason why an error may lack an id is that the request's own id could not be read.
        Some(raw) if raw.get() == "null" && envelope.error.is_some() => None,
        Some(raw) => Some(read_id(raw)?),
        None => None,
    };
    let broken = |reason: &str| ParseError {
        answers: id.clone(),
        ..ParseError::new(reason)
    };
    let outcome =
        match (envelope.result, envelope.error) {
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(serde_json::from_str(error.get())
                .map_err(|_| broken("the answer's \"error\" is malformed"))?),
            (Some(_), Some(_)) => return Err(broken("an answer with both \"result\" and \"error\"")),
            (None, None) => return Err(broken("neither a call nor an answer")),
        };
    if id.is_none() && outcome.is_ok() {
        return Err(ParseError::new("a result without an id"));
    }
    Ok(Message::Response { id, outcome })
}

fn read_id(raw: &RawValue) -> Result<RequestId, ParseError> {
    // Nearly every id is a small positive number.
    if raw.get().starts_with(|first| matches!(first, '1'..='9'))
        && let Ok(number) = raw.get().parse()
    {
        return Ok(RequestId::Number(number));
    }
    let id: RequestId = serde_json::from_str(raw.get())
        .map_err(|_| ParseError::new("the id is neither text nor a whole number of 64 bits"))?;
    match &id {
        RequestId::Text(text) if text.len() > MAX_ID_BYTES => {
            Err(ParseError::new(format!("an id longer than {MAX_ID_BYTES} bytes")))
        }
        _ => Ok(id),
    }
}

/// Names what is wrong without the parser's own quotations of the text.
fn not_json(error: &serde_json::Error) -> ParseError {
    use serde_json::error::Category;
    let said = error.to_string();
    ParseError::new(match error.classify() {
        Category::Data if said.starts_with("duplicate field") => "the same member twice".to_owned(),
        Category::Data => "a member of the message has the wrong type".to_owned(),
        Category::Eof => "the JSON ends too early".to_owned(),
        Category::Syntax | Category::Io => format!("not JSON at column {}", error.column()),
    })
}

#[cfg(test)]
mod tests;
