//! Finding out the era of a server.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use vestibule_protocol::Revision;
use vestibule_session::{
    CloseCause, EraChoice, OpenError, RequestFailure, SessionEvent, SessionHandle, SessionOptions, open,
};
use vestibule_transport::{Incoming, Wire, pair};

use super::{Events, Server, discovery, event, options};

pub(super) fn opening(
    wire: Wire,
    era: EraChoice,
) -> (
    impl Future<Output = Result<SessionHandle, OpenError>>,
    Server,
    Events,
) {
    let (transport, peer) = pair();
    let (events, inbox) = mpsc::channel(64);
    let options = SessionOptions { era, ..options() };
    let opening = open(Box::new(transport.with_wire(wire)), options, events);
    (opening, Server(peer), inbox)
}

pub(super) async fn shake_hands(server: &mut Server, revision: Revision) {
    let (id, params) = server.expect("initialize").await;
    assert!(params.get("_meta").is_none());
    let result =
        json!({"protocolVersion": revision, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}});
    server.answer(&id, result).await;
    server.expect("notifications/initialized").await;
}

/// NEG-001, NEG-005, DISC-001, DISC-002, META-004, META-005, CA-001.
#[tokio::test(start_paused = true)]
async fn a_modern_server_is_discovered_and_never_shaken_hands_with() {
    for (wire, era) in [
        (Wire::Stream, EraChoice::Auto),
        (Wire::Stream, EraChoice::Modern),
        (Wire::Http, EraChoice::Auto),
        (Wire::Http, EraChoice::Modern),
    ] {
        let (opening, mut server, _events) = opening(wire, era);
        let serve = async {
            let (id, params) = server.expect("server/discover").await;
            let meta = &params["_meta"];
            assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
            assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "test");
            assert_eq!(
                meta["io.modelcontextprotocol/clientCapabilities"],
                json!({"roots": {}, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}})
            );
            server.answer(&id, discovery(json!({"tools": {}}))).await;
        };
        let (handle, ()) = tokio::join!(opening, serve);
        let handle = handle.unwrap();
        let info = handle.info();
        assert_eq!(
            (info.revision, info.era(), info.wire),
            (Revision::NEWEST, EraChoice::Modern, wire)
        );
        assert_eq!(
            (info.server.name.as_str(), info.instructions.as_deref()),
            ("s", Some("be kind"))
        );
        assert!(info.capabilities.tools.is_some());
        assert_eq!(info.cache.ttl, Duration::from_secs(1));
        server.expect_nothing(&handle).await;
    }
}

/// NEG-003: the fallback does not hinge on one code, and not on an error either.
#[tokio::test(start_paused = true)]
async fn whatever_only_a_legacy_server_answers_leads_to_the_handshake() {
    let answers = [
        json!({"error": {"code": -32601, "message": "no such method"}}),
        json!({"error": {"code": -32602, "message": "invalid request parameters"}}),
        json!({"error": {"code": -32000, "message": "not initialized"}}),
        json!({"error": {"code": -32001, "message": "x", "data": {"supported": ["2026-07-28"]}}}),
        json!({"result": {}}),
        json!({"result": {"supportedVersions": "2026-07-28"}}),
        json!({"result": {"supportedVersions": ["2026-07-28"], "resultType": "surprise"}}),
        json!({"result": {"protocolVersion": "2025-11-25"}}),
        json!({"result": null}),
        json!({"result": {}, "error": {}}),
    ];
    for wire in [Wire::Stream, Wire::Http] {
        for answer in &answers {
            let (opening, mut server, _events) = opening(wire, EraChoice::Auto);
            let serve = async {
                let (id, _) = server.expect("server/discover").await;
                let mut answer = answer.clone();
                answer["jsonrpc"] = "2.0".into();
                answer["id"] = id;
                server.say(answer).await;
                shake_hands(&mut server, Revision::V2025_06_18).await;
            };
            let (handle, ()) = tokio::join!(opening, serve);
            let handle = handle.unwrap();
            assert_eq!(
                (handle.info().revision, handle.info().era()),
                (Revision::V2025_06_18, EraChoice::Legacy),
                "{answer}"
            );
        }
    }
}

/// NEG-005, CX-001: nothing is cancelled, and the clock of the opening goes on.
#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_a_few_seconds_and_its_late_answer_disturbs_nothing() {
    let (opening, mut server, mut events) = opening(Wire::Stream, EraChoice::Auto);
    let begun = Instant::now();
    let serve = async {
        let (late, _) = server.expect("server/discover").await;
        let (id, _) = server.expect("initialize").await;
        assert_eq!(begun.elapsed(), options().probe_timeout);
        server.answer(&late, discovery(json!({}))).await;
        let result = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"}});
        server.answer(&id, result).await;
        server.expect("notifications/initialized").await;
        server.expect_silence().await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    assert_eq!(handle.unwrap().info().era(), EraChoice::Legacy);
    assert!(
        matches!(event(&mut events).await, SessionEvent::Closed(_)),
        "nothing was odd"
    );
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_that_was_slow_to_start_is_recognised_when_it_refuses_the_handshake() {
    let (opening, mut server, _events) = opening(Wire::Stream, EraChoice::Auto);
    let serve = async {
        let (late, _) = server.expect("server/discover").await;
        let (id, _) = server.expect("initialize").await;
        server.answer(&late, discovery(json!({}))).await;
        server
            .refuse(&id, json!({"code": -32601, "message": "no such method"}))
            .await;
        let (id, _) = server.expect("server/discover").await;
        server.answer(&id, discovery(json!({}))).await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    assert_eq!(handle.unwrap().info().era(), EraChoice::Modern);
}

/// As servers of the Python SDK do.
#[tokio::test(start_paused = true)]
async fn a_modern_server_that_was_slow_to_start_is_recognised_when_it_shakes_hands_in_its_own_revision() {
    let (opening, mut server, _events) = opening(Wire::Stream, EraChoice::Auto);
    let serve = async {
        let (late, _) = server.expect("server/discover").await;
        let (id, _) = server.expect("initialize").await;
        server.answer(&late, discovery(json!({}))).await;
        let result = json!({"protocolVersion": "2026-07-28", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"}});
        server.answer(&id, result).await;
        let (id, _) = server.expect("server/discover").await;
        server.answer(&id, discovery(json!({}))).await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    assert_eq!(handle.unwrap().info().era(), EraChoice::Modern);
}

/// NEG-002, NEG-003.
#[tokio::test(start_paused = true)]
async fn an_error_only_a_modern_server_can_mean_is_never_answered_with_a_handshake() {
    let unsupported = |names: Value| json!({"code": -32022, "message": "no", "data": {"supported": names, "requested": "2026-07-28"}});
    let cases = [
        unsupported(json!(["2099-01-01"])),
        unsupported(json!([])),
        json!({"code": -32022, "message": "no"}),
        json!({"code": -32021, "message": "no", "data": {"requiredCapabilities": {"tasks": {}}}}),
        json!({"code": -32020, "message": "no"}),
    ];
    for wire in [Wire::Stream, Wire::Http] {
        for error in &cases {
            let (opening, mut server, _events) = opening(wire, EraChoice::Auto);
            let serve = async {
                let (id, _) = server.expect("server/discover").await;
                if wire == Wire::Http {
                    let body = json!({"jsonrpc": "2.0", "error": error}).to_string();
                    let failure = RequestFailure {
                        status: Some(400),
                        body: Some(body.into()),
                        ..RequestFailure::new("status 400")
                    };
                    server.fail(&id, failure).await;
                } else {
                    server.refuse(&id, error.clone()).await;
                }
                server.expect_end().await;
            };
            let (outcome, ()) = tokio::join!(opening, serve);
            match outcome {
                Err(OpenError::Unsupported { offered, answered }) => {
                    assert_eq!((&error["code"], offered), (&json!(-32022), Revision::NEWEST));
                    assert_eq!(answered, error["data"]["supported"][0].as_str().unwrap_or(""));
                }
                Err(OpenError::Rpc(refusal)) => assert_eq!(json!(refusal.code), error["code"]),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// NEG-002, BASE-004.
#[tokio::test(start_paused = true)]
async fn a_refusal_that_names_a_common_revision_is_tried_once_more_in_it() {
    let refusal = |names: &[&str]| json!({"code": -32022, "message": "no", "data": {"supported": names}});
    let (opening, mut server, _events) = self::opening(Wire::Stream, EraChoice::Auto);
    let serve = async {
        let (first, _) = server.expect("server/discover").await;
        server
            .refuse(&first, refusal(&["2099-01-01", "2026-07-28"]))
            .await;
        let (second, params) = server.expect("server/discover").await;
        assert_ne!(first, second);
        assert_eq!(
            params["_meta"]["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
        server.answer(&second, discovery(json!({}))).await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    assert_eq!(handle.unwrap().info().era(), EraChoice::Modern);

    let (opening, mut server, _events) = self::opening(Wire::Stream, EraChoice::Auto);
    let serve = async {
        for _ in 0..2 {
            let (id, _) = server.expect("server/discover").await;
            server.refuse(&id, refusal(&["2026-07-28"])).await;
        }
        server.expect_end().await;
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    assert!(
        matches!(outcome, Err(OpenError::Unsupported { .. })),
        "{outcome:?}"
    );
}

/// A server that knows the modern way but names only revisions with a handshake.
#[tokio::test(start_paused = true)]
async fn a_server_that_names_only_older_revisions_is_shaken_hands_with_at_the_newest_of_them() {
    for refuses in [true, false] {
        let (opening, mut server, _events) = opening(Wire::Stream, EraChoice::Auto);
        let serve = async {
            let (id, _) = server.expect("server/discover").await;
            let names = ["2024-11-05", "2025-06-18", "2099-01-01"];
            if refuses {
                let error = json!({"code": -32022, "message": "no", "data": {"supported": names}});
                server.refuse(&id, error).await;
            } else {
                let mut answer = discovery(json!({}));
                answer["supportedVersions"] = json!(names);
                server.answer(&id, answer).await;
            }
            let (id, params) = server.expect("initialize").await;
            assert_eq!(params["protocolVersion"], "2025-06-18");
            let result = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                "serverInfo": {"name": "s", "version": "1"}});
            server.answer(&id, result).await;
            server.expect("notifications/initialized").await;
        };
        let (handle, ()) = tokio::join!(opening, serve);
        assert_eq!(handle.unwrap().info().revision, Revision::V2025_06_18);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_when_asked_is_told_apart_so_that_it_can_be_started_without_the_question() {
    let (opening, mut server, _events) = opening(Wire::Stream, EraChoice::Auto);
    let serve = async {
        server.expect("server/discover").await;
        drop(server);
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    assert!(matches!(outcome, Err(OpenError::EndedByProbe(reason)) if reason.cause == CloseCause::Ended));
    let (opening, mut server, _events) = self::opening(Wire::Stream, EraChoice::Modern);
    let serve = async {
        server.expect("server/discover").await;
        drop(server);
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    assert!(matches!(outcome, Err(OpenError::Closed(_))));
}

#[tokio::test(start_paused = true)]
async fn a_server_set_to_one_era_is_asked_in_no_other() {
    let (opening, mut server, _events) = opening(Wire::Stream, EraChoice::Legacy);
    let (handle, ()) = tokio::join!(opening, shake_hands(&mut server, Revision::V2025_11_25));
    assert_eq!(handle.unwrap().info().era(), EraChoice::Legacy);

    let (opening, mut server, _events) = self::opening(Wire::Stream, EraChoice::Modern);
    let serve = async {
        let (id, _) = server.expect("server/discover").await;
        server.refuse(&id, json!({"code": -32601, "message": "no"})).await;
        server.expect_end().await;
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    assert!(matches!(outcome, Err(OpenError::Rpc(error)) if error.code == -32601));
}

/// A handshake cannot agree on a revision without one.
#[tokio::test(start_paused = true)]
async fn a_modern_revision_in_a_handshake_is_no_agreement() {
    let (opening, mut server, _events) = opening(Wire::Stream, EraChoice::Legacy);
    let serve = async {
        let (id, _) = server.expect("initialize").await;
        let result = json!({"protocolVersion": "2026-07-28", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"}});
        server.answer(&id, result).await;
        server.expect_end().await;
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    assert!(matches!(outcome, Err(OpenError::Unsupported { answered, .. }) if answered == "2026-07-28"));
}

/// PI-001, BASE-012: who asks before the era is known is a legacy server, except where we know better.
#[tokio::test(start_paused = true)]
async fn a_server_that_asks_before_it_answers_is_answered_unless_it_is_set_to_modern() {
    let (opening, mut server, _events) = opening(Wire::Stream, EraChoice::Auto);
    let serve = async {
        let (id, _) = server.expect("server/discover").await;
        server.expect_silence().await;
        server.refuse(&id, json!({"code": -32601, "message": "no"})).await;
        shake_hands(&mut server, Revision::V2025_11_25).await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    assert!(handle.is_ok());

    let (opening, mut server, mut events) = self::opening(Wire::Stream, EraChoice::Modern);
    let serve = async {
        let (id, _) = server.expect("server/discover").await;
        server.ask("p", "ping", json!({})).await;
        server.answer(&id, discovery(json!({}))).await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    server.expect_nothing(&handle.unwrap()).await;
    assert!(matches!(event(&mut events).await, SessionEvent::Oddity(what) if what.contains("ping")));
}

/// TR-030: the host opens a new one.
#[tokio::test(start_paused = true)]
async fn a_lost_session_ends_with_that_reason() {
    let (opening, mut server, mut events) = opening(Wire::Http, EraChoice::Legacy);
    let (handle, ()) = tokio::join!(opening, shake_hands(&mut server, Revision::V2025_11_25));
    let handle = handle.unwrap();
    assert!(server.0.hand_over(Incoming::SessionLost).await);
    let SessionEvent::Closed(reason) = event(&mut events).await else {
        panic!("it goes on")
    };
    assert_eq!(reason.cause, CloseCause::SessionLost);
    assert!(handle.ping().await.is_err());
}
