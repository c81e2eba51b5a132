//! A session against a server that follows a script. Time is paused, so a wait costs nothing and a promise
//! about time is checked to the millisecond.

#![allow(clippy::disallowed_methods, reason = "these tests speak to sessions directly")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod inbound;
mod listing;
mod matching;
mod opening;
mod progress;

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::Implementation;
use vestibule_session::{Era, SessionEvent, SessionHandle, SessionOptions, open};
use vestibule_transport::{Incoming, MemoryPeer, pair};

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
        era: Era::Legacy,
        ..SessionOptions::new(client)
    }
}

type Events = mpsc::Receiver<SessionEvent>;

async fn opened_with(
    options: SessionOptions,
    revision: Revision,
    queue: usize,
) -> (SessionHandle, Server, Events) {
    let (transport, peer) = pair();
    let mut server = Server(peer);
    let (events, inbox) = mpsc::channel(queue);
    let serve = async {
        let (id, _) = server.expect("initialize").await;
        let result = json!({"protocolVersion": revision, "serverInfo": {"name": "s", "version": "1"},
            "capabilities": {"tools": {"listChanged": true}, "logging": {}}});
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

async fn oddity(events: &mut Events) -> String {
    match event(events).await {
        SessionEvent::Oddity(what) => what,
        other => panic!("an oddity was expected, not {other:?}"),
    }
}

fn no_arguments() -> Map<String, Value> {
    Map::new()
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}
