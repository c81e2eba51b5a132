//! A modern server that refuses to tell of changes: for good, or only for now.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use vestibule_session::{CallError, RequestFailure, SessionEvent, Wire};
use vestibule_transport::Challenge;

use super::changes::{acknowledge, changing, listening};
use super::{event, modern_over, oddity, options};

#[tokio::test(start_paused = true)]
async fn a_refusal_does_not_hold_up_a_subscription_that_was_made_meanwhile() {
    let (handle, mut server, _events, _first) = listening(Wire::Stream).await;
    let serve = async {
        let (refused, _) = server.expect("subscriptions/listen").await;
        let later = async {
            // Once this is over, the session has the second subscription as well.
            server.expect_nothing(&handle).await;
            server
                .refuse(&refused, json!({"code": -32603, "message": "no"}))
                .await;
            let (next, params) = server.expect("subscriptions/listen").await;
            assert_eq!(params["notifications"]["resourceSubscriptions"], json!(["x://b"]));
            assert_eq!(params["notifications"]["toolsListChanged"], true);
            acknowledge(&server, &next, params["notifications"].clone()).await;
        };
        tokio::join!(handle.subscribe_resource("x://b"), later).0
    };
    let (first, second) = tokio::join!(handle.subscribe_resource("x://a"), serve);
    assert!(matches!(first, Err(CallError::Rpc(error)) if error.code == -32603));
    second.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_to_be_listened_to_is_left_alone() {
    let (handle, mut server, mut events) = modern_over(Wire::Stream, options(), changing()).await;
    let (id, _) = server.expect("subscriptions/listen").await;
    server
        .refuse(&id, json!({"code": -32601, "message": "no such method"}))
        .await;
    assert!(oddity(&mut events).await.contains("no such method"));
    tokio::time::advance(Duration::from_secs(3600)).await;
    server.expect_nothing(&handle).await;
    let serve = async {
        let (id, params) = server.expect("subscriptions/listen").await;
        assert_eq!(
            params["notifications"],
            json!({"resourceSubscriptions": ["x://a"]})
        );
        server.refuse(&id, json!({"code": -32603, "message": "no"})).await;
    };
    let (outcome, ()) = tokio::join!(handle.subscribe_resource("x://a"), serve);
    assert!(matches!(outcome, Err(CallError::Rpc(error)) if error.code == -32603));
}

fn refused(status: u16) -> RequestFailure {
    let challenge = matches!(status, 401 | 403).then(|| Challenge {
        status,
        www_authenticate: vec!["Bearer".into()],
    });
    RequestFailure {
        status: Some(status),
        body: Some(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not now"}}"#.into()),
        challenge,
        ..RequestFailure::new("not now")
    }
}

/// SU-009, SU-010, TL-003: a token is renewed, and a limit of the rate is over.
#[tokio::test(start_paused = true)]
async fn a_renewal_refused_for_now_is_made_again_and_everything_counts_as_changed() {
    for status in [401, 403, 408, 409, 425, 429] {
        let (handle, mut server, mut events, id) = listening(Wire::Http).await;
        server.fail(&id, RequestFailure::new("gone")).await;
        let (mut id, _) = server.expect("subscriptions/listen").await;
        for seconds in [2, 4, 8] {
            let ended = Instant::now();
            server.fail(&id, refused(status)).await;
            let (next, params) = server.expect("subscriptions/listen").await;
            assert_eq!(params["notifications"]["toolsListChanged"], true, "{status}");
            assert!(ended.elapsed() >= Duration::from_secs(seconds), "{status}");
            id = next;
        }
        assert!(oddity(&mut events).await.contains("for now"), "{status}");
        assert!(events.try_recv().is_err(), "it is noted once: {status}");
        acknowledge(
            &server,
            &id,
            json!({"toolsListChanged": true, "promptsListChanged": true,
            "resourcesListChanged": true}),
        )
        .await;
        assert!(
            matches!(event(&mut events).await, SessionEvent::ToolsChanged),
            "{status}"
        );
        server.expect_nothing(&handle).await;
    }
}

/// A caller signs in and asks again; what passes by itself is waited for.
#[tokio::test(start_paused = true)]
async fn a_watch_that_is_refused_for_now_is_told_a_demand_to_sign_in_and_else_waits() {
    for status in [401, 403, 409, 429] {
        let (handle, mut server, _events, _first) = listening(Wire::Http).await;
        let asked = Instant::now();
        let serve = async {
            let (id, _) = server.expect("subscriptions/listen").await;
            server.fail(&id, refused(status)).await;
            if matches!(status, 409 | 429) {
                let (id, params) = server.expect("subscriptions/listen").await;
                acknowledge(&server, &id, params["notifications"].clone()).await;
            }
        };
        match tokio::join!(handle.subscribe_resource("x://a"), serve).0 {
            Ok(()) => assert!(matches!(status, 409 | 429), "{status}"),
            Err(CallError::NotAnswered(failure)) => {
                assert_eq!(failure.challenge.map(|challenge| challenge.status), Some(status));
                assert_eq!(asked.elapsed(), Duration::ZERO, "{status}");
                // The one in use still has all that is wanted.
                tokio::time::advance(Duration::from_secs(3600)).await;
                server.expect_nothing(&handle).await;
            }
            Err(other) => panic!("{status}: {other:?}"),
        }
    }
}
