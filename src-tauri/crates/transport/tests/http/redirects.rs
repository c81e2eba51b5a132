//! What goes along with a request is meant for the address the person wrote, and for no other.

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
    assert!(failure(&mut client, 2).await.moved.is_some());
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
