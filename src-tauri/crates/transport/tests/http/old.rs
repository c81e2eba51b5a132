//! The transport of the first revision, and how a server is found to speak it.

use vestibule_transport::{CloseCause, Wire};

use super::*;

/// A client whose opening request came to the endpoint.
async fn fallen_back() -> (HttpTransport, Server, Feed) {
    let (mut client, mut server) = started().await;
    client.send(opening(1)).unwrap();
    alongside(&mut client, server.expect_post("initialize"))
        .await
        .refuse(405, "Method Not Allowed");
    let asked = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
    assert_eq!(asked.header("accept"), Some("text/event-stream"));
    assert_eq!(asked.header("authorization"), Some(SECRET));
    let feed = asked.answer_stream();
    feed.raw("event: endpoint\ndata: messages?session=1\n\n").await;
    (client, server, feed)
}

/// SSE-001, SSE-002, SSE-003, SSE-004.
#[tokio::test]
async fn an_old_server_is_recognised_and_asked_again_where_it_wants_to_be() {
    let (mut client, mut server, feed) = fallen_back().await;
    let asked = alongside(&mut client, server.expect(Method::POST, "/messages?session=1")).await;
    assert_eq!(
        asked.json(),
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
    );
    asked.answer(status(200).body(Body::from("Accepted")).unwrap());
    feed.raw("event: message\n").await;
    feed.say(&result(1)).await;
    assert_eq!(frame(&mut client).await["id"], 1);
    assert_eq!(client.wire(), Wire::HttpSse);
    client.agreed(Revision::V2024_11_05);
    client.send(notification("notifications/initialized")).unwrap();
    alongside(&mut client, server.expect(Method::POST, "/messages?session=1"))
        .await
        .accept();
    client.send(request(2, "tools/list")).unwrap();
    alongside(&mut client, server.expect(Method::POST, "/messages?session=1"))
        .await
        .accept();
    feed.say(&result(2)).await;
    assert_eq!(frame(&mut client).await["id"], 2);
    assert!(server.is_quiet(), "nothing else is listened to");
    timeout(BOUND, client.close()).await.unwrap();
    feed.closed().await;
    assert!(server.is_quiet());
}

/// An old server that is open, and where it is to be asked.
async fn opened_old() -> (HttpTransport, Server, Feed) {
    let (mut client, mut server, feed) = fallen_back().await;
    posted(&mut client, &mut server).await.accept();
    feed.say(&result(1)).await;
    assert_eq!(frame(&mut client).await["id"], 1);
    client.agreed(Revision::V2024_11_05);
    (client, server, feed)
}

async fn posted(client: &mut HttpTransport, server: &mut Server) -> Asked {
    alongside(client, server.expect(Method::POST, "/messages?session=1")).await
}

/// SSE-003, TM-001, TM-004: the Java SDK answers the POST of a call only once its tool has run.
#[tokio::test]
async fn a_call_takes_as_long_as_its_session_lets_it_though_its_post_stays_unanswered() {
    let (mut client, mut server, feed) = opened_old().await;
    client.send(request(2, "tools/call")).unwrap();
    let asked = posted(&mut client, &mut server).await;
    pass(limits().head * 2).await;
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress"});
    feed.say(&progress).await;
    assert_eq!(frame(&mut client).await, progress);
    pass(limits().head * 2).await;
    feed.say(&result(2)).await;
    assert_eq!(frame(&mut client).await["result"]["n"], 2);
    asked.answer_result();
    client.send(request(3, "tools/list")).unwrap();
    posted(&mut client, &mut server).await.accept();
    feed.say(&result(3)).await;
    assert_eq!(frame(&mut client).await["id"], 3);
}

/// A notification needs no work of the server.
#[tokio::test]
async fn a_notification_that_is_left_unanswered_is_given_up_soon() {
    let (mut client, mut server, _feed) = opened_old().await;
    client.send(notification("notifications/initialized")).unwrap();
    let _unanswered = posted(&mut client, &mut server).await;
    pass(limits().head).await;
    let said = next(&mut client).await;
    assert!(
        matches!(&said, Incoming::Oddity(what) if what.contains("did not get through")),
        "{said:?}"
    );
}

/// TM-001: what a server leaves unanswered is not kept, once it is no longer needed.
#[tokio::test]
async fn an_unanswered_post_is_let_go_with_its_answer_its_call_and_its_session() {
    for over in ["answered", "withdrawn", "closed", "dropped"] {
        let (mut client, mut server, feed) = opened_old().await;
        client.send(request(2, "tools/call")).unwrap();
        let mut asked = posted(&mut client, &mut server).await;
        match over {
            "answered" => {
                feed.say(&result(2)).await;
                assert_eq!(frame(&mut client).await["id"], 2);
                alongside(&mut client, asked.reply.closed()).await;
            }
            "withdrawn" => {
                assert!(!client.abandon(&RequestId::Number(2)), "a message says so");
                alongside(&mut client, asked.reply.closed()).await;
            }
            "closed" => {
                timeout(BOUND, client.close()).await.unwrap();
                timeout(BOUND, asked.reply.closed()).await.expect(over);
            }
            _ => {
                drop(client);
                timeout(BOUND, asked.reply.closed()).await.expect(over);
            }
        }
    }
}

/// SSE-007.
#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_session() {
    let (mut client, mut server, feed) = fallen_back().await;
    alongside(&mut client, server.expect(Method::POST, "/messages?session=1"))
        .await
        .accept();
    drop(feed);
    let Incoming::Closed(reason) = next(&mut client).await else {
        panic!("the session goes on");
    };
    assert_eq!(reason.cause, CloseCause::Ended);
}

/// SSE-006.
#[tokio::test]
async fn messages_are_sent_to_no_other_origin_whoever_asks_for_it() {
    let mut elsewhere = Server::start().await;
    let authority = elsewhere.address.strip_prefix("http://").unwrap().to_owned();
    let lures = [
        elsewhere.address.clone(),
        format!("//{authority}/mcp"),
        format!("\\\\{authority}\\mcp"),
        format!("https://{authority}/mcp"),
        "javascript:alert(1)".into(),
        "file:///etc/passwd".into(),
        format!("http://127.0.0.1@{authority}/"),
    ];
    for lure in lures {
        let (mut client, mut server) = started().await;
        client.send(opening(1)).unwrap();
        alongside(&mut client, server.expect_post("initialize"))
            .await
            .refuse(404, "");
        let feed = alongside(&mut client, server.expect(Method::GET, "/mcp"))
            .await
            .answer_stream();
        feed.raw(format!("event: endpoint\ndata: {lure}\n\n")).await;
        let failed = failure(&mut client, 1).await;
        assert!(
            failed.reason.contains("wants messages sent to"),
            "{lure}: {}",
            failed.reason
        );
        assert!(server.is_quiet(), "{lure}");
    }
    assert!(elsewhere.is_quiet());
}

#[tokio::test]
async fn what_is_neither_says_both_failures() {
    let (mut client, mut server) = started().await;
    client.send(opening(1)).unwrap();
    alongside(&mut client, server.expect_post("initialize"))
        .await
        .refuse(404, "");
    let response = status(200).header("content-type", "text/html");
    let asked = alongside(&mut client, server.expect(Method::GET, "/mcp")).await;
    asked.answer(response.body(Body::from("<html>")).unwrap());
    let failed = failure(&mut client, 1).await;
    assert_eq!(failed.status, Some(404));
    assert!(
        failed.reason.contains("404") && failed.reason.contains("text/html"),
        "{}",
        failed.reason
    );
    // A stream that begins with anything else is none either.
    client.send(opening(2)).unwrap();
    alongside(&mut client, server.expect_post("initialize"))
        .await
        .refuse(400, "");
    let feed = alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .answer_stream();
    feed.say(&json!({"jsonrpc": "2.0", "method": "notifications/message"}))
        .await;
    failure(&mut client, 2).await;
    feed.closed().await;
}

/// NEG-003, §1.2: no step back from a server that says it is modern, that answers, or that wants to know who
/// asks.
#[tokio::test]
async fn some_refusals_are_final() {
    let modern = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no"}}"#;
    for (code, body) in [(400, modern), (401, ""), (403, ""), (500, ""), (429, "")] {
        let (mut client, mut server) = started().await;
        client.send(opening(1)).unwrap();
        alongside(&mut client, server.expect_post("initialize"))
            .await
            .refuse(code, body);
        assert_eq!(failure(&mut client, 1).await.status, Some(code));
        assert!(server.is_quiet(), "{code}");
    }
    let (mut client, mut server) = started().await;
    client.send(opening(1)).unwrap();
    let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}});
    alongside(&mut client, server.expect_post("initialize"))
        .await
        .refuse(400, &error.to_string());
    assert_eq!(frame(&mut client).await, error);
}

#[tokio::test]
async fn a_server_known_to_be_old_is_not_asked_in_the_new_way_first() {
    let mut server = Server::start().await;
    let mut client = transport(&format!("{}/mcp", server.address), HttpVariant::Old, limits());
    assert_eq!(client.wire(), Wire::HttpSse);
    client.send(opening(1)).unwrap();
    let feed = alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .answer_stream();
    feed.raw("event: endpoint\r\ndata: /m\r\n\r\n").await;
    alongside(&mut client, server.expect(Method::POST, "/m"))
        .await
        .refuse(503, "");
    assert_eq!(failure(&mut client, 1).await.status, Some(503));
}
