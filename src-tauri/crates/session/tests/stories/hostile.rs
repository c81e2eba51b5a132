//! Servers that answer with something two readers could understand differently, or with far too much. Each costs
//! its own call and nothing else.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::advance;
use vestibule_protocol::mcp::ContentBlock;
use vestibule_session::{CallError, CallOptions, RequestFailure, SessionHandle};

use super::{Server, modern, no_arguments, oddity, opened, text};

/// A call whose answer is written by hand, `$id` standing for its id; then another call, which must work.
async fn answered_by(written: &str) -> Result<Vec<ContentBlock>, CallError> {
    let (handle, mut server, _events) = opened().await;
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        server.raw(&written.replace("$id", &id.to_string())).await;
    };
    let options = CallOptions {
        timeout: Some(Duration::from_secs(1)),
        ..CallOptions::default()
    };
    let (outcome, ()) = tokio::join!(handle.call_tool("t", no_arguments(), options), serve);
    if matches!(outcome, Err(CallError::TimedOut { .. })) {
        server.expect("notifications/cancelled").await;
    }
    works(&handle, &mut server).await;
    outcome.map(|result| result.content)
}

async fn works(handle: &SessionHandle, server: &mut Server) {
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        server.answer(&id, text("fine")).await;
    };
    let (outcome, ()) = tokio::join!(
        handle.call_tool("t", no_arguments(), CallOptions::default()),
        serve
    );
    outcome.unwrap();
}

/// BASE-005, BASE-007: members that come twice, errors that are none.
#[tokio::test(start_paused = true)]
async fn an_answer_two_readers_could_understand_differently_is_none() {
    let envelope = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":$id,{rest}}}"#);
    for rest in [
        r#""result":{"content":[],"content":[{"type":"text","text":"b"}]}"#,
        r#""result":{"content":[],"isError":false,"isError":true}"#,
        r#""result":{"content":[]},"error":{"code":1,"message":"m"}"#,
        r#""error":{"code":1.5,"message":"m"}"#,
        r#""error":{"code":"-32600","message":"m"}"#,
        r#""error":{"code":1,"code":2,"message":"m"}"#,
        r#""error":{"message":"m"}"#,
        r#""result":{"content":{"0":{"type":"text","text":"a"}}}"#,
        r#""result":[]"#,
        r#""result":null"#,
    ] {
        let outcome = answered_by(&envelope(rest)).await;
        assert!(
            matches!(outcome, Err(CallError::Malformed(_))),
            "{rest}: {outcome:?}"
        );
    }
    let cut = envelope(r#""result":{"content":[{"type":"text","text":"cut \ud800"}]}"#);
    let content = answered_by(&cut).await.unwrap();
    let [ContentBlock::Text { text, .. }] = &content[..] else {
        panic!("{content:?}")
    };
    assert_eq!(text, "cut \u{fffd}", "one character is lost, not the answer");
    let any_data = answered_by(&envelope(
        r#""error":{"code":-9,"message":"m","data":[null,{"a":1}]}"#,
    ))
    .await;
    assert!(matches!(any_data, Err(CallError::Rpc(error))
        if error.code == -9 && error.data.as_ref().unwrap().get() == r#"[null,{"a":1}]"#));
}

/// More than other messages may have, in bytes.
const LONG: usize = 9 * 1024 * 1024;

/// A long result is read. One of very many values would take many times its bytes, and is not.
#[tokio::test(start_paused = true)]
async fn a_long_result_is_read_unless_it_has_very_many_values() {
    let answer = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":$id,"result":{result}}}"#);
    let words = "a, [b]: ".repeat(LONG / 8);
    let content = answered_by(&answer(&format!(
        r#"{{"content":[{{"type":"text","text":"{words}"}}]}}"#
    )))
    .await
    .unwrap();
    assert!(matches!(&content[..], [ContentBlock::Text { text, .. }] if *text == words));
    let zeros = "0,".repeat(LONG / 2);
    let many = answered_by(&answer(&format!(r#"{{"structuredContent":[{zeros}0]}}"#))).await;
    assert!(is_too_large(&many), "{many:?}");
}

/// Nothing but the result of a tool may be that long.
#[tokio::test(start_paused = true)]
async fn a_message_that_is_no_result_may_not_be_as_long_as_one() {
    let (handle, mut server, mut events) = opened().await;
    let long = "x".repeat(LONG);
    let serve = async {
        let (id, _) = server.expect("tools/list").await;
        server.answer(&id, json!({"tools": [], "x": long})).await;
    };
    let (listed, ()) = tokio::join!(handle.list_tools(), serve);
    assert!(is_too_large(&listed), "{listed:?}");
    assert!(oddity(&mut events).await.contains("larger than 8 MiB"));
    let logged = json!({"level": "info", "data": long});
    server.tell("notifications/message", logged).await;
    assert!(oddity(&mut events).await.contains("at most 8388608 are read"));
    works(&handle, &mut server).await;
}

fn is_too_large<T>(outcome: &Result<T, CallError>) -> bool {
    matches!(outcome, Err(CallError::NotAnswered(failure)) if failure.too_large)
}

/// BASE-002, BASE-005, CX-003: an id counts with its type, so nobody answers for another.
#[tokio::test(start_paused = true)]
async fn an_id_that_only_looks_like_another_answers_nothing() {
    for written in [
        r#"{"jsonrpc":"2.0","id":"$id","result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"0$id","result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"+$id","result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":" $id","result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"$id.0","result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":$id.0,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":[$id],"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","ID":$id,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":-$id,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":$id,"id":0,"result":{"content":[]}}"#,
    ] {
        let outcome = answered_by(written).await;
        assert!(
            matches!(outcome, Err(CallError::TimedOut { .. })),
            "{written}: {outcome:?}"
        );
    }
}

/// BASE-007: whose answer it was stands at one of its ends, so nobody waits for their time to be over.
#[tokio::test(start_paused = true)]
async fn a_long_answer_broken_in_the_middle_fails_at_once() {
    let long = "x".repeat(1_000_000);
    for written in [
        format!(r#"{{"jsonrpc":"2.0","id":$id,"result":{{"a":"{long}"}} {{}} "b":"{long}"}}}}"#),
        format!("{{\"jsonrpc\":\"2.0\",\"result\":{{\"a\":\"{long}\u{1}{long}\"}},\"id\":$id}}"),
    ] {
        let outcome = answered_by(&written).await;
        assert!(matches!(outcome, Err(CallError::Malformed(_))), "{outcome:?}");
    }
}

/// BASE-009: a call does not wait for its timeout where its answer came in a form that the revision does not have.
#[tokio::test(start_paused = true)]
async fn an_answer_in_an_array_fails_its_call_at_once_where_arrays_are_no_messages() {
    for written in [
        r#"[{"jsonrpc":"2.0","id":$id,"result":{"content":[]}}]"#,
        r#"[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":$id,"error":{"code":1,"message":"m"}}]"#,
        r#"[{"jsonrpc":"2.0","id":$id,"result":[]}]"#,
    ] {
        let outcome = answered_by(written).await;
        assert!(
            matches!(&outcome, Err(CallError::Malformed(why)) if why.contains("several messages in one")),
            "{written}: {outcome:?}"
        );
    }
}

/// STD-006: an answer that is too large to be read fails at once, and alone.
#[tokio::test(start_paused = true)]
async fn an_answer_that_can_not_be_read_costs_its_own_call_at_once() {
    let (handle, mut server, _events) = opened().await;
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        let (other, _) = server.expect("tools/call").await;
        let failure = RequestFailure {
            too_large: true,
            ..RequestFailure::new("the answer is longer than what is read")
        };
        server.fail(&id, failure).await;
        server.answer(&other, text("fine")).await;
    };
    let call = || handle.call_tool("t", no_arguments(), CallOptions::default());
    let (first, second, ()) = tokio::join!(call(), call(), serve);
    assert!(matches!(first, Err(CallError::NotAnswered(failure)) if failure.reason.contains("longer")));
    second.unwrap();
    works(&handle, &mut server).await;
}

/// TR-116: asked again, the server would say the same.
#[tokio::test(start_paused = true)]
async fn what_was_too_large_to_read_is_not_asked_for_again() {
    let (handle, mut server, _events) = modern().await;
    let serve = async {
        let (id, _) = server.expect("resources/read").await;
        let failure = RequestFailure {
            too_large: true,
            ..RequestFailure::new("the answer is longer than what is read")
        };
        server.fail(&id, failure).await;
    };
    let (read, ()) = tokio::join!(handle.read_resource("x://a", CallOptions::default()), serve);
    assert!(matches!(read, Err(CallError::NotAnswered(_))));
    server.expect_nothing(&handle).await;
}

/// PS-002, PS-003, PS-004: reports that are no numbers, fall behind, or come when all is over.
#[tokio::test(start_paused = true)]
async fn reports_that_make_no_sense_are_passed_over() {
    let (handle, mut server, _events) = opened().await;
    let (progress, mut reports) = mpsc::channel(64);
    let options = CallOptions {
        progress: Some(progress),
        ..CallOptions::default()
    };
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        for step in [
            json!(1),
            json!("2"),
            json!(null),
            json!(-5),
            json!(0.5),
            json!(2.5),
        ] {
            let report = json!({"progressToken": id, "progress": step});
            server.tell("notifications/progress", report).await;
            server.expect_silence().await;
            advance(Duration::from_millis(100)).await;
        }
        let odd = json!({"progressToken": id, "progress": 3, "total": "many", "message": 5});
        server.tell("notifications/progress", odd).await;
        server.raw(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{id},"progress":1e999}}}}"#
        ))
        .await;
        let late = json!({"progressToken": id, "progress": 9});
        server.answer(&id, text("done")).await;
        server.tell("notifications/progress", late).await;
        server.expect_silence().await;
    };
    let (outcome, ()) = tokio::join!(handle.call_tool("t", no_arguments(), options), serve);
    outcome.unwrap();
    let seen: Vec<f64> = std::iter::from_fn(|| reports.try_recv().ok())
        .map(|report| report.progress)
        .collect();
    assert_eq!(seen, [1.0, 2.5, 3.0]);
}

/// CX-003, CX-008, BASE-008: answers after a cancellation, cancellations of what is ours, and of nothing.
#[tokio::test(start_paused = true)]
async fn a_server_can_not_cancel_our_requests() {
    let (handle, mut server, mut events) = opened().await;
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        let ids: [Value; 4] = [id.clone(), json!(999), json!(null), json!(id.to_string())];
        for named in ids {
            server
                .tell(
                    "notifications/cancelled",
                    json!({"requestId": named, "reason": "no"}),
                )
                .await;
        }
        server.answer(&id, text("done")).await;
        server.answer(&id, text("again")).await;
        server.expect_silence().await;
    };
    let (outcome, ()) = tokio::join!(
        handle.call_tool("t", no_arguments(), CallOptions::default()),
        serve
    );
    outcome.unwrap();
    assert!(oddity(&mut events).await.contains("waits for none"));
    assert!(events.try_recv().is_err());
}
