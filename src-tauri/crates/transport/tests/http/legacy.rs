//! The handshake revisions: a session with an id, streams that are taken up again, and a stream for what
//! nobody asked for.

use std::time::Instant;

use super::*;

/// TR-001, TR-002, TR-028, TR-032, TR-035.
#[tokio::test]
async fn every_exchange_after_the_opening_names_session_revision_and_credentials() {
    let (mut client, mut server) = started().await;
    client.send(opening(1)).unwrap();
    let asked = alongside(&mut client, server.expect_post("initialize")).await;
    assert_eq!(
        asked.header("accept"),
        Some("application/json, text/event-stream")
    );
    assert_eq!(asked.header("content-type"), Some("application/json"));
    assert_eq!(
        (
            asked.header("mcp-session-id"),
            asked.header("mcp-protocol-version")
        ),
        (None, None)
    );
    assert_eq!(
        (asked.header("authorization"), asked.header("x-api-key")),
        (Some(SECRET), Some("the-key"))
    );
    for absent in ["cookie", "origin", "referer", "accept-encoding", "last-event-id"] {
        assert_eq!(asked.header(absent), None, "{absent}");
    }
    drop((client, server));

    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, Revision::V2025_06_18).await;
    let check = |asked: &Asked| {
        assert_eq!(
            asked.header("mcp-session-id"),
            Some("session-1"),
            "{}",
            asked.method
        );
        assert_eq!(
            asked.header("mcp-protocol-version"),
            Some("2025-06-18"),
            "{}",
            asked.method
        );
        assert_eq!(asked.header("authorization"), Some(SECRET), "{}", asked.method);
    };
    let listening = server.expect(Method::GET, "/mcp").await;
    check(&listening);
    assert_eq!(listening.header("accept"), Some("text/event-stream"));
    listening.refuse(405, "");
    client.send(request(2, "tools/list")).unwrap();
    let asked = alongside(&mut client, server.expect_post("tools/list")).await;
    check(&asked);
    asked.answer_result();
    assert_eq!(frame(&mut client).await["id"], 2);
    let goodbye = async {
        let asked = server.expect(Method::DELETE, "/mcp").await;
        check(&asked);
        asked.refuse(405, "");
    };
    tokio::join!(client.close(), goodbye);
}

/// LC-005: on separate connections only waiting keeps an order.
#[tokio::test]
async fn nothing_overtakes_the_notification_that_opens() {
    let (mut client, mut server) = started().await;
    client.send(notification("notifications/initialized")).unwrap();
    client.send(request(2, "tools/list")).unwrap();
    client
        .send(notification("notifications/roots/list_changed"))
        .unwrap();
    let asked = alongside(&mut client, server.next()).await;
    assert_eq!(asked.json()["method"], "notifications/initialized");
    assert!(server.is_quiet());
    asked.accept();
    let mut methods = HashSet::new();
    for _ in 0..2 {
        let asked = alongside(&mut client, server.next()).await;
        methods.insert(asked.json()["method"].as_str().unwrap().to_owned());
        asked.accept();
    }
    assert_eq!(methods.len(), 2);
}

/// TR-020: servers exist that lose what they want to ask during a request that overtook the listening.
#[tokio::test]
async fn a_request_waits_until_the_server_lets_itself_be_listened_to_or_refuses() {
    for refused in [None, Some(405), Some(500)] {
        let patient = Limits {
            listening: BOUND * 10,
            ..limits()
        };
        let (mut client, mut server) = started_with(patient).await;
        open(&mut client, &mut server, Revision::V2025_11_25).await;
        let listening = server.expect(Method::GET, "/mcp").await;
        client.send(request(2, "tools/list")).unwrap();
        // A notification goes there and back meanwhile, so the request had its time.
        client.send(notification("notifications/progress")).unwrap();
        alongside(&mut client, server.expect_post("notifications/progress"))
            .await
            .accept();
        client.send(notification("notifications/progress")).unwrap();
        let second = alongside(&mut client, server.expect_post("notifications/progress")).await;
        assert!(server.is_quiet(), "the request did not wait");
        let _feed = match refused {
            Some(code) => {
                listening.refuse(code, "");
                None
            }
            None => Some(listening.answer_stream()),
        };
        let asked = alongside(&mut client, server.expect_post("tools/list")).await;
        second.accept();
        asked.answer_result();
        assert_eq!(frame(&mut client).await["id"], 2, "{refused:?}");
    }
}

#[tokio::test]
async fn a_server_that_leaves_the_listening_unanswered_is_asked_all_the_same() {
    let hasty = Limits {
        listening: Duration::from_millis(50),
        ..limits()
    };
    let (mut client, mut server) = started_with(hasty).await;
    open(&mut client, &mut server, Revision::V2025_11_25).await;
    let _unanswered = server.expect(Method::GET, "/mcp").await;
    client.send(request(2, "tools/list")).unwrap();
    client.send(request(3, "tools/list")).unwrap();
    assert!(client.abandon(&RequestId::Number(3)), "it never left");
    alongside(&mut client, server.expect_post("tools/list"))
        .await
        .answer_result();
    assert_eq!(frame(&mut client).await["id"], 2);
    assert!(server.is_quiet());
}

/// TR-003, TR-008, TR-021.
#[tokio::test]
async fn requests_run_side_by_side_and_streams_carry_what_the_server_wants_meanwhile() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let slow = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    client.send(request(3, "tools/list")).unwrap();
    alongside(&mut client, server.expect_post("tools/list"))
        .await
        .answer_result();
    assert_eq!(frame(&mut client).await["id"], 3);
    slow.raw(": still here\n\nevent: message\n").await;
    slow.say(&json!({"jsonrpc": "2.0", "id": "s", "method": "elicitation/create"}))
        .await;
    assert_eq!(frame(&mut client).await["method"], "elicitation/create");
    client
        .send(Outgoing::response(
            b"{\"id\":\"s\"}".to_vec(),
            RequestId::Text("s".into()),
        ))
        .unwrap();
    alongside(&mut client, server.expect(Method::POST, "/mcp"))
        .await
        .accept();
    slow.say(&result(2)).await;
    assert_eq!(frame(&mut client).await["result"]["n"], 2);
}

/// BASE-009.
#[tokio::test]
async fn a_batch_with_the_answer_ends_the_exchange() {
    let (mut client, mut server) = opened(Revision::V2025_03_26).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.say(&json!([{"jsonrpc": "2.0", "method": "notifications/message"}, result(2)]))
        .await;
    assert!(frame(&mut client).await.is_array());
    feed.closed().await;
}

/// TR-023, TR-024, TR-025, TR-026: what `sse-retry` of the conformance suite looks at.
#[tokio::test]
async fn a_stream_closed_early_is_taken_up_by_get_after_exactly_the_pause_asked_for() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.raw("id: prime\nretry: 200\ndata:\n\n").await;
    let closed = Instant::now();
    drop(feed);
    let asked = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
    let waited = closed.elapsed();
    assert!(waited >= Duration::from_millis(200), "only {waited:?}");
    assert_eq!(asked.header("last-event-id"), Some("prime"));
    assert_eq!(asked.header("mcp-session-id"), Some("session-1"));
    let feed = asked.answer_stream();
    feed.event(
        "1",
        &json!({"jsonrpc": "2.0", "method": "notifications/progress"}),
    )
    .await;
    assert_eq!(frame(&mut client).await["method"], "notifications/progress");
    drop(feed);
    let asked = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
    assert_eq!(asked.header("last-event-id"), Some("1"));
    let feed = asked.answer_stream();
    // Repeated by the server, told once.
    feed.event(
        "1",
        &json!({"jsonrpc": "2.0", "method": "notifications/progress"}),
    )
    .await;
    feed.event("2", &result(2)).await;
    assert_eq!(frame(&mut client).await["result"]["n"], 2);
}

#[tokio::test]
async fn a_stream_that_can_not_be_taken_up_fails_its_request_alone() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    // Without an id there is nothing to take up.
    client.send(request(2, "tools/call")).unwrap();
    drop(
        alongside(&mut client, server.expect_post("tools/call"))
            .await
            .answer_stream(),
    );
    let failed = failure(&mut client, 2).await;
    assert!(failed.cut && !failed.unsent, "{failed:?}");
    // With one, the server may still not have it.
    client.send(request(3, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.raw("id: 1\ndata:\n\n").await;
    drop(feed);
    alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .refuse(405, "");
    let failed = failure(&mut client, 3).await;
    assert_eq!((failed.cut, failed.status), (true, Some(405)));
    // Or fail again and again.
    client.send(request(4, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.raw("id: 1\ndata:\n\n").await;
    drop(feed);
    for _ in 0..limits().attempts {
        alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .refuse(503, "");
    }
    assert!(failure(&mut client, 4).await.cut);
}

/// TR-020, TR-023.
#[tokio::test]
async fn what_nobody_asked_for_is_listened_to_and_taken_up_after_a_break() {
    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, Revision::V2025_11_25).await;
    let feed = server.expect(Method::GET, "/mcp").await.answer_stream();
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    feed.event("7", &changed).await;
    assert_eq!(frame(&mut client).await, changed);
    drop(feed);
    let asked = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
    assert_eq!(asked.header("last-event-id"), Some("7"));
    asked.refuse(503, "");
    let feed = alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .answer_stream();
    feed.event("8", &changed).await;
    assert_eq!(frame(&mut client).await, changed);
    drop(feed);
    for _ in 0..limits().attempts {
        alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .refuse(503, "");
    }
    assert!(matches!(next(&mut client).await, Incoming::Oddity(_)));
    client.send(request(2, "ping")).unwrap();
    alongside(&mut client, server.expect_post("ping"))
        .await
        .answer_result();
    assert_eq!(frame(&mut client).await["id"], 2);
}

/// TR-030.
#[tokio::test]
async fn a_session_the_server_forgot_is_lost_wherever_that_shows() {
    for show in ["request", "notification", "listening"] {
        let (mut client, mut server) = started().await;
        open(&mut client, &mut server, Revision::V2025_11_25).await;
        let listening = server.expect(Method::GET, "/mcp").await;
        match show {
            "request" => {
                client.send(request(2, "tools/list")).unwrap();
                let asked = alongside(&mut client, server.expect_post("tools/list")).await;
                asked.refuse(
                    404,
                    r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"gone"}}"#,
                );
            }
            "notification" => {
                client.send(notification("notifications/cancelled")).unwrap();
                alongside(&mut client, server.expect_post("notifications/cancelled"))
                    .await
                    .refuse(404, "");
            }
            _ => {
                drop(listening.answer_stream());
                let again = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
                again.refuse(404, "");
            }
        }
        assert!(matches!(next(&mut client).await, Incoming::SessionLost), "{show}");
        assert!(matches!(next(&mut client).await, Incoming::Closed(_)), "{show}");
        assert!(client.send(request(3, "ping")).is_err());
        timeout(BOUND, client.close()).await.unwrap();
        assert!(server.is_quiet(), "a lost session has no goodbye");
    }
}

/// A server that knows no GET and says so wrongly must not be opened again and again.
#[tokio::test]
async fn a_404_to_the_first_listening_is_no_lost_session() {
    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, Revision::V2025_06_18).await;
    server.expect(Method::GET, "/mcp").await.refuse(404, "");
    client.send(request(2, "ping")).unwrap();
    alongside(&mut client, server.expect_post("ping"))
        .await
        .answer_result();
    assert_eq!(frame(&mut client).await["id"], 2);
}

/// TR-009, BASE-006.
#[tokio::test]
async fn an_error_in_a_refusal_is_read_and_one_without_an_id_stays_with_its_exchange() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let error = json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "no"}});
    alongside(&mut client, server.expect_post("tools/call"))
        .await
        .refuse(400, &error.to_string());
    assert_eq!(frame(&mut client).await, error);
    client.send(request(3, "tools/call")).unwrap();
    let stray = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no"}});
    alongside(&mut client, server.expect_post("tools/call"))
        .await
        .refuse(400, &stray.to_string());
    let failed = failure(&mut client, 3).await;
    assert_eq!(
        (failed.status, failed.body.unwrap()),
        (Some(400), Bytes::from(stray.to_string()))
    );
    client.send(request(4, "tools/call")).unwrap();
    alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_json(&stray);
    assert_eq!(failure(&mut client, 4).await.body.unwrap(), stray.to_string());
}

/// AU-002, AU-003: the seam for authorization.
#[tokio::test]
async fn a_demand_for_authorization_is_handed_up_whole() {
    let (mut client, mut server) = started().await;
    client.send(opening(1)).unwrap();
    let response = status(401)
        .header(
            "www-authenticate",
            "Bearer resource_metadata=\"https://a.example/x\"",
        )
        .header("www-authenticate", "Basic realm=b")
        .header("retry-after", "7");
    let asked = alongside(&mut client, server.expect_post("initialize")).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"who are you"}}"#;
    asked.answer(response.body(Body::from(body)).unwrap());
    let failed = failure(&mut client, 1).await;
    let challenge = failed.challenge.unwrap();
    assert_eq!(challenge.status, 401);
    assert_eq!(challenge.www_authenticate.len(), 2);
    assert_eq!(failed.retry_after, Some(Duration::from_secs(7)));
    assert!(!failed.reason.contains("the-secret"));
    assert!(server.is_quiet(), "nothing was tried instead");
}

/// TR-022.
#[tokio::test]
async fn a_withdrawn_request_is_to_be_cancelled_by_message_and_its_stream_ends_soon() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    assert!(!client.abandon(&RequestId::Number(2)));
    alongside(&mut client, feed.closed()).await;
    assert!(!client.abandon(&RequestId::Number(2)));
}

#[tokio::test]
async fn a_server_that_is_not_there_got_nothing() {
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/mcp", listener.local_addr().unwrap())
    };
    let mut client = transport(&gone, Shape::Either, limits());
    client.send(opening(1)).unwrap();
    let failed = failure(&mut client, 1).await;
    assert!(failed.unsent && failed.status.is_none(), "{failed:?}");
}

/// TR-031, CX-001: what was said last is said before the goodbye, by a server that takes it.
#[tokio::test]
async fn notifications_that_wait_are_sent_before_the_goodbye() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    for method in ["notifications/cancelled", "notifications/a", "notifications/b"] {
        client.send(notification(method)).unwrap();
    }
    let serve = async {
        for method in ["notifications/cancelled", "notifications/a", "notifications/b"] {
            server.expect_post(method).await.accept();
        }
        server.expect(Method::DELETE, "/mcp").await.accept();
    };
    timeout(BOUND, async { tokio::join!(client.close(), serve) })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_server_that_takes_no_notification_is_left_all_the_same() {
    let hasty = Limits {
        close: Duration::from_millis(50),
        ..limits()
    };
    let (mut client, mut server) = started_with(hasty).await;
    open(&mut client, &mut server, Revision::V2025_11_25).await;
    server.expect(Method::GET, "/mcp").await.refuse(405, "");
    client.send(notification("notifications/a")).unwrap();
    client.send(notification("notifications/b")).unwrap();
    timeout(BOUND, client.close()).await.unwrap();
    let methods = [server.next().await.method, server.next().await.method];
    assert_eq!(methods, [Method::POST, Method::DELETE]);
}

#[tokio::test]
async fn dropping_the_transport_ends_every_stream() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    drop(client);
    feed.closed().await;
}
