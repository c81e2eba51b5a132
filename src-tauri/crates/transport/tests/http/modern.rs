//! The stateless revisions: one exchange for each request, nothing kept, nothing taken up.

use vestibule_transport::Wire;

use super::*;

/// TR-101, TR-102, TR-103, TR-104, TR-113.
#[tokio::test]
async fn a_request_carries_exactly_its_own_headers_and_no_state() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    let extra = [
        ("Mcp-Name", "file:///a%20b"),
        ("Mcp-Param-Zone", "=?base64?R3LDvMOfZQ==?="),
    ];
    client.send(modern_request(2, "resources/read", &extra)).unwrap();
    let asked = alongside(&mut client, server.expect_post("resources/read")).await;
    let expected = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "resources/read"),
        ("mcp-name", "file:///a%20b"),
        ("mcp-param-zone", "=?base64?R3LDvMOfZQ==?="),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("authorization", SECRET),
    ];
    for (name, value) in expected {
        assert_eq!(asked.header(name), Some(value), "{name}");
    }
    let mcp = asked
        .names()
        .into_iter()
        .filter(|name| name.starts_with("mcp-"))
        .count();
    assert_eq!((mcp, asked.header("last-event-id")), (4, None));
    asked.answer_result();
    assert_eq!(frame(&mut client).await["id"], 2);
}

/// TR-114.
#[tokio::test]
async fn giving_a_request_up_closes_its_stream_and_nothing_else() {
    let (mut client, mut server) = started().await;
    client.send(modern_request(1, "tools/call", &[])).unwrap();
    let one = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    client.send(modern_request(2, "tools/call", &[])).unwrap();
    let other = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    assert!(client.abandon(&RequestId::Number(1)));
    alongside(&mut client, one.closed()).await;
    other.say(&result(2)).await;
    assert_eq!(frame(&mut client).await["result"]["n"], 2);
    assert!(client.abandon(&RequestId::Number(1)), "also when it is over");
    assert!(server.is_quiet());
}

/// TR-115.
#[tokio::test]
async fn a_stream_that_breaks_off_is_lost_and_not_taken_up() {
    let (mut client, mut server) = started().await;
    client.send(modern_request(1, "tools/call", &[])).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.raw("id: 5\nretry: 1\ndata:\n\n").await;
    drop(feed);
    let failed = failure(&mut client, 1).await;
    assert!(failed.cut && !failed.unsent, "{failed:?}");
    client.send(modern_request(2, "tools/list", &[])).unwrap();
    let asked = alongside(&mut client, server.expect_post("tools/list")).await;
    asked.answer_result();
    assert_eq!(frame(&mut client).await["id"], 2);
}

/// BASE-012, TR-113, TR-114, Q-20.
#[tokio::test]
async fn neither_notifications_nor_answers_are_sent_and_nothing_is_listened_to() {
    let (mut client, mut server) = started().await;
    client.send(modern_request(1, "server/discover", &[])).unwrap();
    alongside(&mut client, server.expect_post("server/discover"))
        .await
        .answer_result();
    frame(&mut client).await;
    client.send(notification("notifications/initialized")).unwrap();
    client
        .send(Outgoing::response(b"{}".to_vec(), RequestId::Number(9)))
        .unwrap();
    client.send(modern_request(2, "tools/list", &[])).unwrap();
    alongside(&mut client, server.expect_post("tools/list"))
        .await
        .answer_result();
    frame(&mut client).await;
    timeout(BOUND, client.close()).await.unwrap();
    assert!(server.is_quiet(), "no session, no goodbye");
}

/// TR-118, N4: a stream cannot answer for another.
#[tokio::test]
async fn a_stream_answers_only_its_own_request() {
    let (mut client, mut server) = started().await;
    client.send(modern_request(1, "tools/call", &[])).unwrap();
    let one = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    client.send(modern_request(2, "tools/call", &[])).unwrap();
    let other = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    one.say(&result(2)).await;
    assert!(matches!(next(&mut client).await, Incoming::Junk { .. }));
    other.say(&result(2)).await;
    assert_eq!(frame(&mut client).await["id"], 2);
    client.send(modern_request(3, "tools/list", &[])).unwrap();
    alongside(&mut client, server.expect_post("tools/list"))
        .await
        .answer_json(&result(1));
    assert!(matches!(next(&mut client).await, Incoming::Junk { .. }));
    failure(&mut client, 3).await;
}

/// §1.2: what a handshake server answers to the probe, and that the session then opens without a trace of it.
#[tokio::test]
async fn after_a_probe_of_the_modern_era_a_legacy_session_opens_as_if_there_had_been_none() {
    let (mut client, mut server) = started().await;
    client.send(modern_request(1, "server/discover", &[])).unwrap();
    alongside(&mut client, server.expect_post("server/discover"))
        .await
        .refuse(400, "Bad Request");
    let failed = failure(&mut client, 1).await;
    assert_eq!(
        (failed.status, failed.body.unwrap()),
        (Some(400), "Bad Request".into())
    );
    assert_eq!(client.wire(), Wire::Http);
    open(&mut client, &mut server, Revision::V2025_11_25).await;
    let listening = server.expect(Method::GET, "/mcp").await;
    assert_eq!(listening.header("mcp-method"), None);
}

#[tokio::test]
async fn a_header_that_would_break_out_is_not_sent() {
    let (mut client, mut server) = started().await;
    client
        .send(modern_request(
            1,
            "tools/call",
            &[("Mcp-Name", "a\r\nAuthorization: Bearer evil")],
        ))
        .unwrap();
    assert!(failure(&mut client, 1).await.unsent);
    client
        .send(modern_request(2, "tools/call", &[("Mcp-Session-Id", "a")]))
        .unwrap();
    assert!(failure(&mut client, 2).await.unsent);
    assert!(server.is_quiet());
}
