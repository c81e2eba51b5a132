//! Requests of the modern era: what each says of itself, what of an answer counts, what the server may say.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use vestibule_protocol::mcp::LogLevel;
use vestibule_session::{CallError, CallOptions, RequestFailure, SessionEvent, Wire};
use vestibule_transport::{Challenge, Sent};

use super::{discovery, event, modern, modern_over, no_arguments, oddity, options, text};

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// META-004, META-005, META-006, PS-001, BASE-004, LG-003, STA-001.
#[tokio::test(start_paused = true)]
async fn every_request_says_everything_about_itself_again() {
    let (handle, mut server, _events) = modern().await;
    let serve = async {
        let mut ids = Vec::new();
        for _ in 0..2 {
            let (id, params) = server.expect("tools/call").await;
            let meta = &params["_meta"];
            assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
            assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["title"], "Test");
            assert_eq!(meta[CAPABILITIES]["roots"], json!({}));
            assert_eq!(meta["progressToken"], id);
            assert!(meta.get(LOG_LEVEL).is_none());
            assert_eq!((&params["name"], &params["arguments"]), (&json!("t"), &json!({})));
            assert!(params.get("requestState").is_none() && params.get("inputResponses").is_none());
            server.answer(&id, text("done")).await;
            ids.push(id);
        }
        assert_ne!(ids[0], ids[1]);
        let (id, params) = server.expect("tools/call").await;
        assert_eq!(params["_meta"][CAPABILITIES], json!({"elicitation": {}}));
        assert_eq!(params["_meta"][LOG_LEVEL], "debug");
        server.answer(&id, text("done")).await;
        let (id, params) = server.expect("tools/list").await;
        assert_eq!(params["_meta"][LOG_LEVEL], "warning");
        server.answer(&id, json!({"tools": []})).await;
    };
    let calls = async {
        for _ in 0..2 {
            handle
                .call_tool("t", no_arguments(), CallOptions::default())
                .await
                .unwrap();
        }
        handle.set_log_level(LogLevel::Warning).await.unwrap();
        let options = CallOptions {
            capabilities: Some(json!({"elicitation": {}})),
            log_level: Some(LogLevel::Debug),
            ..CallOptions::default()
        };
        handle.call_tool("t", no_arguments(), options).await.unwrap();
        handle.list_tools().await.unwrap();
    };
    tokio::join!(calls, serve);
}

/// BASE-013, BASE-014, MR-001.
#[tokio::test(start_paused = true)]
async fn an_answer_of_unknown_kind_is_none_and_one_without_a_kind_is_complete() {
    let cases = [
        (json!({"content": []}), true),
        (json!({"content": [], "resultType": "complete"}), true),
        (json!({"content": [], "resultType": "task"}), false),
        (json!({"content": [], "resultType": 7}), false),
        (json!({"resultType": "complete"}), false),
        (json!({"resultType": "input_required"}), false),
    ];
    for (result, good) in cases {
        let (handle, mut server, _events) = modern().await;
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            server.answer(&id, result.clone()).await;
        };
        let call = handle.call_tool("t", no_arguments(), CallOptions::default());
        match tokio::join!(call, serve).0 {
            Ok(_) => assert!(good, "{result}"),
            Err(CallError::Malformed(_)) => assert!(!good, "{result}"),
            other => panic!("{other:?}"),
        }
    }
    let (handle, mut server, _events) = modern().await;
    let serve = async {
        let (id, _) = server.expect("tools/list").await;
        server
            .answer(&id, json!({"resultType": "input_required", "requestState": "s"}))
            .await;
    };
    let (outcome, ()) = tokio::join!(handle.list_tools(), serve);
    assert!(matches!(outcome, Err(CallError::Malformed(_))));
}

/// PI-003, RO-005, LG-003: what the era dropped is not sent.
#[tokio::test(start_paused = true)]
async fn what_the_modern_era_dropped_is_not_sent() {
    let (handle, mut server, _events) = modern().await;
    handle.notify_roots_changed().await.unwrap();
    handle.set_log_level(LogLevel::Error).await.unwrap();
    let serve = async {
        let (id, _) = server.expect("server/discover").await;
        server.answer(&id, discovery(json!({}))).await;
    };
    tokio::join!(handle.ping(), serve).0.unwrap();
    let (quiet, _server, _events) = modern_over(Wire::Stream, options(), json!({"tools": {}})).await;
    assert!(matches!(
        quiet.set_log_level(LogLevel::Error).await,
        Err(CallError::NotSupported)
    ));
}

/// BASE-012, STD-008.
#[tokio::test(start_paused = true)]
async fn nothing_a_modern_server_asks_is_answered() {
    let (handle, mut server, mut events) = modern().await;
    server.ask(1, "ping", json!({})).await;
    server.ask("a", "roots/list", json!({})).await;
    server
        .raw(r#"{"jsonrpc":"2.0","id":5,"method":"x","params":[]}"#)
        .await;
    server.expect_nothing(&handle).await;
    for _ in 0..3 {
        oddity(&mut events).await;
    }
}

/// PS-002, PS-003, LG-004.
#[tokio::test(start_paused = true)]
async fn progress_and_log_lines_arrive_and_changes_nobody_asked_for_do_not() {
    let (handle, mut server, mut events) = modern().await;
    let (progress, mut reports) = mpsc::channel(8);
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        server
            .tell(
                "notifications/progress",
                json!({"progressToken": id, "progress": 1}),
            )
            .await;
        server
            .tell(
                "notifications/message",
                json!({"level": "info", "data": "working"}),
            )
            .await;
        server.tell("notifications/tools/list_changed", json!({})).await;
        server
            .tell_under(&id, "notifications/tools/list_changed", json!({}))
            .await;
        server
            .tell("notifications/cancelled", json!({"requestId": id}))
            .await;
        server.answer(&id, text("done")).await;
    };
    let options = CallOptions {
        progress: Some(progress),
        ..CallOptions::default()
    };
    tokio::join!(handle.call_tool("t", no_arguments(), options), serve)
        .0
        .unwrap();
    assert_eq!(reports.recv().await.unwrap().progress, 1.0);
    assert!(matches!(event(&mut events).await, SessionEvent::Log(line) if line.data == "working"));
    for _ in 0..2 {
        assert!(oddity(&mut events).await.contains("list_changed"));
    }
    assert!(events.try_recv().is_err());
}

/// CX-005, TR-114, TM-002.
#[tokio::test(start_paused = true)]
async fn giving_up_a_call_is_a_message_on_a_stream_and_a_closed_exchange_on_http() {
    for (wire, by_dropping) in [
        (Wire::Stream, true),
        (Wire::Stream, false),
        (Wire::Http, true),
        (Wire::Http, false),
    ] {
        let (handle, mut server, _events) = modern_over(wire, options(), json!({"tools": {}})).await;
        assert!(matches!(server.sent().await, Sent::Agreed(_)));
        let caller = handle.clone();
        let call = tokio::spawn(async move {
            caller
                .call_tool("t", no_arguments(), CallOptions::default())
                .await
        });
        let (id, _) = server.expect("tools/call").await;
        if by_dropping {
            call.abort();
        } else {
            assert!(matches!(call.await.unwrap(), Err(CallError::TimedOut { .. })));
        }
        match wire {
            Wire::Http => {
                let sent = server.sent().await;
                assert!(
                    matches!(&sent, Sent::Abandoned(given_up) if json!(given_up) == id),
                    "{sent:?}"
                );
            }
            _ => {
                let (_, params) = server.expect("notifications/cancelled").await;
                assert_eq!(params["requestId"], id);
            }
        }
        server.answer(&id, text("late")).await;
        server.expect_nothing(&handle).await;
    }
}

fn lost() -> RequestFailure {
    RequestFailure {
        cut: true,
        status: Some(200),
        ..RequestFailure::new("the answer broke off")
    }
}

/// TR-115, TR-116.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_asked_for_again_only_where_that_does_no_harm() {
    let unsent = RequestFailure {
        unsent: true,
        ..RequestFailure::new("no connection")
    };
    let cases = [
        (lost(), true, true),
        (lost(), false, false),
        (RequestFailure::new("reset"), true, true),
        (RequestFailure::new("reset"), false, false),
        (unsent, false, true),
        (
            RequestFailure {
                status: Some(503),
                ..RequestFailure::new("503")
            },
            true,
            false,
        ),
    ];
    for (failure, repeatable, again) in cases {
        let (handle, mut server, _events) = modern_over(Wire::Http, options(), json!({"tools": {}})).await;
        let serve = async {
            let (first, _) = server.expect("tools/call").await;
            server.fail(&first, failure.clone()).await;
            if again {
                let (second, _) = server.expect("tools/call").await;
                assert_ne!(first, second);
                server.answer(&second, text("done")).await;
            }
        };
        let options = CallOptions {
            repeatable,
            ..CallOptions::default()
        };
        let (outcome, ()) = tokio::join!(handle.call_tool("t", no_arguments(), options), serve);
        match outcome {
            Ok(_) => assert!(again, "{failure:?}"),
            Err(CallError::NotAnswered(told)) => assert!(!again && *told == failure, "{failure:?}"),
            other => panic!("{other:?}"),
        }
    }
    let (handle, mut server, _events) = modern_over(Wire::Http, options(), json!({"tools": {}})).await;
    let serve = async {
        for _ in 0..2 {
            let (id, _) = server.expect("tools/list").await;
            server.fail(&id, lost()).await;
        }
    };
    let (outcome, ()) = tokio::join!(handle.list_tools(), serve);
    assert!(
        matches!(outcome, Err(CallError::NotAnswered(_))),
        "once more, not for ever"
    );
}

/// BASE-006, TR-009, TR-117.
#[tokio::test(start_paused = true)]
async fn an_error_in_a_body_is_the_answer_and_a_demand_to_sign_in_is_handed_up() {
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"broken"}}"#;
    let challenge = Challenge {
        status: 403,
        www_authenticate: vec!["Bearer scope=\"more\"".into()],
    };
    for challenge in [None, Some(challenge)] {
        let (handle, mut server, _events) = modern_over(Wire::Http, options(), json!({"tools": {}})).await;
        let failure = RequestFailure {
            status: Some(403),
            body: Some(body.into()),
            challenge: challenge.clone(),
            ..RequestFailure::new("refused")
        };
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            server.fail(&id, failure).await;
        };
        let call = handle.call_tool("t", no_arguments(), CallOptions::default());
        match tokio::join!(call, serve).0 {
            Err(CallError::Rpc(error)) => assert!(challenge.is_none() && error.code == -32603),
            Err(CallError::NotAnswered(failure)) => assert_eq!(failure.challenge, challenge),
            other => panic!("{other:?}"),
        }
    }
}

/// TR-117: whether and when to try again is decided by the status; a gateway may have written the body.
#[tokio::test(start_paused = true)]
async fn an_error_in_the_body_of_a_refusal_that_may_pass_does_not_hide_its_status() {
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"broken"}}"#;
    for status in [400, 404, 408, 425, 429, 500, 502, 503, 504] {
        let (handle, mut server, _events) = modern_over(Wire::Http, options(), json!({"tools": {}})).await;
        let failure = RequestFailure {
            status: Some(status),
            body: Some(body.into()),
            retry_after: Some(Duration::from_secs(30)),
            ..RequestFailure::new("refused")
        };
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            server.fail(&id, failure.clone()).await;
        };
        let call = handle.call_tool("t", no_arguments(), CallOptions::default());
        match tokio::join!(call, serve).0 {
            Err(CallError::Rpc(error)) => assert!(matches!(status, 400 | 404) && error.code == -32603),
            Err(CallError::NotAnswered(told)) => assert!(*told == failure && status > 404, "{told:?}"),
            other => panic!("{other:?}"),
        }
    }
}

/// NEG-002.
#[tokio::test(start_paused = true)]
async fn a_revision_refused_in_passing_is_tried_once_more() {
    let refusal = |name: &str| json!({"code": -32022, "message": "no", "data": {"supported": [name]}});
    for (name, again) in [("2026-07-28", true), ("2099-01-01", false)] {
        let (handle, mut server, _events) = modern().await;
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            server.refuse(&id, refusal(name)).await;
            if again {
                let (id, _) = server.expect("tools/call").await;
                server.answer(&id, text("done")).await;
            }
        };
        let call = handle.call_tool("t", no_arguments(), CallOptions::default());
        assert_eq!(tokio::join!(call, serve).0.is_ok(), again);
    }
}

/// CA-001, CA-002, CA-004.
#[tokio::test(start_paused = true)]
async fn a_listing_may_be_kept_as_long_as_its_shortest_page_and_for_its_narrowest() {
    let (handle, mut server, _events) = modern().await;
    let pages: [Value; 2] = [
        json!({"tools": [], "nextCursor": "", "ttlMs": 9000, "cacheScope": "public"}),
        json!({"tools": [], "ttlMs": 5000}),
    ];
    let serve = async {
        for page in pages {
            let (id, _) = server.expect("tools/list").await;
            server.answer(&id, page).await;
        }
    };
    let (listing, ()) = tokio::join!(handle.list_tools(), serve);
    let cache = listing.unwrap().cache;
    assert_eq!(cache.ttl, Duration::from_secs(5));
    assert_eq!(json!(cache.scope), "private");
}
