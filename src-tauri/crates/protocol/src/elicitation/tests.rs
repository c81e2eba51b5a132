use serde_json::json;

use super::*;

fn raw(text: &str) -> RawJson<'_> {
    serde_json::from_str::<&RawValue>(text).unwrap().into()
}

/// EF-010, EF-020.
#[test]
fn a_form_needs_its_words_and_keeps_its_schema_byte_for_byte() {
    let read = |text: &str| ElicitForm::read(raw(text));
    let form = read(r#"{"message":"?", "requestedSchema":{"z": 1,"a":2 },"x":1}"#).unwrap();
    assert_eq!(
        (form.message.as_str(), form.requested_schema.get()),
        ("?", r#"{"z": 1,"a":2 }"#)
    );
    let long = format!(
        r#"{{"message":"{}","requestedSchema":{{}}}}"#,
        "x".repeat(MAX_MESSAGE_BYTES + 1)
    );
    let huge = format!(
        r#"{{"message":"","requestedSchema":{{"a":"{}"}}}}"#,
        "x".repeat(MAX_REQUEST_BYTES)
    );
    for text in [
        r#"{"requestedSchema":{}}"#,
        r#"{"message":"?"}"#,
        r#"{"message":5,"requestedSchema":{}}"#,
        r#"{"message":"?","requestedSchema":[]}"#,
        r#"{"message":"?","requestedSchema":{},"requestedSchema":{}}"#,
        long.as_str(),
        huge.as_str(),
    ] {
        assert!(read(text).is_err(), "{}", &text[..text.len().min(60)]);
    }
}

/// EU-002.
#[test]
fn a_visit_names_its_address_and_in_one_revision_itself() {
    let read = |params: Value, with_id: bool| ElicitUrl::read(raw(&params.to_string()), with_id);
    let whole = json!({"mode": "url", "message": "sign in", "url": "https://a.test", "elicitationId": "e"});
    assert_eq!(
        read(whole.clone(), true).unwrap().elicitation_id.as_deref(),
        Some("e")
    );
    assert_eq!(read(whole.clone(), false).unwrap().elicitation_id, None);
    for (member, value) in [
        ("url", json!("")),
        ("url", json!(5)),
        ("url", json!("x".repeat(9000))),
        ("elicitationId", json!("")),
        ("elicitationId", json!(null)),
        ("message", json!(null)),
        ("message", json!("x".repeat(70_000))),
    ] {
        let mut params = whole.clone();
        params[member] = value;
        assert!(read(params, true).is_err(), "{member}");
    }
}

/// EF-014, EF-015, EU-013.
#[test]
fn an_answer_has_content_only_where_a_form_was_filled_in() {
    let content = json!({"n": 2, "b": true, "t": ["x"]})
        .as_object()
        .cloned()
        .unwrap();
    assert_eq!(
        serde_json::to_value(ElicitResult::filled(content)).unwrap(),
        json!({"action": "accept", "content": {"n": 2, "b": true, "t": ["x"]}})
    );
    for (action, name) in [
        (ElicitAction::Accept, "accept"),
        (ElicitAction::Decline, "decline"),
        (ElicitAction::Cancel, "cancel"),
    ] {
        assert_eq!(
            serde_json::to_value(ElicitResult::bare(action)).unwrap(),
            json!({"action": name})
        );
    }
}
