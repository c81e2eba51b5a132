//! Answers that come as a stream of events, in the handshake revisions: side by side, taken up again, and let go.

use std::time::Instant;

use super::*;

/// A call whose stream ends after an event that it can be resumed from.
async fn call_and_cut(client: &mut HttpTransport, server: &mut Server, id: i64) {
    client.send(request(id, "tools/call")).expect("the call is sent");
    let feed = alongside(client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.raw("id: 1\ndata:\n\n").await;
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

/// TR-023, TR-024, TR-025, TR-026, TR-006: what `sse-retry` of the conformance suite looks at.
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
    call_and_cut(&mut client, &mut server, 3).await;
    alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .refuse(405, "");
    let failed = failure(&mut client, 3).await;
    assert_eq!((failed.cut, failed.status), (true, Some(405)));
    // Or fail again and again.
    call_and_cut(&mut client, &mut server, 4).await;
    for _ in 0..limits().attempts {
        alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .refuse(503, "");
    }
    assert!(failure(&mut client, 4).await.cut);
}

/// The tool may have run, so nothing in the refusal of its stream may read as an answer to the call or as a demand to
/// send it again.
#[tokio::test]
async fn a_refusal_to_take_a_stream_up_is_neither_an_answer_nor_a_demand_for_its_request() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    for (id, code) in [(2, 401), (3, 403), (4, 400), (5, 307)] {
        call_and_cut(&mut client, &mut server, id).await;
        let may_pass = matches!(code, 401 | 403);
        for _ in 0..if may_pass { limits().attempts } else { 1 } {
            let answer = status(code)
                .header("www-authenticate", "Bearer error=\"invalid_token\"")
                .header("location", "/elsewhere")
                .body(Body::from(
                    r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"no such event"}}"#,
                ));
            alongside(&mut client, server.expect(Method::GET, "/mcp"))
                .await
                .answer(answer.unwrap());
        }
        let failed = failure(&mut client, id).await;
        assert!(failed.cut && !failed.unsent, "{code}: {failed:?}");
        assert_eq!(
            (failed.challenge, failed.body, failed.moved),
            (None, None, None),
            "{code}"
        );
        assert_eq!(failed.status, (!may_pass).then_some(code), "{code}");
    }
}

/// The TypeScript SDK answers 409 while it believes the old stream open; a token may end while a
/// tool works, and is replaced with another request.
#[tokio::test]
async fn the_stream_of_a_request_is_resumed_after_a_refusal_that_may_pass() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    for (id, code) in [
        (2, 401),
        (3, 403),
        (4, 408),
        (5, 409),
        (6, 425),
        (7, 429),
        (8, 503),
    ] {
        call_and_cut(&mut client, &mut server, id).await;
        alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .refuse(code, "");
        let asked = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
        assert_eq!(asked.header("last-event-id"), Some("1"));
        asked.answer_stream().say(&result(id)).await;
        assert_eq!(frame(&mut client).await["result"]["n"], id, "{code}");
    }
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
async fn dropping_the_transport_ends_every_stream() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    drop(client);
    feed.closed().await;
}
