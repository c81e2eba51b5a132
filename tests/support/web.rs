//! A server at an address: the smallest one that speaks Streamable HTTP in the handshake era, with a switch for what
//! goes wrong. It answers one request a connection, so that closing it is noticed at once.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;

use crate::{canaries, text_result};

/// A server at an address on this computer. Dropping it ends it.
pub struct Web {
    address: SocketAddr,
    serving: JoinHandle<()>,
    said: Arc<Mutex<Said>>,
}

/// What it was sent, and how it answers.
#[derive(Default)]
struct Said {
    /// The tool of a server of the modern era; without one it is of the handshake era.
    modern: Option<Value>,
    headers: Vec<String>,
    methods: Vec<String>,
    refusal: Option<Refusal>,
    /// The one method that is answered with a status.
    refused: Option<(&'static str, u16)>,
    /// What the next call of a tool needs visited first.
    page: Option<String>,
    /// How many times it forgot all sessions, which is in the name of each.
    forgot: u32,
    /// What it answers where a session is named that it forgot; without it 404.
    forgotten: Option<Refusal>,
}

/// An answer that is no success: its status and its body.
type Refusal = (u16, &'static str);

impl Drop for Web {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Web {
    /// On a free port.
    pub async fn start() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap()).await
    }

    /// At an address where another one was.
    pub async fn at(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind(address).unwrap();
        let listener: TcpListener = socket.listen(64).unwrap();
        let address = listener.local_addr().unwrap();
        let said = Arc::<Mutex<Said>>::default();
        let heard = said.clone();
        let serving = tokio::spawn(async move {
            // Ended together with the listener, so that nobody is answered by a server that is gone.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(address, stream, heard.clone()));
            }
        });
        Self {
            address,
            serving,
            said,
        }
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to add.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// From now on everything is answered with this status.
    pub fn refuse(&self, status: Option<u16>) {
        self.said.lock().unwrap().refusal = status.map(|status| (status, ""));
    }

    /// From now on this method is answered with this status.
    pub fn refuse_only(&self, method: &'static str, status: u16) {
        self.said.lock().unwrap().refused = Some((method, status));
    }

    /// The next call of a tool is told that this page has to be visited first.
    pub fn need_page(&self, url: &str) {
        self.said.lock().unwrap().page = Some(url.to_owned());
    }

    /// It forgets all sessions, and answers 404 to each request that names one of them.
    pub fn forget(&self) {
        self.said.lock().unwrap().forgot += 1;
    }

    /// It forgets all sessions, and answers each request that names one of them with this status and this body.
    pub fn forget_with(&self, status: u16, body: &'static str) {
        let mut said = self.said.lock().unwrap();
        said.forgot += 1;
        said.forgotten = Some((status, body));
    }

    /// The lines of all headers so far.
    #[must_use]
    pub fn headers(&self) -> Vec<String> {
        self.said.lock().unwrap().headers.clone()
    }

    /// From now on is of the modern era, and lists this tool.
    pub fn be_modern(&self, tool: Value) {
        self.said.lock().unwrap().modern = Some(tool);
    }

    /// The methods of all messages so far.
    #[must_use]
    pub fn methods(&self) -> Vec<String> {
        self.said.lock().unwrap().methods.clone()
    }
}

async fn serve(own: SocketAddr, stream: TcpStream, said: Arc<Mutex<Said>>) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let (mut length, mut verb, mut named) = (0, String::new(), None);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        head.push_str(&line);
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if verb.is_empty() {
            verb = line.to_owned();
            continue;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if let Some(session) = line.to_ascii_lowercase().strip_prefix("mcp-session-id:") {
            named = Some(session.trim().to_owned());
        }
        said.lock().unwrap().headers.push(line.to_owned());
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).await.is_err() {
        return;
    }
    canaries::requested(&own.to_string(), head.as_bytes(), &body);
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (refused, page, session, modern) = {
        let mut said = said.lock().unwrap();
        let session = format!("session-{}", said.forgot);
        let is_forgotten = named.is_some_and(|named| named != session);
        said.methods.extend(message["method"].as_str().map(str::to_owned));
        let is_call = message["method"] == "tools/call";
        let refused = said.refused.filter(|(method, _)| message["method"] == *method);
        let refusal = refused.map(|(_, status)| (status, "")).or(said.refusal);
        let forgotten = is_forgotten.then(|| said.forgotten.unwrap_or((404, "")));
        let page = if is_call { said.page.take() } else { None };
        (refusal.or(forgotten), page, session, said.modern.clone())
    };
    let (status, body) = match refused {
        Some((status, body)) => (status, body.to_owned()),
        None if !verb.starts_with("POST") => (405, String::new()),
        None => match page {
            Some(url) => (200, page_needed(&message, &url)),
            None => match modern {
                Some(tool) => (200, modern_answer(&message, &tool)),
                None => answer(&message),
            },
        },
    };
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\nmcp-session-id: {session}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // A host that has gone does not read.
    let _ = writer.write_all(format!("{head}{body}").as_bytes()).await;
}

fn page_needed(message: &Value, url: &str) -> String {
    let page = json!({ "mode": "url", "elicitationId": "e-1", "url": url, "message": "Please sign in." });
    let data = json!({ "elicitations": [page] });
    let error = json!({ "code": -32042, "message": "Sign in first.", "data": data });
    json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string()
}

fn modern_answer(message: &Value, tool: &Value) -> String {
    let mut result = match message["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {} },
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "web", "version": "1" } },
        }),
        "tools/list" => json!({ "tools": [tool] }),
        "tools/call" => text_result("from afar"),
        _ => json!({}),
    };
    result["resultType"] = json!("complete");
    json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()
}

fn answer(message: &Value) -> (u16, String) {
    if message["id"].is_null() {
        return (202, String::new());
    }
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "web", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [crate::tool("read")] }),
        "tools/call" => text_result("from afar"),
        "ping" => json!({}),
        _ => {
            let error = json!({ "code": -32601, "message": "Method not found" });
            return (
                200,
                json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string(),
            );
        }
    };
    (
        200,
        json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string(),
    )
}
