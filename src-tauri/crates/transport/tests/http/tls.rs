//! Who a server is, and who stands in between: certificates that prove nothing, and proxies.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use vestibule_egress::{Lookup, Proxies, Route};

use super::*;

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn params(name: &str) -> CertificateParams {
    CertificateParams::new(vec![name.to_owned()]).unwrap()
}

/// A server that shows this certificate, signed by the authority or by itself.
fn acceptor(params: &CertificateParams, authority: Option<&Authority>) -> TlsAcceptor {
    let key = KeyPair::generate().unwrap();
    let certificate = match authority {
        Some(authority) => params.signed_by(&key, authority).unwrap(),
        None => params.self_signed(&key).unwrap(),
    };
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

fn route(reach: NetworkReach, authority: &Authority) -> Route {
    Route {
        authorities: vec![authority.der().to_vec()],
        ..Route::new(reach)
    }
}

async fn head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        assert!(stream.read_buf(&mut head).await.unwrap() > 0);
    }
    String::from_utf8(head).unwrap().to_ascii_lowercase()
}

async fn answer(stream: &mut (impl AsyncWrite + Unpin)) {
    let body = result(1).to_string();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
    let answer = format!("{head}{}\r\n\r\n{body}", body.len());
    stream.write_all(answer.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
}

/// N5: without a proof nothing is sent, and the user reads what is wrong.
#[tokio::test]
async fn a_certificate_that_proves_nothing_is_explained_and_gets_nothing() {
    let trusted = authority("ours");
    let mut expired = params("127.0.0.1");
    expired.not_before = rcgen::date_time_ymd(2019, 1, 1);
    expired.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let mut early = params("127.0.0.1");
    early.not_before = rcgen::date_time_ymd(2999, 1, 1);
    early.not_after = rcgen::date_time_ymd(3000, 1, 1);
    let cases = [
        (acceptor(&params("127.0.0.1"), None), "not signed by an authority"),
        (
            acceptor(&params("127.0.0.1"), Some(&authority("theirs"))),
            "not signed by an authority",
        ),
        (
            acceptor(&params("127.0.0.1"), Some(&authority("ours"))),
            "not signed by whom",
        ),
        (
            acceptor(&params("other.example"), Some(&trusted)),
            "for another name",
        ),
        (acceptor(&expired, Some(&trusted)), "has expired"),
        (acceptor(&early, Some(&trusted)), "not valid yet"),
    ];
    for (acceptor, why) in cases {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("https://{}/mcp", listener.local_addr().unwrap());
        let mut client = along(&address, &route(NetworkReach::Local, &trusted));
        client.send(opening(1)).unwrap();
        let serve = async {
            let (stream, _) = listener.accept().await.unwrap();
            let mut said = Vec::new();
            if let Ok(mut stream) = acceptor.accept(stream).await {
                // Whatever the end looks like, nothing may come before it.
                let _ = stream.read_to_end(&mut said).await;
            }
            said
        };
        let (failed, said) = tokio::join!(failure(&mut client, 1), serve);
        assert!(failed.reason.contains(why), "{why}: {}", failed.reason);
        assert!(failed.unsent && failed.status.is_none(), "{failed:?}");
        assert_eq!(said, b"", "{why}");
    }
}

#[tokio::test]
async fn a_certificate_of_a_trusted_authority_for_the_right_name_is_enough() {
    let trusted = authority("ours");
    let acceptor = acceptor(&params("127.0.0.1"), Some(&trusted));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}/mcp", listener.local_addr().unwrap());
    let mut client = along(&address, &route(NetworkReach::Local, &trusted));
    client.send(opening(1)).unwrap();
    let serve = async {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = acceptor.accept(stream).await.unwrap();
        head(&mut stream).await;
        answer(&mut stream).await;
        stream
    };
    let (answered, _stream) = tokio::join!(frame(&mut client), serve);
    assert_eq!(answered["id"], 1);
}

/// A proxy knows where names lead; we must not have to.
struct NoLookup;

impl Lookup for NoLookup {
    fn lookup(&self, name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        panic!("{name} was looked up")
    }
}

/// A client of a server on the internet behind a proxy, and what the proxy is asked for.
async fn proxied(trusted: &Authority) -> (HttpTransport, TcpStream, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://me:password@{}", listener.local_addr().unwrap());
    let route = Route {
        lookup: Arc::new(NoLookup),
        proxies: Proxies::from_variables(|name| (name == "https_proxy").then(|| proxy.clone())),
        ..route(NetworkReach::Public, trusted)
    };
    let mut client = along("https://mcp.example/mcp", &route);
    client.send(opening(1)).unwrap();
    let asked = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let head = head(&mut stream).await;
        (stream, head)
    };
    let (stream, asked) = alongside(&mut client, asked).await;
    (client, stream, asked)
}

#[tokio::test]
async fn a_proxy_learns_the_name_of_the_server_and_nothing_that_is_meant_for_it() {
    let trusted = authority("ours");
    let (mut client, mut stream, asked) = proxied(&trusted).await;
    assert!(
        asked.starts_with("connect mcp.example:443 http/1.1\r\n"),
        "{asked}"
    );
    assert!(asked.contains("proxy-authorization: basic "), "{asked}");
    for ours in ["the-secret", "the-key", "\r\nauthorization", "x-api-key", "mcp-"] {
        assert!(!asked.contains(ours), "{ours}: {asked}");
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    let acceptor = acceptor(&params("mcp.example"), Some(&trusted));
    let serve = async {
        let mut stream = acceptor.accept(stream).await.unwrap();
        let head = head(&mut stream).await;
        answer(&mut stream).await;
        (head, stream)
    };
    let (answered, (head, _stream)) = tokio::join!(frame(&mut client), serve);
    assert_eq!(answered["id"], 1);
    assert!(head.contains("authorization: bearer the-secret"), "{head}");
    assert!(!head.contains("proxy-"), "{head}");
}

#[tokio::test]
async fn a_proxy_that_refuses_or_plays_the_server_gets_nothing() {
    let trusted = authority("ours");
    let (mut client, mut stream, _) = proxied(&trusted).await;
    stream
        .write_all(b"HTTP/1.1 407 Who are you\r\n\r\n")
        .await
        .unwrap();
    let failed = failure(&mut client, 1).await;
    assert!(failed.unsent && failed.status.is_none(), "{failed:?}");
    let (mut client, mut stream, _) = proxied(&trusted).await;
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    let acceptor = acceptor(&params("proxy.example"), Some(&trusted));
    let (failed, accepted) = tokio::join!(failure(&mut client, 1), acceptor.accept(stream));
    assert!(failed.reason.contains("for another name"), "{}", failed.reason);
    drop(accepted);
}

#[test]
fn whether_there_is_a_proxy_can_be_shown_without_its_password() {
    let proxies = Proxies::from_variables(|name| {
        (name == "all_proxy").then(|| "http://me:password@proxy.example:3128".into())
    });
    let through = |address: &str, reach| {
        let route = Route {
            proxies: proxies.clone(),
            ..Route::new(reach)
        };
        Egress::along(&address.parse().unwrap(), &route).unwrap().proxy()
    };
    let shown = through("https://mcp.example/", NetworkReach::Public);
    assert_eq!(shown.as_deref(), Some("http://proxy.example:3128"));
    assert_eq!(through("http://127.0.0.1:1/", NetworkReach::Local), None);
}
