//! Tasks as 2025-11-25 has them: the client asks for one.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use vestibule_protocol::Revision;
use vestibule_protocol::task::{TaskRecord, TaskStatus};
use vestibule_session::{
    CallError, CallOptions, Called, RequestFailure, ServerRequest, SessionHandle, TaskHandle, Wire,
};

use super::{Events, Server, legacy_on, legacy_with, no_arguments, options, request, text};

fn task(status: &str) -> Value {
    json!({"taskId": "t-1", "status": status, "createdAt": "c", "lastUpdatedAt": "u", "ttl": 60_000,
        "pollInterval": 3000})
}

fn can_do_tasks() -> Value {
    json!({"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}})
}

/// A session whose server has tools that may, must and must not be called as tasks.
async fn with_tools(capabilities: Value) -> (SessionHandle, Server, Events) {
    with_tools_over(Wire::Stream, capabilities).await
}

async fn with_tools_over(wire: Wire, capabilities: Value) -> (SessionHandle, Server, Events) {
    let revision = Revision::V2025_11_25;
    let (handle, mut server, events) = legacy_on(wire, options(), revision, capabilities, 64).await;
    let tool = |name: &str, support: &str| json!({"name": name, "inputSchema": {"type": "object"}, "execution": {"taskSupport": support}});
    let tools =
        json!({"tools": [tool("may", "optional"), tool("must", "required"), tool("never", "forbidden")]});
    let serve = async {
        let (id, _) = server.expect("tools/list").await;
        server.answer(&id, tools).await;
    };
    tokio::join!(handle.list_tools(), serve).0.unwrap();
    (handle, server, events)
}

fn as_task() -> CallOptions {
    CallOptions {
        as_task: true,
        ..CallOptions::default()
    }
}

async fn begun(handle: &SessionHandle, server: &mut Server, options: CallOptions) -> (TaskHandle, Value) {
    let serve = async {
        let (id, params) = server.expect("tools/call").await;
        assert!(params["task"]["ttl"].is_u64(), "{params}");
        server
            .answer(
                &id,
                json!({"task": task("working"),
            "_meta": {"io.modelcontextprotocol/model-immediate-response": "wait a little"}}),
            )
            .await;
        id
    };
    let (called, id) = tokio::join!(handle.start_tool("may", no_arguments(), options), serve);
    match called.unwrap() {
        Called::Task(task) => (task, id),
        Called::Done(result) => panic!("{result:?}"),
    }
}

async fn told(server: &mut Server, status: &str) {
    let (id, params) = server.expect("tasks/get").await;
    assert_eq!(
        params,
        json!({"taskId": "t-1"}),
        "without a word of what it belongs to"
    );
    server.answer(&id, task(status)).await;
}

/// TK-001, TK-002.
#[tokio::test(start_paused = true)]
async fn a_call_is_a_task_only_where_server_and_tool_say_so() {
    let refusing = json!({"tools": {}, "tasks": {"list": {}}});
    let cases = [
        (can_do_tasks(), "may", true, true),
        (can_do_tasks(), "may", false, false),
        (can_do_tasks(), "must", false, true),
        (can_do_tasks(), "never", true, false),
        (can_do_tasks(), "unlisted", true, false),
        (refusing.clone(), "must", true, false),
        (json!({"tools": {}}), "may", true, false),
    ];
    for (capabilities, tool, wanted, expected) in cases {
        let (handle, mut server, _events) = with_tools(capabilities).await;
        let options = CallOptions {
            as_task: wanted,
            ..CallOptions::default()
        };
        let serve = async {
            let (id, params) = server.expect("tools/call").await;
            assert_eq!(params.get("task").is_some(), expected, "{tool} {wanted}");
            server.answer(&id, text("at once")).await;
        };
        let (called, ()) = tokio::join!(handle.start_tool(tool, no_arguments(), options), serve);
        assert!(
            matches!(called, Ok(Called::Done(_))),
            "a server need not mind the wish"
        );
    }
}

/// TK-003, TK-004, TK-005, TK-007, TK-008, TK-011.
#[tokio::test(start_paused = true)]
async fn a_task_is_asked_for_at_the_server_s_pace_and_then_for_its_result() {
    let (handle, mut server, mut events) = with_tools(can_do_tasks()).await;
    let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
    assert_eq!(task_handle.immediate(), Some("wait a little"));
    assert_eq!(task_handle.begun().unwrap().status, TaskStatus::Working);
    let begun = Instant::now();
    let serve = async {
        server.tell("notifications/tasks/status", task("completed")).await;
        for status in ["working", "working", "completed"] {
            told(&mut server, status).await;
        }
        assert_eq!(
            begun.elapsed(),
            Duration::from_secs(9),
            "nothing depends on notifications"
        );
        let (id, params) = server.expect("tasks/result").await;
        assert_eq!(params, json!({"taskId": "t-1"}), "it names its task once");
        tokio::time::sleep(Duration::from_secs(3600)).await;
        server.answer(&id, text("done")).await;
    };
    let (result, ()) = tokio::join!(task_handle.result(), serve);
    assert_eq!(result.unwrap().content.len(), 1);
    assert!(events.try_recv().is_err(), "and it is nothing out of order");
}

/// TK-006, TK-008: what the server needs comes while its result is waited for.
#[tokio::test(start_paused = true)]
async fn a_task_that_needs_input_is_asked_for_its_result_at_once() {
    let (handle, mut server, mut events) = with_tools(can_do_tasks()).await;
    let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
    let serve = async {
        told(&mut server, "input_required").await;
        let (id, _) = server.expect("tasks/result").await;
        let related = json!({"io.modelcontextprotocol/related-task": {"taskId": "t-1"}});
        server.ask("q", "roots/list", json!({ "_meta": related })).await;
        let (asked, reply) = request(&mut events).await;
        assert!(matches!(asked, ServerRequest::ListRoots));
        assert_eq!(reply.origin().task.as_deref(), Some("t-1"));
        reply.reply(&json!({"roots": []}));
        assert_eq!(server.read().await["result"]["_meta"], related);
        server.answer(&id, text("done")).await;
    };
    tokio::join!(task_handle.result(), serve).0.unwrap();
}

fn broken_off() -> RequestFailure {
    RequestFailure {
        status: Some(200),
        cut: true,
        ..RequestFailure::new("the stream broke off")
    }
}

/// TK-005, TK-006: only the stream of the result has ended, not the task.
#[tokio::test(start_paused = true)]
async fn a_task_goes_on_after_the_stream_of_its_result_broke() {
    let (handle, mut server, mut events) = with_tools_over(Wire::Http, can_do_tasks()).await;
    let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
    let serve = async {
        // A user takes half an hour, and a proxy allows a stream a minute.
        for _ in 0..30 {
            told(&mut server, "input_required").await;
            let (id, _) = server.expect("tasks/result").await;
            tokio::time::sleep(Duration::from_secs(60)).await;
            server.fail(&id, broken_off()).await;
        }
        told(&mut server, "input_required").await;
        let (id, _) = server.expect("tasks/result").await;
        server.ask("q", "roots/list", json!({})).await;
        let (asked, reply) = request(&mut events).await;
        assert!(matches!(asked, ServerRequest::ListRoots));
        reply.reply(&json!({"roots": []}));
        assert_eq!(server.read().await["id"], "q");
        server.fail(&id, broken_off()).await;
        told(&mut server, "working").await;
        told(&mut server, "completed").await;
        let (id, _) = server.expect("tasks/result").await;
        server.fail(&id, RequestFailure::new("no connection")).await;
        told(&mut server, "completed").await;
        let (id, _) = server.expect("tasks/result").await;
        server.answer(&id, text("done")).await;
    };
    let (result, ()) = tokio::join!(task_handle.result(), serve);
    assert_eq!(result.unwrap().content.len(), 1);
}

/// TM-001, TX-015.
#[tokio::test(start_paused = true)]
async fn a_result_that_never_arrives_or_is_too_large_is_not_asked_for_for_ever() {
    let too_large = RequestFailure {
        too_large: true,
        ..RequestFailure::new("the answer was larger than 8 MiB")
    };
    for (failure, times) in [(broken_off(), 6), (too_large, 1)] {
        let (handle, mut server, _events) = with_tools_over(Wire::Http, can_do_tasks()).await;
        let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
        let serve = async {
            for _ in 0..times {
                told(&mut server, "completed").await;
                let (id, _) = server.expect("tasks/result").await;
                server.fail(&id, failure.clone()).await;
            }
        };
        let (result, ()) = tokio::join!(task_handle.result(), serve);
        assert!(
            matches!(&result, Err(CallError::NotAnswered(told)) if **told == failure),
            "{result:?}"
        );
        server.expect_silence().await;
    }
}

/// TK-005, TK-012, TM-005.
#[tokio::test(start_paused = true)]
async fn a_failed_task_says_exactly_what_the_call_would_have_said() {
    for as_error in [true, false] {
        let (handle, mut server, _events) = with_tools(can_do_tasks()).await;
        let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
        let serve = async {
            told(&mut server, "failed").await;
            let (id, _) = server.expect("tasks/result").await;
            if as_error {
                server.refuse(&id, json!({"code": -5, "message": "broken"})).await;
            } else {
                server.answer(&id, json!({"content": [], "isError": true})).await;
            }
        };
        let (result, ()) = tokio::join!(task_handle.result(), serve);
        match result {
            Ok(result) => assert!(result.is_error && !as_error),
            Err(CallError::Rpc(error)) => assert!(error.code == -5 && as_error),
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// TK-009, CX-007, TX-012: a task is cancelled as a task.
#[tokio::test(start_paused = true)]
async fn whoever_no_longer_waits_for_a_call_cancels_its_task_and_not_its_request() {
    let (handle, mut server, _events) = with_tools(can_do_tasks()).await;
    let waiting = {
        let handle = handle.clone();
        tokio::spawn(async move {
            handle
                .call_tool("must", no_arguments(), CallOptions::default())
                .await
        })
    };
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, json!({"task": task("working")})).await;
    told(&mut server, "working").await;
    waiting.abort();
    let (id, params) = server.expect("tasks/cancel").await;
    assert_eq!(params, json!({"taskId": "t-1"}));
    server.answer(&id, task("cancelled")).await;
    server.expect_silence().await;

    let (kept, _) = begun(&handle, &mut server, as_task()).await;
    drop(kept);
    server.expect_silence().await;
}

/// TK-009.
#[tokio::test(start_paused = true)]
async fn lists_and_cancelling_are_used_only_where_they_were_declared() {
    let (handle, mut server, _events) = with_tools(can_do_tasks()).await;
    let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
    let serve = async {
        let (id, _) = server.expect("tasks/list").await;
        server
            .answer(&id, json!({"tasks": [task("working")], "nextCursor": "n"}))
            .await;
        let (id, params) = server.expect("tasks/list").await;
        assert_eq!(params, json!({"cursor": "n"}));
        server
            .answer(&id, json!({"tasks": [task("working"), {"status": "working"}]}))
            .await;
        let (id, _) = server.expect("tasks/cancel").await;
        server
            .refuse(&id, json!({"code": -32602, "message": "over already"}))
            .await;
    };
    let ask = async {
        let listing = handle.list_tasks().await.unwrap();
        assert_eq!((listing.items.len(), listing.dropped.len()), (1, 2));
        assert!(matches!(task_handle.cancel().await, Err(CallError::TaskGone)));
    };
    tokio::join!(ask, serve);

    let calls_only = json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}});
    let (handle, mut server, _events) = with_tools(calls_only).await;
    let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
    assert!(matches!(handle.list_tasks().await, Err(CallError::NotSupported)));
    assert!(matches!(task_handle.cancel().await, Err(CallError::NotSupported)));
    server.expect_silence().await;
}

/// TK-010, PS-004: reports go on for as long as somebody follows the task.
#[tokio::test(start_paused = true)]
async fn progress_of_a_task_arrives_after_the_answer_that_began_it() {
    let (handle, mut server, _events) = with_tools(can_do_tasks()).await;
    let (progress, mut reports) = mpsc::channel(8);
    let options = CallOptions {
        progress: Some(progress),
        ..as_task()
    };
    let (task_handle, token) = begun(&handle, &mut server, options).await;
    let report = |step: u32| json!({"progressToken": token, "progress": step});
    server.tell("notifications/progress", report(1)).await;
    assert_eq!(reports.recv().await.unwrap().progress, 1.0);
    tokio::time::advance(Duration::from_secs(1)).await;
    server.tell("notifications/progress", report(2)).await;
    assert_eq!(reports.recv().await.unwrap().progress, 2.0);
    drop(task_handle);
    server.expect_silence().await;
    server.tell("notifications/progress", report(3)).await;
    assert!(reports.recv().await.is_none(), "nobody reports any more");
}

/// TX-005, TK-015: a record is enough to follow a task in a later session of the same revision.
#[tokio::test(start_paused = true)]
async fn a_kept_task_is_followed_in_a_later_session() {
    let (handle, mut server, _events) = with_tools(can_do_tasks()).await;
    let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
    let kept = serde_json::to_string(task_handle.record()).unwrap();
    handle.close().await;
    let record: TaskRecord = serde_json::from_str(&kept).unwrap();
    let (later, mut server, _events) = legacy_with(can_do_tasks(), Revision::V2025_11_25).await;
    let serve = async {
        told(&mut server, "completed").await;
        let (id, _) = server.expect("tasks/result").await;
        server.answer(&id, text("done")).await;
    };
    let followed = later.task(record.clone()).unwrap();
    tokio::join!(followed.result(), serve).0.unwrap();
    let (older, _server, _events) = legacy_with(can_do_tasks(), Revision::V2025_06_18).await;
    assert!(matches!(older.task(record), Err(CallError::NotSupported)));
}

/// TM-001, TX-015: nobody follows a task for ever, and a few lost answers do not lose it.
#[tokio::test(start_paused = true)]
async fn a_task_is_followed_through_lost_answers_but_not_for_ever() {
    let (handle, mut server, _events) = with_tools(can_do_tasks()).await;
    let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
    let begun_at = Instant::now();
    let serve = async {
        let (_lost, _) = server.expect("tasks/get").await;
        server.expect("notifications/cancelled").await;
        let mut slow = task("working");
        slow["pollInterval"] = json!(600_000);
        loop {
            let (id, _) = server.expect("tasks/get").await;
            server.answer(&id, slow.clone()).await;
        }
    };
    tokio::select! {
        result = task_handle.result() => {
            assert!(matches!(result, Err(CallError::TimedOut { .. })), "{result:?}");
        }
        () = serve => {}
    }
    assert_eq!(begun_at.elapsed(), Duration::from_secs(24 * 60 * 60));

    let (task_handle, _) = begun(&handle, &mut server, as_task()).await;
    let serve = async {
        let (id, _) = server.expect("tasks/get").await;
        server
            .refuse(&id, json!({"code": -32602, "message": "what task?"}))
            .await;
    };
    let (result, ()) = tokio::join!(task_handle.result(), serve);
    assert!(matches!(result, Err(CallError::TaskGone)));
}
