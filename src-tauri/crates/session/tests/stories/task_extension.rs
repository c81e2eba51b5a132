//! Tasks as the extension of 2026-07-28 has them: the server decides.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use vestibule_session::{
    CallError, CallOptions, Called, RequestFailure, ServerRequest, SessionHandle, SessionOptions, TaskHandle,
    Wire,
};
use vestibule_transport::{OutgoingKind, Sent};

use super::{BOUND, Events, Server, modern_over, no_arguments, options, request, text};

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn task(status: &str, more: &Value) -> Value {
    let mut task = json!({"resultType": "complete", "taskId": "t-1", "status": status, "createdAt": "c",
        "lastUpdatedAt": "u", "ttlMs": null, "pollIntervalMs": 3000});
    task.as_object_mut()
        .unwrap()
        .extend(more.as_object().cloned().unwrap());
    task
}

fn begins() -> Value {
    task("working", &json!({"resultType": "task"}))
}

fn with_extension() -> SessionOptions {
    let mut options = options();
    options.capabilities["extensions"] = json!({ EXTENSION: {} });
    options
}

async fn session(wire: Wire) -> (SessionHandle, Server, Events) {
    let declared = json!({"tools": {}, "prompts": {}, "extensions": { EXTENSION: {} }});
    modern_over(wire, with_extension(), declared).await
}

async fn begun(handle: &SessionHandle, server: &mut Server) -> TaskHandle {
    let serve = async {
        let (id, params) = server.expect("tools/call").await;
        let declared = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
        assert_eq!(*declared, json!({ EXTENSION: {} }));
        assert!(params.get("task").is_none(), "the server decides");
        server.answer(&id, begins()).await;
    };
    let (called, ()) = tokio::join!(
        handle.start_tool("t", no_arguments(), CallOptions::default()),
        serve
    );
    match called.unwrap() {
        Called::Task(task) => task,
        Called::Done(result) => panic!("{result:?}"),
    }
}

async fn told(server: &mut Server, status: &str, more: &Value) -> Value {
    let (id, params) = server.expect("tasks/get").await;
    assert_eq!(params["taskId"], "t-1");
    server.answer(&id, task(status, more)).await;
    params
}

fn form() -> Value {
    json!({"method": "elicitation/create", "params": {"message": "?",
        "requestedSchema": {"type": "object", "properties": {}}}})
}

/// TX-001, TX-002, TX-004, TX-006, TX-017, TL-026.
#[tokio::test(start_paused = true)]
async fn a_call_that_becomes_a_task_comes_to_its_result_all_the_same() {
    let (handle, mut server, _events) = session(Wire::Stream).await;
    let begun_at = Instant::now();
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        server.answer(&id, begins()).await;
        // The word for its kind is either.
        let params = told(
            &mut server,
            "working",
            &json!({"resultType": "task", "pollIntervalMs": 7000}),
        )
        .await;
        let declared = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
        assert_eq!(*declared, json!({ EXTENSION: {} }));
        told(&mut server, "completed", &json!({"result": text("done")})).await;
        assert_eq!(begun_at.elapsed(), Duration::from_secs(10), "the pace may change");
    };
    let (result, ()) = tokio::join!(
        handle.call_tool("t", no_arguments(), CallOptions::default()),
        serve
    );
    assert_eq!(result.unwrap().content.len(), 1);
}

/// BASE-014, EXT-001, EXT-003, TX-002: a task nobody offered is no answer, and neither is one for anything else.
#[tokio::test(start_paused = true)]
async fn a_task_is_an_answer_only_to_a_call_and_only_where_both_sides_declared_it() {
    let theirs = json!({"tools": {}, "extensions": { EXTENSION: {} }});
    for (ours, theirs, call) in [
        (options(), theirs.clone(), CallOptions::default()),
        (with_extension(), json!({"tools": {}}), CallOptions::default()),
        (
            with_extension(),
            theirs,
            CallOptions {
                capabilities: Some(json!({})),
                ..CallOptions::default()
            },
        ),
    ] {
        let (handle, mut server, _events) = modern_over(Wire::Stream, ours, theirs).await;
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            server.answer(&id, begins()).await;
        };
        let (called, ()) = tokio::join!(handle.start_tool("t", no_arguments(), call), serve);
        assert!(matches!(called, Err(CallError::Malformed(_))), "{called:?}");
    }
    let (handle, mut server, _events) = session(Wire::Stream).await;
    let serve = async {
        let (id, _) = server.expect("prompts/get").await;
        server.answer(&id, begins()).await;
    };
    let arguments = std::collections::BTreeMap::new();
    let (prompt, ()) = tokio::join!(handle.get_prompt("p", &arguments, CallOptions::default()), serve);
    assert!(matches!(prompt, Err(CallError::Malformed(_))));
}

/// MR-017, TX-007, TX-008, TX-009, TX-010, EU-024.
#[tokio::test(start_paused = true)]
async fn what_a_task_needs_is_asked_once_and_handed_over_under_its_name() {
    let (handle, mut server, mut events) = session(Wire::Stream).await;
    let task_handle = begun(&handle, &mut server).await;
    let serve = async {
        let needs = json!({"inputRequests": {"who": form()}});
        told(&mut server, "input_required", &needs).await;
        let (asked, reply) = request(&mut events).await;
        assert!(matches!(asked, ServerRequest::ElicitForm(_)));
        let call = reply.origin().call.clone().unwrap();
        assert_eq!((call.method, call.name.as_str()), ("tools/call", "t"));
        reply.reply(&json!({"action": "decline"}));
        let (id, params) = server.expect("tasks/update").await;
        assert_eq!(
            (&params["taskId"], &params["inputResponses"]),
            (&json!("t-1"), &json!({"who": {"action": "decline"}}))
        );
        server.answer(&id, json!({})).await;
        // It has not looked yet; then it needs one thing more.
        told(&mut server, "input_required", &needs).await;
        let more = json!({"inputRequests": {"who": form(), "ws": {"method": "roots/list"}}});
        told(&mut server, "input_required", &more).await;
        let (asked, reply) = request(&mut events).await;
        assert!(matches!(asked, ServerRequest::ListRoots));
        reply.reply(&json!({"roots": []}));
        let (id, params) = server.expect("tasks/update").await;
        assert_eq!(params["inputResponses"], json!({"ws": {"roots": []}}));
        server.answer(&id, json!({})).await;
        told(&mut server, "completed", &json!({"result": text("done")})).await;
    };
    tokio::join!(task_handle.result(), serve).0.unwrap();
    assert!(events.try_recv().is_err());
}

/// TX-007, TX-010: the user gave the answers once. An update that failed may have arrived, which the task shows.
#[tokio::test(start_paused = true)]
async fn answers_that_could_not_be_handed_over_are_handed_over_again_without_a_second_question() {
    let passing = RequestFailure {
        status: Some(503),
        ..RequestFailure::new("try again later")
    };
    for arrived in [false, true] {
        let (handle, mut server, mut events) = session(Wire::Stream).await;
        let task_handle = begun(&handle, &mut server).await;
        let serve = async {
            let needs = json!({"inputRequests": {"who": form()}});
            told(&mut server, "input_required", &needs).await;
            let (_, reply) = request(&mut events).await;
            reply.reply(&json!({"action": "decline"}));
            let (id, first) = server.expect("tasks/update").await;
            server.fail(&id, passing.clone()).await;
            let (id, second) = server.expect("tasks/update").await;
            assert_eq!(second["inputResponses"], json!({"who": {"action": "decline"}}));
            assert_eq!(second["inputResponses"], first["inputResponses"]);
            if arrived {
                let error = json!({"code": -32602, "message": "this task waits for nothing"});
                server.refuse(&id, error).await;
            } else {
                server.answer(&id, json!({})).await;
            }
            told(&mut server, "completed", &json!({"result": text("done")})).await;
        };
        tokio::join!(task_handle.result(), serve).0.unwrap();
        assert!(events.try_recv().is_err(), "one question only");
    }
}

/// Patience with an update has an end too.
#[tokio::test(start_paused = true)]
async fn answers_that_can_never_be_handed_over_end_the_following_of_their_task() {
    let (handle, mut server, mut events) = session(Wire::Stream).await;
    let task_handle = begun(&handle, &mut server).await;
    let serve = async {
        let needs = json!({"inputRequests": {"who": form()}});
        told(&mut server, "input_required", &needs).await;
        request(&mut events).await.1.reply(&json!({"action": "decline"}));
        for _ in 0..=5 {
            let (id, _) = server.expect("tasks/update").await;
            let failure = RequestFailure {
                status: Some(503),
                ..RequestFailure::new("try again later")
            };
            server.fail(&id, failure).await;
        }
        server.expect_nothing(&handle).await;
    };
    let (outcome, ()) = tokio::join!(task_handle.result(), serve);
    assert!(
        matches!(&outcome, Err(CallError::NotAnswered(failure)) if failure.status == Some(503)),
        "{outcome:?}"
    );
}

/// TX-007, CX-004: a task that no longer waits withdraws its questions.
#[tokio::test(start_paused = true)]
async fn a_question_goes_when_the_task_no_longer_waits_for_it() {
    let (handle, mut server, mut events) = session(Wire::Stream).await;
    let task_handle = begun(&handle, &mut server).await;
    let serve = async {
        told(
            &mut server,
            "input_required",
            &json!({"inputRequests": {"who": form()}}),
        )
        .await;
        let (_, reply) = request(&mut events).await;
        told(&mut server, "input_required", &json!({})).await;
        assert!(!reply.is_cancelled());
        told(&mut server, "working", &json!({})).await;
        timeout(BOUND, reply.cancelled()).await.unwrap();
        told(&mut server, "cancelled", &json!({})).await;
    };
    let (result, ()) = tokio::join!(task_handle.result(), serve);
    assert!(matches!(result, Err(CallError::TaskCancelled)));
}

/// TX-006, MR-012, MR-014.
#[tokio::test(start_paused = true)]
async fn a_task_can_fail_and_can_want_what_it_may_not_have() {
    let cases = [
        ("failed", json!({"error": {"code": -5, "message": "broken"}})),
        ("failed", json!({})),
        ("completed", json!({})),
        ("completed", json!({"result": {"isError": true, "content": []}})),
        (
            "input_required",
            json!({"inputRequests": {"a": {"method": "made/up"}}}),
        ),
    ];
    for (number, (status, more)) in cases.into_iter().enumerate() {
        let (handle, mut server, mut events) = session(Wire::Stream).await;
        let task_handle = begun(&handle, &mut server).await;
        let (result, _) = tokio::join!(task_handle.result(), told(&mut server, status, &more));
        let as_expected = match (number, &result) {
            (0, Err(CallError::Rpc(error))) => error.code == -5,
            (1 | 2, Err(CallError::Malformed(_))) => true,
            (3, Ok(result)) => result.is_error,
            (4, Err(CallError::NotContinued(_))) => true,
            _ => false,
        };
        assert!(as_expected, "{status}: {result:?}");
        assert!(events.try_recv().is_err(), "nobody was asked");
    }
}

/// TX-010, TX-011, TX-012, CX-007.
#[tokio::test(start_paused = true)]
async fn whoever_no_longer_waits_cancels_the_task_and_never_its_request() {
    let (handle, mut server, _events) = session(Wire::Stream).await;
    let waiting = {
        let handle = handle.clone();
        tokio::spawn(async move {
            handle
                .call_tool("t", no_arguments(), CallOptions::default())
                .await
        })
    };
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, begins()).await;
    told(&mut server, "working", &json!({})).await;
    waiting.abort();
    let (id, params) = server.expect("tasks/cancel").await;
    assert_eq!(params["taskId"], "t-1");
    server.answer(&id, json!({})).await;
    server.expect_nothing(&handle).await;
}

/// TX-013, TR-103.
#[tokio::test(start_paused = true)]
async fn http_repeats_the_name_of_a_task() {
    let (handle, mut server, _events) = session(Wire::Http).await;
    let task_handle = begun(&handle, &mut server).await;
    let serve = async {
        let (id, headers) = loop {
            if let Sent::Frame(outgoing) = server.sent().await
                && let OutgoingKind::Request { id, headers, .. } = outgoing.kind
            {
                break (id, headers);
            }
        };
        assert!(
            headers.contains(&("Mcp-Name".to_owned(), "t-1".to_owned())),
            "{headers:?}"
        );
        assert!(headers.contains(&("Mcp-Method".to_owned(), "tasks/get".to_owned())));
        server.answer(&json!(id), task("cancelled", &json!({}))).await;
    };
    let (status, ()) = tokio::join!(task_handle.status(), serve);
    assert!(status.unwrap().status.is_final());
}
