//! Servers that are reached at an address, and a page for those that read pages. All of them live on loopback and end
//! with their test.

use std::net::TcpListener;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use tokio::net::TcpListener as Listener;
use vestibule_tests::Program;

use crate::Peer;

/// How often another port is tried.
const ATTEMPTS: usize = 5;

/// A server that listens.
pub(crate) struct Listening {
    pub(crate) program: Program,
    pub(crate) address: String,
}

impl Listening {
    /// Starts a server that takes any free port and says which address it has.
    pub(crate) async fn anywhere(peer: &Peer) -> Self {
        let program = Program::start(&peer.command, &peer.args, &peer.env);
        let address = program.said(address_in).await;
        Self {
            program,
            address: address.expect("the server listens"),
        }
    }

    /// Starts a server that has to be told its port and says so when it listens. Somebody else may take a free port
    /// first.
    pub(crate) async fn at_a_port(peer: &Peer, path: &str) -> Self {
        for _ in 0..ATTEMPTS {
            let port = TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port();
            let mut env = peer.env.clone();
            env.push(("PORT".into(), port.to_string()));
            let program = Program::start(&peer.command, &peer.args, &env);
            let ending = format!("on port {port}");
            if program
                .said(|line| line.ends_with(&ending).then_some(()))
                .await
                .is_some()
            {
                let address = format!("http://127.0.0.1:{port}{path}");
                return Self { program, address };
            }
        }
        panic!("no port could be used {ATTEMPTS} times in a row");
    }
}

fn address_in(line: &str) -> Option<String> {
    let (_, address) = line.split_once("http://127.0.0.1:")?;
    let port: String = address.chars().take_while(char::is_ascii_digit).collect();
    Some(format!("http://127.0.0.1:{port}/mcp"))
}

/// Serves one page while the test runs, and says where.
pub(crate) async fn page(html: &'static str) -> String {
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let router = Router::new().route("/", get(async move || Html(html)));
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
