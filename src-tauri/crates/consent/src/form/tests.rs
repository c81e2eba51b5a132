//! Which schemas are forms, and which answers fit them.

use serde_json::{Map, Value, json};

use super::*;

fn read(schema: &str) -> Result<Form, NoForm> {
    Form::read("Where to?", schema)
}

/// A form with one field, which is required.
fn one(field: Value) -> Result<Form, NoForm> {
    let schema = json!({ "type": "object", "properties": { "it": field }, "required": ["it"] });
    read(&schema.to_string())
}

fn problem(form: &Form, value: Value) -> Option<FieldProblem> {
    let mut content = Map::new();
    content.insert("it".into(), value);
    form.misfits(&content).pop().map(|misfit| misfit.problem)
}

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
                options: options(&[("eu1", Some("Europe")), ("us1", Some(""))]),
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

/// EF-011, EF-015: the same rules while typing and before sending.
#[test]
fn each_misfit_is_named() {
    use FieldProblem as P;
    let format = |name: &str| Some(P::Format { format: name.into() });
    let text = json!({"type": "string", "minLength": 2, "maxLength": 3});
    let pattern = json!({"type": "string", "pattern": "^[a-z]+$"});
    let (email, uri) = (
        json!({"type": "string", "format": "email"}),
        json!({"type": "string", "format": "uri"}),
    );
    let (date, time) = (
        json!({"type": "string", "format": "date"}),
        json!({"type": "string", "format": "date-time"}),
    );
    let whole = json!({"type": "integer", "minimum": 1, "maximum": 9});
    let choice = json!({"type": "string", "enum": ["a", "b"]});
    let choices = json!({"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 1, "maxItems": 2});
    let cases = [
        (&text, json!("é"), Some(P::TooShort { least: 2 })),
        (&text, json!("日本"), None),
        (&text, json!("😀😀😀"), None),
        (&text, json!("abcd"), Some(P::TooLong { most: 3 })),
        (&text, json!(4), Some(P::Foreign)),
        (&pattern, json!("abc"), None),
        (
            &pattern,
            json!("aBc"),
            Some(P::Pattern {
                pattern: "^[a-z]+$".into(),
            }),
        ),
        (&email, json!("ada@example.org"), None),
        (&email, json!("ada@"), format("email")),
        (&email, json!("ada@ex ample.org"), format("email")),
        (&email, json!("a@b@c.org"), format("email")),
        (&uri, json!("https://example.org/a?b#c"), None),
        (&uri, json!("urn:isbn:0451450523"), None),
        (&uri, json!("example.org"), format("uri")),
        (&uri, json!("https://example.org/a b"), format("uri")),
        (&date, json!("2026-02-28"), None),
        (&date, json!("2026-02-30"), format("date")),
        (&date, json!("28.2.2026"), format("date")),
        (&time, json!("2026-11-21T12:00:00Z"), None),
        (&time, json!("2026-11-21T12:00:00.5+02:00"), None),
        (&time, json!("2026-11-21T12:00:00"), format("date-time")),
        (&time, json!("2026-11-21T25:00:00Z"), format("date-time")),
        (&whole, json!(1), None),
        (&whole, json!(2.0), None),
        (&whole, json!(1.5), Some(P::NotWhole)),
        (&whole, json!(0), Some(P::TooSmall { least: 1.0 })),
        (&whole, json!(10), Some(P::TooLarge { most: 9.0 })),
        (&whole, json!("3"), Some(P::NotANumber)),
        (&choice, json!("b"), None),
        (&choice, json!("c"), Some(P::NoOption)),
        (&choices, json!(["a", "c"]), None),
        (&choices, json!([]), Some(P::TooFew { least: 1 })),
        (&choices, json!(["a", "b", "c"]), Some(P::TooMany { most: 2 })),
        (&choices, json!(["a", "a"]), Some(P::NoOption)),
        (&choices, json!("a"), Some(P::Foreign)),
        (&json!({"type": "boolean"}), json!(false), None),
        (&json!({"type": "boolean"}), json!("false"), Some(P::Foreign)),
        (&json!({"type": "string"}), Value::Null, Some(P::Foreign)),
    ];
    for (schema, value, expected) in cases {
        assert_eq!(
            problem(&one(schema.clone()).unwrap(), value.clone()),
            expected,
            "{schema} {value}"
        );
    }
}

/// EF-013: what is optional may be left out, what is required may not, and nothing else may come along.
#[test]
fn an_answer_holds_the_fields_of_the_form_and_no_others() {
    let form = read(
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}"#,
    )
    .unwrap();
    let wrong = |content: Value| form.misfits(content.as_object().unwrap());
    assert_eq!(wrong(json!({"a": "x"})), []);
    assert_eq!(
        wrong(json!({})),
        [Misfit {
            field: "a".into(),
            problem: FieldProblem::Missing
        }]
    );
    let more = wrong(json!({"a": "x", "hidden": 1}));
    assert_eq!(
        more,
        [Misfit {
            field: "hidden".into(),
            problem: FieldProblem::Foreign
        }]
    );
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

/// T7: a pattern made to hang is answered at once, and one the engine can not take is not pretended to be checked.
#[test]
fn no_pattern_can_hang_the_check() {
    let started = std::time::Instant::now();
    let form = one(json!({"type": "string", "pattern": "^(a+)+$"})).unwrap();
    let text = format!("{}!", "a".repeat(19_000));
    assert!(matches!(
        problem(&form, json!(text)),
        Some(FieldProblem::Pattern { .. })
    ));
    for pattern in ["(?=.*[A-Z]).{8,}", r"(a)\1", "(a{1000}){1000}", &"(".repeat(5000)] {
        let form = one(json!({"type": "string", "pattern": pattern})).unwrap();
        let FieldKind::Text {
            pattern: Some(shown), ..
        } = &form.fields[0].kind
        else {
            panic!("{form:?}")
        };
        assert!(!shown.checked, "{pattern}");
        assert_eq!(problem(&form, json!("anything")), None);
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
}

/// EF-017, E1: in several languages and with borrowed letters; what only sounds like it is left alone.
#[test]
fn fields_that_ask_for_secrets_are_known() {
    let is_secret = |name: &str, title: &str, description: &str| {
        let schema = json!({"type": "object", "properties":
            {name: {"type": "string", "title": title, "description": description}}});
        read(&schema.to_string()).unwrap().fields[0].secret
    };
    let secrets = [
        ("password", "", ""),
        ("pwd", "", ""),
        ("apiKey", "", ""),
        ("api_key", "", ""),
        ("x", "API key", ""),
        ("token", "", ""),
        ("accessToken", "", ""),
        ("githubToken", "", ""),
        ("pin", "", ""),
        ("x", "Your PIN", ""),
        ("cardNumber", "", ""),
        ("cc", "Credit card", ""),
        ("cvv", "", ""),
        ("otp", "", ""),
        ("x", "One-time code", ""),
        ("x", "", "The password of your account"),
        ("x", "", "Paste your private key here"),
        ("x", "Seed phrase", ""),
        ("x", "Passwort", ""),
        ("x", "Mot de passe", ""),
        ("x", "Contraseña", ""),
        ("x", "密码", ""),
        ("x", "パスワード", ""),
        ("x", "Пароль", ""),
        ("x", "비밀번호", ""),
        ("x", "P a s s w o r d".replace(' ', "\u{200b}").leak(), ""),
        ("раssword", "", ""),
        ("pa55word", "", ""),
        ("client_secret", "", ""),
        ("ssn", "", ""),
    ];
    for (name, title, description) in secrets {
        assert!(
            is_secret(name, title, description),
            "{name} {title} {description}"
        );
    }
    let harmless = [
        ("name", "Full name", "As it stands in your passport"),
        ("maxTokens", "Max tokens", "Upper limit of the answer"),
        ("keyboard", "Keyboard layout", ""),
        ("key_points", "Key points", ""),
        ("compass", "Compass direction", ""),
        ("spin", "Spin", ""),
        ("opinion", "Your opinion", ""),
        ("business_card", "Business card style", ""),
        ("city", "City", "Where the pinned map is centred"),
        ("shipping", "Shipping address", ""),
        ("color", "Key color", ""),
        ("secretary", "Secretary", ""),
        ("discard", "Discard changes", ""),
        ("passenger", "Passenger name", ""),
    ];
    for (name, title, description) in harmless {
        assert!(
            !is_secret(name, title, description),
            "{name} {title} {description}"
        );
    }
}

/// A form without fields asks for a yes to its message, which is a question too.
#[test]
fn a_form_without_fields_is_a_question_all_the_same() {
    let form = read(r#"{"type":"object","properties":{}}"#).unwrap();
    assert_eq!(form.misfits(&Map::new()), []);
}
