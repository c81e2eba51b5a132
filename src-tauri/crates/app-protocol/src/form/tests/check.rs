//! Which answers fit a form.

use super::*;

fn problem(form: &Form, value: Value) -> Option<FieldProblem> {
    let mut content = Map::new();
    content.insert("it".into(), value);
    form.invalid_fields(&content).pop().map(|misfit| misfit.problem)
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
    let unknown = json!({"type": "string", "format": "phone"});
    let whole = json!({"type": "integer", "minimum": 1, "maximum": 9});
    let choice = json!({"type": "string", "enum": ["a", "b"]});
    let choices = json!({"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 1, "maxItems": 2});
    let cases = [
        (&text, json!("é"), Some(P::TooShort { least: 2 })),
        (&text, json!("日本"), None),
        (&unknown, json!("anything"), None),
        (&json!({"type": "string"}), json!("x".repeat(20_000)), None),
        (
            &json!({"type": "string"}),
            json!("x".repeat(20_001)),
            Some(P::TooLong { most: 20_000 }),
        ),
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
        (&whole, json!(9), None),
        (&whole, json!(2.0), None),
        (&whole, json!(1.5), Some(P::NotWhole)),
        (&whole, json!(0), Some(P::TooSmall { least: 1.0 })),
        (&whole, json!(10), Some(P::TooLarge { most: 9.0 })),
        (&whole, json!("3"), Some(P::NotANumber)),
        (&choice, json!("b"), None),
        (&choice, json!("c"), Some(P::NoOption)),
        (&choices, json!(["a", "c"]), None),
        (&choices, json!(["a"]), None),
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

/// EF-011: the formats the protocol names are those of everyday life, not of a database.
#[test]
fn a_format_is_what_people_know_by_its_name() {
    let fits = |format: &str, text: &str| {
        let form = one(json!({"type": "string", "format": format})).unwrap();
        problem(&form, json!(text)).is_none()
    };
    let long = |letters: usize| "a".repeat(letters);
    let (name, domain) = (
        format!("{}@b.no", long(64)),
        format!("a@{}.no", [long(62), long(62), long(62), long(61)].join(".")),
    );
    assert_eq!(domain.len(), 2 + 253);
    for email in ["a.b@c.org", "ä@b.no", &name, &domain] {
        assert!(fits("email", email), "{email}");
    }
    for no_email in [
        "",
        "a",
        "@b.no",
        "a@",
        "a..b@c.org",
        ".a@c.org",
        "a@c..org",
        "a@c.org.",
        "a b@c.org",
        "a\u{7}b@c.org",
        "a@c\u{7}.org",
        &format!("a{name}"),
        &domain.replace("@a", "@aa"),
    ] {
        assert!(!fits("email", no_email), "{no_email}");
    }
    for (format, wrong) in [
        ("date", "20260228"),
        ("date", "2026-02-28T12:00:00Z"),
        ("date-time", "2026-11-21T12:00Z"),
        ("date-time", "20261121T120000Z"),
    ] {
        assert!(!fits(format, wrong), "{wrong}");
    }
}

/// EF-013: what is optional may be left out, what is required may not, and nothing else may come along.
#[test]
fn an_answer_holds_the_fields_of_the_form_and_no_others() {
    let form = read(
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}"#,
    )
    .unwrap();
    let wrong = |content: Value| form.invalid_fields(content.as_object().unwrap());
    assert_eq!(wrong(json!({"a": "x"})), []);
    assert_eq!(
        wrong(json!({})),
        [FieldError {
            field: "a".into(),
            problem: FieldProblem::Missing
        }]
    );
    let more = wrong(json!({"a": "x", "hidden": 1}));
    assert_eq!(
        more,
        [FieldError {
            field: "hidden".into(),
            problem: FieldProblem::Foreign
        }]
    );
}

/// T7: a pattern made to hang is answered at once, and one the engine cannot take is not pretended to be checked.
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

/// E2, P3: two hundred patterns of a form would take seconds to compile and hundreds of megabytes, for a card that
/// may wait for days.
#[test]
fn a_form_takes_no_memory_for_patterns_before_it_is_filled_in_and_few_are_checked() {
    let field = |number: usize| json!({"type": "string", "pattern": format!("^{number}$"), "default": number.to_string()});
    let fields: serde_json::Map<_, _> = (0..20)
        .map(|number| (format!("f{number:02}"), field(number)))
        .collect();
    let form = read(&json!({"type": "object", "properties": fields}).to_string()).unwrap();
    let patterns: Vec<_> = form
        .fields
        .iter()
        .filter_map(|field| match &field.kind {
            FieldKind::Text { pattern, .. } => pattern.as_ref(),
            _ => None,
        })
        .collect();
    assert!(patterns.iter().all(|pattern| pattern.machine.0.get().is_none()));
    let checked: Vec<bool> = patterns.iter().map(|pattern| pattern.checked).collect();
    assert_eq!(checked, [[true; 16].as_slice(), &[false; 4]].concat());
    let wrong = json!({"f15": "x", "f16": "x"});
    let invalid = form.invalid_fields(wrong.as_object().unwrap());
    let invalid: Vec<_> = invalid.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(invalid, ["f15"]);
}

#[test]
fn a_pattern_is_checked_up_to_the_length_anybody_would_write() {
    let refuses = |pattern: String| {
        let form = one(json!({"type": "string", "pattern": pattern})).unwrap();
        problem(&form, json!("b")).is_some()
    };
    assert!(refuses("a".repeat(2000)));
    assert!(!refuses("a".repeat(2001)), "it is shown and not checked");
    assert!(refuses("a{1000}".into()), "a machine of some size is borne");
    assert!(!refuses("(a{1000}){100}".into()));
}
