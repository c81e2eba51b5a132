//! Servers that mean harm or are broken beyond intention. Whatever they do, one request fails, memory stays
//! bounded, and the next request is served.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

/// A client and a server that answers the first request with these bytes and then does what it is told to.
async fn raw(limits: HttpLimits, answer: &str) -> (HttpTransport, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    let mut client = transport(&address, HttpVariant::Streamable, limits);
    client.send(opening(1)).unwrap();
    let accept = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"}") {
            assert!(stream.read_buf(&mut head).await.unwrap() > 0);
        }
        stream
    };
    let mut stream = alongside(&mut client, accept).await;
    stream.write_all(answer.as_bytes()).await.unwrap();
    (client, stream)
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

async fn still_serves(mut client: HttpTransport, mut server: Server) {
    client.send(request(99, "ping")).unwrap();
    alongside(&mut client, server.expect_post("ping"))
        .await
        .answer_result();
    assert_eq!(frame(&mut client).await["id"], 99);
}

/// TR-029, HO-019.
#[tokio::test]
async fn a_session_id_that_could_be_more_than_an_id_opens_no_session() {
    let long = "x".repeat(5000);
    for id in ["a b", "a\tb", "gr\u{fc}n", "", &long] {
        let (mut client, mut server) = started().await;
        client.send(opening(1)).unwrap();
        let asked = alongside(&mut client, server.expect_post("initialize")).await;
        let response = status(200)
            .header("content-type", "application/json")
            .header("mcp-session-id", id.as_bytes());
        asked.answer(response.body(Body::from(result(1).to_string())).unwrap());
        let failed = failure(&mut client, 1).await;
        assert!(failed.reason.contains("session id"), "{id:?}: {}", failed.reason);
        timeout(BOUND, client.close()).await.unwrap();
        assert!(server.is_quiet(), "{id:?} was sent back");
    }
    // A break in a header never gets as far as being one.
    let body = result(1).to_string();
    let split = format!(
        "{OK}Mcp-Session-Id: a\rb\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (mut client, _stream) = raw(limits(), &split).await;
    failure(&mut client, 1).await;
}

#[tokio::test]
async fn an_event_id_that_could_break_out_of_a_header_is_not_sent_back() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.raw("id: a\u{1}Host: evil\ndata:\n\n").await;
    drop(feed);
    assert!(failure(&mut client, 2).await.cut);
    still_serves(client, server).await;
}

/// N2, P2.
#[tokio::test]
async fn an_endless_line_ends_its_stream_after_the_limit() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.say(&json!({"jsonrpc": "2.0", "method": "notifications/message"}))
        .await;
    feed.raw("data: ").await;
    let piece = Bytes::from(vec![b'x'; 1 << 20]);
    let flood = async {
        let mut sent = 0;
        while feed.raw(piece.clone()).await {
            sent += piece.len();
        }
        sent
    };
    let listen = async {
        assert_eq!(frame(&mut client).await["method"], "notifications/message");
        failure(&mut client, 2).await
    };
    let (sent, failed) = tokio::join!(flood, listen);
    assert!(sent < 64 << 20, "{sent} bytes were taken");
    assert_eq!(
        (failed.reason.as_str(), failed.too_large, failed.cut),
        ("the answer was larger than 8 MiB", true, false)
    );
    still_serves(client, server).await;
}

/// N2: whoever does not take what is said is not buried under it.
#[tokio::test]
async fn a_flood_of_events_waits_for_whoever_reads() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    let message = json!({"jsonrpc": "2.0", "method": "m", "params": "x".repeat(100_000)});
    let event = Bytes::from(format!("data: {message}\n\n"));
    // Nobody reads. What was taken when it came to a halt is all that will ever be taken.
    let flood = async {
        let mut sent = 0;
        while feed.0.send(Ok(event.clone())).await.is_ok() {
            sent += event.len();
            assert!(sent < 64 << 20, "it does not come to a halt");
        }
    };
    let mut flood = Box::pin(flood);
    let mut feed_is_full = false;
    while !feed_is_full {
        // Whoever is woken has had its turn when a server of its own was asked and answered.
        feed_is_full = futures::poll!(&mut flood).is_pending() && {
            let mut bystander = Server::start().await;
            let address = format!("{}/mcp", bystander.address);
            let mut other = transport(&address, HttpVariant::Streamable, limits());
            other.send(request(1, "ping")).unwrap();
            alongside(&mut other, bystander.expect_post("ping"))
                .await
                .answer_result();
            assert_eq!(frame(&mut other).await["id"], 1);
            futures::poll!(&mut flood).is_pending()
        };
    }
    assert_eq!(frame(&mut client).await["method"], "m");
    assert!(client.send(request(3, "tools/list")).is_ok());
    let mut list = None;
    while list.is_none() {
        list = tokio::select! {
            asked = server.next() => Some(asked),
            said = client.receive() => { assert!(matches!(said, Incoming::Frame(_))); None }
        };
    }
    list.unwrap().answer_result();
    timeout(BOUND, async { while frame(&mut client).await["id"] != 3 {} })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_million_comments_are_nothing() {
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    let comments = Bytes::from(":\n".repeat(10_000));
    let serve = async {
        for _ in 0..100 {
            feed.raw(comments.clone()).await;
        }
        feed.raw("\n").await;
        feed.say(&result(2)).await;
    };
    let (answer, ()) = tokio::join!(frame(&mut client), serve);
    assert_eq!(answer["id"], 2);
}

/// N2: slow-loris, in a body and in an event.
#[tokio::test]
async fn an_answer_that_drips_is_given_up_on_in_time() {
    let short = HttpLimits {
        body: Duration::from_millis(200),
        ..limits()
    };
    for (head, drop) in [
        (format!("{OK}Content-Length: 8000000\r\n\r\n"), " "),
        (STREAM.to_owned(), "d"),
    ] {
        let (mut client, mut stream) = raw(short, &head).await;
        let drip = async {
            loop {
                tokio::task::yield_now().await;
                if stream.write_all(drop.as_bytes()).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! {
            failed = failure(&mut client, 1) => assert!(failed.cut, "{failed:?}"),
            () = drip => {}
        }
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_on() {
    let limits = HttpLimits {
        answer: BOUND / 2,
        ..limits()
    };
    let (mut client, _stream) = raw(limits, "").await;
    let (failed, ()) = tokio::join!(failure(&mut client, 1), pass(limits.answer));
    assert!(!failed.unsent && failed.status.is_none(), "{failed:?}");
    // Nor is a quiet stream waited for without end.
    let progress = format!(
        "{STREAM}data: {}\n\n",
        json!({"jsonrpc": "2.0", "method": "notifications/progress"})
    );
    let (mut client, _stream) = raw(limits, &progress).await;
    assert_eq!(frame(&mut client).await["method"], "notifications/progress");
    let (failed, ()) = tokio::join!(failure(&mut client, 1), pass(limits.answer));
    assert!(failed.cut, "{failed:?}");
}

#[tokio::test]
async fn a_length_that_lies_either_way_is_no_answer() {
    let body = result(1).to_string();
    // More is announced than comes.
    let (mut client, stream) = raw(limits(), &format!("{OK}Content-Length: 5000\r\n\r\n{body}")).await;
    drop(stream);
    let failed = failure(&mut client, 1).await;
    assert!(failed.cut && !failed.unsent, "{failed:?}");
    // Less is announced: what comes after belongs to nothing.
    let (mut client, _stream) = raw(limits(), &format!("{OK}Content-Length: 5\r\n\r\n{body}")).await;
    assert!(matches!(next(&mut client).await, Incoming::Junk { .. }));
    failure(&mut client, 1).await;
    // Both kinds of length at once.
    let both = format!("{OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{body}");
    let (mut client, _stream) = raw(limits(), &both).await;
    failure(&mut client, 1).await;
}

#[tokio::test]
async fn a_connection_that_breaks_in_an_event_delivers_nothing_of_it() {
    let (mut client, mut stream) = raw(limits(), STREAM).await;
    let message = result(1).to_string();
    stream
        .write_all(format!("data: {message}\n").as_bytes())
        .await
        .unwrap();
    stream.shutdown().await.unwrap();
    assert!(failure(&mut client, 1).await.cut);
}

/// N3.
#[tokio::test]
async fn what_is_compressed_is_not_unpacked() {
    for encoding in ["gzip", "br", "deflate", "zstd", "identity, gzip"] {
        for kind in ["application/json", "text/event-stream"] {
            let (mut client, mut server) = started().await;
            client.send(modern_request(1, "tools/list", &[])).unwrap();
            let asked = alongside(&mut client, server.expect_post("tools/list")).await;
            assert_eq!(asked.header("accept-encoding"), None);
            let response = status(200)
                .header("content-type", kind)
                .header("content-encoding", encoding);
            asked.answer(response.body(Body::from(vec![0x1f; 1000])).unwrap());
            let failed = failure(&mut client, 1).await;
            assert!(
                failed.reason.contains("compressed"),
                "{encoding}: {}",
                failed.reason
            );
        }
    }
}

#[tokio::test]
async fn a_page_for_people_is_no_answer() {
    for (kind, body) in [
        (Some("text/html"), "<html>Welcome"),
        (Some("application/json-seq"), "{}"),
        (Some("evil\u{1b}[31m"), "x"),
        (None, "hello"),
    ] {
        let (mut client, mut server) = started().await;
        client.send(opening(1)).unwrap();
        let asked = alongside(&mut client, server.expect_post("initialize")).await;
        let mut response = status(200);
        if let Some(kind) = kind {
            response = response.header("content-type", kind.replace('\u{1b}', "\t"));
        }
        asked.answer(response.body(Body::from(body)).unwrap());
        let failed = failure(&mut client, 1).await;
        assert_eq!(
            (failed.status, failed.body.as_deref()),
            (Some(200), Some(body.as_bytes()))
        );
        assert!(failed.reason.contains("no MCP"), "{}", failed.reason);
        assert!(
            !failed.reason.chars().any(char::is_control),
            "{:?}",
            failed.reason
        );
    }
}

/// Ten gigabytes, announced or not.
#[tokio::test]
async fn a_body_without_end_is_read_to_its_limit_only() {
    let (mut client, _stream) = raw(limits(), &format!("{OK}Content-Length: 10000000000\r\n\r\n")).await;
    let failed = failure(&mut client, 1).await;
    assert!(
        failed.too_large && failed.reason.contains("larger than 8 MiB"),
        "{failed:?}"
    );
    for code in [200, 500] {
        let (mut client, mut server) = started().await;
        client.send(request(1, "tools/list")).unwrap();
        let asked = alongside(&mut client, server.expect_post("tools/list")).await;
        let (feed, food) = mpsc::channel::<Result<Bytes, Infallible>>(1);
        let food = futures::stream::unfold(food, |mut food| async { Some((food.recv().await?, food)) });
        let response = status(code).header("content-type", "application/json");
        asked.answer(response.body(Body::from_stream(food)).unwrap());
        let feed = Feed(feed);
        let piece = Bytes::from(vec![b' '; 1 << 20]);
        let flood = async {
            let mut sent = 0_u64;
            while sent < 10_000_000_000 && feed.raw(piece.clone()).await {
                sent += piece.len() as u64;
            }
            sent
        };
        let (sent, failed) = tokio::join!(flood, failure(&mut client, 1));
        assert!(sent < 64 << 20, "{sent} bytes were taken");
        assert!(failed.body.is_none_or(|body| body.len() <= 64 * 1024));
        still_serves(client, server).await;
    }
}
