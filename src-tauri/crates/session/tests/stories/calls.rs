use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, advance, timeout};
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::{ContentBlock, LogLevel};
use vestibule_session::{
    CallError, CallOptions, CloseCause, RequestFailure, SessionEvent, SessionLimits, SessionOptions, open,
};
use vestibule_transport::{CloseReason, Exit, Incoming, pair};

use super::{BOUND, Server, event, no_arguments, oddity, opened, opened_with, options, text};

/// TL-025, PS-001.
#[tokio::test(start_paused = true)]
async fn a_call_brings_back_what_the_server_answered() {
    let (handle, mut server, _events) = opened().await;
    let arguments = json!({"path": "/a\nb"}).as_object().unwrap().clone();
    let serve = async {
        let (id, params) = server.expect("tools/call").await;
        assert_eq!(params["name"], "read");
        assert_eq!(params["arguments"], json!({"path": "/a\nb"}));
        assert_eq!(params["_meta"]["progressToken"], id);
        server.answer(&id, text("done")).await;
    };
    let (result, ()) = tokio::join!(handle.call_tool("read", arguments, CallOptions::default()), serve);
    let result = result.unwrap();
    assert!(matches!(&result.content[..], [ContentBlock::Text { text, .. }] if text == "done"));
    assert!(!result.is_error);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_an_error_or_none_is_told_apart() {
    let (handle, mut server, mut events) = opened().await;
    type Fits = fn(&CallError) -> bool;
    let answers: [(Value, Fits); 6] = [
        (
            json!({"error": {"code": -32042, "message": "m", "data": {"a": 1}}}),
            |error| matches!(error, CallError::Rpc(error) if error.code == -32042 && error.data.is_some()),
        ),
        (json!({"result": {"content": 5}}), |error| {
            matches!(error, CallError::Malformed(_))
        }),
        (json!({"result": null}), |error| {
            matches!(error, CallError::Malformed(_))
        }),
        (json!({"result": {}, "error": {"code": 1}}), |error| {
            matches!(error, CallError::Malformed(_))
        }),
        (json!({"error": "no"}), |error| {
            matches!(error, CallError::Malformed(_))
        }),
        (json!({}), |error| matches!(error, CallError::Malformed(_))),
    ];
    for (mut answer, fits) in answers {
        let begun = Instant::now();
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            answer["jsonrpc"] = "2.0".into();
            answer["id"] = id;
            server.say(answer.clone()).await;
        };
        let (outcome, ()) = tokio::join!(
            handle.call_tool("t", no_arguments(), CallOptions::default()),
            serve
        );
        let error = outcome.unwrap_err();
        assert!(fits(&error), "{answer} gave {error:?}");
        assert!(begun.elapsed().is_zero(), "{answer} was waited for");
    }
    // The three that break the rules of answers are noted, too.
    for _ in 0..3 {
        assert!(oddity(&mut events).await.contains("answer"));
    }
}

/// CX-001, CX-003.
#[tokio::test(start_paused = true)]
async fn a_dropped_waiter_cancels_the_request() {
    let (handle, mut server, mut events) = opened().await;
    let call = handle.call_tool("slow", no_arguments(), CallOptions::default());
    let id = tokio::select! {
        _ = call => panic!("nothing was answered"),
        (id, _) = server.expect("tools/call") => id,
    };
    let (none, params) = server.expect("notifications/cancelled").await;
    assert_eq!((none, &params["requestId"]), (Value::Null, &id));
    assert!(params["reason"].is_string());
    // The late answer is normal, a second one is not.
    server.answer(&id, text("late")).await;
    server.expect_silence().await;
    server.answer(&id, text("twice")).await;
    assert!(oddity(&mut events).await.contains(&id.to_string()));
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_before_it_left_is_never_sent() {
    let (handle, mut server, _events) = opened().await;
    // Polled once: handed to the session's task, which has not run yet.
    let mut call = Box::pin(handle.call_tool("t", no_arguments(), CallOptions::default()));
    assert!(futures_poll_once(call.as_mut()).await.is_none());
    drop(call);
    server.expect_silence().await;
}

async fn futures_poll_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match future.as_mut().poll(cx) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

/// TM-001, TM-002, TM-005.
#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_times_out_and_the_server_is_told() {
    let (handle, mut server, _events) = opened().await;
    let quick = CallOptions {
        timeout: Some(Duration::from_secs(7)),
        ..CallOptions::default()
    };
    let (outcome, _) = tokio::join!(
        handle.call_tool("t", no_arguments(), quick),
        server.expect("tools/call")
    );
    assert!(matches!(outcome, Err(CallError::TimedOut { after }) if after.as_secs() == 7));
    server.expect("notifications/cancelled").await;

    let (outcome, _) = tokio::join!(handle.ping(), server.expect("ping"));
    assert!(matches!(outcome, Err(CallError::TimedOut { after }) if after.as_secs() == 60));
}

/// TM-004.
#[tokio::test(start_paused = true)]
async fn the_time_a_person_takes_is_not_the_servers() {
    let (handle, mut server, _events) = opened().await;
    let begun = Instant::now();
    let hold = handle.pause_timeouts();
    let serve = async {
        server.expect("tools/call").await;
        advance(Duration::from_secs(3600)).await;
        drop(hold);
    };
    let (outcome, ()) = tokio::join!(
        handle.call_tool("t", no_arguments(), CallOptions::default()),
        serve
    );
    assert!(matches!(outcome, Err(CallError::TimedOut { after }) if after.as_secs() == 60));
    assert_eq!(begun.elapsed().as_secs(), 3660);
}

/// BASE-003.
#[tokio::test(start_paused = true)]
async fn ids_are_never_given_twice() {
    let (handle, mut server, _events) = opened().await;
    let mut seen = std::collections::HashSet::new();
    for _ in 0..50 {
        let serve = async {
            let (id, _) = server.expect("ping").await;
            server.answer(&id, json!({})).await;
            id.as_i64().unwrap()
        };
        let (outcome, id) = tokio::join!(handle.ping(), serve);
        outcome.unwrap();
        assert!(seen.insert(id));
    }
}

/// LC-008, TL-001, LG-002.
#[tokio::test(start_paused = true)]
async fn what_the_server_did_not_declare_is_not_asked_of_it() {
    let (transport, peer) = pair();
    let mut server = Server(peer);
    let (events, _inbox) = tokio::sync::mpsc::channel(8);
    let serve = async {
        let (id, _) = server.expect("initialize").await;
        let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"prompts": {}},
            "serverInfo": {"name": "s", "version": "1"}});
        server.answer(&id, result).await;
        server.expect("notifications/initialized").await;
    };
    let options = SessionOptions {
        capabilities: json!({}),
        ..options()
    };
    let (handle, ()) = tokio::join!(open(Box::new(transport), options, events), serve);
    let handle = handle.unwrap();
    assert!(matches!(handle.list_tools().await, Err(CallError::NotSupported)));
    let call = handle
        .call_tool("t", no_arguments(), CallOptions::default())
        .await;
    assert!(matches!(call, Err(CallError::NotSupported)));
    assert!(matches!(
        handle.set_log_level(LogLevel::Debug).await,
        Err(CallError::NotSupported)
    ));
    handle.notify_roots_changed().await.unwrap();
    server.expect_silence().await;
}

/// RO-004, LG-002.
#[tokio::test(start_paused = true)]
async fn what_was_declared_on_both_sides_is_sent() {
    let (handle, mut server, _events) = opened().await;
    handle.notify_roots_changed().await.unwrap();
    let (id, _) = server.expect("notifications/roots/list_changed").await;
    assert!(id.is_null());
    let serve = async {
        let (id, params) = server.expect("logging/setLevel").await;
        assert_eq!(params, json!({"level": "warning"}));
        server.answer(&id, json!({})).await;
    };
    let (outcome, ()) = tokio::join!(handle.set_log_level(LogLevel::Warning), serve);
    outcome.unwrap();
}

/// SSE-003: over HTTP+SSE the POST of a call may fail after its answer came on the stream.
#[tokio::test(start_paused = true)]
async fn an_exchange_that_fails_after_its_answer_spoils_nothing() {
    let (handle, mut server, mut events) = opened().await;
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        server.answer(&id, text("done")).await;
        let late = RequestFailure {
            status: Some(504),
            ..RequestFailure::new("something before the server gave up waiting")
        };
        server.fail(&id, late).await;
        server.expect_silence().await;
    };
    let call = handle.call_tool("t", no_arguments(), CallOptions::default());
    tokio::join!(call, serve).0.unwrap();
    assert!(events.try_recv().is_err(), "nor is it anything out of order");
}

/// STD-012.
#[tokio::test(start_paused = true)]
async fn when_the_server_dies_everyone_who_waits_is_told_how() {
    let (handle, mut server, mut events) = opened().await;
    let death = CloseReason {
        cause: CloseCause::Ended,
        exit: Some(Exit {
            code: Some(3),
            signal: None,
        }),
        diagnostics: vec!["panic!".into()],
    };
    let serve = async {
        server.expect("ping").await;
        server.expect("ping").await;
        assert!(server.0.hand_over(Incoming::Closed(death.clone())).await);
    };
    let (one, two, ()) = tokio::join!(handle.ping(), handle.ping(), serve);
    for outcome in [one, two, handle.ping().await] {
        assert!(matches!(outcome, Err(CallError::Closed(reason)) if reason == death));
    }
    assert!(matches!(event(&mut events).await, SessionEvent::Closed(reason) if reason == death));
    assert_eq!(
        handle.close().await,
        death,
        "closing afterwards says how it ended"
    );
}

#[tokio::test(start_paused = true)]
async fn closing_fails_what_waits_and_everything_after() {
    let (handle, mut server, mut events) = opened().await;
    let serve = async {
        server.expect("ping").await;
        handle.close().await
    };
    let (waiting, reason) = tokio::join!(handle.ping(), serve);
    assert_eq!(reason.cause, CloseCause::Asked);
    assert!(matches!(waiting, Err(CallError::Closed(reason)) if reason.cause == CloseCause::Asked));
    assert!(matches!(handle.ping().await, Err(CallError::Closed(_))));
    assert!(matches!(event(&mut events).await, SessionEvent::Closed(_)));
    server.expect_end().await;
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_limit_wait_their_turn() {
    let limits = SessionLimits {
        calls: 2,
        ..SessionLimits::default()
    };
    let (handle, mut server, _events) = opened_with(
        SessionOptions { limits, ..options() },
        Revision::NEWEST_HANDSHAKE,
        64,
    )
    .await;
    let serve = async {
        let (first, _) = server.expect("ping").await;
        let (second, _) = server.expect("ping").await;
        server.expect_silence().await;
        server.answer(&first, json!({})).await;
        let (third, _) = server.expect("ping").await;
        server.answer(&second, json!({})).await;
        server.answer(&third, json!({})).await;
    };
    let (one, two, three, ()) = tokio::join!(handle.ping(), handle.ping(), handle.ping(), serve);
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_makes_calls_fail_and_not_hang() {
    let limits = SessionLimits {
        calls: 1000,
        ..SessionLimits::default()
    };
    let (handle, mut server, _events) = opened_with(
        SessionOptions { limits, ..options() },
        Revision::NEWEST_HANDSHAKE,
        64,
    )
    .await;
    let calls: Vec<_> = (0..300)
        .map(|_| {
            let handle = handle.clone();
            tokio::spawn(async move { handle.ping().await })
        })
        .collect();
    let (mut busy, mut timed_out) = (0, 0);
    for call in calls {
        match timeout(BOUND, call).await.unwrap().unwrap() {
            Err(CallError::Busy) => busy += 1,
            Err(CallError::TimedOut { .. }) => timed_out += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((busy, timed_out), (300 - 256, 256));
    server.expect("ping").await;
}
