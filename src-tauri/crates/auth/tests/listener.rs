//! The socket the browser comes back to, and everybody else who knocks.

use std::sync::atomic::Ordering;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;
use vestibule_auth::*;

use crate::support::*;

async fn port(world: &World) -> u16 {
    tokio::time::timeout(BOUND, async {
        loop {
            let page = world.visitor.pages.lock().unwrap().first().cloned();
            if let Some(page) = page {
                let (_, back) = page
                    .query_pairs()
                    .find(|(name, _)| name == "redirect_uri")
                    .unwrap();
                return back.parse::<Url>().unwrap().port().unwrap();
            }
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("a page is opened in time")
}

fn waiting(world: &World) -> tokio::task::JoinHandle<Result<(), AuthError>> {
    world.visitor.stays_away.store(true, Ordering::SeqCst);
    let authorizer = world.authorizer();
    tokio::spawn(async move { authorizer.sign_in().await })
}

async fn say(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // A refused visitor may find the connection reset behind the answer.
    let _ = tokio::time::timeout(BOUND, stream.read_to_string(&mut answer))
        .await
        .expect("an answer in time");
    answer
}

/// AU-044, AU-055. Attack O9.
#[tokio::test]
async fn forged_answers_before_the_real_one_are_refused_and_the_real_one_still_counts() {
    let world = World::new().await;
    *world.visitor.before.lock().unwrap() = vec![
        "",
        "?",
        "?code=forged",
        "?code=forged&state=wrong",
        "?code=forged&state=",
        "?error=access_denied&state=wrong",
        "?code=forged&state=a&state=b",
    ];
    world.call(&world.authorizer()).await.unwrap();
    let exchanges = world.at(Party::Issuer, "/token");
    assert_eq!(exchanges.len(), 1);
    assert!(exchanges[0].field("code").unwrap().starts_with("code-canary"));
}

/// Attack N1: other hosts, other paths, other methods, and what is no HTTP.
#[tokio::test]
async fn a_visitor_that_is_not_the_browser_is_refused_plainly() {
    let world = World::new().await;
    let waiting = waiting(&world);
    let port = port(&world).await;
    let state = {
        let page = world.visitor.pages.lock().unwrap()[0].clone();
        page.query_pairs()
            .find(|(name, _)| name == "state")
            .unwrap()
            .1
            .into_owned()
    };
    let right = format!("Host: 127.0.0.1:{port}");
    let path = format!("/callback?code=c&state={state}");
    for request in [
        format!("GET {path} HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"),
        format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"),
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        format!("GET {path} HTTP/1.1\r\n{right}\r\nHost: evil.example\r\n\r\n"),
        format!("GET {path} HTTP/1.1\r\n\r\n"),
        format!("POST {path} HTTP/1.1\r\n{right}\r\nContent-Length: 0\r\n\r\n"),
        format!("GET /?code=c&state={state} HTTP/1.1\r\n{right}\r\n\r\n"),
        format!("GET /callback/../callback?code=c&state={state} HTTP/1.1\r\n{right}\r\n\r\n"),
        format!("GET //callback?code=c&state={state} HTTP/1.1\r\n{right}\r\n\r\n"),
        "nonsense\r\n\r\n".to_owned(),
        format!("GET /{} HTTP/1.1\r\n{right}\r\n\r\n", "x".repeat(64 * 1024)),
    ] {
        let answer = say(port, &request).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400 "),
            "{request}: {answer}"
        );
        assert!(!answer.contains(&state), "{answer}");
    }
    assert!(!waiting.is_finished());
    let answer = say(
        port,
        &format!("GET {path}&iss={} HTTP/1.1\r\n{right}\r\n\r\n", world.issuer),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let error = waiting.await.unwrap().unwrap_err();
    assert!(
        matches!(error.reason, Reason::Refused { .. }),
        "the code is none of the issuer's: {error}"
    );
    assert!(
        TcpStream::connect(("127.0.0.1", port)).await.is_err(),
        "one answer, then nobody is at home"
    );
}

/// Attack O10: whatever comes back, the page says the same.
#[tokio::test]
async fn the_page_at_the_end_says_nothing_of_what_came_back() {
    const PAYLOAD: &str = "<script>alert(1)</script>";
    let mut bodies = Vec::new();
    for payload in ["", PAYLOAD] {
        let world = World::new().await;
        world.change(|plan| {
            plan.callback.push(("error_description".into(), payload.into()));
            plan.callback.push(("extra".into(), payload.into()));
        });
        *world.visitor.callback_page.lock().unwrap() = CallbackPage {
            language: "zh-CN".into(),
            title: "登录".into(),
            text: "可以关闭 & 返回 <b>".into(),
        };
        world.call(&world.authorizer()).await.unwrap();
        let shown = world.visitor.shown(1).await.remove(0);
        assert!(shown.policy.starts_with("default-src 'none'"), "{}", shown.policy);
        let style = shown.body.split("<style>").nth(1).unwrap();
        let digest = Sha256::digest(style.split("</style>").next().unwrap());
        let source = format!("style-src 'sha256-{}'", STANDARD.encode(digest));
        assert!(shown.policy.contains(&source), "{}", shown.policy);
        assert!(
            shown.body.contains("可以关闭 &amp; 返回 &lt;b&gt;"),
            "{}",
            shown.body
        );
        bodies.push(shown.body);
    }
    assert_eq!(bodies[0], bodies[1]);
}

/// AU-055.
#[tokio::test]
async fn nobody_waits_for_ever_and_a_dropped_sign_in_closes_its_socket() {
    let world = World::new().await;
    world.visitor.stays_away.store(true, Ordering::SeqCst);
    let mut settings = world.settings();
    settings.limits.person = Duration::from_millis(50);
    let error = world.authorizer_with(settings).sign_in().await.unwrap_err();
    assert_eq!((error.step, error.reason), (Step::Listener, Reason::TimedOut(0)));

    let world = World::new().await;
    let waiting = waiting(&world);
    let port = port(&world).await;
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
    assert_eq!(world.at(Party::Issuer, "/token").len(), 0);
}

/// AU-056: an entered client with a port of its own, which is taken.
#[tokio::test]
async fn a_taken_port_that_can_not_be_replaced_is_an_error_before_any_page() {
    let world = World::new().await;
    let squatter = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = entered(&world.issuer, None);
    client.port = Some(squatter.local_addr().unwrap().port());
    let settings = AuthSettings {
        entered: Some(client),
        ..world.settings()
    };
    let error = world.call(&world.authorizer_with(settings)).await.unwrap_err();
    assert_eq!(error.step, Step::Listener);
    assert!(world.visitor.pages.lock().unwrap().is_empty());
    world.assert_nothing_leaked("port");
}

/// AU-050: words of the wrong server are not shown; those of the right one are.
#[tokio::test]
async fn an_error_is_told_only_when_the_right_server_says_it() {
    for (issuer, told) in [(true, true), (false, false)] {
        let world = World::new().await;
        let who = if issuer {
            world.issuer.clone()
        } else {
            "https://evil.example".to_owned()
        };
        world.change(|plan| {
            plan.callback = vec![
                ("error".into(), "access_denied".into()),
                ("error_description".into(), "call +1 555".into()),
                ("state".into(), "{state}".into()),
                ("iss".into(), who),
            ];
        });
        let error = world.call(&world.authorizer()).await.unwrap_err();
        assert_eq!(error.step, Step::Callback);
        assert_eq!(error.to_string().contains("call +1 555"), told, "{error}");
        assert!(world.at(Party::Issuer, "/token").is_empty());
    }
}
