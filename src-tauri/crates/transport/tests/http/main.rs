//! HTTP against servers that follow a script: each request arrives in the test, which answers it as it likes.
//! Limits are short where a test waits for one; nothing here sleeps.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests speak to transports directly"
)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod beside;
mod hostile;
mod legacy;
mod listening;
mod modern;
mod old;
mod peer;
mod reach;
mod redirects;
mod signed;
mod streams;
mod tls;

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use vestibule_egress::{Egress, NetworkReach};
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RequestId;
use vestibule_transport::http::{HttpLimits, HttpOptions, HttpTransport, HttpVariant};
use vestibule_transport::{Incoming, Outgoing, OutgoingKind, RequestFailure, Transport};

/// Only a bound against hanging; nothing waits this long when all is well.
const BOUND: Duration = Duration::from_secs(20);
const SECRET: &str = "Bearer the-secret";

/// A server whose every answer is written by the test.
struct Server {
    address: String,
    asked: mpsc::UnboundedReceiver<Asked>,
    /// A request that came already.
    kept: Option<Asked>,
}

/// A request that waits for its answer.
struct Asked {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Bytes,
    reply: oneshot::Sender<Response>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, asked) = mpsc::unbounded_channel();
        let router = Router::new().fallback(pass_on).with_state(sender);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            address,
            asked,
            kept: None,
        }
    }

    async fn next(&mut self) -> Asked {
        if let Some(asked) = self.kept.take() {
            return asked;
        }
        timeout(BOUND, self.asked.recv())
            .await
            .expect("a request in time")
            .unwrap()
    }

    /// The next request, which must be of this kind.
    async fn expect(&mut self, method: Method, path: &str) -> Asked {
        let asked = self.next().await;
        assert_eq!((&asked.method, asked.path.as_str()), (&method, path));
        asked
    }

    async fn expect_post(&mut self, method: &str) -> Asked {
        let asked = self.expect(Method::POST, "/mcp").await;
        assert_eq!(asked.json()["method"], method);
        asked
    }

    fn is_quiet(&mut self) -> bool {
        self.kept.is_none() && self.asked.try_recv().is_err()
    }
}

async fn pass_on(State(sender): State<mpsc::UnboundedSender<Asked>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 26).await.unwrap();
    let (reply, answer) = oneshot::channel();
    let asked = Asked {
        method: parts.method,
        path: parts
            .uri
            .path_and_query()
            .map(ToString::to_string)
            .unwrap_or_default(),
        headers: parts.headers,
        body,
        reply,
    };
    sender.send(asked).unwrap();
    answer
        .await
        .unwrap_or_else(|_| status(500).body(Body::empty()).unwrap())
}

fn status(code: u16) -> axum::http::response::Builder {
    Response::builder().status(StatusCode::from_u16(code).unwrap())
}

impl Asked {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    fn names(&self) -> HashSet<String> {
        self.headers.keys().map(ToString::to_string).collect()
    }

    fn answer(self, response: Response) {
        // The client may have gone; the test says where that matters.
        let _ = self.reply.send(response);
    }

    fn accept(self) {
        self.answer(status(202).body(Body::empty()).unwrap());
    }

    fn refuse(self, code: u16, body: &str) {
        self.answer(status(code).body(Body::from(body.to_owned())).unwrap());
    }

    fn answer_json(self, value: &Value) {
        let response = status(200).header("content-type", "application/json; charset=utf-8");
        self.answer(response.body(Body::from(value.to_string())).unwrap());
    }

    fn answer_result(self) {
        let id = self.json()["id"].clone();
        self.answer_json(&json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }

    fn answer_stream(self) -> Feed {
        let (feed, food) = mpsc::channel::<Result<Bytes, Infallible>>(1);
        let food = futures::stream::unfold(food, |mut food| async { Some((food.recv().await?, food)) });
        let response = status(200).header("content-type", "text/event-stream");
        self.answer(response.body(Body::from_stream(food)).unwrap());
        Feed(feed)
    }
}

/// An event stream that is written by hand. Dropping it ends the stream.
struct Feed(mpsc::Sender<Result<Bytes, Infallible>>);

impl Feed {
    async fn raw(&self, text: impl Into<Bytes>) -> bool {
        timeout(BOUND, self.0.send(Ok(text.into())))
            .await
            .expect("somebody reads or has gone")
            .is_ok()
    }

    async fn say(&self, message: &Value) {
        assert!(
            self.raw(format!("data: {message}\n\n")).await,
            "the stream is open"
        );
    }

    async fn event(&self, id: &str, message: &Value) {
        assert!(
            self.raw(format!("id: {id}\ndata: {message}\n\n")).await,
            "the stream is open"
        );
    }

    /// Waits until the other side has closed the stream.
    async fn closed(&self) {
        timeout(BOUND, self.0.closed())
            .await
            .expect("the stream is closed in time");
    }
}

fn limits() -> HttpLimits {
    HttpLimits {
        first_pause: Duration::from_millis(20),
        attempts: 3,
        last_words: Duration::from_millis(50),
        ..HttpLimits::default()
    }
}

fn transport(address: &str, shape: HttpVariant, limits: HttpLimits) -> HttpTransport {
    let address: url::Url = address.parse().unwrap();
    let egress = Egress::new(&address, NetworkReach::for_server(&address)).unwrap();
    with_egress(egress, address, shape, limits)
}

/// Over whatever way leads there.
fn along(address: &str, route: &vestibule_egress::Route) -> HttpTransport {
    let address: url::Url = address.parse().unwrap();
    let egress = Egress::along(&address, route).unwrap();
    with_egress(egress, address, HttpVariant::Streamable, limits())
}

fn with_egress(egress: Egress, address: url::Url, shape: HttpVariant, limits: HttpLimits) -> HttpTransport {
    let (_, authorization) = tokio::sync::watch::channel(Some(SECRET.to_owned().into()));
    let options = HttpOptions {
        address,
        headers: vec![("X-Api-Key".into(), "the-key".to_owned().into())],
        authorization: Some(authorization.into()),
        shape,
        limits,
    };
    HttpTransport::new(options, egress).unwrap()
}

async fn started() -> (HttpTransport, Server) {
    started_with(limits()).await
}

async fn started_with(limits: HttpLimits) -> (HttpTransport, Server) {
    let server = Server::start().await;
    (
        transport(&format!("{}/mcp", server.address), HttpVariant::Either, limits),
        server,
    )
}

/// With a session of this revision; the server does not offer to be listened to.
async fn opened(revision: Revision) -> (HttpTransport, Server) {
    let (mut client, mut server) = started().await;
    open(&mut client, &mut server, revision).await;
    server.expect(Method::GET, "/mcp").await.refuse(405, "");
    (client, server)
}

/// Opens up to the stream that is listened to.
async fn open(client: &mut HttpTransport, server: &mut Server, revision: Revision) {
    client.send(opening(1)).unwrap();
    let serve = async {
        let asked = server.expect_post("initialize").await;
        let response = status(200)
            .header("content-type", "application/json")
            .header("mcp-session-id", "session-1");
        let body = json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string();
        asked.answer(response.body(Body::from(body)).unwrap());
    };
    let (answer, ()) = tokio::join!(frame(client), serve);
    assert_eq!(answer["id"], 1);
    client.agreed(revision);
    client.send(notification("notifications/initialized")).unwrap();
    let asked = alongside(client, server.expect_post("notifications/initialized")).await;
    asked.accept();
    // Only a client that is driven sees that it was taken.
    server.kept = Some(alongside(client, server.next()).await);
}

/// Runs something while the transport is driven, which must have nothing to say meanwhile.
async fn alongside<T>(client: &mut HttpTransport, work: impl Future<Output = T>) -> T {
    tokio::select! {
        done = timeout(BOUND, work) => done.expect("done in time"),
        said = client.receive() => panic!("said {said:?}"),
    }
}

fn request(id: i64, method: &'static str) -> Outgoing {
    let frame = json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string();
    Outgoing::request(frame.into(), RequestId::Number(id), method)
}

fn opening(id: i64) -> Outgoing {
    let frame = json!({"jsonrpc": "2.0", "id": id, "method": "initialize"}).to_string();
    Outgoing::opening(frame.into(), RequestId::Number(id), "initialize")
}

fn notification(method: &'static str) -> Outgoing {
    let frame = json!({"jsonrpc": "2.0", "method": method}).to_string();
    Outgoing::notification(frame.into(), method)
}

fn modern_request(id: i64, method: &'static str, extra: &[(&str, &str)]) -> Outgoing {
    let mut outgoing = request(id, method);
    let fixed = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
    let all = fixed
        .iter()
        .chain(extra)
        .map(|(name, value)| ((*name).into(), (*value).into()));
    if let OutgoingKind::Request { headers, .. } = &mut outgoing.kind {
        headers.extend(all);
    }
    outgoing
}

async fn next(client: &mut HttpTransport) -> Incoming {
    timeout(BOUND, client.receive()).await.expect("something in time")
}

async fn frame(client: &mut HttpTransport) -> Value {
    match next(client).await {
        Incoming::Frame(frame) => serde_json::from_slice(&frame).unwrap(),
        other => panic!("{other:?} is no frame"),
    }
}

async fn failure(client: &mut HttpTransport, expected: i64) -> RequestFailure {
    match next(client).await {
        Incoming::RequestFailed { id, failure } => {
            assert_eq!(id, RequestId::Number(expected));
            failure
        }
        other => panic!("{other:?} is no failure"),
    }
}

/// Lets this time pass at once.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

fn result(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"n": id}})
}
