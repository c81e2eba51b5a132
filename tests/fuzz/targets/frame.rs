//! Any bytes as a frame: nothing panics, what is read as a message can be written and read again as the same, and the scanner
//! takes the JSON that serde_json takes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use serde_json::value::RawValue;
use vestibule_protocol::json::{RawJson, ScanError, Scanner};
use vestibule_protocol::jsonrpc::{Frame, Message, encode_notification, encode_request, parse};
use vestibule_protocol::mcp::{CallToolResult, InitializeResult, LogMessage, Progress};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        compare(text);
    }
    let Ok(frame) = parse(bytes) else { return };
    match frame {
        Frame::One(message) => look_into(message),
        Frame::Batch(messages) => messages.into_iter().flatten().for_each(look_into),
    }
});

/// The scanner and serde_json take the same texts, and find the same string in them.
fn compare(text: &str) {
    let mut scanner = Scanner::new(text);
    let value = scanner.value().and_then(|value| scanner.end().map(|()| value));
    let read = serde_json::from_str::<&RawValue>(text);
    match value {
        Err(ScanError::TooDeep) => return,
        Err(error) => return assert!(read.is_err(), "{error}"),
        Ok(value) => assert_eq!(value.get(), read.expect("what the scanner takes").get()),
    }
    let string = Scanner::new(text).text().ok().flatten();
    assert_eq!(string.as_deref(), serde_json::from_str::<String>(text).ok().as_deref());
    assert!(!scanner.is_plain() || serde_json::from_str::<Value>(text).is_ok());
}

/// The same as serde_json has it.
fn raw(params: RawJson<'_>) -> &RawValue {
    params.read().expect("what was read is JSON")
}

fn look_into(message: Message<'_>) {
    match message {
        Message::Request { id, method, params } => {
            let again = encode_request(&id, &method, params.map(raw).as_ref()).expect("what was read can be written");
            let Ok(Frame::One(Message::Request { id: read, .. })) = parse(&again) else {
                panic!("a request became something else: {}", String::from_utf8_lossy(&again));
            };
            assert_eq!(read, id);
        }
        Message::Notification { method, params } => {
            let again = encode_notification(&method, params.map(raw).as_ref()).expect("what was read can be written");
            assert!(matches!(parse(&again), Ok(Frame::One(Message::Notification { .. }))));
            if let Some(params) = params {
                let _ = serde_json::from_str::<Progress>(params.get());
                let _ = serde_json::from_str::<LogMessage>(params.get());
            }
        }
        Message::Response { outcome: Ok(result), .. } => {
            let _ = CallToolResult::read(result.raw());
            let _ = serde_json::from_str::<InitializeResult>(result.raw().get());
        }
        Message::Response { outcome: Err(_), .. } => {}
    }
}
