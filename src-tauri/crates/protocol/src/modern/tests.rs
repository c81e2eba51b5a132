use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::jsonrpc::{Frame, Message, parse};
use crate::mcp::CacheScope;

fn raw(text: &str) -> RawJson<'_> {
    serde_json::from_str::<&RawValue>(text).unwrap().into()
}

fn kind(value: &Value) -> Result<ResultKind, BrokenResult> {
    kind_of(&value.to_string())
}

/// The kind of a result that stands in a frame.
fn kind_of(result: &str) -> Result<ResultKind, BrokenResult> {
    let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    match parse(frame.as_bytes()) {
        Ok(Frame::One(Message::Response {
            outcome: Ok(result), ..
        })) => ResultKind::read(result),
        other => panic!("{result} was read as {other:?}"),
    }
}

fn required(value: &Value) -> Result<InputRequired, BrokenResult> {
    match kind(value)? {
        ResultKind::InputRequired(needed) => Ok(needed),
        ResultKind::Complete(_) | ResultKind::Task => panic!("{value} was read as complete"),
    }
}

/// META-004, META-005, PS-001.
#[test]
fn a_modern_request_says_everything_about_itself_and_a_legacy_one_only_its_token() {
    let client = Implementation {
        name: "c".into(),
        version: "1".into(),
        ..Implementation::default()
    };
    let client = serde_json::value::to_raw_value(&client).unwrap();
    let capabilities = serde_json::value::to_raw_value(&json!({"roots": {}})).unwrap();
    let modern = RequestMeta {
        protocol_version: Some(Revision::NEWEST),
        client_info: Some(&client),
        client_capabilities: Some(&capabilities),
        log_level: Some(LogLevel::Warning),
        progress_token: Some(7),
    };
    assert_eq!(
        serde_json::to_value(&modern).unwrap(),
        json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
            "io.modelcontextprotocol/logLevel": "warning", "progressToken": 7})
    );
    let legacy = RequestMeta {
        progress_token: Some(7),
        ..RequestMeta::default()
    };
    assert_eq!(
        serde_json::to_value(&legacy).unwrap(),
        json!({"progressToken": 7})
    );
}

/// BASE-013, BASE-014, CA-001.
#[test]
fn a_result_without_a_kind_is_complete_and_one_of_an_unknown_kind_is_none() {
    let complete = [
        json!({}),
        json!({"resultType": null}),
        json!({"resultType": "complete", "x": [1]}),
    ];
    for result in complete {
        assert!(matches!(kind(&result), Ok(ResultKind::Complete(hint)) if hint == CacheHint::default()));
    }
    let hinted = json!({"resultType": "complete", "ttlMs": 2500, "cacheScope": "public"});
    let expected = CacheHint {
        ttl: Duration::from_millis(2500),
        scope: CacheScope::Public,
    };
    assert!(matches!(kind(&hinted), Ok(ResultKind::Complete(hint)) if hint == expected));
    for result in [
        json!({"resultType": "tasks"}),
        json!({"resultType": "Complete"}),
        json!({"resultType": 1}),
        json!([]),
    ] {
        assert!(kind(&result).is_err(), "{result}");
    }
    assert!(kind_of(r#"{"resultType":"complete","resultType":"input_required"}"#).is_err());
}

/// MR-002, MR-005, MR-011.
#[test]
fn what_a_server_needs_is_read_in_its_order_or_refused() {
    let both = kind_of(
        r#"{"resultType":"input_required","requestState":"s","inputRequests":
           {"z":{"method":"roots/list"},"a":{"method":"elicitation/create","params":{"message":"?"}}}}"#,
    );
    let Ok(ResultKind::InputRequired(needed)) = both else {
        panic!("not read")
    };
    let requests = needed.requests.unwrap().0;
    let names: Vec<&str> = requests.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["z", "a"]);
    assert_eq!(requests[1].1.params.as_ref().unwrap().get(), r#"{"message":"?"}"#);
    let only_state = required(&json!({"resultType": "input_required", "requestState": ""})).unwrap();
    assert!(only_state.requests.is_none() && only_state.state.unwrap().get() == r#""""#);

    let many: serde_json::Map<String, Value> = (0..=MAX_INPUT_REQUESTS)
        .map(|n| (n.to_string(), json!({"method": "roots/list"})))
        .collect();
    for wrong in [
        json!({}),
        json!({"inputRequests": {}}),
        json!({"requestState": null}),
        json!({"requestState": {"a": 1}}),
        json!({"requestState": 5}),
        json!({"requestState": "x".repeat(MAX_STATE_BYTES)}),
        json!({"inputRequests": []}),
        json!({"inputRequests": {"a": {}}}),
        json!({"inputRequests": {"a": "roots/list"}}),
        json!({"inputRequests": many}),
    ] {
        let mut result = wrong.clone();
        result["resultType"] = json!("input_required");
        assert!(required(&result).is_err(), "{wrong}");
    }
    let twice =
        r#"{"resultType":"input_required","inputRequests":{"a":{"method":"b"},"\u0061":{"method":"c"}}}"#;
    assert!(kind_of(twice).is_err());
}

/// DISC-001, META-007.
#[test]
fn a_discovery_needs_versions_and_nothing_else() {
    let read = |value: Value| serde_json::from_value::<DiscoverResult>(value);
    let least = read(json!({"supportedVersions": []})).unwrap();
    assert_eq!(least.server_info(), &Implementation::default());
    let most = read(
        json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}},
        "instructions": 5, "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}}),
    )
    .unwrap();
    assert!(most.capabilities.tools.unwrap().list_changed && most.instructions.is_none());
    assert_eq!(most.server_info().name, "s");
    for other in [
        json!({}),
        json!({"supportedVersions": "2026-07-28"}),
        json!({"supportedVersions": vec!["x"; 65]}),
    ] {
        assert!(read(other).is_err());
    }
}

/// NEG-002, NEG-003, ER-001.
#[test]
fn only_three_codes_are_evidence_of_the_modern_era() {
    let modern: Vec<i64> = (-32768..=0)
        .filter(|code| RpcError::new(*code, "").is_modern())
        .collect();
    assert_eq!(modern, [-32022, -32021, -32020]);
    let refusal = |code: i64, data: &str| RpcError {
        data: Some(raw(data).read().unwrap()),
        ..RpcError::new(code, "")
    };
    let named = refusal(
        -32022,
        r#"{"supported":["2026-07-28","2099-01-01"],"requested":"x"}"#,
    );
    assert_eq!(supported_versions(&named).unwrap(), ["2026-07-28", "2099-01-01"]);
    assert_eq!(supported_versions(&refusal(-32022, "{}")), Some(Vec::new()));
    assert_eq!(supported_versions(&RpcError::new(-32022, "")), Some(Vec::new()));
    assert_eq!(supported_versions(&refusal(-32602, r#"{"supported":[]}"#)), None);
}

/// SU-001, SU-004.
#[test]
fn a_filter_names_only_what_is_wanted_and_a_subscription_keeps_its_type() {
    let filter = SubscriptionFilter {
        tools_list_changed: true,
        resource_subscriptions: BTreeSet::from(["x://a".to_owned()]),
        ..SubscriptionFilter::default()
    };
    let written = json!({"toolsListChanged": true, "resourceSubscriptions": ["x://a"]});
    assert_eq!(serde_json::to_value(&filter).unwrap(), written);
    assert_eq!(
        serde_json::from_value::<SubscriptionFilter>(written).unwrap(),
        filter
    );
    assert!(SubscriptionFilter::default().is_empty());
    let of = |value: Value| subscription_of(raw(&json!({"_meta": value}).to_string()));
    let key = "io.modelcontextprotocol/subscriptionId";
    assert_eq!(of(json!({key: 5})), Some(RequestId::Number(5)));
    assert_eq!(of(json!({key: "5"})), Some(RequestId::Text("5".into())));
    assert_eq!(of(json!({key: null})), None);
    assert_eq!(subscription_of(raw("{}")), None);
}

/// Any JSON string, also one that cannot be decoded: escapes, half surrogates, other alphabets.
fn json_string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[^\"\\\\\u{0}-\u{1f}]{1,8}",
        prop::sample::select(vec!["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"])
            .prop_map(str::to_owned),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04x}")),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04X}")),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

proptest! {
    /// MR-006.
    #[test]
    fn the_state_to_carry_back_survives_byte_for_byte(state in json_string()) {
        let result = format!(r#"{{"resultType":"input_required","requestState": {state} }}"#);
        let Ok(ResultKind::InputRequired(needed)) = kind_of(&result) else {
            panic!("{result} was not read")
        };
        let kept = needed.state.expect("a state");
        prop_assert_eq!(kept.get(), state.as_str());
        #[derive(Serialize)]
        struct Params<'a> { state: &'a RawValue }
        let frame = crate::jsonrpc::encode_request(&RequestId::Number(1), "m", Some(&Params { state: &kept })).unwrap();
        let frame = String::from_utf8(frame).unwrap();
        let written = format!("\"state\":{state}");
        prop_assert!(frame.contains(&written));
    }
}
