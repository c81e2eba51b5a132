//! A raw client over an in-memory pipe: it sends and reads JSON lines and knows nothing else.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;

/// Longer than anything in these tests takes; time is paused, so it only ends a test that hangs.
const GUARD: std::time::Duration = std::time::Duration::from_secs(7200);

pub(crate) struct Client {
    to: Option<DuplexStream>,
    from: Lines<BufReader<DuplexStream>>,
    pub(crate) server: JoinHandle<std::io::Result<()>>,
    next: u64,
}

impl Client {
    /// Connects without opening a session.
    pub(crate) fn connect() -> Self {
        let (to, reader) = tokio::io::duplex(64 * 1024);
        let (writer, from) = tokio::io::duplex(64 * 1024);
        let server = tokio::spawn(vestibule_tour::serve(reader, writer));
        Self {
            to: Some(to),
            from: BufReader::new(from).lines(),
            server,
            next: 100,
        }
    }

    /// Connects and opens a session; returns the result of `initialize` as well.
    pub(crate) async fn open(revision: &str, capabilities: Value) -> (Self, Value) {
        let mut client = Self::connect();
        let params = json!({ "protocolVersion": revision, "capabilities": capabilities,
            "clientInfo": { "name": "raw", "version": "0" } });
        let reply = client.request("initialize", params).await;
        client
            .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        (client, reply["result"].clone())
    }

    /// A session of the newest revision that can do everything.
    pub(crate) async fn able() -> Self {
        let everything = json!({ "sampling": {}, "roots": {}, "elicitation": { "form": {}, "url": {} } });
        Self::open("2025-11-25", everything).await.0
    }

    pub(crate) async fn raw(&mut self, line: &str) {
        let to = self.to.as_mut().expect("the input is open");
        to.write_all(line.as_bytes()).await.expect("the server reads");
        to.write_all(b"\n").await.expect("the server reads");
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.raw(&message.to_string()).await;
    }

    /// The next message, or `None` when the server has closed.
    pub(crate) async fn read(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(GUARD, self.from.next_line())
            .await
            .expect("the server answers");
        line.expect("the pipe works")
            .map(|line| serde_json::from_str(&line).expect("a line is JSON"))
    }

    pub(crate) async fn expect(&mut self) -> Value {
        self.read().await.expect("the server is still there")
    }

    /// Sends a request and returns its id.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    /// Sends a request and returns the very next message, which must be its reply.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        let reply = self.expect().await;
        assert_eq!(reply["id"], id, "{reply}");
        reply
    }

    /// Starts a call without waiting for anything.
    pub(crate) async fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.start("tools/call", json!({ "name": tool, "arguments": arguments }))
            .await
    }

    /// Calls a tool and returns its result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments).await;
        let reply = self.expect().await;
        assert_eq!(reply["id"], id, "{reply}");
        reply["result"].clone()
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
            .await;
    }

    /// Closes the server's input.
    pub(crate) fn close(&mut self) {
        self.to = None;
    }
}

/// The text of the first content block.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}
