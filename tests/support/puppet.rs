//! A server whose every byte a test decides. The host starts a small program; the program does what comes over a
//! socket and hands on what the host writes. What a test does not read, the puppet does not read either.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixListener;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::{canaries, soon};

/// Where puppets of one server appear, one each time it is started.
pub struct Stage {
    listener: UnixListener,
    path: PathBuf,
}

pub struct Puppet {
    heard: Lines<BufReader<OwnedReadHalf>>,
    /// Answers of the host that nothing asked for yet.
    answers: Vec<Value>,
    strings: OwnedWriteHalf,
}

/// The definition of a tool that takes any object.
#[must_use]
pub fn tool(name: &str) -> Value {
    json!({ "name": name, "description": format!("Does {name}."), "inputSchema": { "type": "object" } })
}

/// A result with this text.
#[must_use]
pub fn text_result(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

impl Stage {
    /// A stage inside a folder.
    #[must_use]
    pub fn new(folder: &Path, name: &str) -> Self {
        let path = folder.join(format!("{name}.socket"));
        let listener = UnixListener::bind(&path).unwrap();
        Self { listener, path }
    }

    /// The arguments that make the server program a puppet of this stage.
    #[must_use]
    pub fn args(&self) -> Vec<String> {
        vec!["puppet".into(), self.path.display().to_string()]
    }

    /// Waits for the host to start the server.
    pub async fn puppet(&self) -> Puppet {
        let (stream, _) = soon("the host starts a server", self.listener.accept())
            .await
            .unwrap();
        let (heard, strings) = stream.into_split();
        Puppet {
            heard: BufReader::new(heard).lines(),
            answers: Vec::new(),
            strings,
        }
    }
}

impl Puppet {
    /// The next message of the host; `None` after its last.
    pub async fn next(&mut self) -> Option<Value> {
        let line = soon("the host writes or ends", self.heard.next_line()).await;
        // A puppet that was killed leaves a broken socket.
        let line = line.ok().flatten()?;
        canaries::requested("a server", &[], line.as_bytes());
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next message of this method; others before it are passed over. A puppet is a server of the handshake era:
    /// asked for the modern one, it knows no such method.
    ///
    /// # Panics
    /// When the host ends first.
    pub async fn hear(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await;
            let message = message.unwrap_or_else(|| panic!("the host ended before it sent {method}"));
            if message["method"] == method {
                return message;
            }
            if message["method"] == "server/discover" {
                let error = json!({ "code": -32601, "message": "Method not found" });
                self.say(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }))
                    .await;
            }
        }
    }

    /// The host's answer to a request of ours. Answers to other requests are kept, because the host answers in any order.
    ///
    /// # Panics
    /// When the host ends first.
    pub async fn hear_answer(&mut self, id: &Value) -> Value {
        if let Some(at) = self.answers.iter().position(|answer| answer["id"] == *id) {
            return self.answers.remove(at);
        }
        loop {
            let message = self.next().await;
            let message = message.unwrap_or_else(|| panic!("the host ended before it answered {id}"));
            if !message["method"].is_null() {
                continue;
            }
            if message["id"] == *id {
                return message;
            }
            self.answers.push(message);
        }
    }

    /// Opens the session and lists these tools.
    pub async fn greet(&mut self, tools: &[Value]) {
        self.open().await;
        let list = self.hear("tools/list").await;
        self.answer(&list, json!({ "tools": tools })).await;
    }

    pub async fn open(&mut self) {
        self.open_with(json!({ "tools": { "listChanged": true }, "logging": {} }))
            .await;
    }

    /// Opens the session as a server that declares this.
    pub async fn open_with(&mut self, capabilities: Value) {
        let hello = self.hear("initialize").await;
        let revision = hello["params"]["protocolVersion"].clone();
        let result = json!({
            "protocolVersion": revision,
            "capabilities": capabilities,
            "serverInfo": { "name": "puppet", "version": "1" },
        });
        self.answer(&hello, result).await;
        self.hear("notifications/initialized").await;
    }

    /// Opens the session with instructions for models, and lists these tools.
    pub async fn greet_with_instructions(&mut self, instructions: &str, tools: &[Value]) {
        let hello = self.hear("initialize").await;
        let result = json!({
            "protocolVersion": hello["params"]["protocolVersion"],
            "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "puppet", "version": "1" },
            "instructions": instructions,
        });
        self.answer(&hello, result).await;
        let list = self.hear("tools/list").await;
        self.answer(&list, json!({ "tools": tools })).await;
    }

    /// Says that it is of the modern era, and lists these tools.
    ///
    /// # Panics
    /// When the host does not ask for the era first.
    pub async fn greet_modern(&mut self, tools: &[Value]) {
        self.open_modern(json!({ "tools": {} })).await;
        let list = self.hear("tools/list").await;
        self.answer(&list, json!({ "resultType": "complete", "tools": tools }))
            .await;
    }

    /// Opens the session as a server of the modern era that declares this.
    ///
    /// # Panics
    /// When the host does not ask for the era first.
    pub async fn open_modern(&mut self, capabilities: Value) {
        let asked = self.next().await.unwrap();
        assert_eq!(asked["method"], "server/discover");
        let result = json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities,
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "puppet", "version": "1" } },
        });
        self.answer(&asked, result).await;
    }

    pub async fn answer(&mut self, request: &Value, result: Value) {
        self.say(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
            .await;
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        self.say(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Says that its tools changed, and lists these when it is asked.
    pub async fn change(&mut self, tools: &[Value]) {
        self.notify("notifications/tools/list_changed", json!({})).await;
        let list = self.hear("tools/list").await;
        self.answer(&list, json!({ "tools": tools })).await;
    }

    pub async fn say(&mut self, message: Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// Writes these bytes to its output.
    pub async fn write(&mut self, bytes: &[u8]) {
        self.order(b'O', bytes.len() as u64, bytes).await;
    }

    /// Writes these bytes to its error output.
    pub async fn write_error(&mut self, bytes: &[u8]) {
        self.order(b'E', bytes.len() as u64, bytes).await;
    }

    /// Ends with this code.
    pub async fn exit(&mut self, code: u8) {
        self.order(b'X', u64::from(code), &[]).await;
    }

    async fn order(&mut self, letter: u8, length: u64, bytes: &[u8]) {
        let mut order = vec![letter];
        order.extend(length.to_be_bytes());
        order.extend(bytes);
        // A host that ended its server cuts the strings; whoever then waits for an effect will say so.
        let _ = soon("the puppet obeys", self.strings.write_all(&order)).await;
    }
}
