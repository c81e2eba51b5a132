//! What a legacy server asks of us: answered once, withdrawn, or refused before anybody hears of it.

use serde_json::{Value, json};
use tokio::time::timeout;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::{ListRootsResult, Root};
use vestibule_session::{
    ServerRequest, ServerRequestKind, SessionEvent, SessionLimits, SessionOptions, Wire,
};
use vestibule_transport::{Incoming, Outgoing, OutgoingKind, Sent};

use super::rounds_signed::refusal;
use super::{BOUND, Server, event, legacy_on, oddity, opened, opened_with, options, request};

/// RO-002, RO-006.
#[tokio::test(start_paused = true)]
async fn every_request_is_answered_once_whatever_the_host_does_with_it() {
    let (_handle, mut server, mut events) = opened().await;
    server.ask("a", "roots/list", json!({})).await;
    let (asked, reply) = request(&mut events).await;
    assert!(matches!(asked, ServerRequest::ListRoots));
    reply.reply(&ListRootsResult {
        roots: vec![Root {
            uri: "file:///a".into(),
            name: None,
        }],
    });
    let answer = server.read().await;
    assert_eq!(
        answer,
        json!({"jsonrpc": "2.0", "id": "a", "result": {"roots": [{"uri": "file:///a"}]}})
    );

    server
        .ask(
            2,
            "sampling/createMessage",
            json!({"maxTokens": 9, "messages": []}),
        )
        .await;
    let (asked, reply) = request(&mut events).await;
    assert!(matches!(asked, ServerRequest::CreateMessage(raw) if raw.as_raw().get().contains("maxTokens")));
    reply.refuse(-1, "the user said no");
    let answer = server.read().await;
    assert_eq!(
        answer["error"],
        json!({"code": -1, "message": "the user said no"})
    );

    server
        .ask(
            3,
            "elicitation/create",
            json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}}),
        )
        .await;
    let (asked, reply) = request(&mut events).await;
    assert!(matches!(asked, ServerRequest::ElicitForm(_)));
    drop(reply);
    let answer = server.read().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(3), &json!(-32603))
    );
    server.expect_silence().await;
}

/// CX-004, CX-008.
#[tokio::test(start_paused = true)]
async fn a_request_the_server_withdraws_is_not_answered() {
    let (_handle, mut server, mut events) = opened().await;
    server.ask("a", "roots/list", json!({})).await;
    let (_, reply) = request(&mut events).await;
    assert!(!reply.is_cancelled());
    server
        .tell("notifications/cancelled", json!({"requestId": "other"}))
        .await;
    server
        .tell("notifications/cancelled", json!({"requestId": {}}))
        .await;
    server.expect_silence().await;
    assert!(!reply.is_cancelled());
    server
        .tell(
            "notifications/cancelled",
            json!({"requestId": "a", "reason": "never mind"}),
        )
        .await;
    timeout(BOUND, reply.cancelled()).await.unwrap();
    reply.reply(&json!({"roots": []}));
    server.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn when_the_session_ends_open_requests_are_told() {
    let (handle, server, mut events) = opened().await;
    server.ask("a", "roots/list", json!({})).await;
    let (_, reply) = request(&mut events).await;
    tokio::join!(handle.close(), timeout(BOUND, reply.cancelled()))
        .1
        .unwrap();
}

/// BASE-011, LC-009, RO-006, ER-004.
#[tokio::test(start_paused = true)]
async fn what_was_not_declared_is_refused_without_asking_the_host() {
    let all = options().capabilities;
    let forms = json!({"elicitation": {}});
    let cases = [
        (
            Revision::NEWEST_HANDSHAKE,
            json!({}),
            "roots/list",
            json!({}),
            -32601,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            json!({}),
            "sampling/createMessage",
            json!({"maxTokens": 9, "messages": []}),
            -32601,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            json!({}),
            "elicitation/create",
            json!({"message": "?"}),
            -32601,
        ),
        (
            Revision::V2025_03_26,
            all.clone(),
            "elicitation/create",
            json!({"message": "?"}),
            -32601,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            forms.clone(),
            "elicitation/create",
            json!({"mode": "url"}),
            -32602,
        ),
        (
            Revision::V2025_06_18,
            all.clone(),
            "elicitation/create",
            json!({"mode": "url"}),
            -32602,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            all.clone(),
            "elicitation/create",
            json!({"mode": "dream"}),
            -32602,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            all.clone(),
            "elicitation/create",
            json!({"mode": 5}),
            -32602,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            all.clone(),
            "tools/list",
            json!({}),
            -32601,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            all.clone(),
            "made/up",
            json!({}),
            -32601,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            all.clone(),
            "elicitation/create",
            Value::Null,
            -32602,
        ),
        (
            Revision::NEWEST_HANDSHAKE,
            all.clone(),
            "roots/list",
            json!([]),
            -32600,
        ),
    ];
    for (revision, capabilities, method, params, code) in cases {
        let options = SessionOptions {
            capabilities,
            ..options()
        };
        let (_handle, mut server, mut events) = opened_with(options, revision, 64).await;
        server.ask(1, method, params.clone()).await;
        let answer = server.read().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(1), &json!(code)),
            "{method} {params}"
        );
        let told = std::iter::from_fn(|| events.try_recv().ok());
        assert!(
            told.into_iter()
                .all(|event| matches!(event, SessionEvent::Oddity(_)))
        );
    }
    let options = SessionOptions {
        capabilities: json!({}),
        ..options()
    };
    let (_handle, mut server, _events) = opened_with(options, Revision::NEWEST_HANDSHAKE, 64).await;
    server.ask(1, "roots/list", json!({})).await;
    assert!(
        server.read().await["error"]["data"]["reason"]
            .as_str()
            .unwrap()
            .contains("roots")
    );
}

/// EF-009: whichever request is one too many, its answer is the one its kind has for "not now", never an error of ours.
#[tokio::test(start_paused = true)]
async fn too_many_open_requests_are_answered_not_now_and_a_second_of_the_same_id_is_noted() {
    let limits = SessionLimits {
        server_requests: 2,
        ..SessionLimits::default()
    };
    let (_handle, mut server, mut events) = opened_with(
        SessionOptions { limits, ..options() },
        Revision::NEWEST_HANDSHAKE,
        64,
    )
    .await;
    server.ask(1, "roots/list", json!({})).await;
    let (_, first) = request(&mut events).await;
    server.ask(1, "roots/list", json!({})).await;
    assert!(oddity(&mut events).await.contains("second request 1"));
    server.ask(2, "roots/list", json!({})).await;
    let (_, _second) = request(&mut events).await;
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
    let page = json!({"mode": "url", "elicitationId": "e", "message": "Look.", "url": "https://a.test/"});
    let wish = json!({"messages": [], "maxTokens": 1});
    let cancel = json!({"result": {"action": "cancel"}});
    let rejected = json!({"error": {"code": -1, "message": "User rejected sampling request"}});
    let cases = [
        (
            "elicitation/create",
            form,
            cancel.clone(),
            ServerRequestKind::Form,
        ),
        ("elicitation/create", page, cancel, ServerRequestKind::Page),
        (
            "roots/list",
            json!({}),
            json!({"result": {"roots": []}}),
            ServerRequestKind::Roots,
        ),
        (
            "sampling/createMessage",
            wish,
            rejected,
            ServerRequestKind::Sampling,
        ),
    ];
    for (method, params, not_now, expected) in cases {
        server.ask(3, method, params).await;
        let answer = server.read().await;
        assert_eq!(answer["id"], 3);
        for member in ["result", "error"] {
            assert_eq!(answer[member], not_now[member], "{method}");
        }
        let SessionEvent::TurnedAway { kind, times: 1 } = event(&mut events).await else {
            panic!("{method} was not counted");
        };
        assert_eq!(kind, expected);
    }
    first.reply(&json!({"roots": []}));
    assert_eq!(server.read().await["id"], 1);
    server.ask(4, "roots/list", json!({})).await;
    request(&mut events).await;
}

/// The next frame of ours, with what it is.
async fn outgoing(server: &mut Server) -> Outgoing {
    loop {
        if let Sent::Frame(outgoing) = server.sent().await {
            return outgoing;
        }
    }
}

/// TR-021, AU-064: the token ended while the user thought about the answer, and the server still waits for it.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_refused_until_a_sign_in_is_sent_once_more() {
    let revision = Revision::V2025_11_25;
    let (_handle, mut server, mut events) = legacy_on(Wire::Http, options(), revision, json!({}), 64).await;
    for is_settled in [true, false] {
        server.ask("a", "roots/list", json!({})).await;
        request(&mut events).await.1.reply(&json!({"roots": []}));
        let answer = outgoing(&mut server).await;
        let OutgoingKind::Response { id, again: false } = answer.kind else {
            panic!("{answer:?}")
        };
        let refused = Incoming::AnswerRefused {
            id: id.clone(),
            frame: answer.frame.clone(),
            challenge: refusal(401).challenge.unwrap(),
        };
        assert!(server.0.hand_over(refused).await);
        let SessionEvent::Demand(demand) = event(&mut events).await else {
            panic!("no demand")
        };
        assert_eq!(Some(&demand.challenge), refusal(401).challenge.as_ref());
        server.expect_silence().await;
        if is_settled {
            demand.settle();
            let repeated = outgoing(&mut server).await;
            assert_eq!(repeated.frame, answer.frame);
            assert!(
                matches!(repeated.kind, OutgoingKind::Response { id: named, again: true } if named == id)
            );
        } else {
            drop(demand);
            server.expect_silence().await;
        }
    }
}
