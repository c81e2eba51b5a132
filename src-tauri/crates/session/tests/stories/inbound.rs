//! What a server says beside answers and requests: lines, arrays, disorder, and too much of everything.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, advance, timeout};
use vestibule_protocol::Revision;
use vestibule_session::{CloseCause, ServerRequestKind, SessionEvent, SessionLimits, SessionOptions};
use vestibule_transport::Incoming;

use super::{BOUND, event, oddity, opened, opened_with, options, request};

/// LG-006.
#[tokio::test(start_paused = true)]
async fn a_host_that_does_not_listen_costs_lines_but_no_answers_and_no_changes() {
    let limits = SessionLimits {
        server_requests: 3,
        ..SessionLimits::default()
    };
    let options = SessionOptions { limits, ..options() };
    let (handle, mut server, mut events) = opened_with(options, Revision::NEWEST_HANDSHAKE, 4).await;
    for number in 0..10 {
        server
            .tell("notifications/message", json!({"level": "info", "data": number}))
            .await;
    }
    for id in 0..5 {
        server.ask(id, "roots/list", json!({})).await;
    }
    // Three lines and a request fill the queue, two requests wait for room, and the others are answered at once.
    for id in 3..5 {
        let answer = server.read().await;
        assert_eq!(
            (&answer["id"], &answer["result"]),
            (&json!(id), &json!({"roots": []}))
        );
    }
    for method in ["tools", "resources", "prompts", "tools"] {
        server
            .tell(&format!("notifications/{method}/list_changed"), json!({}))
            .await;
    }
    server
        .tell("notifications/resources/updated", json!({"uri": "x://y"}))
        .await;
    let (ping, _) = tokio::join!(handle.ping(), async {
        let (id, _) = server.expect("ping").await;
        server.answer(&id, json!({})).await;
    });
    ping.unwrap();

    for number in 0..3 {
        assert!(matches!(event(&mut events).await, SessionEvent::Log(message) if message.data == number));
    }
    for _ in 0..3 {
        request(&mut events).await;
    }
    assert!(matches!(
        event(&mut events).await,
        SessionEvent::TurnedAway {
            kind: ServerRequestKind::Roots,
            times: 2
        }
    ));
    assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
    assert!(matches!(event(&mut events).await, SessionEvent::ResourcesChanged));
    assert!(matches!(event(&mut events).await, SessionEvent::PromptsChanged));
    assert!(matches!(event(&mut events).await, SessionEvent::ResourceUpdated { uri } if uri == "x://y"));
    // Requests that were looked at and dropped are answered as well.
    for id in 0..3 {
        let answer = server.read().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(id), &json!(-32603))
        );
    }
    server.expect_silence().await;
}

/// LG-004, LG-006.
#[tokio::test(start_paused = true)]
async fn a_flood_of_lines_is_counted_and_not_handed_on() {
    let limits = SessionLimits {
        lines_per_second: 3,
        ..SessionLimits::default()
    };
    let (_handle, mut server, mut events) = opened_with(
        SessionOptions { limits, ..options() },
        Revision::NEWEST_HANDSHAKE,
        64,
    )
    .await;
    for number in 0..10 {
        server
            .tell("notifications/message", json!({"level": "info", "data": number}))
            .await;
        assert!(server.0.hand_over(Incoming::Diagnostic("line".into())).await);
    }
    server.expect_silence().await;
    advance(Duration::from_secs(1)).await;
    server
        .tell(
            "notifications/message",
            json!({"level": "error", "logger": "db", "data": {"a": 1}}),
        )
        .await;
    for _ in 0..3 {
        assert!(matches!(
            event(&mut events).await,
            SessionEvent::Log(_) | SessionEvent::Diagnostic(_)
        ));
    }
    assert!(oddity(&mut events).await.contains("17 lines"));
    let SessionEvent::Log(message) = event(&mut events).await else {
        panic!("no message")
    };
    assert_eq!(
        (message.logger.as_deref(), message.data),
        (Some("db"), json!({"a": 1}))
    );
}

/// STD-004, CX-008, BASE-006.
#[tokio::test(start_paused = true)]
async fn what_is_out_of_order_is_noted_and_harms_nothing() {
    let (handle, mut server, mut events) = opened().await;
    let cases = [
        ("hello", "hello"),
        (r#"{"jsonrpc":"2.0","method":"a","method":"b"}"#, "twice"),
        (r#"{"jsonrpc":"2.0","id":999,"result":{}}"#, "request 999"),
        (r#"{"jsonrpc":"2.0","id":"x","result":{}}"#, "never sent"),
        (
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}}"#,
            "what?",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/made_up"}"#,
            "unknown notification",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud"}}"#,
            "level",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated"}"#,
            "address",
        ),
        (r#"[{"jsonrpc":"2.0","method":"a"}]"#, "several messages"),
    ];
    for (text, expected) in cases {
        server.raw(text).await;
        let said = oddity(&mut events).await;
        assert!(said.contains(expected), "{said:?} should say {expected:?}");
    }
    server.junk().await;
    assert!(oddity(&mut events).await.contains("a long line"));
    let long = json!({"level": "info", "data": "x".repeat(100_000)});
    server.tell("notifications/message", long).await;
    assert!(oddity(&mut events).await.contains("left out"));
    let (ping, ()) = tokio::join!(handle.ping(), async {
        let (id, _) = server.expect("ping").await;
        server.answer(&id, json!({})).await;
    });
    ping.unwrap();
}

/// STD-004.
#[tokio::test(start_paused = true)]
async fn only_a_long_run_of_junk_ends_the_session() {
    let limits = SessionLimits {
        junk: 10,
        ..SessionLimits::default()
    };
    let (handle, mut server, mut events) = opened_with(
        SessionOptions { limits, ..options() },
        Revision::NEWEST_HANDSHAKE,
        64,
    )
    .await;
    for _ in 0..3 {
        for _ in 0..9 {
            server.junk().await;
        }
        server.expect_silence().await;
    }
    for _ in 0..10 {
        server.raw("noise").await;
    }
    server.expect_end().await;
    let end = loop {
        if let SessionEvent::Closed(reason) = event(&mut events).await {
            break reason;
        }
    };
    assert_eq!(end.cause, CloseCause::OnlyJunk(10));
    assert_eq!(handle.close().await.cause, CloseCause::OnlyJunk(10));
}

/// BASE-009.
#[tokio::test(start_paused = true)]
async fn an_array_of_messages_is_read_in_the_one_revision_that_has_it() {
    let (handle, mut server, mut events) = opened_with(options(), Revision::V2025_03_26, 64).await;
    let serve = async {
        let (first, _) = server.expect("ping").await;
        let (second, _) = server.expect("ping").await;
        server
            .say(json!([
                {"jsonrpc": "2.0", "id": second, "result": {}},
                5,
                {"jsonrpc": "2.0", "id": "r", "method": "ping"},
                {"jsonrpc": "2.0", "id": first, "result": {}},
                {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
            ]))
            .await;
        assert_eq!(server.read().await["id"], "r");
    };
    let (one, two, ()) = tokio::join!(handle.ping(), handle.ping(), serve);
    assert!(one.is_ok() && two.is_ok());
    assert!(oddity(&mut events).await.contains("not a JSON object"));
    assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_on_without_reading_ends_its_own_session() {
    let (_handle, server, mut events) = opened().await;
    let flood = async {
        for id in 0.. {
            let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            if !server.0.write(ping.to_string()).await {
                break;
            }
        }
    };
    timeout(BOUND, flood).await.unwrap();
    let SessionEvent::Closed(reason) = event(&mut events).await else {
        panic!("not closed")
    };
    assert!(matches!(reason.cause, CloseCause::Failed(_)));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_too_much_is_slowed_and_not_ended() {
    let limits = SessionLimits {
        unasked_per_second: 100,
        ..SessionLimits::default()
    };
    let (handle, mut server, mut events) = opened_with(
        SessionOptions { limits, ..options() },
        Revision::NEWEST_HANDSHAKE,
        64,
    )
    .await;
    let begun = Instant::now();
    for _ in 0..1000 {
        server.tell("notifications/tools/list_changed", json!({})).await;
        while events.try_recv().is_ok() {}
    }
    let (ping, _) = tokio::join!(handle.ping(), async {
        let (id, _) = server.expect("ping").await;
        server.answer(&id, json!({})).await;
    });
    ping.unwrap();
    assert!(
        (9..=10).contains(&begun.elapsed().as_secs()),
        "{:?}",
        begun.elapsed()
    );
}
