use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use vestibule_protocol::Revision;
use vestibule_session::{CloseCause, OpenError, SessionEvent, SessionHandle, SessionOptions, open};
use vestibule_transport::{CloseReason, Incoming, Outgoing, SendError, SpawnError, Transport, Wire, pair};

use super::{BOUND, Events, Server, event, opened_with, options};

fn opening(
    options: SessionOptions,
) -> (
    impl Future<Output = Result<SessionHandle, OpenError>>,
    Server,
    Events,
) {
    let (transport, peer) = pair();
    let (events, inbox) = mpsc::channel(64);
    (open(Box::new(transport), options, events), Server(peer), inbox)
}

/// LC-001, LC-002, LC-003, LC-005, LC-006. HO-018: who we are is what whoever opens the session says.
#[tokio::test(start_paused = true)]
async fn a_session_opens_in_every_revision_the_server_may_choose() {
    for revision in Revision::HANDSHAKES {
        let (opening, mut server, _events) = opening(options());
        let serve = async {
            let (id, params) = server.expect("initialize").await;
            assert_eq!(params["protocolVersion"], "2025-11-25");
            assert_eq!(params["capabilities"], options().capabilities);
            assert_eq!(params["clientInfo"]["title"], "Test");
            let result = json!({"protocolVersion": revision, "capabilities": {},
                "serverInfo": {"name": "s", "version": "1"}, "instructions": "be kind"});
            server.answer(&id, result).await;
            server.expect("notifications/initialized").await;
            server.expect_silence().await;
        };
        let (handle, ()) = tokio::join!(opening, serve);
        let handle = handle.unwrap();
        assert_eq!(handle.info().revision, revision);
        assert_eq!(handle.info().server.name, "s");
        assert_eq!(handle.info().instructions.as_deref(), Some("be kind"));
    }
}

/// LC-009, LC-010.
#[tokio::test(start_paused = true)]
async fn an_older_offer_holds_nothing_newer() {
    let (opening, mut server, _events) = opening(SessionOptions {
        offer: Revision::V2025_03_26,
        ..options()
    });
    let serve = async {
        let (_, params) = server.expect("initialize").await;
        assert_eq!(params["protocolVersion"], "2025-03-26");
        assert_eq!(
            params["capabilities"],
            json!({"roots": {"listChanged": true}, "sampling": {}})
        );
        assert_eq!(params["clientInfo"], json!({"name": "test", "version": "1"}));
    };
    tokio::select! {
        _ = opening => panic!("nothing was answered"),
        () = serve => {}
    }
}

/// LC-003, LC-014.
#[tokio::test(start_paused = true)]
async fn a_revision_nobody_here_speaks_ends_the_connection_and_is_named() {
    let (opening, mut server, mut events) = opening(options());
    let serve = async {
        let (id, _) = server.expect("initialize").await;
        let result = json!({"protocolVersion": "2031-01-01\u{1b}", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"}});
        server.answer(&id, result).await;
        server.expect_end().await;
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    let Err(OpenError::Unsupported { offered, answered }) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        (offered, answered.as_str()),
        (Revision::NEWEST_HANDSHAKE, "2031-01-01")
    );
    assert!(matches!(event(&mut events).await, SessionEvent::Closed(_)));
}

/// LC-004, BASE-003, NEG-008.
#[tokio::test(start_paused = true)]
async fn a_refusal_that_names_other_revisions_is_answered_with_the_newest_common_one() {
    let (opening, mut server, _events) = opening(options());
    let serve = async {
        let (first, _) = server.expect("initialize").await;
        let data =
            json!({"supported": ["2024-11-05", "2025-06-18", "2099-01-01"], "requested": "2025-11-25"});
        let error = json!({"code": -32602, "message": "unsupported", "data": data});
        server
            .say(json!({"jsonrpc": "2.0", "id": first, "error": error}))
            .await;
        let (second, params) = server.expect("initialize").await;
        assert_ne!(first, second);
        assert_eq!(params["protocolVersion"], "2025-06-18");
        assert_eq!(params["capabilities"]["elicitation"], json!({}));
        let result = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"}});
        server.answer(&second, result).await;
        server.expect("notifications/initialized").await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    assert_eq!(handle.unwrap().info().revision, Revision::V2025_06_18);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_without_a_common_revision_is_final() {
    let cases = [
        (
            json!({"code": -32602, "message": "no", "data": {"supported": ["2099-01-01"]}}),
            true,
        ),
        (
            json!({"code": -32602, "message": "no", "data": {"supported": ["2025-11-25"]}}),
            true,
        ),
        (json!({"code": -32602, "message": "no"}), false),
        (
            json!({"code": -32000, "message": "no", "data": {"supported": ["2024-11-05"]}}),
            false,
        ),
    ];
    for (error, is_about_revisions) in cases {
        let (opening, mut server, _events) = opening(options());
        let serve = async {
            let (id, _) = server.expect("initialize").await;
            server
                .say(json!({"jsonrpc": "2.0", "id": id, "error": error}))
                .await;
            server.expect_end().await;
        };
        let (outcome, ()) = tokio::join!(opening, serve);
        match outcome {
            Err(OpenError::Unsupported { .. }) => assert!(is_about_revisions, "{error}"),
            Err(OpenError::Rpc(_)) => assert!(!is_about_revisions, "{error}"),
            other => panic!("{other:?}"),
        }
    }
}

/// LC-011, LC-014, CX-002.
#[tokio::test(start_paused = true)]
async fn an_opening_without_an_answer_times_out_and_is_never_cancelled() {
    let (opening, mut server, _events) = opening(options());
    let begun = Instant::now();
    let serve = async {
        server.expect("initialize").await;
        server.expect_end().await;
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    assert!(matches!(outcome, Err(OpenError::TimedOut { after, .. }) if after == Duration::from_secs(60)));
    assert_eq!(begun.elapsed().as_secs(), 60);
}

/// LC-011.
#[tokio::test(start_paused = true)]
async fn dropping_an_opening_ends_the_connection_without_a_cancellation() {
    let (opening, mut server, mut events) = opening(options());
    tokio::select! {
        _ = opening => panic!("nothing was answered"),
        _ = server.expect("initialize") => {}
    }
    server.expect_end().await;
    assert!(
        matches!(event(&mut events).await, SessionEvent::Closed(reason) if reason.cause == CloseCause::Asked)
    );
}

/// LC-007, PI-001, STD-004.
#[tokio::test(start_paused = true)]
async fn a_server_may_ping_log_and_write_junk_before_it_answers() {
    let (opening, mut server, mut events) = opening(options());
    let serve = async {
        let (id, _) = server.expect("initialize").await;
        server.raw("Welcome to the server!").await;
        server
            .tell(
                "notifications/message",
                json!({"level": "info", "data": "starting"}),
            )
            .await;
        server.ask("p", "ping", json!({})).await;
        assert_eq!(
            server.read().await,
            json!({"jsonrpc": "2.0", "id": "p", "result": {}})
        );
        let result = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"}});
        server.answer(&id, result).await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    assert!(handle.is_ok());
    assert!(matches!(event(&mut events).await, SessionEvent::Oddity(what) if what.contains("Welcome")));
    assert!(matches!(event(&mut events).await, SessionEvent::Log(message) if message.data == "starting"));
}

#[tokio::test(start_paused = true)]
async fn an_opening_answer_that_is_none_is_said_so() {
    for result in [
        json!({}),
        json!("yes"),
        json!({"protocolVersion": 1, "capabilities": {}, "serverInfo": {}}),
    ] {
        let (opening, mut server, _events) = opening(options());
        let serve = async {
            let (id, _) = server.expect("initialize").await;
            server.answer(&id, result).await;
            server.expect_end().await;
        };
        let (outcome, ()) = tokio::join!(opening, serve);
        assert!(matches!(outcome, Err(OpenError::Malformed(_))), "{outcome:?}");
    }
    let (opening, server, _events) = opening(options());
    drop(server);
    let outcome = timeout(BOUND, opening).await.unwrap();
    assert!(matches!(outcome, Err(OpenError::Closed(reason)) if reason.cause == CloseCause::Ended));
}

/// LC-012.
#[tokio::test(start_paused = true)]
async fn what_a_server_says_of_itself_is_cut() {
    let (opening, mut server, _events) = opening(options());
    let limit = options().limits.instructions_bytes;
    let serve = async {
        let (id, _) = server.expect("initialize").await;
        let result = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "instructions": "ü".repeat(limit),
            "serverInfo": {"name": "n".repeat(5000), "version": "1", "websiteUrl": "u".repeat(5000)}});
        server.answer(&id, result).await;
    };
    let (handle, ()) = tokio::join!(opening, serve);
    let handle = handle.unwrap();
    let info = handle.info();
    assert_eq!(info.instructions.as_ref().unwrap().len(), limit);
    assert_eq!((info.server.name.len(), &info.server.website_url), (1024, &None));
}

/// A wire that never says anything, or only how it ended.
struct Mute(Option<CloseReason>);

#[async_trait::async_trait]
impl Transport for Mute {
    fn wire(&self) -> Wire {
        Wire::Stream
    }

    fn send(&mut self, _outgoing: Outgoing) -> Result<(), SendError> {
        Ok(())
    }

    async fn receive(&mut self) -> Incoming {
        match &self.0 {
            Some(reason) => Incoming::Closed(reason.clone()),
            None => std::future::pending().await,
        }
    }

    async fn close(&mut self) -> CloseReason {
        CloseReason {
            diagnostics: vec!["still downloading".into()],
            ..CloseReason::new(CloseCause::Asked)
        }
    }
}

/// STD-015.
#[tokio::test(start_paused = true)]
async fn an_opening_that_fails_says_whether_nothing_ran_nothing_answered_or_it_ended() {
    let outcome = |wire: Mute| async {
        let (events, _inbox) = mpsc::channel(64);
        timeout(BOUND, open(Box::new(wire), options(), events))
            .await
            .unwrap()
            .unwrap_err()
    };
    let refusal = SpawnError::Refused("no such interpreter".into());
    let never = CloseReason::new(CloseCause::NotStarted(refusal.clone()));
    assert!(matches!(outcome(Mute(Some(never))).await, OpenError::Spawn(error) if error == refusal));
    let ended = CloseReason {
        diagnostics: vec!["bad key".into()],
        ..CloseReason::new(CloseCause::Ended)
    };
    assert!(matches!(outcome(Mute(Some(ended.clone()))).await, OpenError::Closed(reason) if reason == ended));
    let silent = outcome(Mute(None)).await;
    assert!(
        matches!(silent, OpenError::TimedOut { stderr_tail, .. } if stderr_tail == ["still downloading"])
    );
}

#[tokio::test(start_paused = true)]
async fn when_the_last_handle_is_gone_the_session_ends() {
    let (handle, mut server, mut events) = opened_with(options(), Revision::NEWEST_HANDSHAKE, 64).await;
    let other = handle.clone();
    drop(handle);
    server.expect_silence().await;
    drop(other);
    server.expect_end().await;
    assert!(matches!(event(&mut events).await, SessionEvent::Closed(_)));
    assert!(events.recv().await.is_none(), "the end is the last event");
}
