//! What goes along with a request is meant for the address the user wrote, and for no other.

use super::*;

/// AU-054. The usual client forgets at the second hop that it left the origin; here there is no first hop.
#[tokio::test]
async fn no_redirect_is_followed_neither_elsewhere_nor_by_way_of_the_same_origin() {
    let mut elsewhere = Server::start().await;
    for code in [301, 302, 303, 307, 308] {
        let targets = [
            (format!("{}/steal", elsewhere.address), false),
            ("/next".to_owned(), true),
        ];
        for (target, same_origin) in targets {
            let (mut client, mut server) = started().await;
            client.send(opening(1)).unwrap();
            let asked = alongside(&mut client, server.expect_post("initialize")).await;
            asked.answer(
                status(code)
                    .header("location", &target)
                    .body(Body::empty())
                    .unwrap(),
            );
            let failed = failure(&mut client, 1).await;
            let moved = failed.moved.unwrap();
            assert!(moved.to.ends_with(&target), "{}", moved.to);
            assert!(failed.reason.contains(&moved.to), "{}", failed.reason);
            assert_eq!((moved.same_origin, failed.status), (same_origin, Some(code)));
            assert!(server.is_quiet(), "{code}");
        }
    }
    assert!(elsewhere.is_quiet(), "nothing went elsewhere");
}

/// AU-054, N4: a server that is itself moved after it was trusted learns nothing either, in whatever exchange the hop
/// comes, and nothing of ours reaches a second origin however often it is asked for.
#[tokio::test]
async fn no_header_reaches_a_second_origin_however_late_the_hop_comes() {
    let mut elsewhere = Server::start().await;
    let (mut client, mut server) = opened(Revision::V2025_11_25).await;
    let other = elsewhere.address.replace("127.0.0.1", "localhost");
    let authority = elsewhere.address.strip_prefix("http://").unwrap().to_owned();
    let targets = [
        format!("{}/a", elsewhere.address),
        format!("//{authority}/b"),
        format!("{other}/c"),
        format!("http://127.0.0.1@{authority}/d"),
    ];
    for (id, target) in (2..).zip(targets.iter().chain(&targets)) {
        client.send(request(id, "tools/call")).unwrap();
        let asked = alongside(&mut client, server.expect_post("tools/call")).await;
        for (name, value) in [("authorization", SECRET), ("x-api-key", "the-key")] {
            assert_eq!(
                asked.header(name),
                Some(value),
                "it is still sent where it belongs"
            );
        }
        let redirect = status(307)
            .header("location", target)
            .header("set-cookie", "a=b; Path=/");
        asked.answer(redirect.body(Body::empty()).unwrap());
        let moved = failure(&mut client, id).await.moved.unwrap();
        assert!(!moved.same_origin, "{}", moved.to);
        assert!(elsewhere.is_quiet(), "{target}");
    }
    client.send(request(99, "ping")).unwrap();
    let asked = alongside(&mut client, server.expect_post("ping")).await;
    assert_eq!(asked.header("cookie"), None, "no cookie is kept");
}

#[tokio::test]
async fn streams_are_not_redirected_either() {
    let mut elsewhere = Server::start().await;
    let target = format!("{}/steal", elsewhere.address);
    let redirect = || {
        status(307)
            .header("location", &target)
            .body(Body::empty())
            .unwrap()
    };
    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, Revision::V2025_11_25).await;
    server.expect(Method::GET, "/mcp").await.answer(redirect());
    client.send(request(2, "tools/call")).unwrap();
    let feed = alongside(&mut client, server.expect_post("tools/call"))
        .await
        .answer_stream();
    feed.raw("id: 1\ndata:\n\n").await;
    drop(feed);
    alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .answer(redirect());
    // The stream is wanted elsewhere, and not the request, which the server has.
    let failed = failure(&mut client, 2).await;
    assert!(failed.cut && failed.moved.is_none(), "{failed:?}");
    assert!(failed.reason.contains(&target), "{failed:?}");
    let goodbye = async { server.expect(Method::DELETE, "/mcp").await.answer(redirect()) };
    tokio::join!(client.close(), goodbye);
    let (mut client, mut server) = started().await;
    client.send(opening(1)).unwrap();
    alongside(&mut client, server.expect_post("initialize"))
        .await
        .refuse(405, "");
    alongside(&mut client, server.expect(Method::GET, "/mcp"))
        .await
        .answer(redirect());
    assert!(failure(&mut client, 1).await.moved.is_some());
    assert!(elsewhere.is_quiet(), "nothing went elsewhere");
}

#[tokio::test]
async fn a_target_is_shown_without_what_could_deceive_and_one_that_is_none_is_not_shown() {
    let cases = [
        (
            "http://elsewhere.example/\u{202e}txt".as_bytes(),
            Some("%E2%80%AE"),
        ),
        (b"http://[broken", None),
        (b"\xff\xfe", None),
    ];
    for (target, shown) in cases {
        let (mut client, mut server) = started().await;
        client.send(opening(1)).unwrap();
        let asked = alongside(&mut client, server.expect_post("initialize")).await;
        asked.answer(
            status(302)
                .header("location", target)
                .body(Body::empty())
                .unwrap(),
        );
        let failed = failure(&mut client, 1).await;
        match shown {
            Some(text) => assert!(failed.moved.unwrap().to.contains(text)),
            None => assert_eq!(failed.moved, None),
        }
    }
}
