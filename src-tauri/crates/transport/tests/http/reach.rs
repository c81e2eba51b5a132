//! Where our way out leads: to the one origin it was made for, and never home again.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use vestibule_egress::{EgressError, Lookup, Route};

use super::*;

/// Where a name leads changes after it was first asked for.
struct Rebinding {
    port_of_ours: IpAddr,
}

impl Lookup for Rebinding {
    fn lookup(&self, _name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let here = self.port_of_ours;
        Box::pin(async move { Ok(vec![here]) })
    }
}

/// AU-054, N1: neither by DNS nor by redirect does a server on the internet lead to this computer.
#[tokio::test]
async fn a_name_that_leads_home_is_not_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    for (scheme, reach) in [
        ("https", NetworkReach::Public),
        ("https", NetworkReach::Local),
        ("http", NetworkReach::Local),
    ] {
        for here in ["127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "0.0.0.0"] {
            let address: url::Url = format!("{scheme}://mcp.example:{port}/mcp").parse().unwrap();
            let lookup = Rebinding {
                port_of_ours: here.parse().unwrap(),
            };
            let egress = Egress::with_lookup(&address, reach, Arc::new(lookup)).unwrap();
            let answer = egress
                .send(Method::GET, &address, HeaderMap::new(), None, BOUND)
                .await;
            let error = answer.map(|answer| answer.status()).unwrap_err();
            assert!(error.is_unsent(), "{error}");
            assert!(error.to_string().contains("mcp.example leads to"), "{error}");
        }
    }
    let accepted = futures::poll!(Box::pin(listener.accept()));
    assert!(accepted.is_pending(), "a connection was made");
}

/// N5: there is no way to go on without TLS.
#[tokio::test]
async fn a_server_that_speaks_no_tls_where_it_should_gets_nothing() {
    let mut server = Server::start().await;
    let address = server.address.replace("http://", "https://");
    let mut client = transport(&address, HttpVariant::Either, limits());
    client.send(opening(1)).unwrap();
    let failed = failure(&mut client, 1).await;
    assert!(failed.unsent, "{failed:?}");
    assert!(server.is_quiet());
}

#[tokio::test]
async fn one_way_out_leads_to_one_origin() {
    let mut server = Server::start().await;
    let home: url::Url = server.address.parse().unwrap();
    let egress = Egress::new(&home, NetworkReach::for_server(&home)).unwrap();
    for other in ["http://127.0.0.1:1/", "https://example.com/"] {
        let other = other.parse().unwrap();
        let answer = egress
            .send(Method::GET, &other, HeaderMap::new(), None, BOUND)
            .await;
        assert!(matches!(answer.map(drop), Err(EgressError::Address(_))));
    }
    assert!(server.is_quiet());
}

/// A server closes what is idle, and a request that is sent at that moment is lost.
#[tokio::test]
async fn a_connection_is_not_used_again_after_its_idle_time() {
    let requests = 20;
    let at_once = connections(Duration::from_nanos(1), requests).await;
    let later = connections(BOUND, requests).await;
    assert_eq!(at_once, requests);
    assert!(later < requests, "{later}");
}

/// How many connections these requests take, one after the other.
async fn connections(idle: Duration, requests: usize) -> usize {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: url::Url = format!("http://{}/", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = accepted.clone();
    let serving = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut request = vec![];
                while stream.read_buf(&mut request).await.is_ok_and(|read| read > 0) {
                    if request.ends_with(b"\r\n\r\n") {
                        request.clear();
                        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                        stream.write_all(answer).await.unwrap();
                    }
                }
            });
        }
    });
    let route = Route {
        idle,
        ..Route::new(NetworkReach::Local)
    };
    let egress = Egress::along(&address, &route).unwrap();
    for _ in 0..requests {
        let answer = egress
            .send(Method::GET, &address, HeaderMap::new(), None, BOUND)
            .await;
        assert!(answer.unwrap().status().is_success());
    }
    serving.abort();
    accepted.load(Ordering::SeqCst)
}
