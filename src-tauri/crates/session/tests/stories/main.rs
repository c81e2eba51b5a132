//! A session against a server that follows a script. Time is paused, so a wait costs nothing and a promise
//! about time is checked to the millisecond.

#![allow(clippy::disallowed_methods, reason = "these tests speak to sessions directly")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod asked;
mod calls;
mod changes;
mod changes_refused;
mod changes_renewed;
mod elicitation;
mod envelope;
mod era;
mod era_over_http;
mod features;
mod headers;
mod health;
mod hostile;
mod inbound;
mod listing;
mod matching;
mod opening;
mod pages_to_visit;
mod progress;
mod promises;
mod rounds;
mod rounds_signed;
mod sampling;
mod task_extension;
mod tasks;

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::Implementation;
use vestibule_session::{
    EraChoice, Responder, ServerRequest, SessionEvent, SessionHandle, SessionOptions, open,
};
use vestibule_transport::{Incoming, MemoryPeer, RequestFailure, Sent, Wire, pair};

/// Far beyond every wait of a session; in paused time it passes at once when nothing else can happen.
const BOUND: Duration = Duration::from_secs(100_000);

/// The server's side of a connection.
struct Server(MemoryPeer);

impl Server {
    async fn read(&mut self) -> Value {
        let frame = timeout(BOUND, self.0.read())
            .await
            .expect("a message in time")
            .expect("an open connection");
        serde_json::from_slice(&frame).unwrap()
    }

    /// The next message, which must be of this method; its id and parameters.
    async fn expect(&mut self, method: &str) -> (Value, Value) {
        let message = self.read().await;
        assert_eq!(message["method"], method, "{message}");
        (message["id"].clone(), message["params"].clone())
    }

    async fn say(&self, message: Value) {
        assert!(self.0.write(message.to_string()).await, "the connection is open");
    }

    async fn raw(&self, text: &str) {
        assert!(self.0.write(text.to_owned()).await, "the connection is open");
    }

    async fn junk(&self) {
        let junk = Incoming::Junk {
            reason: "a long line".into(),
            sample: "xxx".into(),
        };
        assert!(self.0.hand_over(junk).await, "the connection is open");
    }

    async fn answer(&self, id: &Value, result: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    async fn tell(&self, method: &str, params: Value) {
        self.say(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    async fn ask(&self, id: impl Into<Value>, method: &str, params: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params}))
            .await;
    }

    /// Nothing more arrives, though everything that could happen has happened.
    async fn expect_silence(&mut self) {
        self.ask("silence", "ping", json!({})).await;
        let next = self.read().await;
        assert_eq!(
            next,
            json!({"jsonrpc": "2.0", "id": "silence", "result": {}}),
            "something was sent"
        );
    }

    /// As [`expect_silence`](Self::expect_silence), of a modern session, which answers nothing.
    async fn expect_nothing(&mut self, handle: &SessionHandle) {
        let serve = async {
            let (id, _) = self.expect("server/discover").await;
            self.answer(&id, discovery(json!({}))).await;
        };
        tokio::join!(handle.ping(), serve).0.unwrap();
    }

    async fn refuse(&self, id: &Value, error: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": id, "error": error}))
            .await;
    }

    /// Tells of something under the name of a listening request.
    async fn tell_under(&self, subscription: &Value, method: &str, mut params: Value) {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": subscription});
        self.tell(method, params).await;
    }

    /// This request gets no answer.
    async fn fail(&self, id: &Value, failure: RequestFailure) {
        let id = serde_json::from_value(id.clone()).unwrap();
        let failed = Incoming::RequestFailed { id, failure };
        assert!(self.0.hand_over(failed).await, "the connection is open");
    }

    /// The next thing the session did with its wire.
    async fn sent(&mut self) -> Sent {
        timeout(BOUND, self.0.read_sent())
            .await
            .expect("something in time")
            .expect("an open connection")
    }

    async fn expect_end(&mut self) {
        assert_eq!(timeout(BOUND, self.0.read()).await.expect("an end in time"), None);
    }
}

fn options() -> SessionOptions {
    let client = Implementation {
        name: "test".into(),
        version: "1".into(),
        title: Some("Test".into()),
        website_url: Some("https://client.test".into()),
        ..Implementation::default()
    };
    let capabilities = json!({"roots": {"listChanged": true}, "sampling": {"tools": {}},
        "elicitation": {"form": {}, "url": {}}});
    SessionOptions {
        capabilities,
        era: EraChoice::Legacy,
        ..SessionOptions::new(client)
    }
}

type Events = mpsc::Receiver<SessionEvent>;

async fn opened_with(
    options: SessionOptions,
    revision: Revision,
    queue: usize,
) -> (SessionHandle, Server, Events) {
    let capabilities = json!({"tools": {"listChanged": true}, "logging": {}});
    legacy_over(options, revision, capabilities, queue).await
}

/// A legacy server that can do this.
async fn legacy_with(capabilities: Value, revision: Revision) -> (SessionHandle, Server, Events) {
    legacy_over(options(), revision, capabilities, 64).await
}

async fn legacy_over(
    options: SessionOptions,
    revision: Revision,
    capabilities: Value,
    queue: usize,
) -> (SessionHandle, Server, Events) {
    legacy_on(Wire::Stream, options, revision, capabilities, queue).await
}

async fn legacy_on(
    wire: Wire,
    options: SessionOptions,
    revision: Revision,
    capabilities: Value,
    queue: usize,
) -> (SessionHandle, Server, Events) {
    let (transport, peer) = pair();
    let transport = transport.with_wire(wire);
    let mut server = Server(peer);
    let (events, inbox) = mpsc::channel(queue);
    let serve = async {
        let (id, _) = server.expect("initialize").await;
        let result = json!({"protocolVersion": revision, "serverInfo": {"name": "s", "version": "1"},
            "capabilities": capabilities});
        server.answer(&id, result).await;
        server.expect("notifications/initialized").await;
    };
    let (handle, ()) = tokio::join!(open(Box::new(transport), options, events), serve);
    (handle.unwrap(), server, inbox)
}

async fn opened() -> (SessionHandle, Server, Events) {
    opened_with(options(), Revision::NEWEST_HANDSHAKE, 64).await
}

async fn event(events: &mut Events) -> SessionEvent {
    timeout(BOUND, events.recv())
        .await
        .expect("an event in time")
        .expect("a session that goes on")
}

async fn request(events: &mut Events) -> (ServerRequest, Responder) {
    match event(events).await {
        SessionEvent::Request { request, reply } => (request, reply),
        other => panic!("a request was expected, not {other:?}"),
    }
}

async fn oddity(events: &mut Events) -> String {
    match event(events).await {
        SessionEvent::Oddity(what) => what,
        other => panic!("an oddity was expected, not {other:?}"),
    }
}

/// What a modern server answers to being discovered.
fn discovery(capabilities: Value) -> Value {
    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
        "ttlMs": 1000, "cacheScope": "public", "instructions": "be kind",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}})
}

async fn modern_over(
    wire: Wire,
    options: SessionOptions,
    capabilities: Value,
) -> (SessionHandle, Server, Events) {
    let (transport, peer) = pair();
    let mut server = Server(peer);
    let (events, inbox) = mpsc::channel(64);
    let serve = async {
        let (id, _) = server.expect("server/discover").await;
        server.answer(&id, discovery(capabilities)).await;
    };
    let options = SessionOptions {
        era: EraChoice::Auto,
        ..options
    };
    let opening = open(Box::new(transport.with_wire(wire)), options, events);
    let (handle, ()) = tokio::join!(opening, serve);
    (handle.unwrap(), server, inbox)
}

/// A modern server over a stream that announces no changes.
async fn modern() -> (SessionHandle, Server, Events) {
    modern_over(
        Wire::Stream,
        options(),
        json!({"tools": {}, "logging": {}, "resources": {}, "prompts": {}}),
    )
    .await
}

fn no_arguments() -> Map<String, Value> {
    Map::new()
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}
