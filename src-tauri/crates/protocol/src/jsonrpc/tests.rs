//! Writing and reading against each other.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Any value that JSON has, not deep.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(".{0,8}", inner, 0..4)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn any_id() -> impl Strategy<Value = RequestId> {
    prop_oneof![
        any::<i64>().prop_map(RequestId::Number),
        ".{0,40}".prop_map(RequestId::Text)
    ]
}

fn read_answer(frame: &[u8]) -> (Option<RequestId>, Result<RpcResultBuf, RpcError>) {
    match parse(frame) {
        Ok(Frame::One(Message::Response { id, outcome })) => (id, outcome.map(RpcResult::to_buf)),
        other => panic!("not an answer: {other:?}"),
    }
}

proptest! {
    /// BASE-001, BASE-002, BASE-005.
    #[test]
    fn a_result_is_read_as_it_was_written(id in any_id(), result in any_value()) {
        let frame = encode_result(&id, &result).unwrap();
        let (read_id, outcome) = read_answer(&frame);
        prop_assert_eq!(read_id, Some(id));
        let read = outcome.unwrap();
        prop_assert_eq!(read.raw().get(), result.to_string());
    }

    /// BASE-005, BASE-007.
    #[test]
    fn an_error_is_read_as_it_was_written(id in any_id(), code in any::<i64>(), message in ".*", data in any_value()) {
        let error = RpcError {
            data: Some(serde_json::value::to_raw_value(&data).unwrap()),
            ..RpcError::new(code, message)
        };
        let (read_id, outcome) = read_answer(&encode_error(&id, &error).unwrap());
        prop_assert_eq!(read_id, Some(id));
        if data.is_null() {
            // No data and data that is nothing say the same.
            prop_assert_eq!(outcome.unwrap_err().code, code);
        } else {
            prop_assert_eq!(outcome.unwrap_err(), error);
        }
    }

    /// BASE-008.
    #[test]
    fn a_notification_is_never_read_as_something_to_answer(method in ".{1,40}", params in any_value()) {
        let params = json!({ "x": params });
        let frame = encode_notification(&method, Some(&params)).unwrap();
        let Ok(Frame::One(Message::Notification { method: read, params: Some(raw) })) = parse(&frame) else {
            panic!("not a notification")
        };
        prop_assert_eq!(read, method);
        prop_assert_eq!(raw.get(), params.to_string());
    }

    /// A frame that is cut anywhere is no message.
    #[test]
    fn no_part_of_a_message_is_a_message(id in any_id(), result in any_value(), at in any::<prop::sample::Index>()) {
        let frame = encode_result(&id, &result).unwrap();
        let cut = &frame[..at.index(frame.len())];
        prop_assert!(parse(cut).is_err());
    }
}

/// BASE-007.
#[test]
fn a_code_is_a_whole_number_and_data_is_anything() {
    for code in ["1.5", "\"1\"", "null", "[]", "1e400", "99999999999999999999"] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"m"}}}}"#);
        let error = parse(frame.as_bytes()).expect_err(code);
        assert_eq!(error.answers, Some(RequestId::Number(1)), "{code}");
    }
    for data in ["0", "\"\"", "[1]", "{}", "false"] {
        let frame =
            format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-1,"message":"m","data":{data}}}}}"#);
        let (_, outcome) = read_answer(frame.as_bytes());
        assert_eq!(outcome.unwrap_err().data.unwrap().get(), data);
    }
}
