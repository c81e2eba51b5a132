//! A server that answers whatever it is told to, byte for byte, and what our transport makes of that.

#![allow(clippy::disallowed_methods, reason = "these targets speak to transports directly")]

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use url::Url;
use vestibule_protocol::jsonrpc::RequestId;
use vestibule_egress::{Egress, NetworkReach};
use vestibule_transport::http::{HttpOptions, HttpTransport, HttpLimits, HttpVariant};
use vestibule_transport::{Incoming, Outgoing, Transport};

thread_local! {
    /// One port for all inputs: a port each would use them all up within a minute.
    static SERVER: (Runtime, TcpListener) = {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        (runtime, listener)
    };
}

/// What arrives for one request that is answered with these pieces of bytes, up to and including its end.
pub fn heard(pieces: &[&[u8]]) -> Vec<String> {
    SERVER.with(|(runtime, listener)| listened(runtime, listener, pieces))
}

fn listened(runtime: &Runtime, listener: &TcpListener, pieces: &[&[u8]]) -> Vec<String> {
    runtime.block_on(async {
        let address: Url = format!("http://{}/mcp", listener.local_addr().expect("bound")).parse().expect("a URL");
        let limits = HttpLimits {
            line: 4096,
            event: 8192,
            attempts: 0,
            first_pause: Duration::from_millis(1),
            body: Duration::from_millis(200),
            head: Duration::from_millis(200),
            answer: Duration::from_millis(200),
            quiet: Duration::from_millis(200),
            close: Duration::from_millis(50),
            last_words: Duration::from_millis(1),
            ..HttpLimits::default()
        };
        let egress = Egress::new(&address, NetworkReach::for_server(&address)).expect("loopback may be reached");
        let options = HttpOptions { address, headers: Vec::new(), authorization: None, shape: HttpVariant::Streamable, limits };
        let mut transport = HttpTransport::new(options, egress).expect("the options are sound");
        let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_vec();
        transport.send(Outgoing::request(frame, RequestId::Number(1), "tools/list")).expect("nothing waits yet");
        let (heard, ()) = tokio::join!(listen(&mut transport), answer(listener, pieces));
        heard
    })
}

async fn listen(transport: &mut HttpTransport) -> Vec<String> {
    let mut heard = Vec::new();
    while heard.len() < 64 {
        match tokio::time::timeout(Duration::from_secs(5), transport.receive()).await {
            Ok(Incoming::Frame(frame)) => heard.push(String::from_utf8_lossy(&frame).into_owned()),
            Ok(Incoming::RequestFailed { .. }) => {
                heard.push("failed".to_owned());
                break;
            }
            Ok(Incoming::Closed(_) | Incoming::SessionLost) => break,
            Ok(_) => {}
            // A request that was answered has no other end.
            Err(_) => panic!("nothing was heard for five seconds after {heard:?}"),
        }
        if heard.last().is_some_and(|frame| frame.contains("\"id\"")) {
            break;
        }
    }
    heard
}

async fn answer(listener: &TcpListener, pieces: &[&[u8]]) {
    let Ok((mut stream, _)) = listener.accept().await else { return };
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).await;
    for piece in pieces {
        if stream.write_all(piece).await.is_err() || stream.flush().await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    let _ = stream.shutdown().await;
}
