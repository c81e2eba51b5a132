//! The handshake revisions: a session with an id, what goes along with each exchange, and how a session ends.

use super::*;

/// TR-001, TR-002, TR-028, TR-032, TR-035, TR-007.
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

/// TR-009, BASE-006, TR-004.
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

#[tokio::test]
async fn a_server_that_is_not_there_got_nothing() {
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/mcp", listener.local_addr().unwrap())
    };
    let mut client = transport(&gone, HttpVariant::Either, limits());
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
    let hasty = HttpLimits {
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

/// TR-021, AU-064: an answer of the user is not lost with the token, and a server that refuses on is not asked on.
#[tokio::test]
async fn an_answer_that_is_refused_for_its_token_comes_back_once() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    let sent = json!({"jsonrpc": "2.0", "id": "form-1", "result": {"action": "decline"}}).to_string();
    let asker = RequestId::Text("form-1".into());
    for is_repeated in [false, true] {
        let (answer, id) = (sent.clone().into(), asker.clone());
        let outgoing = if is_repeated {
            Outgoing::response_again(answer, id)
        } else {
            Outgoing::response(answer, id)
        };
        client.send(outgoing).unwrap();
        let asked = alongside(&mut client, server.expect(Method::POST, "/mcp")).await;
        assert_eq!(asked.body, sent);
        asked.refuse(401, "");
        assert!(matches!(next(&mut client).await, Incoming::Oddity(what) if what.contains("401")));
        if !is_repeated {
            let Incoming::AnswerRefused { id, frame, challenge } = next(&mut client).await else {
                panic!("it is lost")
            };
            assert_eq!((&id, challenge.status), (&asker, 401));
            assert_eq!(frame, sent.as_bytes());
        }
    }
    client.send(request(2, "tools/list")).unwrap();
    alongside(&mut client, server.expect_post("tools/list"))
        .await
        .answer_result();
    assert_eq!(frame(&mut client).await["id"], 2);
}
