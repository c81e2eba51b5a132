//! What a modern server tells of changes, as the same events a legacy server causes.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use vestibule_session::{CallError, SessionEvent, SessionHandle, Wire};
use vestibule_transport::Sent;

use super::{Events, Server, event, modern_over, oddity, options};

pub(super) const TOOLS: &str = "notifications/tools/list_changed";
const UPDATED: &str = "notifications/resources/updated";

pub(super) fn changing() -> Value {
    json!({"tools": {"listChanged": true}, "prompts": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true}})
}

pub(super) async fn acknowledge(server: &Server, id: &Value, granted: Value) {
    let params = json!({"notifications": granted});
    server
        .tell_under(id, "notifications/subscriptions/acknowledged", params)
        .await;
}

/// A session that listens for everything, and the id under which it does.
pub(super) async fn listening(wire: Wire) -> (SessionHandle, Server, Events, Value) {
    let (handle, mut server, events) = modern_over(wire, options(), changing()).await;
    let (id, params) = server.expect("subscriptions/listen").await;
    acknowledge(&server, &id, params["notifications"].clone()).await;
    (handle, server, events, id)
}

/// SU-001, SU-002, SU-004, TL-003, RS-016, STD-009, DISC-003, META-004.
#[tokio::test(start_paused = true)]
async fn changes_arrive_as_from_a_legacy_server() {
    let (_handle, mut server, mut events) = modern_over(Wire::Stream, options(), changing()).await;
    let (id, params) = server.expect("subscriptions/listen").await;
    assert_eq!(
        params["notifications"],
        json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true})
    );
    assert_eq!(
        params["_meta"]["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    acknowledge(&server, &id, params["notifications"].clone()).await;
    for method in [
        TOOLS,
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
    ] {
        server.tell_under(&id, method, json!({})).await;
    }
    assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
    assert!(matches!(event(&mut events).await, SessionEvent::PromptsChanged));
    assert!(matches!(event(&mut events).await, SessionEvent::ResourcesChanged));
}

/// SU-004, SU-012.
#[tokio::test(start_paused = true)]
async fn a_change_under_no_name_another_name_or_of_another_kind_is_passed_over() {
    let (_handle, server, mut events, id) = listening(Wire::Stream).await;
    server.tell(TOOLS, json!({})).await;
    server.tell_under(&json!(id.to_string()), TOOLS, json!({})).await;
    server.tell_under(&json!(9999), TOOLS, json!({})).await;
    server.tell_under(&id, UPDATED, json!({"uri": "x://a"})).await;
    for _ in 0..4 {
        oddity(&mut events).await;
    }
    server.tell_under(&id, TOOLS, json!({})).await;
    assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
}

/// DISC-003: a server that can tell of nothing is not listened to.
#[tokio::test(start_paused = true)]
async fn a_server_that_announces_nothing_is_not_listened_to() {
    let (handle, mut server, _events) = modern_over(Wire::Stream, options(), json!({"tools": {}})).await;
    server.expect_nothing(&handle).await;
}

/// RS-007, RS-008, SU-006, SU-007.
#[tokio::test(start_paused = true)]
async fn watching_a_resource_opens_a_new_request_before_the_old_one_is_given_up() {
    for wire in [Wire::Stream, Wire::Http] {
        let (handle, mut server, mut events, first) = listening(wire).await;
        let serve = async {
            let (second, params) = server.expect("subscriptions/listen").await;
            assert_eq!(params["notifications"]["resourceSubscriptions"], json!(["x://a"]));
            assert_eq!(params["notifications"]["toolsListChanged"], true);
            // Until then the old one counts.
            server.tell_under(&first, TOOLS, json!({})).await;
            acknowledge(&server, &second, params["notifications"].clone()).await;
            second
        };
        let (outcome, second) = tokio::join!(handle.subscribe_resource("x://a"), serve);
        outcome.unwrap();
        match wire {
            Wire::Http => {
                let sent = server.sent().await;
                assert!(
                    matches!(&sent, Sent::Abandoned(id) if json!(id) == first),
                    "{sent:?}"
                );
            }
            _ => {
                let (_, params) = server.expect("notifications/cancelled").await;
                assert_eq!(params["requestId"], first);
            }
        }
        assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
        server
            .tell_under(&second, UPDATED, json!({"uri": "x://a/part"}))
            .await;
        assert!(
            matches!(event(&mut events).await, SessionEvent::ResourceUpdated { uri } if uri == "x://a/part")
        );
        server.answer(&first, json!({"resultType": "complete"})).await;
        handle.subscribe_resource("x://a").await.unwrap();
        handle.unsubscribe_resource("x://a").await.unwrap();
        let (third, params) = server.expect("subscriptions/listen").await;
        assert!(params["notifications"].get("resourceSubscriptions").is_none());
        acknowledge(&server, &third, params["notifications"].clone()).await;
    }
}

/// SU-003.
#[tokio::test(start_paused = true)]
async fn what_the_server_does_not_grant_is_said() {
    let (handle, mut server, mut events) = modern_over(Wire::Stream, options(), changing()).await;
    let (id, _) = server.expect("subscriptions/listen").await;
    acknowledge(&server, &id, json!({"toolsListChanged": true})).await;
    assert!(oddity(&mut events).await.contains("not tell of all"));
    let serve = async {
        let (id, mut params) = server.expect("subscriptions/listen").await;
        params["notifications"]["resourceSubscriptions"] = json!([]);
        acknowledge(&server, &id, params["notifications"].clone()).await;
        server.expect("notifications/cancelled").await;
    };
    let (outcome, ()) = tokio::join!(handle.subscribe_resource("x://a"), serve);
    assert!(matches!(outcome, Err(CallError::NotSupported)));
    server.expect_nothing(&handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_the_request_in_use_still_has_is_watched_again_at_once() {
    let (handle, mut server, _events, _first) = listening(Wire::Stream).await;
    let serve = async {
        let (second, params) = server.expect("subscriptions/listen").await;
        acknowledge(&server, &second, params["notifications"].clone()).await;
        server.expect("notifications/cancelled").await;
    };
    tokio::join!(handle.subscribe_resource("x://a"), serve).0.unwrap();
    tokio::select! {
        biased;
        _ = handle.subscribe_resource("x://b") => panic!("nothing was acknowledged"),
        (third, _) = server.expect("subscriptions/listen") => {
            server.answer(&third, json!({"resultType": "complete"})).await;
        }
    }
    // Once this is over, the session has read the end, and pauses.
    server.expect_nothing(&handle).await;
    for uri in ["x://b", "x://a"] {
        handle.unsubscribe_resource(uri).await.unwrap();
    }
    let wanted = Instant::now();
    handle.subscribe_resource("x://a").await.unwrap();
    assert_eq!(wanted.elapsed(), Duration::ZERO);
    tokio::time::advance(Duration::from_secs(3600)).await;
    server.expect_nothing(&handle).await;
}

/// SU-011, TM-001: a listening request has no end of its own, and whoever waits for it has one.
#[tokio::test(start_paused = true)]
async fn a_request_that_listens_never_times_out_and_a_watch_without_an_answer_does() {
    let (handle, mut server, mut events, id) = listening(Wire::Stream).await;
    tokio::time::advance(Duration::from_secs(7 * 24 * 3600)).await;
    server.expect_nothing(&handle).await;
    server.tell_under(&id, TOOLS, json!({})).await;
    assert!(matches!(event(&mut events).await, SessionEvent::ToolsChanged));
    let serve = async { server.expect("subscriptions/listen").await.0 };
    let (outcome, silent) = tokio::join!(handle.subscribe_resource("x://a"), serve);
    assert!(matches!(outcome, Err(CallError::TimedOut { .. })));
    // It may tell of changes all the same, until the next request takes its place.
    server.expect("notifications/cancelled").await;
    let (next, params) = server.expect("subscriptions/listen").await;
    assert!(params["notifications"].get("resourceSubscriptions").is_none());
    server.tell_under(&silent, TOOLS, json!({})).await;
    acknowledge(&server, &next, params["notifications"].clone()).await;
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], silent);
}

#[tokio::test(start_paused = true)]
async fn more_resources_than_the_limit_are_not_watched() {
    let mut few = options();
    few.limits.watched = 1;
    let (handle, mut server, _events) =
        modern_over(Wire::Stream, few, json!({"resources": {"subscribe": true}})).await;
    let serve = async {
        let (id, params) = server.expect("subscriptions/listen").await;
        acknowledge(&server, &id, params["notifications"].clone()).await;
    };
    tokio::join!(handle.subscribe_resource("x://a"), serve).0.unwrap();
    assert!(matches!(
        handle.subscribe_resource("x://b").await,
        Err(CallError::NotSendable(_))
    ));
    handle.unsubscribe_resource("x://a").await.unwrap();
    server.expect("notifications/cancelled").await;
    server.expect_nothing(&handle).await;
}
