//! What the traffic of a server shows: pairs, in their order, bounded.

use super::*;
use vestibule_transport::Outgoing;

fn ask(traffic: &Traffic, id: i64, method: &'static str, frame: &str) {
    let outgoing = Outgoing::request(frame.into(), RequestId::Number(id), method);
    traffic.sent(&outgoing.kind, &outgoing.frame);
}

#[test]
fn a_request_stands_with_its_answer_whatever_comes_between() {
    let traffic = Traffic::default();
    ask(&traffic, 1, "tools/list", r#"{"id":1,"method":"tools/list"}"#);
    ask(&traffic, 2, "ping", r#"{"id":2,"method":"ping"}"#);
    traffic.received(br#"{"method":"notifications/message"}"#);
    // The server numbers its requests on its own.
    traffic.received(br#"{"id":1,"method":"roots/list"}"#);
    traffic.received(br#"{"id":2,"error":{"code":-32601,"message":"no"}}"#);
    traffic.received(br#"{"id":1,"result":{}}"#);
    let page = traffic.after(0);
    let seen: Vec<_> = page
        .exchanges
        .iter()
        .map(|e| (e.number, e.from, e.method.as_deref().unwrap()))
        .collect();
    assert_eq!(
        seen,
        [
            (1, Side::Us, "tools/list"),
            (2, Side::Us, "ping"),
            (3, Side::Server, "notifications/message"),
            (4, Side::Server, "roots/list"),
        ]
    );
    let outcome = |at: usize| page.exchanges[at].outcome.clone();
    assert!(
        matches!(outcome(0), Outcome::Answered { is_error: false, answer, .. } if answer.text.contains("result"))
    );
    assert!(matches!(outcome(1), Outcome::Answered { is_error: true, .. }));
    assert_eq!(outcome(2), Outcome::Told);
    assert_eq!(outcome(3), Outcome::Waiting);
    let kind = Outgoing::response(
        br#"{"id":1,"result":{"roots":[]}}"#.to_vec(),
        RequestId::Number(1),
    );
    traffic.sent(&kind.kind, &kind.frame);
    let later = traffic.after(page.upto);
    assert_eq!(later.exchanges.len(), 1, "only what changed since: {later:?}");
    assert!(matches!(
        later.exchanges[0].outcome,
        Outcome::Answered { is_error: false, .. }
    ));
}

#[test]
fn long_messages_are_cut_between_characters_and_their_length_is_said() {
    let traffic = Traffic::default();
    let frame = format!(r#"{{"method":"x","params":"a{}"}}"#, "ö".repeat(MESSAGE));
    traffic.received(frame.as_bytes());
    let message = traffic.after(0).exchanges.remove(0).message;
    assert!(!message.whole && message.text.len() <= MESSAGE && message.text.len() > MESSAGE - 4);
    assert!(!message.text.contains('\u{fffd}'));
    assert_eq!(message.bytes, frame.len());
}

#[test]
fn only_the_last_exchanges_are_kept_and_it_is_known_how_many_went() {
    let traffic = Traffic::default();
    for number in 0..(EXCHANGES as i64 + 7) {
        ask(&traffic, number, "ping", "{}");
    }
    let page = traffic.after(0);
    assert_eq!((page.exchanges.len(), page.oldest), (EXCHANGES, 8));
    assert_eq!(
        traffic.ring().waiting.len(),
        EXCHANGES,
        "nothing is remembered of what went"
    );
    let large = format!(r#"{{"method":"{}"}}"#, "x".repeat(MESSAGE));
    for _ in 0..EXCHANGES {
        traffic.received(large.as_bytes());
    }
    let ring = traffic.ring();
    assert!(
        ring.bytes <= TOGETHER && ring.kept.len() < EXCHANGES,
        "{}",
        ring.bytes
    );
}

#[test]
fn a_request_with_an_id_that_is_too_long_is_shown_and_its_id_is_not_kept() {
    let traffic = Traffic::default();
    for (length, waiting) in [(MAX_ID_BYTES, 1), (MAX_ID_BYTES + 1, 0)] {
        let id = "x".repeat(length);
        let request = format!(r#"{{"id":"{id}","method":"ping"}}"#);
        traffic.received(request.as_bytes());
        let shown = traffic.after(0).exchanges.pop().unwrap();
        assert_eq!(shown.method.as_deref(), Some("ping"));
        assert_eq!(shown.outcome == Outcome::Waiting, waiting == 1, "{length}");
        {
            let ring = traffic.ring();
            assert_eq!(ring.waiting.len(), waiting, "{length}");
            assert_eq!(ring.kept.back().unwrap().id.is_some(), waiting == 1, "{length}");
        }
        // The answer to a request of ours has the same bound, and stands alone.
        let answer = format!(r#"{{"id":"{id}","result":{{}}}}"#);
        traffic.received(answer.as_bytes());
        assert_eq!(traffic.after(0).exchanges.pop().unwrap().outcome, Outcome::Told);
        traffic.ended();
    }
}

#[test]
fn what_was_not_taken_never_passed_and_what_gets_no_answer_says_so() {
    let traffic = Traffic::default();
    ask(&traffic, 1, "ping", "{}");
    traffic.not_taken();
    assert_eq!(traffic.after(0).exchanges, []);
    ask(&traffic, 2, "ping", "{}");
    traffic.unanswered(&RequestId::Number(2), &RequestFailure::new("nobody is there"));
    ask(&traffic, 3, "ping", "{}");
    traffic.ended();
    let outcomes: Vec<_> = traffic
        .after(0)
        .exchanges
        .into_iter()
        .map(|e| e.outcome)
        .collect();
    assert!(matches!(&outcomes[0], Outcome::Unanswered { detail, .. } if detail == "nobody is there"));
    assert!(matches!(&outcomes[1], Outcome::Unanswered { .. }));
    assert_eq!(traffic.ring().waiting.len(), 0);
}

/// L-11: what was entered into a form cannot be read afterwards, in neither era; the rest of the frame can.
#[test]
fn what_was_entered_into_a_form_is_not_kept() {
    let traffic = Traffic::default();
    traffic.received(br#"{"id":7,"method":"elicitation/create","params":{}}"#);
    let answer = br#"{"id":7,"result":{"action":"accept","content":{"name":"Ada Canary","age":37.5}}}"#;
    let sent = Outgoing::response(answer.to_vec(), RequestId::Number(7));
    traffic.sent(&sent.kind, &sent.frame);
    let again = r#"{"id":9,"method":"tools/call","params":{"name":"book","arguments":{"day":"Friday"},"inputResponses":{"a":{"action":"accept","content":{"name":"Ada Canary"}},"b":{"roots":[]}}}}"#;
    ask(&traffic, 9, "tools/call", again);
    let kept = format!("{:?}", traffic.after(0));
    assert!(!kept.contains("Canary") && !kept.contains("37.5"), "{kept}");
    for stays in ["accept", "name", "age", "Friday", "book", "roots"] {
        assert!(kept.contains(stays), "{stays}: {kept}");
    }
}

/// A server can send as many messages as are kept while the user fills in its form.
#[test]
fn what_was_entered_is_not_kept_where_the_form_is_not_shown_any_more() {
    let traffic = Traffic::default();
    traffic.received(br#"{"id":7,"method":"elicitation/create","params":{}}"#);
    for _ in 0..EXCHANGES {
        traffic.received(br#"{"method":"notifications/message"}"#);
    }
    let answer = br#"{"id":7,"result":{"action":"accept","content":{"name":"Ada Canary"}}}"#;
    let sent = Outgoing::response(answer.to_vec(), RequestId::Number(7));
    traffic.sent(&sent.kind, &sent.frame);
    let kept = format!("{:?}", traffic.after(0));
    assert!(
        kept.contains("accept") && !kept.contains("Canary"),
        "the values are hidden and the answer is not"
    );
}

/// What a model answered was not entered in a form.
#[test]
fn the_answer_of_a_model_stands_as_it_was_sent() {
    let traffic = Traffic::default();
    let message = r#"{"role":"assistant","content":{"type":"text","text":"Forty-two."}}"#;
    traffic.received(br#"{"id":3,"method":"sampling/createMessage","params":{}}"#);
    let legacy = format!(r#"{{"id":3,"result":{message}}}"#);
    let sent = Outgoing::response(legacy.into_bytes(), RequestId::Number(3));
    traffic.sent(&sent.kind, &sent.frame);
    let modern =
        format!(r#"{{"id":9,"method":"tools/call","params":{{"inputResponses":{{"a":{message}}}}}}}"#);
    ask(&traffic, 9, "tools/call", &modern);
    let page = traffic.after(0);
    let Outcome::Answered { answer, .. } = &page.exchanges[0].outcome else {
        panic!("{page:?}")
    };
    for text in [&answer.text, &page.exchanges[1].message.text] {
        assert!(text.contains("Forty-two."), "{text}");
    }
}

#[test]
fn an_answer_that_was_not_taken_leaves_the_question_open_and_everything_else_as_it_was() {
    let traffic = Traffic::default();
    traffic.received(br#"{"id":7,"method":"roots/list"}"#);
    traffic.received(br#"{"method":"notifications/message"}"#);
    let before = traffic.after(0);
    let bytes = traffic.ring().bytes;
    let sent = Outgoing::response(
        br#"{"id":7,"result":{"roots":[]}}"#.to_vec(),
        RequestId::Number(7),
    );
    traffic.sent(&sent.kind, &sent.frame);
    traffic.not_taken();
    assert_eq!(traffic.after(0).exchanges, before.exchanges);
    assert_eq!(traffic.ring().bytes, bytes);
    traffic.ended();
    let outcome = traffic.after(0).exchanges.remove(0).outcome;
    assert!(matches!(outcome, Outcome::Unanswered { .. }), "{outcome:?}");
}
