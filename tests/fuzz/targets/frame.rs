//! Any bytes as a frame: nothing panics, and what is read as a message can be written and read again as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use vestibule_protocol::json::RawJson;
use vestibule_protocol::jsonrpc::{Frame, Message, encode_notification, encode_request, parse};
use vestibule_protocol::mcp::{CallToolResult, InitializeResult, LogMessage, Progress};

fuzz_target!(|bytes: &[u8]| {
    let Ok(frame) = parse(bytes) else { return };
    match frame {
        Frame::One(message) => look_into(message),
        Frame::Batch(messages) => messages.into_iter().flatten().for_each(look_into),
    }
});

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
            let _ = CallToolResult::read(result);
            let _ = serde_json::from_str::<InitializeResult>(result.get());
        }
        Message::Response { outcome: Err(_), .. } => {}
    }
}
