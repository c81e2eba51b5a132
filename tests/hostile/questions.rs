//! Requests that cannot be shown to the user as they came, or that would harm their reader. What is no question
//! of the protocol is refused with its reason and reaches nobody; what can be shown is shown as what it is.

use serde_json::{Map, Value, json};
use vestibule_consent::{Answer, FieldKind, FieldProblem, Form, Question, QuestionBody};
use vestibule_host::view::{CallProblem, CallState, Problem};
use vestibule_policy::Scope;
use vestibule_tests::{Scene, Turn, soon, text_result, tool, yes};

use crate::Street;

/// A street on which the server works on a call, and only calls are answered by themselves.
async fn asked_in_a_call() -> (Street, Value) {
    let mut street = Street::new().await;
    let call = street.call().await;
    street.scene.person.answers(|card| match card.about {
        QuestionBody::CallTool(_) => Some(yes(Scope::Once)),
        _ => None::<Answer>,
    });
    (street, call)
}

impl Street {
    /// What the host answers to this request.
    async fn asks(&mut self, method: &str, params: Value) -> Value {
        self.begins_to_ask(method, params).await;
        self.puppet.hear_answer(&json!("q")).await
    }

    async fn begins_to_ask(&mut self, method: &str, params: Value) {
        let request = json!({ "jsonrpc": "2.0", "id": "q", "method": method, "params": params });
        self.puppet.say(request).await;
    }

    async fn asks_for(&mut self, schema: &Value) -> Value {
        let params = json!({ "message": "Please.", "requestedSchema": schema });
        self.asks("elicitation/create", params).await
    }

    /// Shows a form with this one field.
    async fn shows(&mut self, field: &Value) -> (Question, Form) {
        let schema = json!({ "type": "object", "properties": { "it": field } });
        let params = json!({ "message": "Please.", "requestedSchema": schema });
        self.begins_to_ask("elicitation/create", params).await;
        let card = self.scene.person.asked().await;
        let QuestionBody::FillForm(form) = card.about.clone() else {
            panic!("{card:?}")
        };
        (card, form)
    }

    /// What does not fit, found on a thread of its own: a check that hangs fails its test instead of holding it up.
    async fn misfits(&self, card: &Question, value: Value) -> Vec<FieldProblem> {
        let (host, card) = (self.scene.host.clone(), card.id);
        let (tell, told) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || tell.send(host.consent_check(card, it(value))));
        let found = soon("an answer is checked", told).await.unwrap();
        found.into_iter().map(|misfit| misfit.problem).collect()
    }

    /// The server's call ends, it is called again, and so is its neighbour.
    async fn goes_on(mut self, call: &Value, cards: usize) {
        self.puppet.answer(call, text_result("Never mind.")).await;
        self.told().await;
        let asked = self.scene.person.shown();
        let others = asked.iter().filter(|card| {
            !matches!(
                card.about,
                QuestionBody::StartServer(_) | QuestionBody::CallTool(_)
            )
        });
        assert_eq!(others.count(), cards, "no card shows what cannot be shown");
        self.it_still_works().await;
        self.others_are_unharmed().await;
        self.close().await;
    }
}

fn it(value: Value) -> Map<String, Value> {
    Map::from_iter([("it".to_owned(), value)])
}

fn assert_refused(told: &Value, because: &str) {
    assert_eq!(told["error"]["code"], -32602, "{because}: {told}");
    let words = told["error"]["message"].as_str().unwrap();
    assert!(
        words.contains(because) && words.len() < 1000,
        "{because}: {words}"
    );
}

/// EF-010, E7: half a form is never shown; the server hears which part of it is none of the protocol's.
#[tokio::test]
async fn a_schema_outside_the_subset_is_refused_with_what_is_foreign_in_it() {
    let (mut street, call) = asked_in_a_call().await;
    let field = |schema: Value| json!({ "type": "object", "properties": { "it": schema } });
    let text = json!({ "type": "string" });
    for (schema, because) in [
        (field(json!({ "type": "object" })), "object"),
        (field(json!({ "type": "null" })), "null"),
        (field(json!({})), "no type"),
        (field(json!({ "type": ["string", "integer"] })), "several types"),
        (field(json!({ "type": "array" })), "list"),
        (field(json!({ "type": "array", "items": text })), "list"),
        (
            field(json!({ "type": "array", "items": { "type": "integer", "enum": [1] } })),
            "texts",
        ),
        (field(json!({ "type": "string", "enum": [1, 2] })), "option"),
        (field(json!({ "type": "string", "enum": ["a", "a"] })), "twice"),
        (
            field(json!({ "type": "string", "$ref": "https://evil.test/schema" })),
            "$ref",
        ),
        (field(json!({ "type": "string", "allOf": [text] })), "allOf"),
        (
            field(json!({ "anyOf": [text, { "type": "integer" }] })),
            "several things",
        ),
        (
            field(json!({ "type": "number", "multipleOf": 0.5 })),
            "multipleOf",
        ),
        (field(json!({ "type": "string", "pattern": 7 })), "pattern"),
        (field(json!("string")), "flat object"),
        (
            json!({ "type": "object", "properties": {}, "required": ["it"] }),
            "required",
        ),
        (
            json!({ "type": "object", "properties": {}, "oneOf": [] }),
            "oneOf",
        ),
        (json!({ "type": "string" }), "flat object"),
        (json!({ "type": "array", "properties": {} }), "type object"),
        (json!([]), "not an object"),
    ] {
        assert_refused(&street.asks_for(&schema).await, because);
    }
    street.goes_on(&call, 0).await;
}

/// EF-010: what nobody could fill in is not asked.
#[tokio::test]
async fn bounds_that_leave_no_value_are_refused() {
    let (mut street, call) = asked_in_a_call().await;
    let options = json!({ "type": "string", "enum": ["a", "b"] });
    for (field, because) in [
        (json!({ "type": "number", "minimum": 2, "maximum": 1 }), "minimum"),
        (
            json!({ "type": "integer", "minimum": 1.2, "maximum": 1.8 }),
            "no whole number",
        ),
        (
            json!({ "type": "string", "minLength": 5, "maxLength": 4 }),
            "minLength",
        ),
        (json!({ "type": "string", "minLength": 30_000 }), "longer than"),
        (json!({ "type": "string", "maxLength": -1 }), "no count"),
        (json!({ "type": "string", "enum": [] }), "nothing to choose"),
        (
            json!({ "type": "array", "items": options, "minItems": 2, "maxItems": 1 }),
            "minItems",
        ),
        (
            json!({ "type": "array", "items": options, "minItems": 3 }),
            "more has to be chosen",
        ),
    ] {
        let schema = json!({ "type": "object", "properties": { "it": field } });
        assert_refused(&street.asks_for(&schema).await, because);
    }
    street.goes_on(&call, 0).await;
}

/// EF-010, E2: what is too much to be read is not shown, whatever it is that is too much.
#[tokio::test]
async fn a_question_nobody_could_read_is_refused_whole() {
    let (mut street, call) = asked_in_a_call().await;
    let megabyte = "x".repeat(1024 * 1024);
    let fields: Map<String, Value> = (0..10_000)
        .map(|number| (format!("f{number}"), json!({ "type": "string" })))
        .collect();
    let many = json!({ "type": "object", "properties": fields });
    assert_refused(&street.asks_for(&many).await, "fields");
    let form = |message: &str| json!({ "message": message, "requestedSchema": { "type": "object", "properties": {} } });
    let page = |message: &str, url: &str| json!({ "mode": "url", "elicitationId": "e", "message": message, "url": url });
    let (message, address) = ("Please.", "https://example.com/");
    let long = format!("{address}{}", "a".repeat(100 * 1024));
    for (params, because) in [
        (form(&megabyte), "longer than"),
        (form(&megabyte[..100_000]), "too long"),
        (page(&megabyte, address), "longer than"),
        (page(&megabyte[..100_000], address), "too long"),
        (page(message, &long), "too long"),
    ] {
        assert_refused(&street.asks("elicitation/create", params).await, because);
    }
    assert_eq!(street.scene.opened(), [] as [&str; 0]);
    street.goes_on(&call, 0).await;
}

/// SA-023: a megabyte for a model is more than a server may spend unless the user says so; it is refused unread.
#[tokio::test]
async fn a_megabyte_for_a_model_goes_beyond_what_its_server_may_spend() {
    let (mut street, call) = asked_in_a_call().await;
    let said = json!({ "role": "user", "content": { "type": "text", "text": "x".repeat(1024 * 1024) } });
    let params = json!({ "messages": [said], "maxTokens": 1 });
    let told = street.asks("sampling/createMessage", params).await;
    assert_eq!(told["error"]["code"], -1, "{told}");
    let words = told["error"]["message"].as_str().unwrap();
    assert!(words.contains("budget"), "{words}");
    street.goes_on(&call, 0).await;
}

/// EF-012: a suggestion that breaks its own schema is said and not filled in; the form can be answered all the same.
#[tokio::test]
async fn a_default_that_breaks_its_own_schema_is_shown_and_not_filled_in() {
    let (mut street, call) = asked_in_a_call().await;
    let options = json!({ "type": "string", "enum": ["a", "b"] });
    let cases = [
        (
            json!({ "type": "string", "maxLength": 3, "default": "too long" }),
            "too long",
            json!("fit"),
        ),
        (
            json!({ "type": "string", "format": "email", "default": "nobody" }),
            "nobody",
            json!("a@b.example"),
        ),
        (
            json!({ "type": "integer", "maximum": 5, "default": 6 }),
            "6",
            json!(5),
        ),
        (json!({ "type": "boolean", "default": "yes" }), "yes", json!(true)),
        (
            json!({ "type": "string", "enum": ["a"], "default": "c" }),
            "c",
            json!("a"),
        ),
        (
            json!({ "type": "array", "items": options, "default": ["c"] }),
            "[\"c\"]",
            json!(["a"]),
        ),
    ];
    for (field, broken, fits) in &cases {
        let (card, form) = street.shows(field).await;
        assert_eq!(form.fields[0].broken_default.as_deref(), Some(*broken));
        assert!(!has_default(&form.fields[0].kind), "{form:?}");
        street
            .scene
            .person
            .say(
                &card,
                Answer::Submit {
                    content: it(fits.clone()),
                    not_secret: vec![],
                },
            )
            .await;
        let told = street.puppet.hear_answer(&json!("q")).await;
        assert_eq!(
            told["result"],
            json!({ "action": "accept", "content": { "it": fits } })
        );
    }
    street.goes_on(&call, cases.len()).await;
}

fn has_default(kind: &FieldKind) -> bool {
    match kind {
        FieldKind::Text { default, .. } | FieldKind::Choice { default, .. } => default.is_some(),
        FieldKind::Number { default, .. } => default.is_some(),
        FieldKind::Boolean { default } => default.is_some(),
        FieldKind::Choices { default, .. } => !default.is_empty(),
    }
}

/// T7: a pattern made to hang is checked at once or not at all, and the card says which; the answer goes out.
#[tokio::test]
async fn a_pattern_that_explodes_holds_up_neither_the_card_nor_the_server() {
    let (mut street, call) = asked_in_a_call().await;
    let long = format!("{}!", "a".repeat(19_000));
    let cases = [
        (r"^(a+)+$", true),
        (r"^(a|aa)+$", true),
        (r"^(.*a){4}$", true),
        (r"^((a{1,100}){1,100}){1,100}$", false),
        (r"^(a+)\1$", false),
        (r"^(?=(a+)+$)", false),
    ];
    for (pattern, checked) in cases {
        let (card, form) = street
            .shows(&json!({ "type": "string", "pattern": pattern }))
            .await;
        let FieldKind::Text {
            pattern: Some(shown), ..
        } = &form.fields[0].kind
        else {
            panic!("{form:?}")
        };
        assert_eq!((&*shown.source, shown.checked), (pattern, checked));
        let problem = FieldProblem::Pattern {
            pattern: pattern.to_owned(),
        };
        let found = if checked { vec![problem] } else { vec![] };
        assert_eq!(street.misfits(&card, json!(long)).await, found, "{pattern}");
        street
            .scene
            .person
            .say(
                &card,
                Answer::Submit {
                    content: it(json!("aaaa")),
                    not_secret: vec![],
                },
            )
            .await;
        let told = street.puppet.hear_answer(&json!("q")).await;
        assert_eq!(told["result"]["content"], json!({ "it": "aaaa" }), "{pattern}");
    }
    street.goes_on(&call, cases.len()).await;
}

/// MR-004, EF-010: in the modern era what cannot be asked ends the call with a reason, and the server is not called
/// again with an answer nobody gave.
#[tokio::test]
async fn what_a_modern_server_can_not_ask_ends_its_call_with_a_reason() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.modern_puppet("notes", &[tool("read")]).await;
    scene.agrees();
    let (chat, model) = scene.scripted_chat().await;
    let fields: Map<String, Value> = (0..10_000)
        .map(|number| (format!("f{number}"), json!({ "type": "string" })))
        .collect();
    let form = |schema: Value| json!({ "method": "elicitation/create", "params": { "mode": "form", "message": "Please.", "requestedSchema": schema } });
    let long = format!("https://example.com/{}", "a".repeat(100 * 1024));
    let page = json!({ "method": "elicitation/create", "params": { "mode": "url", "message": "Please.", "url": long } });
    for (wish, because) in [
        (
            form(json!({ "type": "object", "properties": { "it": { "type": "object" } } })),
            "object",
        ),
        (
            form(json!({ "type": "object", "properties": fields })),
            "more than 200 fields",
        ),
        (page, "too long"),
    ] {
        model.will(Turn::call("one", "notes__read", json!({})));
        model.will(Turn::words("I see."));
        scene.say(chat, "Read.").await;
        let call = puppet.hear("tools/call").await;
        let needed = json!({ "resultType": "input_required", "inputRequests": { "it": wish } });
        puppet.answer(&call, needed).await;
        let told = Scene::calls(&scene.finished(chat).await).pop().unwrap();
        let CallState::Failed {
            problem: Problem::Call(CallProblem::CallNotCompleted { detail }),
        } = &told.state
        else {
            panic!("{told:?}")
        };
        assert!(detail.contains(because) && detail.len() < 1000, "{detail}");
    }
    scene.close().await;
}
