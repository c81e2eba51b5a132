//! Bytes to a message, or a short reason why not. Keys of the envelope count only in their exact case and
//! only once: two readers that settle such doubts differently could be shown different messages. When a
//! broken message still names an id, the reason carries it, so that the request with that id fails at
//! once instead of waiting for a timeout.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use thiserror::Error;

use super::{Frame, Message, RequestId, RpcResult};
use crate::json::{RawJson, ScanError, Scanner};

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

impl From<ScanError> for ParseError {
    fn from(error: ScanError) -> Self {
        Self::new(error.to_string())
    }
}

/// Reads one frame, without its newline. A leading byte order mark is passed over.
///
/// # Errors
/// When the frame is not UTF-8, not JSON, nested beyond [`MAX_DEPTH`](super::MAX_DEPTH), or not a JSON-RPC 2.0 message.
pub fn parse(frame: &[u8]) -> Result<Frame<'_>, ParseError> {
    parse_and_count(frame).0
}

/// The same, and how many JSON values the frame has. Names of members count as values. What is no JSON is counted up to its
/// first mistake.
pub fn parse_and_count(frame: &[u8]) -> (Result<Frame<'_>, ParseError>, usize) {
    let frame = frame.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(frame);
    let Ok(text) = std::str::from_utf8(frame) else {
        return (Err(ParseError::new("not UTF-8")), 0);
    };
    let text = text.trim_ascii();
    let mut scanner = Scanner::new(text);
    let read = match scanner.peek() {
        Some(b'{') => read_message(text, &mut scanner).map(Frame::One),
        Some(b'[') => read_batch(&mut scanner).map(Frame::Batch),
        Some(_) => Err(ParseError::new("not a JSON object")),
        None => Err(ParseError::new("empty")),
    };
    (read, scanner.values())
}

fn read_batch<'a>(scanner: &mut Scanner<'a>) -> Result<Vec<Result<Message<'a>, ParseError>>, ParseError> {
    let mut parts = Vec::new();
    scanner.array::<ScanError>(|scanner| {
        parts.push(scanner.value()?);
        Ok(())
    })?;
    scanner.end()?;
    match parts.len() {
        0 => Err(ParseError::new("an empty array of messages")),
        1..=MAX_BATCH => Ok(parts.into_iter().map(read_part).collect()),
        count => Err(ParseError::new(format!(
            "{count} messages in one array, at most {MAX_BATCH} are read"
        ))),
    }
}

fn read_part(part: RawJson<'_>) -> Result<Message<'_>, ParseError> {
    if !part.is_object() {
        return Err(ParseError::new("not a JSON object"));
    }
    read_message(part.get(), &mut Scanner::new(part.get()))
}

/// The members of a message. `result: null` is a result and `id: null` is an id that is wrong, so presence is kept apart
/// from null.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<RawJson<'a>>,
    id: Option<RawJson<'a>>,
    method: Option<RawJson<'a>>,
    params: Option<RawJson<'a>>,
    result: Option<RpcResult<'a>>,
    error: Option<RawJson<'a>>,
}

enum EnvelopeError {
    Scan(ScanError),
    MemberTwice,
}

impl From<ScanError> for EnvelopeError {
    fn from(error: ScanError) -> Self {
        Self::Scan(error)
    }
}

fn once<T>(member: &mut Option<T>, value: T) -> Result<(), EnvelopeError> {
    match member.replace(value) {
        None => Ok(()),
        Some(_) => Err(EnvelopeError::MemberTwice),
    }
}

impl<'a> Envelope<'a> {
    fn read(scanner: &mut Scanner<'a>) -> Result<Self, EnvelopeError> {
        let mut envelope = Self::default();
        scanner.object(|scanner, name| {
            let member = match &*name {
                "jsonrpc" => &mut envelope.jsonrpc,
                "id" => &mut envelope.id,
                "method" => &mut envelope.method,
                "params" => &mut envelope.params,
                "result" => return once(&mut envelope.result, RpcResult::read(scanner)?),
                "error" => &mut envelope.error,
                _ => return Ok(scanner.value().map(drop)?),
            };
            once(member, scanner.value()?)
        })?;
        scanner.end()?;
        Ok(envelope)
    }
}

fn read_message<'a>(text: &'a str, scanner: &mut Scanner<'a>) -> Result<Message<'a>, ParseError> {
    let envelope = Envelope::read(scanner).map_err(|error| match error {
        EnvelopeError::Scan(ScanError::TooDeep) => too_deep(text),
        EnvelopeError::Scan(error) => error.into(),
        EnvelopeError::MemberTwice => ParseError::new("the same member twice"),
    })?;
    check_version(envelope.jsonrpc)?;
    match string(envelope.method)? {
        Some(method) => call(&envelope, method),
        None => answer(&envelope),
    }
}

fn check_version(jsonrpc: Option<RawJson<'_>>) -> Result<(), ParseError> {
    if jsonrpc.is_some_and(|version| version.get() == "\"2.0\"") {
        return Ok(());
    }
    match string(jsonrpc)?.as_deref() {
        Some("2.0") => Ok(()),
        Some(_) => Err(ParseError::new("\"jsonrpc\" is not \"2.0\"")),
        None => Err(ParseError::new("no \"jsonrpc\" member")),
    }
}

/// What is nested too deeply is not read, but passed over without recursion, so that the request fails at once.
fn too_deep(text: &str) -> ParseError {
    #[derive(Deserialize)]
    struct Ids<'a> {
        #[serde(borrow)]
        id: Option<&'a RawValue>,
        method: Option<IgnoredAny>,
    }
    let mut error = ParseError::from(ScanError::TooDeep);
    if let Ok(ids) = serde_json::from_str::<Ids<'_>>(text) {
        let id = ids.id.and_then(|id| read_id(id.into()).ok());
        match ids.method {
            Some(_) => error.asks = id,
            None => error.answers = id,
        }
    }
    error
}

/// A member that is text, if it is there. `null` counts as absent.
fn string(member: Option<RawJson<'_>>) -> Result<Option<Cow<'_, str>>, ParseError> {
    let Some(member) = member.filter(|member| !member.is_null()) else {
        return Ok(None);
    };
    let wrong = || ParseError::new("a member of the message has the wrong type");
    member.text().map(Some).ok_or_else(wrong)
}

fn call<'a>(envelope: &Envelope<'a>, method: Cow<'a, str>) -> Result<Message<'a>, ParseError> {
    let id = envelope.id.map(read_id).transpose()?;
    let broken = |reason: &str| ParseError {
        asks: id.clone(),
        ..ParseError::new(reason)
    };
    if envelope.result.is_some() || envelope.error.is_some() {
        return Err(broken("both a call and an answer"));
    }
    // A `params: null` reads as no parameters here; several servers write it so.
    let params = envelope.params.filter(|params| !params.is_null());
    if params.is_some_and(|params| !params.is_object()) {
        return Err(broken("\"params\" is not an object"));
    }
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

fn answer<'a>(envelope: &Envelope<'a>) -> Result<Message<'a>, ParseError> {
    let id = match envelope.id {
        // The reason why an error may lack an id is that the request's own id could not be read.
        Some(raw) if raw.is_null() && envelope.error.is_some() => None,
        Some(raw) => Some(read_id(raw)?),
        None => None,
    };
    let broken = |reason: &str| ParseError {
        answers: id.clone(),
        ..ParseError::new(reason)
    };
    let outcome = match (envelope.result, envelope.error) {
        (Some(result), None) => Ok(result),
        (None, Some(error)) => Err(error
            .read()
            .map_err(|_| broken("the answer's \"error\" is malformed"))?),
        (Some(_), Some(_)) => return Err(broken("an answer with both \"result\" and \"error\"")),
        (None, None) => return Err(broken("neither a call nor an answer")),
    };
    if id.is_none() && outcome.is_ok() {
        return Err(ParseError::new("a result without an id"));
    }
    Ok(Message::Response { id, outcome })
}

fn read_id(raw: RawJson<'_>) -> Result<RequestId, ParseError> {
    // Nearly every id is a small positive number.
    if raw.get().starts_with(|first| matches!(first, '1'..='9'))
        && let Ok(number) = raw.get().parse()
    {
        return Ok(RequestId::Number(number));
    }
    let id: RequestId = raw
        .read()
        .map_err(|_| ParseError::new("the id is neither text nor a whole number of 64 bits"))?;
    match &id {
        RequestId::Text(text) if text.len() > MAX_ID_BYTES => {
            Err(ParseError::new(format!("an id longer than {MAX_ID_BYTES} bytes")))
        }
        _ => Ok(id),
    }
}

#[cfg(test)]
mod tests;
