//! Which schemas are forms, and what is read in them.

use super::*;

fn options(values: &[(&str, Option<&str>)]) -> Vec<ChoiceOption> {
    let option = |(value, title): &(&str, Option<&str>)| ChoiceOption {
        value: (*value).into(),
        title: title.map(Into::into),
    };
    values.iter().map(option).collect()
}

/// EF-010: every shape of every revision is read as what it is.
#[test]
fn each_kind_of_field_is_read() {
    let text = |min_length, max_length, format: Option<&str>, default: Option<&str>| FieldKind::Text {
        min_length,
        max_length,
        pattern: None,
        format: format.map(Into::into),
        default: default.map(Into::into),
    };
    let titled = options(&[("eu1", Some("Europe")), ("us1", None)]);
    let plain = options(&[("blue", None), ("green", None)]);
    let cases = [
        (json!({"type": "string"}), text(None, None, None, None)),
        (
            json!({"type": "string", "minLength": 2, "maxLength": 9, "default": "Oslo"}),
            text(Some(2), Some(9), None, Some("Oslo")),
        ),
        (
            json!({"type": "string", "format": "email", "default": "a@b.no"}),
            text(None, None, Some("email"), Some("a@b.no")),
        ),
        (
            json!({"type": "integer", "minimum": 1, "maximum": 9, "default": 2}),
            FieldKind::Number {
                integer: true,
                minimum: Some(1.0),
                maximum: Some(9.0),
                default: Some(2.0),
            },
        ),
        (
            json!({"type": "number", "default": 0.5}),
            FieldKind::Number {
                integer: false,
                minimum: None,
                maximum: None,
                default: Some(0.5),
            },
        ),
        (json!({"type": "boolean"}), FieldKind::Boolean { default: None }),
        (
            json!({"type": "boolean", "default": false}),
            FieldKind::Boolean { default: Some(false) },
        ),
        (
            json!({"type": "string", "enum": ["eu1", "us1"], "enumNames": ["Europe", "us1"]}),
            FieldKind::Choice {
                options: titled.clone(),
                default: None,
            },
        ),
        (
            json!({"type": "string", "enum": ["blue", "green"], "enumNames": ["one too few"], "default": "green"}),
            FieldKind::Choice {
                options: plain.clone(),
                default: Some("green".into()),
            },
        ),
        (
            json!({"type": "string", "oneOf": [{"const": "eu1", "title": "Europe"}, {"const": "us1", "title": "us1"}]}),
            FieldKind::Choice {
                options: titled.clone(),
                default: None,
            },
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["blue", "green"]}, "maxItems": 1, "default": ["blue"]}),
            FieldKind::Choices {
                options: plain,
                min_items: None,
                max_items: Some(1),
                default: vec!["blue".into()],
            },
        ),
        (
            json!({"type": "array", "items": {"anyOf": [{"const": "eu1", "title": "Europe"}, {"const": "us1", "title": ""}]}, "minItems": 1}),
            FieldKind::Choices {
                options: options(&[("eu1", Some("Europe")), ("us1", None)]),
                min_items: Some(1),
                max_items: None,
                default: vec![],
            },
        ),
        // As generators write what may be left out.
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}),
            text(None, None, None, None),
        ),
        (
            json!({"type": ["boolean", "null"]}),
            FieldKind::Boolean { default: None },
        ),
    ];
    for (schema, kind) in cases {
        let form = one(schema.clone()).unwrap_or_else(|error| panic!("{schema}: {error}"));
        assert_eq!(form.fields[0].kind, kind, "{schema}");
    }
}

/// EF-020.
#[test]
fn the_fields_keep_the_order_of_the_server() {
    let form = read(
        r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"boolean"},"m":{"type":"number"}}}"#,
    );
    let names: Vec<String> = form.unwrap().fields.into_iter().map(|field| field.name).collect();
    assert_eq!(names, ["z", "a", "m"]);
}

/// EF-010: what is not a form of the protocol is refused with a sentence, never shown in part.
#[test]
fn what_is_no_form_is_refused() {
    let cases = [
        (json!({"type": "object"}), "properties"),
        (
            json!({"type": "object", "properties": {"it": {"type": "object"}}}),
            "object",
        ),
        (
            json!({"type": "object", "properties": {"it": {"properties": {}}}}),
            "properties",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "array", "items": {"type": "string"}}}}),
            "choice",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "array", "items": {"type": "number", "enum": [1]}}}}),
            "texts",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "string", "$ref": "file:///etc/passwd"}}}),
            "$ref",
        ),
        (
            json!({"type": "object", "properties": {"it": {"anyOf": [{"type": "string"}, {"type": "number"}]}}}),
            "several",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "string", "enum": []}}}),
            "nothing to choose",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "string", "enum": ["a", "a"]}}}),
            "twice",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "string", "minLength": 5, "maxLength": 4}}}),
            "minLength",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "number", "minimum": 2, "maximum": 1}}}),
            "minimum",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "array", "items": {"enum": ["a"]}, "minItems": 2}}}),
            "more has to be chosen",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "string", "minLength": -1}}}),
            "minLength",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "string", "title": 4}}}),
            "title",
        ),
        (
            json!({"type": "object", "properties": {"it": {"type": "string"}}, "required": ["other"]}),
            "other",
        ),
        (
            json!({"type": "object", "allOf": [], "properties": {"it": {"type": "string"}}}),
            "allOf",
        ),
        (json!({"type": "array", "properties": {}}), "type object"),
        (json!([]), "no flat object"),
        (
            json!({"type": "object", "properties": {"it": true}}),
            "no flat object",
        ),
    ];
    for (schema, names) in cases {
        match read(&schema.to_string()) {
            Err(NoForm(why)) => assert!(why.contains(names), "{schema}: {why}"),
            Ok(form) => panic!("{schema} became {form:?}"),
        }
    }
    let twice = r#"{"type":"object","properties":{"it":{"type":"string"},"it":{"type":"number"}}}"#;
    assert!(read(twice).unwrap_err().0.contains("two fields"));
}

/// E2, E7: what nobody could read is not shown.
#[test]
fn what_is_too_large_to_be_read_is_refused() {
    let many: Map<String, Value> = (0..10_000)
        .map(|n| (format!("f{n}"), json!({"type": "string"})))
        .collect();
    let many = json!({"type": "object", "properties": many});
    assert!(read(&many.to_string()).unwrap_err().0.contains("fields"));
    let more: Map<String, Value> = (0..201)
        .map(|n| (format!("f{n}"), json!({"type": "string"})))
        .collect();
    let more = json!({"type": "object", "properties": more});
    assert!(read(&more.to_string()).unwrap_err().0.contains("fields"));
    let message = "x".repeat(1024 * 1024);
    let long = Form::read(
        &message,
        r#"{"type":"object","properties":{"it":{"type":"string"}}}"#,
    );
    assert!(long.unwrap_err().0.contains("message"));
    assert!(one(json!({"type": "string", "title": "x".repeat(10_000)})).is_err());
    let options: Vec<String> = (0..501).map(|n| n.to_string()).collect();
    assert!(one(json!({"type": "string", "enum": options})).is_err());
}

/// EF-012, EF-017: a suggestion that breaks its own rules is shown and not filled in; a secret starts empty.
#[test]
fn only_a_suggestion_that_fits_is_filled_in() {
    let broken = one(json!({"type": "integer", "maximum": 9, "default": 12})).unwrap();
    assert_eq!(broken.fields[0].broken_default.as_deref(), Some("12"));
    assert!(matches!(
        broken.fields[0].kind,
        FieldKind::Number { default: None, .. }
    ));
    let wrong = one(json!({"type": "boolean", "default": "yes"})).unwrap();
    assert_eq!(wrong.fields[0].broken_default.as_deref(), Some("yes"));
    let secret = one(json!({"type": "string", "title": "Password", "default": "hunter2"})).unwrap();
    assert!(matches!(
        &secret.fields[0],
        FormField {
            secret: true,
            kind: FieldKind::Text { default: None, .. },
            ..
        }
    ));
}

/// A form without fields asks for a yes to its message, which is a question too.
#[test]
fn a_form_without_fields_is_a_question_all_the_same() {
    let form = read(r#"{"type":"object","properties":{}}"#).unwrap();
    assert_eq!(form.invalid_fields(&Map::new()), []);
}

/// E7: up to its bounds everything is read, and nothing beyond them.
#[test]
fn a_form_is_read_up_to_its_bounds() {
    let text = |length: usize| "x".repeat(length);
    let read_with = |message: usize, name: usize, title: usize| {
        let fields = json!({text(name): {"type": "string", "title": text(title)}});
        let schema = json!({"type": "object", "properties": fields}).to_string();
        Form::read(&text(message), &schema).is_ok()
    };
    assert!(read_with(65_536, 256, 8192));
    assert!(!read_with(65_537, 256, 8192));
    assert!(!read_with(65_536, 257, 8192));
    assert!(!read_with(65_536, 256, 8193));
    let padded = |length: usize| {
        let schema = r#"{"type":"object","properties":{"it":{"type":"string"}}}"#;
        read(&(schema.to_owned() + &" ".repeat(length - schema.len()))).is_ok()
    };
    assert!(padded(262_144));
    assert!(!padded(262_145) && !padded(300_000));
    let choice = |options: Vec<String>| one(json!({"type": "string", "enum": options})).is_ok();
    let numbers = |count: usize| (0..count).map(|n| n.to_string()).collect();
    assert!(choice(numbers(500)) && !choice(numbers(501)));
    assert!(choice(vec![text(8192)]) && !choice(vec![text(8193)]));
    let titled = |title: usize| {
        let options = json!([{"const": "a", "title": text(title)}]);
        one(json!({"type": "string", "oneOf": options})).is_ok()
    };
    assert!(titled(8192) && !titled(8193));
}

#[test]
fn bounds_that_meet_are_no_contradiction() {
    for field in [
        json!({"type": "string", "minLength": 0, "maxLength": 0}),
        json!({"type": "string", "minLength": 3, "maxLength": 3}),
        json!({"type": "number", "minimum": 1, "maximum": 1}),
        json!({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "maxItems": 2}),
    ] {
        assert!(one(field.clone()).is_ok(), "{field}");
    }
}

/// EF-010: the server reads what it should have sent.
#[test]
fn a_refusal_names_what_was_expected() {
    let NoForm(why) = read(r#"{"type":"object","properties":[]}"#).unwrap_err();
    assert!(why.contains("expected fields by name"), "{why}");
}

/// Two questions that ask exactly the same can be answered together, also where a pattern is part of them.
#[test]
fn the_same_schema_is_the_same_form() {
    let form = |pattern: &str| one(json!({"type": "string", "pattern": pattern})).unwrap();
    assert_eq!(form("^a+$"), form("^a+$"));
    assert_ne!(form("^a+$"), form("^b+$"));
}
