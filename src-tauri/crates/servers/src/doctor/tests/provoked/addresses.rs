//! Addresses where nothing listens, or something that is no MCP server.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use vestibule_app_protocol::{Diagnosis, Problem, ServerProblem};
use vestibule_egress::{Proxies, SharedClients};
use vestibule_protocol::TransportChoice;
use vestibule_protocol::mcp::Implementation;
use vestibule_session::SessionOptions;
use vestibule_store::{Endpoint, ServerPlace};
use vestibule_transport::http::HttpTransport;

use super::record;
use crate::config::connection;
use crate::config::secrets::{MemorySecrets, Secrets as _};
use crate::config::variables;
use crate::doctor::{Evidence, diagnose};
use crate::open::session::NotOpen;

/// What is said of a server at an address, after opening a session there failed. Its headers have the value `k-1`.
#[expect(
    clippy::disallowed_methods,
    reason = "a session of the test, with a listener of the test"
)]
async fn opened_with(endpoint: Endpoint) -> Option<Diagnosis> {
    let server = record(ServerPlace::Address(endpoint.clone()));
    let secrets = MemorySecrets::new("");
    for name in &endpoint.headers {
        let header = variables::secret(server.id, &server.place, name);
        secrets.set(&header, &"k-1".into()).await.unwrap();
    }
    let plan = connection::plan(
        &server,
        &endpoint,
        &secrets,
        None,
        &Proxies::default(),
        &SharedClients::default(),
    )
    .await;
    let plan = plan.map_err(|problem| problem.to_string()).unwrap();
    let transport = HttpTransport::new(plan.options, plan.egress).unwrap();
    let (sender, _events) = mpsc::channel(64);
    let options = SessionOptions::new(Implementation {
        name: "doctor".into(),
        version: "1".into(),
        ..Implementation::default()
    });
    let Err(error) = vestibule_session::open(Box::new(transport), options, sender).await else {
        panic!("a session opened");
    };
    let problem = match NotOpen::from(error) {
        NotOpen::Failed(problem) => problem,
        NotOpen::Challenged(challenge) => Problem::Server(ServerProblem::SignInNeeded {
            origin: String::new(),
            status: challenge.status,
        }),
        NotOpen::EndedByProbe | NotOpen::Refused(_) | NotOpen::Stopped => panic!("no program ended"),
    };
    diagnose(&Evidence {
        place: &server.place,
        problem: &problem,
        skipped: vec![],
        has_package: false,
    })
}

async fn opened_at(url: &str, transport: TransportChoice) -> Option<Diagnosis> {
    let endpoint = Endpoint {
        url: url.to_owned(),
        transport,
        ..Endpoint::default()
    };
    opened_with(endpoint).await
}

/// A listener that answers everything like this.
pub(super) async fn answering(
    head: &'static str,
    body: &'static str,
) -> (String, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 16 * 1024];
            let _ = stream.read(&mut request).await;
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {head}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (host, serving)
}

#[tokio::test]
async fn answers_that_are_no_success_find_their_sentence_and_button() {
    let try_mcp = |host: &str| {
        let url = format!("http://{host}/mcp");
        json!({ "step": "edit", "part": "address", "corrections": [{ "set": "address", "url": url }] })
    };
    let edit = json!({ "step": "edit", "part": "address", "corrections": [] });
    let page = "<!DOCTYPE html><title>Sign in to the network</title>";
    for (head, body, cause, step) in [
        ("404 Not Found\r\n", "", "nothing_at_path", None),
        ("405 Method Not Allowed\r\n", "", "nothing_at_path", None),
        (
            "401 Unauthorized\r\nwww-authenticate: Bearer\r\n",
            "",
            "sign_in_wanted",
            Some(json!({ "step": "sign_in" })),
        ),
        (
            "200 OK\r\ncontent-type: text/html\r\n",
            page,
            "web_page",
            Some(edit.clone()),
        ),
        (
            "404 Not Found\r\ncontent-type: text/html\r\n",
            page,
            "nothing_at_path",
            None,
        ),
        (
            "421 Misdirected\r\n",
            "Invalid Host header",
            "host_name_refused",
            Some(edit),
        ),
        (
            "406 Not Acceptable\r\n",
            "",
            "form_refused",
            Some(json!({ "step": "log" })),
        ),
        (
            "407 Proxy Authentication Required\r\n",
            "",
            "proxy_sign_in",
            Some(json!({ "step": "retry" })),
        ),
        (
            "429 Slow\r\nretry-after: 30\r\n",
            "",
            "asks_to_wait",
            Some(json!({ "step": "retry" })),
        ),
        (
            "502 Bad Gateway\r\n",
            "",
            "server_broken",
            Some(json!({ "step": "retry" })),
        ),
        ("308 Moved\r\nlocation: /mcp\r\n", "", "moved", None),
    ] {
        let (host, serving) = answering(head, body).await;
        let found = json!(opened_at(&format!("http://{host}/sse"), TransportChoice::Auto).await);
        assert_eq!(found["cause"]["cause"], cause, "{head}: {found}");
        assert_eq!(found["step"], step.unwrap_or_else(|| try_mcp(&host)), "{head}");
        serving.abort();
    }
}

#[tokio::test]
async fn the_older_transport_is_offered_where_only_the_newer_was_tried() {
    let (host, serving) = answering("405 Method Not Allowed\r\n", "").await;
    let found = json!(opened_at(&format!("http://{host}/sse"), TransportChoice::Streamable).await);
    assert_eq!(found["cause"]["cause"], "older_transport");
    serving.abort();
}

#[tokio::test]
async fn connections_that_do_not_come_about_find_their_sentence() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = closed.local_addr().unwrap().to_string();
    drop(closed);
    let found = json!(opened_at(&format!("http://{host}/mcp"), TransportChoice::Auto).await);
    assert_eq!(
        found["cause"],
        json!({ "cause": "connection_refused", "host": host })
    );
    let found = json!(opened_at("https://mcp.vestibule.invalid/mcp", TransportChoice::Auto).await);
    assert_eq!(
        found["cause"],
        json!({ "cause": "name_unknown", "host": "mcp.vestibule.invalid" })
    );
    let (host, serving) = answering("400 Bad Request\r\n", "").await;
    let found = json!(opened_at(&format!("https://{host}/mcp"), TransportChoice::Auto).await);
    assert_eq!(found["cause"], json!({ "cause": "not_encrypted", "host": host }));
    serving.abort();
}

#[tokio::test]
async fn a_key_that_is_not_accepted_leads_to_its_header() {
    for status in ["401 Unauthorized\r\n", "403 Forbidden\r\n"] {
        let (host, serving) = answering(status, "").await;
        let endpoint = Endpoint {
            url: format!("http://{host}/mcp"),
            headers: vec!["X-Trace".into(), "X-Api-Key".into()],
            ..Endpoint::default()
        };
        let found = json!(opened_with(endpoint).await);
        assert_eq!(
            found["cause"],
            json!({ "cause": "key_refused", "headers": ["X-Api-Key"] }),
            "{status}"
        );
        assert_eq!(found["step"]["part"], "headers");
        serving.abort();
    }
}

/// The clock of the test is paused, so it moves on to the end of the request limit at once.
#[tokio::test(start_paused = true)]
async fn an_address_that_does_not_answer_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let found = json!(opened_at(&format!("http://{host}/mcp"), TransportChoice::Auto).await);
    assert_eq!(
        found,
        json!({
            "cause": { "cause": "network_unreachable", "host": host },
            "step": { "step": "retry" },
        })
    );
}

#[tokio::test]
async fn a_certificate_that_signs_itself_is_named() {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // The client turns away from this certificate.
            let _ = acceptor.accept(stream).await;
        }
    });
    let found = json!(opened_at(&format!("https://{host}/mcp"), TransportChoice::Auto).await);
    assert_eq!(
        found,
        json!({
            "cause": { "cause": "certificate_refused", "host": host, "why": "unknown_issuer" },
            "step": { "step": "edit", "part": "address", "corrections": [] },
        })
    );
    serving.abort();
}
