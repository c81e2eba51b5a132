//! The stream on which a server of the handshake revisions says what nobody asked for, and what waits for it.

use super::*;

/// TR-020: the TypeScript SDK drops a server request that names no request of the client while this stream is not open.
#[tokio::test]
async fn a_request_waits_until_the_event_stream_is_open_or_refused() {
    for refused in [None, Some(405), Some(500)] {
        let patient = HttpLimits {
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
    let hasty = HttpLimits {
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

/// The request with which a stream is taken up that broke after the event "7", which said `told`.
async fn resumed_after(client: &mut HttpTransport, server: &mut Server, told: &Value) -> Asked {
    let feed = server.expect(Method::GET, "/mcp").await.answer_stream();
    feed.event("7", told).await;
    assert_eq!(frame(client).await, *told);
    drop(feed);
    let asked = alongside(client, server.expect(Method::GET, "/mcp")).await;
    assert_eq!(asked.header("last-event-id"), Some("7"));
    asked
}

/// TR-020, TR-023.
#[tokio::test]
async fn what_nobody_asked_for_is_listened_to_and_taken_up_after_a_break() {
    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, Revision::V2025_11_25).await;
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let asked = resumed_after(&mut client, &mut server, &changed).await;
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

/// The TypeScript SDK answers 409 while it believes the old stream open. An access token that ran out is replaced.
#[tokio::test]
async fn a_stream_that_was_offered_is_taken_up_after_a_refusal_that_may_pass() {
    for code in [401, 403, 408, 409, 425] {
        let (mut client, mut server) = started().await;
        open(&mut client, &mut server, Revision::V2025_11_25).await;
        drop(server.expect(Method::GET, "/mcp").await.answer_stream());
        alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .refuse(code, "");
        let feed = alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .answer_stream();
        let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        feed.say(&changed).await;
        assert_eq!(frame(&mut client).await, changed, "{code}");
    }
}

/// TR-020, TR-023: a server that restarted, or keeps few events, refuses an id that it does not have.
#[tokio::test]
async fn a_stream_whose_last_event_the_server_forgot_begins_without_it() {
    for code in [400, 410] {
        let (mut client, mut server) = started().await;
        open(&mut client, &mut server, Revision::V2025_11_25).await;
        let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        let asked = resumed_after(&mut client, &mut server, &changed).await;
        asked.refuse(code, "Invalid event ID");
        let asked = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
        assert_eq!(asked.header("last-event-id"), None, "{code}");
        let feed = asked.answer_stream();
        // It counts from the beginning, so this is another event.
        feed.event("7", &changed).await;
        assert_eq!(frame(&mut client).await, changed, "{code}");
        // Refused without an id as well, it is not asked again.
        drop(feed);
        for id in [Some("7"), None] {
            let asked = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
            assert_eq!(asked.header("last-event-id"), id);
            asked.refuse(code, "");
        }
        let said = next(&mut client).await;
        assert!(
            matches!(&said, Incoming::Oddity(what) if what.contains(&code.to_string())),
            "{said:?}"
        );
        assert!(server.is_quiet(), "{code}");
    }
}

#[tokio::test]
async fn a_stream_that_was_offered_and_stays_refused_is_given_up_with_a_line() {
    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, Revision::V2025_11_25).await;
    drop(server.expect(Method::GET, "/mcp").await.answer_stream());
    // The stream that brought nothing counts as the first attempt.
    for _ in 1..limits().attempts {
        alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .refuse(409, "");
    }
    let Incoming::Oddity(what) = next(&mut client).await else {
        panic!("the end of the listening was not told")
    };
    assert!(
        what.contains("not listened to any more") && what.contains("409"),
        "{what}"
    );
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

/// Some servers take a request with 202 and answer where they are listened to. Where they are not, nobody waits.
#[tokio::test]
async fn a_request_taken_with_202_fails_at_once_where_the_server_is_not_listened_to() {
    for refused in [401, 404, 405, 409, 200] {
        let (mut client, mut server) = started().await;
        open(&mut client, &mut server, Revision::V2025_06_18).await;
        server.expect(Method::GET, "/mcp").await.refuse(refused, "");
        client.send(request(2, "tools/call")).unwrap();
        alongside(&mut client, server.expect_post("tools/call"))
            .await
            .accept();
        let failed = failure(&mut client, 2).await;
        assert_eq!((failed.status, failed.unsent), (Some(202), false), "{refused}");
        assert!(failed.reason.contains("answered nothing"), "{}", failed.reason);
        // With the answer in it, the status is only odd.
        client.send(request(3, "tools/call")).unwrap();
        let asked = alongside(&mut client, server.expect_post("tools/call")).await;
        let response = status(202).header("content-type", "application/json");
        asked.answer(response.body(Body::from(result(3).to_string())).unwrap());
        assert_eq!(frame(&mut client).await["id"], 3);
    }
}

#[tokio::test]
async fn a_request_taken_with_202_is_answered_where_the_server_is_listened_to() {
    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, Revision::V2025_06_18).await;
    let feed = server.expect(Method::GET, "/mcp").await.answer_stream();
    client.send(request(2, "tools/call")).unwrap();
    alongside(&mut client, server.expect_post("tools/call"))
        .await
        .accept();
    feed.raw("id: 1\ndata:\n\n").await;
    drop(feed);
    // The stream is taken up again, so the promise stands.
    for code in [503, 429] {
        alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .refuse(code, "");
    }
    let feed = alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .answer_stream();
    feed.say(&result(2)).await;
    assert_eq!(frame(&mut client).await["id"], 2);
}

#[tokio::test]
async fn a_request_taken_with_202_fails_once_the_server_is_not_listened_to_any_more() {
    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, Revision::V2025_11_25).await;
    let feed = server.expect(Method::GET, "/mcp").await.answer_stream();
    for id in [2, 3] {
        client.send(request(id, "tools/call")).unwrap();
        alongside(&mut client, server.expect_post("tools/call"))
            .await
            .accept();
    }
    drop(feed);
    alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .refuse(405, "");
    assert!(matches!(next(&mut client).await, Incoming::Oddity(what) if what.contains("405")));
    // In either order: the two exchanges ran side by side.
    let mut failed = HashSet::new();
    for _ in 0..2 {
        match next(&mut client).await {
            Incoming::RequestFailed { id, failure } => {
                assert_eq!((failure.status, failure.cut), (Some(202), true), "{failure:?}");
                failed.insert(id);
            }
            other => panic!("{other:?} is no failure"),
        }
    }
    assert_eq!(failed, [2, 3].map(RequestId::Number).into());
}
