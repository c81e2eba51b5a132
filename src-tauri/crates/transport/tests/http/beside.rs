//! A hostile server and a healthy one, side by side on one thread: whatever the first one says, its request comes to
//! an end at once, nothing is taken for an answer that is none, and the second one is served meanwhile.

use super::*;

/// What is no answer to request 7, though it looks like one.
fn impostors() -> Vec<(&'static str, String)> {
    let flood = format!("[{}]", vec!["{}"; 100_000].join(","));
    [
        (
            "the same id twice",
            r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{}}"#.to_owned(),
        ),
        (
            "an id in another case",
            r#"{"jsonrpc":"2.0","ID":7,"result":{}}"#.into(),
        ),
        (
            "an id that is nearly one",
            r#"{"jsonrpc":"2.0","id":7.0,"result":{}}"#.into(),
        ),
        (
            "an id as text",
            r#"{"jsonrpc":"2.0","id":"7","result":{}}"#.into(),
        ),
        (
            "an id too large",
            r#"{"jsonrpc":"2.0","id":18446744073709551623,"result":{}}"#.into(),
        ),
        ("another id", r#"{"jsonrpc":"2.0","id":8,"result":{}}"#.into()),
        (
            "half a surrogate as id",
            r#"{"jsonrpc":"2.0","id":"\ud800","result":{}}"#.into(),
        ),
        ("half a message", r#"{"jsonrpc":"2.0","id":7,"#.into()),
        ("depth without end", "[".repeat(200_000)),
        ("a flood of nothing", flood),
    ]
    .into()
}

/// T8, N2, TR-009, BASE-006.
#[tokio::test]
async fn what_only_looks_like_the_answer_ends_its_request_and_nobody_elses() {
    let (mut healthy, mut home) = started().await;
    for (what, body) in impostors() {
        for as_stream in [false, true] {
            let (mut client, mut server) = started().await;
            client.send(modern_request(7, "tools/call", &[])).unwrap();
            healthy.send(modern_request(1, "ping", &[])).unwrap();
            let asked = alongside(&mut client, server.expect_post("tools/call")).await;
            if as_stream {
                let feed = asked.answer_stream();
                feed.raw(format!("data: {body}\n\n")).await;
            } else {
                let response = status(200).header("content-type", "application/json");
                asked.answer(response.body(Body::from(body.clone())).unwrap());
            }
            alongside(&mut healthy, home.expect_post("ping"))
                .await
                .answer_result();
            assert_eq!(frame(&mut healthy).await["id"], 1, "{what}");
            let failed = loop {
                match next(&mut client).await {
                    Incoming::RequestFailed { id, failure } => {
                        assert_eq!(id, RequestId::Number(7));
                        break failure;
                    }
                    Incoming::Junk { reason, sample } => {
                        assert!(reason.len() < 200 && sample.len() < 1000, "{what}: {reason}");
                    }
                    // An array is the session's to judge; it holds no answer.
                    Incoming::Frame(frame) => assert!(frame.starts_with(b"["), "{what}: {frame:?}"),
                    other => panic!("{what}: {other:?}"),
                }
            };
            assert!(!failed.unsent, "{what}: the server may have acted");
        }
    }
}

/// N2: a server that shuts its side in the middle of anything says nothing by it, and keeps nobody waiting.
#[tokio::test]
async fn a_stream_that_is_half_closed_ends_its_request() {
    let (mut healthy, mut home) = started().await;
    for begun in ["", ": note\n\n", "data: {\"jsonrpc\"", "data: {}\n\ndata: x"] {
        let (mut client, mut server) = started().await;
        client.send(modern_request(7, "tools/call", &[])).unwrap();
        let feed = alongside(&mut client, server.expect_post("tools/call"))
            .await
            .answer_stream();
        if !begun.is_empty() {
            feed.raw(begun).await;
        }
        drop(feed);
        let failed = loop {
            match next(&mut client).await {
                Incoming::RequestFailed { failure, .. } => break failure,
                Incoming::Junk { .. } => {}
                other => panic!("{begun:?}: {other:?}"),
            }
        };
        assert!(failed.cut && !failed.unsent, "{begun:?}: {failed:?}");
        healthy.send(modern_request(1, "ping", &[])).unwrap();
        alongside(&mut healthy, home.expect_post("ping"))
            .await
            .answer_result();
        assert_eq!(frame(&mut healthy).await["id"], 1);
    }
}

/// TR-009: many events in one piece of a stream are handed on together, and still each in its place.
#[tokio::test]
async fn events_that_come_together_are_told_in_their_order() {
    let (mut client, mut server) = started().await;
    client.send(modern_request(7, "tools/call", &[])).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    let report = |step: usize| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"step":{step}}}}}"#)
    };
    let odd = r#"{"jsonrpc":"2.0","id":8,"result":{}}"#.to_owned();
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_owned();
    let said: Vec<String> = (0..100)
        .map(report)
        .chain([odd])
        .chain((100..300).map(report))
        .chain([answer])
        .collect();
    let events: String = said.iter().map(|data| format!("data: {data}\n\n")).collect();
    feed.raw(events).await;
    for (place, data) in said.iter().enumerate() {
        match next(&mut client).await {
            Incoming::Frame(frame) => assert_eq!(frame, data.as_bytes(), "{place}"),
            Incoming::Junk { sample, .. } => assert_eq!((place, &sample), (100, data)),
            other => panic!("{place}: {other:?}"),
        }
    }
}
