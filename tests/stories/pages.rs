//! A server wants a page visited: nothing is opened before the yes, what was shown is what is opened, and the wait for
//! the user ends in each of the ways it can.

use serde_json::{Value, json};
use vestibule_consent::{Answer, Page, Question, QuestionBody, Visit};
use vestibule_host::view::{CallProblem, CallState, Problem, QuestionProblem, ResourcePick};
use vestibule_policy::inspect::{UrlVerdict, UrlWarning};
use vestibule_tests::{InACall, Puppet, Scene, ended, give, records};

use crate::offers::library;

const URL: &str = "https://login.example.com/connect?id=550e8400&next=%2Fhome";

fn ask(url: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": "page-1", "method": "elicitation/create", "params": {
        "mode": "url", "elicitationId": "e-9", "url": url, "message": "Please sign in." } })
}

fn page(question: &Question) -> &Page {
    match &question.about {
        QuestionBody::OpenPage(page) => page,
        other => panic!("no page: {other:?}"),
    }
}

fn visit(question: &Question) -> &Visit {
    match &question.about {
        QuestionBody::VisitPage(visit) => visit,
        other => panic!("no visit: {other:?}"),
    }
}

async fn in_a_call() -> InACall {
    InACall::new("payroll", "export").await
}

/// EU-003, EU-004, EU-005, EU-009, EU-012, EU-013: shown whole, opened once and byte for byte, and told at once.
#[tokio::test]
async fn a_page_opens_only_after_the_yes_and_exactly_as_shown() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(URL)).await;
    let question = at.scene.person.asked().await;
    assert_eq!(page(&question).address.canonical.as_deref(), Some(URL));
    assert_eq!(
        page(&question).address.registrable_domain.as_deref(),
        Some("example.com")
    );
    assert_eq!(question.cause.as_ref().unwrap().chat, at.chat);
    assert_eq!(at.scene.opened(), [] as [&str; 0]);
    at.scene.person.say(&question, Answer::Open).await;
    let told = at.puppet.hear_answer(&json!("page-1")).await;
    assert_eq!(told["result"], json!({ "action": "accept" }));
    assert_eq!(at.scene.opened(), [URL]);
    // The card waits on for the person; being done ends it.
    let waiting = at.scene.person.asked().await;
    assert!(!visit(&waiting).held);
    at.scene.person.say(&waiting, Answer::Done).await;
    at.nothing_waits().await;
    assert_eq!(at.scene.opened(), [URL]);
    let ends = ended(&records(&at.scene.store).await);
    assert!(
        ends.contains(&(
            "page.open".into(),
            "login.example.com".into(),
            Some("opened".into())
        )),
        "{ends:?}"
    );
    // EU-023: what may work once stands in no record and no log.
    let all = format!("{:?}", records(&at.scene.store).await);
    assert!(!all.contains("550e8400"), "{all}");
    at.end().await;
}

/// EU-014: a no, a "not now", and nothing opened by either.
#[tokio::test]
async fn a_page_that_is_not_wanted_is_not_opened() {
    let mut at = in_a_call().await;
    for (answer, action) in [
        (Answer::Refuse { reason: None }, "decline"),
        (Answer::Cancel, "cancel"),
    ] {
        at.puppet.say(ask(URL)).await;
        let question = at.scene.person.asked().await;
        at.scene.person.say(&question, answer).await;
        let told = at.puppet.hear_answer(&json!("page-1")).await;
        assert_eq!(told["result"], json!({ "action": action }));
    }
    assert_eq!(at.scene.opened(), [] as [&str; 0]);
    at.end().await;
}

/// EU-011, E4: what is blocked is shown as what it is, and no answer opens it.
#[tokio::test]
async fn a_blocked_address_can_not_be_opened() {
    let mut at = in_a_call().await;
    let blocked = [
        ("javascript:alert(1)", UrlWarning::SchemeNotAllowed),
        ("file:///etc/passwd", UrlWarning::SchemeNotAllowed),
        ("https://example.com@evil.test/", UrlWarning::Userinfo),
        ("https://example.com/\u{202e}moc", UrlWarning::HiddenUnicode),
        ("https://example.com/$(id)", UrlWarning::ShellMetachar),
        ("not an address", UrlWarning::InvalidUrl),
    ];
    for (url, warning) in blocked {
        at.puppet.say(ask(url)).await;
        let question = at.scene.person.asked().await;
        assert_eq!(page(&question).address.verdict, UrlVerdict::Block, "{url}");
        assert!(page(&question).address.warnings.contains(&warning), "{url}");
        let taken = give(&at.scene.host, &question, Answer::Open).await;
        assert!(
            matches!(taken, Err(Problem::Question(QuestionProblem::AnswerUnfit { .. }))),
            "{url}: {taken:?}"
        );
        at.scene
            .person
            .say(&question, Answer::Refuse { reason: None })
            .await;
        at.puppet.hear_answer(&json!("page-1")).await;
    }
    assert_eq!(at.scene.opened(), [] as [&str; 0]);
    at.end().await;
}

/// EU-015, EU-016, EU-017, E5: the server's word ends the wait, but only about its own visit.
#[tokio::test]
async fn the_server_says_that_a_visit_is_over() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(URL)).await;
    let question = at.scene.person.asked().await;
    at.scene.person.say(&question, Answer::Open).await;
    at.puppet.hear_answer(&json!("page-1")).await;
    let waiting = at.scene.person.asked().await;
    at.puppet
        .notify(
            "notifications/elicitation/complete",
            json!({ "elicitationId": "somebody-elses" }),
        )
        .await;
    at.puppet
        .say(json!({ "jsonrpc": "2.0", "id": "ping", "method": "ping" }))
        .await;
    at.puppet.hear_answer(&json!("ping")).await;
    assert!(at.scene.host.question_waits(waiting.id));
    at.puppet
        .notify(
            "notifications/elicitation/complete",
            json!({ "elicitationId": "e-9" }),
        )
        .await;
    at.nothing_waits().await;
    at.end().await;
}

/// EU-018: opening once more is asked again and opens the same once more.
#[tokio::test]
async fn a_page_is_opened_again_only_when_the_person_says_so_again() {
    let mut at = in_a_call().await;
    at.puppet.say(ask(URL)).await;
    let question = at.scene.person.asked().await;
    at.scene.person.say(&question, Answer::Open).await;
    at.puppet.hear_answer(&json!("page-1")).await;
    let waiting = at.scene.person.asked().await;
    at.scene.person.say(&waiting, Answer::Open).await;
    let waiting = at.scene.person.asked().await;
    assert_eq!(at.scene.opened(), [URL, URL]);
    at.scene.person.say(&waiting, Answer::Cancel).await;
    at.nothing_waits().await;
    at.end().await;
}

/// EU-014: a browser that does not start is said to the user, and given up it is "cancel".
#[tokio::test]
async fn a_browser_that_does_not_start_is_said() {
    let mut at = in_a_call().await;
    std::fs::remove_file(at.scene.folder().join("browser")).unwrap();
    at.puppet.say(ask(URL)).await;
    let question = at.scene.person.asked().await;
    at.scene.person.say(&question, Answer::Open).await;
    let waiting = at.scene.person.asked().await;
    assert!(visit(&waiting).not_opened.is_some());
    at.scene.person.say(&waiting, Answer::Cancel).await;
    let told = at.puppet.hear_answer(&json!("page-1")).await;
    assert_eq!(told["result"], json!({ "action": "cancel" }));
    let ends = ended(&records(&at.scene.store).await);
    assert!(
        ends.iter()
            .any(|(_, _, end)| end.as_deref() == Some("not opened")),
        "{ends:?}"
    );
    at.end().await;
}

fn required(call: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": -32042, "message": "Sign in first.", "data": {
        "elicitations": [{ "mode": "url", "elicitationId": "e-9", "url": URL, "message": "Please sign in." }] } } })
}

/// EU-019, EU-024: error -32042 shows the same card, and the very same call is made again when the visit is over.
#[tokio::test]
async fn a_call_that_needs_a_page_first_is_made_again_after_it() {
    for server_says_it in [false, true] {
        let mut at = in_a_call().await;
        at.puppet.say(required(&at.call)).await;
        let question = at.scene.person.asked().await;
        assert_eq!(page(&question).address.canonical.as_deref(), Some(URL));
        at.scene.person.say(&question, Answer::Open).await;
        let waiting = at.scene.person.asked().await;
        assert!(visit(&waiting).held);
        if server_says_it {
            at.puppet
                .notify(
                    "notifications/elicitation/complete",
                    json!({ "elicitationId": "e-9" }),
                )
                .await;
        } else {
            at.scene.person.say(&waiting, Answer::Done).await;
        }
        let again = at.puppet.hear("tools/call").await;
        assert_ne!(again["id"], at.call["id"]);
        assert_eq!(again["params"]["arguments"], at.call["params"]["arguments"]);
        assert_eq!(at.scene.opened(), [URL]);
        at.call = again;
        at.end().await;
    }
}

/// EU-019, EU-020: declined, the call fails with a reason; and no server sends a user from page to page without end.
#[tokio::test]
async fn a_call_whose_page_is_not_visited_fails_with_a_reason() {
    let mut at = in_a_call().await;
    at.puppet.say(required(&at.call)).await;
    let question = at.scene.person.asked().await;
    at.scene
        .person
        .say(&question, Answer::Refuse { reason: None })
        .await;
    let last = Scene::calls(&at.scene.finished(at.chat).await).pop().unwrap();
    let not_visited = CallState::Failed {
        problem: Problem::Call(CallProblem::PageNotVisited),
    };
    assert_eq!(last.state, not_visited);
    at.scene.close().await;

    let mut at = in_a_call().await;
    at.scene.person.answers(|question| match question.about {
        QuestionBody::OpenPage(_) => Some(Answer::Open),
        QuestionBody::VisitPage(_) => Some(Answer::Done),
        _ => None,
    });
    let mut call = at.call.clone();
    for _ in 0..3 {
        at.puppet.say(required(&call)).await;
        call = at.puppet.hear("tools/call").await;
    }
    at.puppet.say(required(&call)).await;
    let last = Scene::calls(&at.scene.finished(at.chat).await).pop().unwrap();
    assert_eq!(last.state, not_visited);
    assert_eq!(at.scene.opened().len(), 3);
    at.scene.close().await;
}

/// Says to a request of this method that a page is needed first, has the user visit it, and answers the repetition.
async fn answer_after_visit(scene: &Scene, puppet: &mut Puppet, method: &str, result: Value) {
    let asked = puppet.hear(method).await;
    puppet.say(required(&asked)).await;
    let question = scene.person.asked().await;
    assert_eq!(page(&question).address.canonical.as_deref(), Some(URL));
    scene.person.say(&question, Answer::Open).await;
    let waiting = scene.person.asked().await;
    assert!(visit(&waiting).held);
    scene.person.say(&waiting, Answer::Done).await;
    let again = puppet.hear(method).await;
    assert_ne!(again["id"], asked["id"]);
    for part in ["uri", "name", "arguments"] {
        assert_eq!(again["params"][part], asked["params"][part]);
    }
    puppet.answer(&again, result).await;
}

/// EU-019: the user gets what they picked, with one record in the ledger.
#[tokio::test]
async fn a_resource_and_a_prompt_that_need_a_page_first_are_asked_for_again_after_it() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = library(&scene).await;
    let chat = scene.chat().await;
    let uri = "note://a".to_owned();
    let reading = scene
        .host
        .resource_read(chat, server, ResourcePick::Listed { uri });
    let serve = async {
        let contents = json!({ "contents": [{ "uri": "note://a", "text": "a note" }] });
        answer_after_visit(&scene, &mut puppet, "resources/read", contents).await;
        let watched = puppet.hear("resources/subscribe").await;
        puppet.answer(&watched, json!({})).await;
    };
    let (read, ()) = tokio::join!(reading, serve);
    assert!(format!("{:?}", read.unwrap().parts).contains("a note"));
    let topic = || [("topic".to_owned(), "a trip".to_owned())].into();
    let expanding = scene.host.prompt_get(chat, server, "plan".into(), topic());
    let serve = async {
        let said = json!({ "role": "user", "content": { "type": "text", "text": "Plan a trip." } });
        answer_after_visit(&scene, &mut puppet, "prompts/get", json!({ "messages": [said] })).await;
    };
    let (expanded, ()) = tokio::join!(expanding, serve);
    assert!(format!("{:?}", expanded.unwrap().parts).contains("Plan a trip."));
    assert_eq!(scene.opened(), [URL, URL]);

    // A page that is not visited is the reason that is said.
    let expanding = scene.host.prompt_get(chat, server, "plan".into(), topic());
    let refuse = async {
        let asked = puppet.hear("prompts/get").await;
        puppet.say(required(&asked)).await;
        let question = scene.person.asked().await;
        let no = Answer::Refuse { reason: None };
        scene.person.say(&question, no).await;
    };
    let (refused, ()) = tokio::join!(expanding, refuse);
    assert_eq!(refused, Err(Problem::Call(CallProblem::PageNotVisited)));
    let ends = ended(&records(&scene.store).await);
    let of = |action: &str| -> Vec<_> {
        let ends = ends.iter().filter(|(it, ..)| it == action);
        ends.map(|(.., end)| end.as_deref()).collect()
    };
    assert_eq!(of("resource.read"), [Some("answered")]);
    assert_eq!(of("prompt.get"), [Some("answered"), Some("page not visited")]);
    scene.close().await;
}

/// EU-021, EU-024, MR-018: the same card in the modern era; the call is continued when the user is done.
#[tokio::test]
async fn a_modern_server_is_asked_again_when_the_person_is_done() {
    let mut at = InACall::modern("payroll", "export").await;
    let needed = |id: &str| {
        json!({ "resultType": "input_required", "requestState": id, "inputRequests": {
        "page": { "method": "elicitation/create", "params": { "mode": "url", "url": URL, "message": "Please sign in." } } } })
    };
    at.puppet.answer(&at.call, needed("one")).await;
    let question = at.scene.person.asked().await;
    at.scene.person.say(&question, Answer::Open).await;
    let waiting = at.scene.person.asked().await;
    assert!(visit(&waiting).held);
    assert_eq!(at.scene.opened(), [URL]);
    at.scene.person.say(&waiting, Answer::Done).await;
    let again = at.puppet.hear("tools/call").await;
    assert_eq!(
        again["params"]["inputResponses"],
        json!({ "page": { "action": "accept" } })
    );
    // It asks once more, and this time the person gives up: that is an answer too.
    at.puppet.answer(&again, needed("two")).await;
    let question = at.scene.person.asked().await;
    at.scene.person.say(&question, Answer::Open).await;
    let waiting = at.scene.person.asked().await;
    at.scene.person.say(&waiting, Answer::Cancel).await;
    let again = at.puppet.hear("tools/call").await;
    assert_eq!(
        again["params"]["inputResponses"],
        json!({ "page": { "action": "cancel" } })
    );
    let result = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "ok" }] });
    at.puppet.answer(&again, result).await;
    at.scene.finished(at.chat).await;
    at.scene.close().await;
}
