//! A server asks for a form: what the user sees, what reaches the server, and what happens when one of the two goes.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vestibule_consent::{Answer, FieldKind, Form, Question, QuestionBody};
use vestibule_host::view::{CallState, Problem, QuestionProblem};
use vestibule_policy::Scope;
use vestibule_tests::{InACall, Scene, Turn, ended, give, records, results, submit, text_result, tool, yes};

fn region() -> Value {
    json!({ "message": "Where should it run?", "requestedSchema": {
        "type": "object",
        "required": ["region"],
        "properties": {
            "region": { "type": "string", "oneOf": [{ "const": "eu1", "title": "Europe" }, { "const": "us1", "title": "US" }] },
            "replicas": { "type": "integer", "minimum": 1, "maximum": 9, "default": 2 },
            "note": { "type": "string" },
        },
    }})
}

fn ask(params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "form-1", "method": "elicitation/create", "params": params })
}

fn form(question: &Question) -> &Form {
    match &question.about {
        QuestionBody::FillForm(form) => form,
        other => panic!("no form: {other:?}"),
    }
}

async fn in_a_call() -> InACall {
    InACall::new("deploy", "create").await
}

/// EF-004, EF-007, EF-013, EF-014, EF-021: the card says who asks because of what, and what was entered arrives.
#[tokio::test]
async fn a_filled_form_reaches_the_server_that_asked() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(region())).await;
    let question = at.scene.person.asked().await;
    assert_eq!(question.server.name, "deploy");
    assert_eq!(question.cause.as_ref().unwrap().chat, at.chat);
    let names: Vec<&str> = form(&question).fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["region", "replicas", "note"]);
    assert!(matches!(
        form(&question).fields[1].kind,
        FieldKind::Number {
            default: Some(2.0),
            ..
        }
    ));
    at.scene
        .person
        .say(&question, submit(json!({ "region": "eu1", "replicas": 3 })))
        .await;
    let answer = at.puppet.hear_answer(&json!("form-1")).await;
    assert_eq!(
        answer["result"],
        json!({ "action": "accept", "content": { "region": "eu1", "replicas": 3 } })
    );
    at.puppet.answer(&at.call, text_result("It runs in eu1.")).await;
    at.scene.finished(at.chat).await;
    let mut told = at.model.asked().await;
    while results(&told).is_empty() {
        told = at.model.asked().await;
    }
    assert!(results(&told)[0].1.contains("It runs in eu1."));
    let ends = ended(&records(&at.scene.store).await);
    assert!(
        ends.contains(&(
            "form.send".into(),
            "region, replicas, note".into(),
            Some("sent".into())
        )),
        "{ends:?}"
    );
    // The ledger says that it was sent, not what.
    let all = format!("{:?}", records(&at.scene.store).await);
    assert!(!all.contains("\"eu1\""), "{all}");
    at.scene.close().await;
}

/// EF-005, EF-008, EF-014: a no and a "not now" are two different answers, and neither carries content.
#[tokio::test]
async fn declining_and_putting_away_are_told_apart() {
    let mut at = in_a_call().await;
    let no = Answer::Refuse { reason: None };
    for (answer, action) in [(no, "decline"), (Answer::Cancel, "cancel")] {
        at.puppet.say(ask(region())).await;
        let question = at.scene.person.asked().await;
        at.scene.person.say(&question, answer).await;
        let told = at.puppet.hear_answer(&json!("form-1")).await;
        assert_eq!(told["result"], json!({ "action": action }));
    }
    at.end().await;
}

/// EF-011, E7: what does not fit is not sent and the card stays; neither is a key that was not on it.
#[tokio::test]
async fn what_does_not_fit_the_form_is_not_sent() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(region())).await;
    let question = at.scene.person.asked().await;
    let wrong = [
        json!({}),
        json!({ "region": "mars" }),
        json!({ "region": "eu1", "replicas": 10 }),
        json!({ "region": "eu1", "replicas": "3" }),
        json!({ "region": "eu1", "hidden": true }),
    ];
    for content in wrong {
        let taken = give(&at.scene.host, &question, submit(content.clone())).await;
        assert!(
            matches!(taken, Err(Problem::Question(QuestionProblem::AnswerUnfit { .. }))),
            "{content}: {taken:?}"
        );
        let misfits = at
            .scene
            .host
            .consent_check(question.id, content.as_object().unwrap().clone());
        assert_eq!(misfits.len(), 1, "{content}");
    }
    // An answer of another kind of card is none here.
    let taken = give(&at.scene.host, &question, yes(Scope::Once)).await;
    assert!(
        matches!(taken, Err(Problem::Question(QuestionProblem::AnswerUnfit { .. }))),
        "{taken:?}"
    );
    at.scene
        .person
        .say(&question, submit(json!({ "region": "us1" })))
        .await;
    let answer = at.puppet.hear_answer(&json!("form-1")).await;
    assert_eq!(answer["result"]["content"], json!({ "region": "us1" }));
    at.end().await;
}

/// A question that outlives its asker must never happen: the server takes it back.
#[tokio::test]
async fn a_form_goes_when_the_server_takes_it_back() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(region())).await;
    let question = at.scene.person.asked().await;
    at.puppet
        .notify("notifications/cancelled", json!({ "requestId": "form-1" }))
        .await;
    at.nothing_waits().await;
    let late = give(&at.scene.host, &question, submit(json!({ "region": "eu1" }))).await;
    assert_eq!(late, Err(Problem::Question(QuestionProblem::AnswerStale)));
    at.end().await;
}

/// The same where the user stops the chat, or the server answers the call: what gave occasion to it is over.
#[tokio::test]
async fn a_form_goes_with_the_call_it_belongs_to() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(region())).await;
    at.scene.person.asked().await;
    at.puppet.answer(&at.call, text_result("I could not wait.")).await;
    at.scene.finished(at.chat).await;
    at.nothing_waits().await;
    let told = at.puppet.hear_answer(&json!("form-1")).await;
    assert_eq!(told["result"], json!({ "action": "cancel" }));
    at.scene.close().await;
}

/// EF-014: quitting is no decision, and the server hears that before the connection ends.
#[tokio::test]
async fn quitting_tells_the_server_cancel() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(region())).await;
    at.scene.person.asked().await;
    let id = json!("form-1");
    let (told, _) = tokio::join!(at.puppet.hear_answer(&id), at.scene.close());
    assert_eq!(told["result"], json!({ "action": "cancel" }));
}

/// Nothing the server sends while a form is open waits for the user: the connection is read on.
#[tokio::test]
async fn an_open_form_does_not_hold_up_the_connection() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(region())).await;
    let question = at.scene.person.asked().await;
    at.puppet
        .say(json!({ "jsonrpc": "2.0", "id": "ping", "method": "ping" }))
        .await;
    at.puppet.hear_answer(&json!("ping")).await;
    at.puppet
        .say(
            ask(region())
                .as_object()
                .cloned()
                .map(|mut second| {
                    second.insert("id".into(), json!("form-2"));
                    Value::Object(second)
                })
                .unwrap(),
        )
        .await;
    let second = at.scene.person.asked().await;
    at.scene.person.say(&second, Answer::Cancel).await;
    at.puppet.hear_answer(&json!("form-2")).await;
    at.scene
        .person
        .say(&question, Answer::Refuse { reason: None })
        .await;
    at.puppet.hear_answer(&json!("form-1")).await;
    at.end().await;
}

/// EF-009, E6: a server that asks in a loop gets "cancel", and the user sees no more cards than they can read.
#[tokio::test]
async fn a_server_that_asks_in_a_loop_is_put_off_unread() {
    let mut at = in_a_call().await;
    at.scene.person.answers(|_| Some(Answer::Refuse { reason: None }));
    let mut put_off = 0;
    for n in 0..40 {
        let mut request = ask(region());
        request["id"] = json!(n);
        at.puppet.say(request).await;
        let told = at.puppet.hear_answer(&json!(n)).await;
        put_off += usize::from(told["result"]["action"] == "cancel");
    }
    assert_eq!(put_off, 20);
    let shown = at.scene.person.shown();
    let forms = shown
        .iter()
        .filter(|card| matches!(card.about, QuestionBody::FillForm(_)));
    assert_eq!(forms.count(), 20);
    at.end().await;
}

/// EF-001, MR-003, MR-004, MR-014, MR-018: in the modern era the same card, and the answer goes back with the call.
#[tokio::test]
async fn a_modern_server_gets_the_answer_with_its_call() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.modern_puppet("deploy", &[tool("create")]).await;
    let (chat, model) = scene.scripted_chat().await;
    for (answer, response) in [
        (
            submit(json!({ "region": "eu1" })),
            json!({ "action": "accept", "content": { "region": "eu1" } }),
        ),
        (Answer::Refuse { reason: None }, json!({ "action": "decline" })),
        (Answer::Cancel, json!({ "action": "cancel" })),
    ] {
        model.will(Turn::call("one", "deploy__create", json!({})));
        model.will(Turn::words("Done."));
        scene.say(chat, "Deploy it.").await;
        let question = scene.person.asked().await;
        scene.person.say(&question, yes(Scope::Once)).await;
        let call = puppet.hear("tools/call").await;
        let offered = &call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["elicitation"];
        assert_eq!(*offered, json!({ "form": {}, "url": {} }));
        let mut params = region();
        params["mode"] = json!("form");
        let needed = json!({ "resultType": "input_required", "requestState": "opaque==",
            "inputRequests": { "where": { "method": "elicitation/create", "params": params } } });
        puppet.answer(&call, needed).await;
        let question = scene.person.asked().await;
        assert_eq!(form(&question).message, "Where should it run?");
        assert_eq!(question.cause.as_ref().unwrap().chat, chat);
        scene.person.say(&question, answer).await;
        let again = puppet.hear("tools/call").await;
        assert_eq!(again["params"]["inputResponses"], json!({ "where": response }));
        assert_eq!(again["params"]["requestState"], "opaque==");
        let result = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "ok" }] });
        puppet.answer(&again, result).await;
        let entries = scene.finished(chat).await;
        let last = Scene::calls(&entries).pop().unwrap();
        assert!(matches!(last.state, CallState::Answered { .. }), "{last:?}");
    }
    scene.close().await;
}

/// MR-015: stopping the chat drops the exchange with its questions.
#[tokio::test]
async fn stopping_the_chat_takes_the_form_of_a_modern_server_along() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.modern_puppet("deploy", &[tool("create")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "deploy__create", json!({})));
    scene.say(chat, "Deploy it.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    let needed = json!({ "resultType": "input_required",
        "inputRequests": { "where": { "method": "elicitation/create", "params": region() } } });
    puppet.answer(&call, needed).await;
    scene.person.asked().await;
    scene.host.chat_stop(chat);
    scene
        .window
        .until("no question", |seen| seen.waiting.is_empty())
        .await;
    scene.finished(chat).await;
    scene.close().await;
}

/// EF-021, HO-020: what a server of the modern era needs for one request belongs to no call that runs beside it, and does
/// not end with that call.
#[tokio::test]
async fn a_form_that_a_prompt_needs_stays_when_a_call_beside_it_ends() {
    let scene = Scene::new().await;
    let (server, stage) = scene.add_puppet("deploy").await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.open_modern(json!({ "tools": {}, "prompts": {} })).await;
    for (method, list) in [
        ("tools/list", json!({ "tools": [tool("create")] })),
        ("prompts/list", json!({ "prompts": [{ "name": "plan" }] })),
    ] {
        let asked = puppet.hear(method).await;
        let mut answer = list;
        answer["resultType"] = json!("complete");
        puppet.answer(&asked, answer).await;
    }
    scene.offers(server, |offers| !offers.prompts.is_empty()).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "deploy__create", json!({})));
    model.will(Turn::words("Done."));
    scene.say(chat, "Deploy it.").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    let getting = scene
        .host
        .prompt_get(chat, server, "plan".into(), BTreeMap::new());
    let serve = async {
        let asked = puppet.hear("prompts/get").await;
        let needed = json!({ "resultType": "input_required",
            "inputRequests": { "where": { "method": "elicitation/create", "params": region() } } });
        puppet.answer(&asked, needed).await;
        let question = scene.person.asked().await;
        assert_eq!(question.cause, None, "it is no question of the call");
        let result = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "ok" }] });
        puppet.answer(&call, result).await;
        scene.finished(chat).await;
        scene
            .person
            .say(&question, submit(json!({ "region": "eu1" })))
            .await;
        let again = puppet.hear("prompts/get").await;
        assert_eq!(
            again["params"]["inputResponses"],
            json!({ "where": { "action": "accept", "content": { "region": "eu1" } } })
        );
        let said = json!({ "role": "user", "content": { "type": "text", "text": "Plan it." } });
        puppet
            .answer(&again, json!({ "resultType": "complete", "messages": [said] }))
            .await;
    };
    let (got, ()) = tokio::join!(getting, serve);
    got.unwrap();
    scene.close().await;
}
