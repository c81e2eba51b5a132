//! Whether a server is still there.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, advance, sleep};
use vestibule_protocol::Revision;
use vestibule_session::{CallOptions, CloseCause, HealthCheck, SessionEvent, SessionOptions, Wire};

use super::rounds_signed::refusal;
use super::{event, legacy_on, modern_over, no_arguments, oddity, opened_with, options, text};

const CHECK: HealthCheck = HealthCheck {
    every: Duration::from_secs(30),
    patience: Duration::from_secs(10),
    misses: 2,
};

fn checked() -> SessionOptions {
    SessionOptions {
        health: Some(CHECK),
        ..options()
    }
}

/// PI-002.
#[tokio::test(start_paused = true)]
async fn a_server_is_pinged_now_and_then_and_any_answer_shows_that_it_is_there() {
    let (_handle, mut server, mut events) = opened_with(checked(), Revision::V2025_11_25, 64).await;
    let begun = Instant::now();
    for round in 1..10 {
        let (id, _) = server.expect("ping").await;
        assert_eq!(begun.elapsed(), CHECK.every * round);
        if round % 2 == 0 {
            server.answer(&id, json!({})).await;
        } else {
            server.refuse(&id, json!({"code": -32601, "message": "no"})).await;
        }
    }
    assert!(events.try_recv().is_err());
}

/// PI-002.
#[tokio::test(start_paused = true)]
async fn a_server_that_answers_no_pings_is_given_up_and_each_is_noted() {
    let (_handle, mut server, mut events) = opened_with(checked(), Revision::V2025_11_25, 64).await;
    let begun = Instant::now();
    // One that is answered in between starts the count anew.
    for answered in [false, true, false, false] {
        let (id, _) = server.expect("ping").await;
        if answered {
            server.answer(&id, json!({})).await;
        } else {
            server.expect("notifications/cancelled").await;
        }
    }
    server.expect_end().await;
    assert_eq!(begun.elapsed(), CHECK.every * 5);
    for _ in 0..3 {
        assert!(oddity(&mut events).await.contains("ping"));
    }
    let SessionEvent::Closed(reason) = event(&mut events).await else {
        panic!("the session goes on")
    };
    assert!(matches!(reason.cause, CloseCause::Failed(why) if why.contains("2 pings")));
}

/// PI-002, TM-003: a server that works on a call may do nothing else meanwhile.
#[tokio::test(start_paused = true)]
async fn a_server_is_not_pinged_while_it_works_on_a_call() {
    let (handle, mut server, _events) = opened_with(checked(), Revision::V2025_11_25, 64).await;
    let slow = CallOptions {
        timeout: Some(CHECK.every * 20),
        ..CallOptions::default()
    };
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        sleep(CHECK.every * 10).await;
        server.expect_silence().await;
        server.answer(&id, text("done")).await;
        server.expect("ping").await;
    };
    tokio::join!(handle.call_tool("t", no_arguments(), slow), serve)
        .0
        .unwrap();
}

/// PI-002: over Streamable HTTP whoever holds the session asks.
#[tokio::test(start_paused = true)]
async fn a_server_over_http_is_not_asked_from_here() {
    let revision = Revision::V2025_11_25;
    let (handle, mut server, _events) = legacy_on(Wire::Http, checked(), revision, json!({}), 64).await;
    advance(Duration::from_secs(24 * 60 * 60)).await;
    server.expect_silence().await;
    let asking = async {
        let (id, _) = server.expect("ping").await;
        server.answer(&id, json!({})).await;
    };
    tokio::join!(handle.ping(), asking).0.unwrap();
}

/// PI-002, AU-064: the token of an idle session ends, and the server is there all the same.
#[tokio::test(start_paused = true)]
async fn a_ping_that_is_refused_for_its_token_keeps_the_session_and_tells_the_demand() {
    let revision = Revision::V2024_11_05;
    let (_handle, mut server, mut events) =
        legacy_on(Wire::HttpSse, checked(), revision, json!({}), 64).await;
    for status in [401, 403, 401, 401] {
        let (id, _) = server.expect("ping").await;
        server.fail(&id, refusal(status)).await;
    }
    server.expect("ping").await;
    for _ in 0..3 {
        let SessionEvent::Demand(demand) = event(&mut events).await else {
            panic!("no demand")
        };
        assert_eq!(Some(demand.challenge), refusal(401).challenge);
    }
    assert!(
        events.try_recv().is_err(),
        "nothing was missed, and access is no token"
    );
}

/// PI-002, PI-003.
#[tokio::test(start_paused = true)]
async fn nobody_is_pinged_unless_it_is_wanted_and_a_modern_server_never() {
    let (_handle, mut server, _events) = opened_with(options(), Revision::V2025_11_25, 64).await;
    advance(Duration::from_secs(24 * 60 * 60)).await;
    server.expect_silence().await;
    let (handle, mut server, _events) = modern_over(Wire::Stream, checked(), json!({})).await;
    advance(Duration::from_secs(24 * 60 * 60)).await;
    server.expect_nothing(&handle).await;
}
