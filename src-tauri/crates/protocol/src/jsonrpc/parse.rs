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
pub fn parse(frame: &[u8]) -> Result<Frame, ParseError> {
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

fn batch(text: &str) -> Result<Frame, ParseError> {
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

fn message(text: &str) -> Result<Message, ParseError> {
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

fn call(envelope: RawEnvelope<'_>) -> Result<Message, ParseError> {
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
    let params = params.map(ToOwned::to_owned);
    let method = envelope
        .method
        .map(|method| method.0.into_owned())
        .unwrap_or_default();
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

fn answer(envelope: &RawEnvelope<'_>) -> Result<Message, ParseError> {
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
            (Some(result), None) => Ok(result.to_owned()),
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(text: &str) -> Message {
        match parse(text.as_bytes()) {
            Ok(Frame::One(message)) => message,
            other => panic!("{text} was read as {other:?}"),
        }
    }

    fn reason(frame: &[u8]) -> String {
        parse(frame).expect_err("must not be read").reason
    }

    /// BASE-001, BASE-002, BASE-005, BASE-006, BASE-008, BASE-015.
    #[test]
    fn every_kind_of_message_is_read() {
        let call = one(r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":[1]},"extra":{}}"#);
        assert!(
            matches!(call, Message::Request { id: RequestId::Number(7), method, params: Some(params) }
            if method == "a" && params.get() == r#"{"x":[1]}"#)
        );
        let call =
            one("\u{feff} {\"id\":\"\\u0041\",\"method\":\"\\u0061\",\"jsonrpc\":\"2.0\",\"params\":null}\r");
        assert!(
            matches!(call, Message::Request { id: RequestId::Text(id), method, params: None }
            if id == "A" && method == "a")
        );
        let told = one(r#"{"jsonrpc":"2.0","method":"a"}"#);
        assert!(matches!(told, Message::Notification { params: None, .. }));
        let good = one(r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        assert!(
            matches!(good, Message::Response { id: Some(RequestId::Number(1)), outcome: Ok(raw) }
            if raw.get() == "null")
        );
        let bad = one(r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"data":{"a":1}}}"#);
        assert!(matches!(bad, Message::Response { outcome: Err(error), .. }
            if error.code == -32602 && error.message.is_empty() && error.data.is_some()));
        for text in [
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#,
        ] {
            assert!(
                matches!(
                    one(text),
                    Message::Response {
                        id: None,
                        outcome: Err(_)
                    }
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_a_short_reason() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","method":"a","params":{{"x":{}1{}}}}}"#,
            "[".repeat(63),
            "]".repeat(63)
        );
        let long_id = format!(
            r#"{{"jsonrpc":"2.0","id":"{}","method":"a"}}"#,
            "x".repeat(MAX_ID_BYTES + 1)
        );
        let cases: [(&[u8], &str); 26] = [
            (b"", "empty"),
            (b"Listening on port 80", "not a JSON object"),
            (b"\x1b[32m{}", "not a JSON object"),
            (b"\xff{}", "not UTF-8"),
            (b"{\x00}", "not JSON"),
            (
                br#"{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"a"}"#,
                "not JSON",
            ),
            (br#"{"jsonrpc":"2.0","method":"#, "too early"),
            (b"{}", "no \"jsonrpc\""),
            (br#"{"jsonrpc":"1.0","method":"a"}"#, "not \"2.0\""),
            (br#"{"jsonrpc":2.0,"method":"a"}"#, "wrong type"),
            (br#"{"jsonrpc":"2.0"}"#, "neither"),
            (br#"{"jsonrpc":"2.0","Method":"a","id":1}"#, "neither"),
            (br#"{"JSONRPC":"2.0","method":"a"}"#, "no \"jsonrpc\""),
            (br#"{"jsonrpc":"2.0","method":"a","method":"b"}"#, "twice"),
            (br#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, "twice"),
            (br#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#, "twice"),
            (br#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "id is neither"),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, "id is neither"),
            (
                br#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"a"}"#,
                "id is neither",
            ),
            (br#"{"jsonrpc":"2.0","id":{},"result":1}"#, "id is neither"),
            (br#"{"jsonrpc":"2.0","result":1}"#, "without an id"),
            (br#"{"jsonrpc":"2.0","id":null,"result":1}"#, "id is neither"),
            (b"[]", "empty array"),
            (b"{\"jsonrpc\":\"2.0\",\"method\":5}", "wrong type"),
            (deep.as_bytes(), "deeper"),
            (long_id.as_bytes(), "longer than"),
        ];
        for (frame, expected) in cases {
            let said = reason(frame);
            assert!(
                said.contains(expected),
                "{said:?} should say {expected:?}: {}",
                String::from_utf8_lossy(frame)
            );
            assert!(said.len() < 120);
        }
    }

    #[test]
    fn a_broken_message_still_names_whom_it_concerns() {
        let answers = |text: &str| parse(text.as_bytes()).expect_err("broken").answers;
        let id = Some(RequestId::Number(3));
        assert_eq!(
            answers(r#"{"jsonrpc":"2.0","id":3,"result":1,"error":{"code":1}}"#),
            id
        );
        assert_eq!(answers(r#"{"jsonrpc":"2.0","id":3,"error":{"code":"x"}}"#), id);
        assert_eq!(answers(r#"{"jsonrpc":"2.0","id":3,"error":null}"#), id);
        assert_eq!(answers(r#"{"jsonrpc":"2.0","id":3}"#), id);
        let asks = |text: &str| parse(text.as_bytes()).expect_err("broken").asks;
        assert_eq!(asks(r#"{"jsonrpc":"2.0","id":3,"method":"a","params":[]}"#), id);
        assert_eq!(asks(r#"{"jsonrpc":"2.0","id":3,"method":"a","result":1}"#), id);
        assert_eq!(asks(r#"{"jsonrpc":"2.0","method":"a","params":"x"}"#), None);
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(
            answers(&format!(r#"{{"jsonrpc":"2.0","id":3,"result":{deep}}}"#)),
            id
        );
        assert_eq!(answers(&format!(r#"{{"result":{deep},"id":3}}"#)), id);
        assert_eq!(asks(&format!(r#"{{"id":3,"method":"a","params":{deep}}}"#)), id);
        assert_eq!(
            answers(&format!(r#"{{"id":3,"method":"a","params":{deep}}}"#)),
            None
        );
    }

    /// BASE-009.
    #[test]
    fn a_broken_message_in_an_array_does_not_spoil_the_others() {
        let text = r#"[{"jsonrpc":"2.0","id":1,"result":{}}, 5, {"jsonrpc":"2.0","method":"a"}]"#;
        let Ok(Frame::Batch(messages)) = parse(text.as_bytes()) else {
            panic!("not an array")
        };
        assert_eq!(
            messages.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, false, true]
        );
        let many = format!("[{}1]", "1,".repeat(MAX_BATCH));
        assert!(reason(many.as_bytes()).contains("at most"));
        assert!(reason(br#"[[{"jsonrpc":"2.0","method":"a"}]"#).contains("early"));
    }

    #[test]
    fn hostile_sizes_cost_a_scan_and_no_stack() {
        assert!(reason(&vec![b'['; 1_000_000]).contains("deeper"));
        assert!(reason("{\"a\":".repeat(300_000).as_bytes()).contains("deeper"));
        let nulls = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":[{}0]}}"#,
            "null,".repeat(1_000_000)
        );
        assert!(matches!(one(&nulls), Message::Response { outcome: Ok(_), .. }));
        let digits = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"a"}}"#, "9".repeat(300));
        assert!(reason(digits.as_bytes()).contains("id is neither"));
        let keys: String = (0..100_000).map(|n| format!(r#""{n}":0,"#)).collect();
        assert!(matches!(
            one(&format!(r#"{{{keys}"jsonrpc":"2.0","method":"a"}}"#)),
            Message::Notification { .. }
        ));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let holds_an_object = bytes.contains(&b'{');
            prop_assert!(parse(&bytes).is_err() || holds_an_object);
        }

        #[test]
        fn what_is_written_is_read_again(number in any::<i64>(), text in ".*", method in "[a-z/]{1,20}") {
            let id = RequestId::Number(number);
            let params = serde_json::json!({ "text": text });
            let bytes = super::super::encode_request(&id, &method, Some(&params)).unwrap();
            prop_assert!(!bytes.contains(&b'\n'));
            let Ok(Frame::One(Message::Request { id: read_id, method: read, params: Some(raw) })) = parse(&bytes)
            else { panic!("not a request") };
            prop_assert_eq!((read_id, read), (id, method));
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(raw.get()).unwrap(), params);
        }
    }
}
