//! A proxy between this computer and servers: named before anything is sent, gone through and never around, and not
//! in the way of what is on this computer.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use vestibule_consent::{Answer, Connection, QuestionBody};
use vestibule_host::view::{
    EndpointDraft, InputProblem, PlaceView, Problem, ServerDraft, ServerState, ServerView,
};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{Opening, Scene, Web, soon};

/// An address that is nowhere near; only a proxy can be spoken to about it.
const FAR: &str = "http://10.20.30.40/mcp";

async fn behind(variables: &[(&str, &str)]) -> Scene {
    Opening::default().behind(variables).open().await
}

fn proxy_of(view: &ServerView) -> Option<String> {
    match &view.place {
        PlaceView::Address { proxy, .. } => proxy.clone(),
        PlaceView::Here { .. } => panic!("{view:?}"),
    }
}

/// What a card says of a connection that is then refused.
async fn shown(scene: &Scene, server: ServerId) -> Connection {
    scene.host.server_start(server).await.unwrap();
    let question = scene.person.asked().await;
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    match question.about {
        QuestionBody::ConnectServer(connection) => connection,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_proxy_is_on_the_card_and_then_gone_through() {
    let proxy = Web::start().await;
    let origin = format!("http://{}", proxy.address());
    let variable = format!("http://me:canary@{}/", proxy.address());
    let scene = behind(&[("http_proxy", &variable)]).await;
    let server = scene.add_at("far", FAR, &[]).await;
    let card = scene.connect(server, Scope::Once).await;
    assert_eq!(card.proxy.as_ref(), Some(&origin));
    let view = scene.ready(server).await;
    assert_eq!(proxy_of(&view), Some(origin));
    let headers = proxy.headers().join("\n").to_ascii_lowercase();
    assert!(headers.contains("host: 10.20.30.40"), "{headers}");
    assert!(headers.contains("proxy-authorization: basic "), "{headers}");
    assert!(!format!("{view:?}{card:?}").contains("canary"));
    scene.close().await;
}

/// What is encrypted goes through a tunnel: the proxy is told the name, and we look none up.
#[tokio::test]
async fn an_encrypted_connection_asks_the_proxy_for_a_tunnel() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap().to_string();
    let scene = behind(&[("https_proxy", &proxy)]).await;
    let server = scene
        .add_at("far", "https://mcp.vestibule.invalid/mcp", &[("X-Key", "horse")])
        .await;
    scene.connect(server, Scope::Once).await;
    let (mut stream, _) = soon("a connection to the proxy", listener.accept())
        .await
        .unwrap();
    let mut asked = Vec::new();
    while !asked.ends_with(b"\r\n\r\n") {
        assert!(stream.read_buf(&mut asked).await.unwrap() > 0);
    }
    let asked = String::from_utf8(asked).unwrap();
    assert!(
        asked.starts_with("CONNECT mcp.vestibule.invalid:443 HTTP/1.1\r\n"),
        "{asked}"
    );
    assert!(!asked.contains("horse"), "{asked}");
    stream.write_all(b"HTTP/1.1 502 No\r\n\r\n").await.unwrap();
    let failed = |view: &ServerView| matches!(view.state, ServerState::Failed { .. });
    scene.server(server, "a failed server", failed).await;
    scene.close().await;
}

#[tokio::test]
async fn what_is_to_be_reached_directly_has_no_proxy() {
    let web = Web::start().await;
    let scene = behind(&[("all_proxy", "http://127.0.0.1:9"), ("no_proxy", "10.0.0.0/8")]).await;
    let excepted = scene.add_at("far", FAR, &[]).await;
    assert_eq!(shown(&scene, excepted).await.proxy, None);
    let other = scene.add_at("other", "http://192.168.30.40/mcp", &[]).await;
    assert_eq!(
        shown(&scene, other).await.proxy.as_deref(),
        Some("http://127.0.0.1:9")
    );
    // What is on this computer is spoken to directly, whatever was set.
    let here = scene.add_at("here", &web.url(), &[]).await;
    assert_eq!(scene.connect(here, Scope::Once).await.proxy, None);
    scene.ready(here).await;
    scene.close().await;
}

/// A proxy would fetch from anywhere; what may be asked of it is what may be asked without it.
#[tokio::test]
async fn a_proxy_widens_nothing() {
    let scene = behind(&[("all_proxy", "http://127.0.0.1:9")]).await;
    for url in [
        "http://1.1.1.1/mcp",
        "http://example.com/mcp",
        "http://0.0.0.0/mcp",
    ] {
        let endpoint = EndpointDraft {
            url: url.into(),
            ..EndpointDraft::default()
        };
        let added = scene.host.server_add(ServerDraft::at("far", endpoint)).await;
        assert!(
            matches!(added, Err(Problem::Input(InputProblem::AddressInvalid { .. }))),
            "{url}: {added:?}"
        );
    }
    scene.close().await;
}

/// Whoever wanted a proxy does not want the way around it.
#[tokio::test]
async fn a_proxy_that_can_not_be_used_stops_what_would_go_through_it() {
    let scene = behind(&[("all_proxy", "socks5://me:canary@127.0.0.1:9")]).await;
    let server = scene.add_at("far", FAR, &[]).await;
    scene.host.server_start(server).await.unwrap();
    let failed = |view: &ServerView| matches!(view.state, ServerState::Failed { .. });
    let view = scene.server(server, "a failed server", failed).await;
    let said = format!("{view:?}");
    assert!(said.contains("ALL_PROXY") && !said.contains("canary"), "{said}");
    assert_eq!(scene.person.shown().len(), 0, "nobody was asked");
    scene.close().await;
}

/// Without encryption a proxy reads everything, so another one is another connection.
#[tokio::test]
async fn a_permission_to_connect_ends_when_the_proxy_changes() {
    let (one, other) = (Web::start().await, Web::start().await);
    let at = |web: &Web| format!("http://{}", web.address());
    let scene = behind(&[("http_proxy", &at(&one))]).await;
    let server = scene.add_at("far", FAR, &[]).await;
    assert!(!scene.connect(server, Scope::Always).await.changed);
    scene.ready(server).await;
    let scene = scene
        .close()
        .await
        .behind(&[("http_proxy", &at(&other))])
        .open()
        .await;
    let card = scene.connect(server, Scope::Once).await;
    assert!(card.changed);
    assert_eq!(card.proxy, Some(at(&other)));
    scene.ready(server).await;
    scene.close().await;
}
