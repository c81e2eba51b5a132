//! A server says who signs people in for it. Nothing is sent to another site before the user agreed to that, and nothing at
//! all to a name of an inner network, which a proxy would resolve there.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use vestibule_consent::{Answer, IssuerSite, QuestionBody};
use vestibule_host::view::{Problem, ServerProblem, ServerState, ServerView, SignInFailure};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{Opening, Protected, Scene, needs_sign_in, soon, yes};

/// An address that is nowhere near; only a proxy can be spoken to about it.
const FAR: &str = "http://10.20.30.40/mcp";

/// A proxy for encrypted connections: it opens none, and keeps what it was asked for.
#[derive(Clone, Default)]
struct Tunnels(watch::Sender<Vec<String>>);

impl Tunnels {
    async fn start() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let tunnels = Self::default();
        let asked = tunnels.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") && stream.read_buf(&mut head).await.unwrap_or(0) > 0 {}
                let line = String::from_utf8_lossy(&head)
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                asked.0.send_modify(|asked| asked.push(line));
                let _ = stream.write_all(b"HTTP/1.1 502 No\r\n\r\n").await;
            }
        });
        (tunnels, address)
    }

    fn asked(&self) -> Vec<String> {
        self.0.borrow().clone()
    }
}

/// A server behind a proxy that wants a sign-in and names this issuer.
async fn behind_a_proxy(issuer: &str) -> (Scene, ServerId, Tunnels, Protected) {
    let world = Protected::start().await;
    world.describes(FAR, &[issuer]);
    let (tunnels, at) = Tunnels::start().await;
    let plain = world.url.trim_end_matches("/mcp").to_owned();
    let variables = [("http_proxy", plain.as_str()), ("https_proxy", at.as_str())];
    let scene = Opening::default().behind(&variables).open().await;
    let server = scene.add_at("far", FAR, &[]).await;
    scene.connect(server, Scope::Once).await;
    scene
        .server(server, "a demand for a sign-in", needs_sign_in)
        .await;
    (scene, server, tunnels, world)
}

fn failed(why: SignInFailure) -> impl Fn(&ServerView) -> bool {
    move |view| {
        matches!(
            &view.state,
            ServerState::SignInNeeded { problem: Problem::Server(ServerProblem::SignInFailed { why: found, .. }) }
                if *found == why
        )
    }
}

/// M10, attack O7.
#[tokio::test]
async fn a_name_of_an_inner_network_is_never_looked_up_through_a_proxy() {
    for issuer in [
        "https://wiki.corp",
        "https://intranet",
        "https://10.0.0.1",
        "https://nas.local./x",
    ] {
        let (scene, server, tunnels, _world) = behind_a_proxy(issuer).await;
        // Whatever is asked is agreed to.
        scene.person.answers(|_| Some(yes(Scope::Once)));
        scene.host.server_sign_in(server).await.unwrap();
        let unsafe_address = failed(SignInFailure::Unsafe);
        scene
            .server(server, "an address that is refused", unsafe_address)
            .await;
        assert_eq!(tunnels.asked(), Vec::<String>::new(), "{issuer}");
        assert!(
            scene
                .person
                .shown()
                .iter()
                .all(|it| matches!(it.about, QuestionBody::ConnectServer(_)))
        );
        scene.close().await;
    }
}

/// M10.
#[tokio::test]
async fn nothing_is_sent_to_another_site_before_the_user_agreed() {
    let (scene, server, tunnels, _world) = behind_a_proxy("https://login.elsewhere.example").await;
    scene.host.server_sign_in(server).await.unwrap();
    let question = scene.person.asked().await;
    let QuestionBody::LookUpIssuer(card) = &question.about else {
        panic!("another card: {question:?}")
    };
    assert_eq!(card.issuer.ascii_host.as_deref(), Some("login.elsewhere.example"));
    assert_eq!(card.site, IssuerSite::Other);
    assert!(card.proxy.is_some(), "{card:?}");
    assert_eq!(tunnels.asked(), Vec::<String>::new());
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let declined = |view: &ServerView| {
        matches!(
            &view.state,
            ServerState::SignInNeeded {
                problem: Problem::Server(ServerProblem::SignInDeclined { .. })
            }
        )
    };
    scene
        .server(server, "a sign-in that was declined", declined)
        .await;
    assert_eq!(tunnels.asked(), Vec::<String>::new());

    scene.host.server_sign_in(server).await.unwrap();
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    scene
        .server(server, "no answer from there", failed(SignInFailure::Network))
        .await;
    let asked = tunnels.asked();
    assert!(!asked.is_empty());
    let there = |line: &String| line.starts_with("CONNECT login.elsewhere.example:443 ");
    assert!(asked.iter().all(there), "{asked:?}");

    // Once agreed to in this run, it is not asked again.
    scene.host.server_sign_in(server).await.unwrap();
    let mut more = tunnels.0.subscribe();
    let look = soon("another look", more.wait_for(|now| now.len() > asked.len())).await;
    look.unwrap();
    scene.close().await;
}
