//! What counts as a message, and what is said of what does not.

use proptest::prelude::*;
use serde::Deserializer;

use super::*;

fn one(text: &str) -> Message<'_> {
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
    let told = one("\u{c} {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\u{c}\n");
    assert!(matches!(told, Message::Notification { params: None, .. }));
    let good = one(r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
    assert!(
        matches!(good, Message::Response { id: Some(RequestId::Number(1)), outcome: Ok(result) }
        if result.raw().get() == "null")
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

/// A message as serde_json reads it into a tree, for comparison: its members, if it is an object with each only once.
fn members(text: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    #[derive(Deserialize)]
    struct Strict {
        #[serde(default, deserialize_with = "present")]
        jsonrpc: Option<Box<RawValue>>,
        #[serde(default, deserialize_with = "present")]
        id: Option<Box<RawValue>>,
        #[serde(default, deserialize_with = "present")]
        method: Option<Box<RawValue>>,
        #[serde(default, deserialize_with = "present")]
        params: Option<Box<RawValue>>,
        #[serde(default, deserialize_with = "present")]
        result: Option<Box<RawValue>>,
        #[serde(default, deserialize_with = "present")]
        error: Option<Box<RawValue>>,
    }
    fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Some)
    }
    let strict: Strict = serde_json::from_str(text).ok()?;
    let named = [
        ("jsonrpc", strict.jsonrpc),
        ("id", strict.id),
        ("method", strict.method),
        ("params", strict.params),
        ("result", strict.result),
        ("error", strict.error),
    ];
    let read = |raw: &RawValue| serde_json::from_str(raw.get()).ok();
    let named = named.into_iter().filter_map(|(name, raw)| Some((name, raw?)));
    named
        .map(|(name, raw)| Some((name.to_owned(), read(&raw)?)))
        .collect()
}

/// Texts that are messages, nearly messages, or neither.
fn any_message() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("1"),
        Just("0"),
        Just("-0"),
        Just("-7"),
        Just("12345678901234567890"),
        Just("9223372036854775807"),
        Just("9223372036854775808"),
        Just("1.0"),
        Just("1e3"),
        Just("01"),
        Just("\"2.0\""),
        Just("\"a\""),
        Just("\"\\u0061\""),
        Just("null"),
        Just("true"),
        Just("{}"),
        Just("{\"code\":1}"),
        Just("[1,{\"a\":[]}]"),
        Just("{\"x\":\"\\\"}\"}"),
        Just("{\"x\""),
        Just("\"a"),
    ];
    let name = prop_oneof![
        4 => Just("jsonrpc"), 3 => Just("id"), 3 => Just("method"), 2 => Just("params"), 2 => Just("result"),
        1 => Just("error"), 1 => Just("Id"), 1 => Just("extra"), 1 => Just("\\u0069d"),
    ];
    let version = Just(("jsonrpc", "\"2.0\"")).boxed();
    let member = prop_oneof![1 => version, 4 => (name, value)];
    let is_named = prop_oneof![3 => Just(true), 1 => Just(false)];
    (is_named, proptest::collection::vec(member, 0..5)).prop_map(|(is_named, members)| {
        let named = is_named.then_some(("jsonrpc", "\"2.0\""));
        let members: Vec<String> = named
            .iter()
            .chain(&members)
            .map(|(name, value)| format!("\"{name}\": {value}"))
            .collect();
        format!("{{{}}}", members.join(" ,"))
    })
}

proptest! {
    /// What is read as a message is what serde_json reads as a tree, and what serde_json refuses is never a message.
    #[test]
    fn a_message_says_what_serde_json_reads(text in any_message()) {
        let Ok(Frame::One(read)) = parse(text.as_bytes()) else { return Ok(()) };
        let members = members(&text).expect("each member once, and all of them JSON");
        let value = |raw: RawJson<'_>| raw.read::<serde_json::Value>().unwrap();
        let id = |id: &RequestId| serde_json::to_value(id).unwrap();
        prop_assert_eq!(&members["jsonrpc"], "2.0");
        match read {
            Message::Request { id: read, method, params } => {
                prop_assert_eq!(Some(id(&read)), members.get("id").cloned());
                prop_assert_eq!(&members["method"], &*method);
                prop_assert_eq!(params.map(value), members.get("params").filter(|params| !params.is_null()).cloned());
            }
            Message::Notification { method, params } => {
                prop_assert!(!members.contains_key("id"));
                prop_assert_eq!(&members["method"], &*method);
                prop_assert_eq!(params.map(value), members.get("params").filter(|params| !params.is_null()).cloned());
            }
            Message::Response { id: read, outcome } => {
                let named = members.get("id").filter(|id| !id.is_null());
                prop_assert_eq!(read.as_ref().map(id), named.cloned());
                prop_assert_eq!(outcome.ok().map(RpcResult::raw).map(value), members.get("result").cloned());
            }
        }
    }

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
        prop_assert_eq!((read_id, read.into_owned()), (id, method));
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(raw.get()).unwrap(), params);
    }
}
