use serde_json::json;

use super::*;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn form(schema: &str) -> Result<ElicitForm, BrokenRequest> {
    ElicitForm::read(&raw(&format!(r#"{{"message":"?","requestedSchema":{schema}}}"#)))
}

fn one(property: Value) -> Result<FieldKind, BrokenRequest> {
    let schema = json!({"type": "object", "properties": {"a": property}});
    form(&schema.to_string()).map(|mut form| form.fields.remove(0).kind)
}

/// EF-010, EF-012, EF-020.
#[test]
fn fields_keep_the_order_of_the_server_and_the_schema_its_bytes() {
    let schema = r#"{"type":"object", "required":["z"],"properties":{"z":{"type":"boolean","default":true,
        "title":"Z","description":"last letter"}, "a":{"type":"string"},"m":{"type":"integer"}}}"#;
    let form = form(schema).unwrap();
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["z", "a", "m"]);
    assert_eq!(form.requested_schema.get(), schema);
    let first = &form.fields[0];
    assert!(first.required && !form.fields[1].required);
    assert_eq!(
        (first.title.as_deref(), first.description.as_deref()),
        (Some("Z"), Some("last letter"))
    );
    assert_eq!(first.kind, FieldKind::Truth { default: Some(true) });
}

/// EF-010, EF-012.
#[test]
fn every_kind_of_field_is_read() {
    assert_eq!(
        one(
            json!({"type": "string", "minLength": 2, "maxLength": 9, "pattern": "^a", "format": "date-time",
            "default": "abc"})
        ),
        Ok(FieldKind::Text {
            min_length: Some(2),
            max_length: Some(9),
            pattern: Some("^a".into()),
            format: Some(TextFormat::DateTime),
            default: Some("abc".into())
        })
    );
    assert_eq!(
        one(json!({"type": "integer", "minimum": 1, "maximum": 9, "default": 2.5})),
        Ok(FieldKind::Number {
            whole: true,
            minimum: Some(1.0),
            maximum: Some(9.0),
            default: None
        })
    );
    let option = |value: &str, label: &str| FormOption {
        value: value.into(),
        label: label.into(),
    };
    let options = vec![option("e", "Europe"), option("u", "US")];
    let titled = json!([{"const": "e", "title": "Europe"}, {"const": "u", "title": "US"}]);
    for single in [
        json!({"type": "string", "enum": ["e", "u"], "enumNames": ["Europe", "US"], "default": "u"}),
        json!({"type": "string", "oneOf": titled, "default": "u"}),
    ] {
        let expected = FieldKind::Choice {
            options: options.clone(),
            default: Some("u".into()),
        };
        assert_eq!(one(single), Ok(expected));
    }
    let unlabelled =
        one(json!({"type": "string", "enum": ["e"], "enumNames": ["Europe", "US"], "default": "x"}));
    assert_eq!(
        unlabelled,
        Ok(FieldKind::Choice {
            options: vec![option("e", "e")],
            default: None
        })
    );
    let several = |items: Value| json!({"type": "array", "items": items, "minItems": 1, "maxItems": 2, "default": ["u", "x"]});
    let expected = |options| FieldKind::Choices {
        options,
        min_items: Some(1),
        max_items: Some(2),
        default: vec!["u".into()],
    };
    assert_eq!(one(several(json!({"anyOf": titled}))), Ok(expected(options)));
    let plain = vec![option("e", "e"), option("u", "u")];
    assert_eq!(
        one(several(json!({"type": "string", "enum": ["e", "u"]}))),
        Ok(expected(plain))
    );
}

/// EF-010.
#[test]
fn a_form_that_is_more_than_simple_fields_is_refused_whole() {
    for property in [
        json!({"type": "object", "properties": {}}),
        json!({"type": "array", "items": {"type": "object"}}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "array"}),
        json!({"type": ["string", "null"]}),
        json!({"type": "null"}),
        json!({}),
        json!(true),
        json!({"$ref": "#/a"}),
        json!({"type": "string", "allOf": [{}]}),
        json!({"type": "string", "enum": []}),
        json!({"type": "string", "enum": ["a", "a"]}),
        json!({"type": "string", "enum": [1]}),
        json!({"type": "integer", "enum": [1]}),
        json!({"type": "string", "oneOf": [{"title": "a"}]}),
        json!({"type": "string", "minLength": -1}),
        json!({"type": "number", "minimum": "1"}),
        json!({"type": "string", "title": 5}),
        json!({"type": "string", "description": "x".repeat(20_000)}),
        json!({"type": "string", "enum": (0..1025).map(|n| n.to_string()).collect::<Vec<_>>()}),
    ] {
        assert!(
            one(property.clone()).is_err(),
            "{}",
            &property.to_string()[..40.min(property.to_string().len())]
        );
    }
    let many: Map<String, Value> = (0..129)
        .map(|n| (n.to_string(), json!({"type": "string"})))
        .collect();
    for schema in [
        "{}".to_owned(),
        r#"{"type":"object"}"#.to_owned(),
        r#"{"type":"array","properties":{}}"#.to_owned(),
        r#"{"type":"object","properties":[]}"#.to_owned(),
        r#"{"type":"object","properties":{},"required":["a"]}"#.to_owned(),
        r#"{"type":"object","properties":{},"if":{}}"#.to_owned(),
        r#"{"type":"object","properties":{},"anyOf":[]}"#.to_owned(),
        r#"{"type":"object","properties":{"a":{"type":"string"},"\u0061":{"type":"boolean"}}}"#.to_owned(),
        r#"{"type":"object","properties":{"":{"type":"string"}}}"#.to_owned(),
        json!({"type": "object", "properties": many}).to_string(),
    ] {
        assert!(form(&schema).is_err(), "{}", &schema[..60.min(schema.len())]);
    }
    assert!(ElicitForm::read(&raw(r#"{"requestedSchema":{"type":"object","properties":{}}}"#)).is_err());
    assert!(
        form(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{}}"#)
            .is_ok()
    );
}

/// EU-002.
#[test]
fn a_visit_names_its_address_and_in_one_revision_itself() {
    let read = |params: Value, with_id: bool| ElicitUrl::read(&raw(&params.to_string()), with_id);
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
