//! A request that listens for changes and ends: it is made again, after pauses that grow, and what was missed counts as changed.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use vestibule_session::{RequestFailure, SessionEvent, SessionOptions, Wire};

use super::changes::{TOOLS, acknowledge, changing, listening};
use super::{BOUND, event, modern_over, options};

/// SU-008, SU-009, SU-010, CX-006.
#[tokio::test(start_paused = true)]
async fn an_end_that_was_not_asked_for_is_followed_by_a_new_request_and_everything_counts_as_changed() {
    for how in ["result", "cancelled", "both", "cut"] {
        let wire = if how == "cut" { Wire::Http } else { Wire::Stream };
        let (handle, mut server, mut events, id) = listening(wire).await;
        let ended = Instant::now();
        let complete =
            json!({"resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": id}});
        match how {
            "result" => server.answer(&id, complete).await,
            "cancelled" => {
                server
                    .tell("notifications/cancelled", json!({"requestId": id}))
                    .await
            }
            "both" => {
                server
                    .tell("notifications/cancelled", json!({"requestId": id}))
                    .await;
                server.answer(&id, complete).await;
            }
            _ => server.fail(&id, RequestFailure::new("broken off")).await,
        }
        let (id, params) = server.expect("subscriptions/listen").await;
        assert!((1000..2000).contains(&ended.elapsed().as_millis()), "{how}");
        assert!(events.try_recv().is_err(), "{how}");
        acknowledge(&server, &id, params["notifications"].clone()).await;
        assert!(
            matches!(event(&mut events).await, SessionEvent::ToolsChanged),
            "{how}"
        );
        assert!(matches!(event(&mut events).await, SessionEvent::PromptsChanged));
        assert!(matches!(event(&mut events).await, SessionEvent::ResourcesChanged));
        server.expect_nothing(&handle).await;
    }
}

/// SU-009: no request reports what changes between the end of the first and the acknowledgement of the second.
#[tokio::test(start_paused = true)]
async fn everything_counts_as_changed_when_a_request_ends_before_its_successor_is_acknowledged() {
    let (handle, mut server, mut events, first) = listening(Wire::Stream).await;
    let serve = async {
        let (second, params) = server.expect("subscriptions/listen").await;
        server.answer(&first, json!({"resultType": "complete"})).await;
        acknowledge(&server, &second, params["notifications"].clone()).await;
    };
    tokio::join!(handle.subscribe_resource("x://a"), serve).0.unwrap();
    assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
    assert!(matches!(event(&mut events).await, SessionEvent::PromptsChanged));
    assert!(matches!(event(&mut events).await, SessionEvent::ResourcesChanged));
    assert!(matches!(event(&mut events).await, SessionEvent::ResourceUpdated { uri } if uri == "x://a"));
    server.expect_nothing(&handle).await;
}

/// The pause spares the server renewals of our own making; a user who attaches a resource is not kept waiting by it.
#[tokio::test(start_paused = true)]
async fn a_subscription_does_not_wait_for_the_pause_before_a_renewal() {
    let (handle, mut server, mut events, mut id) = listening(Wire::Stream).await;
    let complete = json!({"resultType": "complete"});
    let mut callers = Vec::new();
    for uri in ["x://a", "x://b", "x://c"] {
        server.answer(&id, complete.clone()).await;
        // Once this is over, the session has read the end.
        server.expect_nothing(&handle).await;
        let wanted = Instant::now();
        let caller = handle.clone();
        callers.push(tokio::spawn(async move { caller.subscribe_resource(uri).await }));
        let (next, params) = server.expect("subscriptions/listen").await;
        let watched = params["notifications"]["resourceSubscriptions"]
            .as_array()
            .unwrap();
        assert!(watched.contains(&json!(uri)), "{watched:?}");
        assert_eq!(params["notifications"]["toolsListChanged"], true);
        assert_eq!(wanted.elapsed(), Duration::ZERO, "{uri}");
        id = next;
    }
    // Each of them was an attempt all the same.
    let ended = Instant::now();
    server.answer(&id, complete).await;
    let (id, params) = server.expect("subscriptions/listen").await;
    assert!(ended.elapsed() >= Duration::from_secs(8), "{:?}", ended.elapsed());
    acknowledge(&server, &id, params["notifications"].clone()).await;
    for caller in callers {
        caller.await.unwrap().unwrap();
    }
    assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
    tokio::time::advance(Duration::from_secs(3600)).await;
    server.expect_nothing(&handle).await;
}

/// SU-009, CA-006.
#[tokio::test(start_paused = true)]
async fn the_pauses_between_renewals_grow_to_a_bound() {
    let (_handle, mut server, _events, mut id) = listening(Wire::Http).await;
    let mut before = Duration::ZERO;
    for _ in 0..12 {
        let ended = Instant::now();
        server.fail(&id, RequestFailure::new("gone")).await;
        (id, _) = server.expect("subscriptions/listen").await;
        let pause = ended.elapsed();
        assert!(
            pause >= before.min(Duration::from_secs(299)),
            "{pause:?} after {before:?}"
        );
        assert!(pause < Duration::from_secs(380));
        before = pause.mul_f64(0.8);
    }
    assert!(before > Duration::from_secs(200));
}

/// SU-009: the first request stays open, so only the new one is made again.
#[tokio::test(start_paused = true)]
async fn the_pauses_grow_too_when_each_new_request_ends_before_it_is_acknowledged() {
    let patient = SessionOptions {
        call_timeout: BOUND,
        ..options()
    };
    for how in ["result", "cancelled", "cut"] {
        let wire = if how == "cut" { Wire::Http } else { Wire::Stream };
        let (handle, mut server, mut events) = modern_over(wire, patient.clone(), changing()).await;
        let (first, params) = server.expect("subscriptions/listen").await;
        acknowledge(&server, &first, params["notifications"].clone()).await;
        let serve = async {
            let (mut id, _) = server.expect("subscriptions/listen").await;
            let mut before = Duration::from_millis(800);
            for _ in 0..12 {
                let ended = Instant::now();
                match how {
                    "result" => server.answer(&id, json!({"resultType": "complete"})).await,
                    "cancelled" => {
                        let named = json!({"requestId": id});
                        server.tell("notifications/cancelled", named).await;
                    }
                    _ => server.fail(&id, RequestFailure::new("gone")).await,
                }
                let (next, params) = server.expect("subscriptions/listen").await;
                assert_eq!(params["notifications"]["resourceSubscriptions"], json!(["x://a"]));
                let pause = ended.elapsed();
                assert!(
                    pause >= before.min(Duration::from_secs(299)),
                    "{how}: {pause:?} after {before:?}"
                );
                assert!(pause < Duration::from_secs(380), "{how}: {pause:?}");
                (id, before) = (next, pause.mul_f64(0.8));
            }
            // The first one counts all the time.
            server.tell_under(&first, TOOLS, json!({})).await;
            assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
            acknowledge(&server, &id, json!({"resourceSubscriptions": ["x://a"]})).await;
        };
        tokio::join!(handle.subscribe_resource("x://a"), serve).0.unwrap();
    }
}

/// While a renewal waits, the request in use must not outlive the last thing that is wanted of it.
#[tokio::test(start_paused = true)]
async fn a_pause_does_not_keep_a_request_open_that_is_no_longer_wanted() {
    for is_paused in [false, true] {
        let watching = json!({"resources": {"subscribe": true}});
        let (handle, mut server, _events) = modern_over(Wire::Stream, options(), watching).await;
        let serve = async {
            let (id, params) = server.expect("subscriptions/listen").await;
            acknowledge(&server, &id, params["notifications"].clone()).await;
            id
        };
        let (outcome, first) = tokio::join!(handle.subscribe_resource("x://a"), serve);
        outcome.unwrap();
        tokio::select! {
            biased;
            _ = handle.subscribe_resource("x://b") => panic!("nothing was acknowledged"),
            (second, _) = server.expect("subscriptions/listen") => {
                server.answer(&second, json!({"resultType": "complete"})).await;
            }
        }
        // Else both are unsubscribed before the session has read that the second request ended.
        if is_paused {
            server.expect_nothing(&handle).await;
        }
        let unwanted = Instant::now();
        handle.unsubscribe_resource("x://b").await.unwrap();
        handle.unsubscribe_resource("x://a").await.unwrap();
        let (_, params) = server.expect("notifications/cancelled").await;
        assert_eq!(params["requestId"], first);
        assert_eq!(unwanted.elapsed(), Duration::ZERO, "{is_paused}");
        server.expect_nothing(&handle).await;
    }
}
