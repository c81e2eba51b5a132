//! A model that says what a test tells it to: an endpoint of the common interface on this computer, over plain TCP, so
//! that broken answers are told as easily as good ones. It keeps every request.

mod claude;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::{canaries, soon};

/// The endpoint. It answers each request with the next turn; a request without one waits for it.
pub struct Model {
    pub base_url: String,
    turns: mpsc::UnboundedSender<Turn>,
    requests: mpsc::UnboundedReceiver<Value>,
    listing: Arc<Mutex<Option<String>>>,
    heads: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

pub struct Turn(Vec<Part>);

enum Part {
    Bytes(Vec<u8>),
    /// Nothing more until the test says so, or until the host hangs up.
    Until(oneshot::Receiver<()>),
}

impl Turn {
    #[must_use]
    pub fn words(text: &str) -> Self {
        Self::chunks(&[delta(json!({ "content": text })), finish("stop")])
    }

    /// These calls (id, tool, arguments as the model writes them), after a few words.
    #[must_use]
    pub fn calls(calls: &[(&str, &str, &str)]) -> Self {
        Self::broken_off(calls, "tool_calls")
    }

    /// The same, ended for this reason.
    #[must_use]
    pub fn broken_off(calls: &[(&str, &str, &str)], reason: &str) -> Self {
        let mut chunks = vec![delta(json!({ "content": "Let me see." }))];
        for (index, (id, name, arguments)) in calls.iter().enumerate() {
            let function = json!({ "name": name, "arguments": arguments });
            let call = json!({ "index": index, "id": id, "type": "function", "function": function });
            chunks.push(delta(json!({ "tool_calls": [call] })));
        }
        chunks.push(finish(reason));
        Self::chunks(&chunks)
    }

    #[must_use]
    pub fn call(id: &str, name: &str, arguments: Value) -> Self {
        Self::calls(&[(id, name, &arguments.to_string())])
    }

    /// One call after a thought that the vendor signed: the thought goes back in words, as DeepSeek wants it, and the
    /// signature beside the call, as Google does.
    #[must_use]
    pub fn signed_call(thought: &str, signature: &str, id: &str, name: &str, arguments: &Value) -> Self {
        let call = json!({
            "index": 0,
            "id": id,
            "type": "function",
            "function": { "name": name, "arguments": arguments.to_string() },
            "extra_content": { "google": { "thought_signature": signature } },
        });
        Self::chunks(&[
            delta(json!({ "reasoning_content": thought })),
            delta(json!({ "tool_calls": [call] })),
            finish("tool_calls"),
        ])
    }

    /// These words, with what the server counted: tokens read, of those from its cache, and written.
    #[must_use]
    pub fn counted(text: &str, read: u64, cached: u64, written: u64) -> Self {
        Self::ended(text, "stop", read, cached, written)
    }

    /// The same, ended by a limit of tokens.
    #[must_use]
    pub fn full(text: &str, read: u64, written: u64) -> Self {
        Self::ended(text, "length", read, 0, written)
    }

    /// These words, ended by a limit of tokens, from a server that counts nothing.
    #[must_use]
    pub fn limited(text: &str) -> Self {
        Self::chunks(&[delta(json!({ "content": text })), finish("length")])
    }

    /// These words, after which the vendor's content filter ended the answer.
    #[must_use]
    pub fn withheld(text: &str) -> Self {
        Self::chunks(&[delta(json!({ "content": text })), finish("content_filter")])
    }

    fn ended(text: &str, reason: &str, read: u64, cached: u64, written: u64) -> Self {
        let usage = json!({ "object": "chat.completion.chunk", "choices": [], "usage": {
            "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written,
            "prompt_tokens_details": { "cached_tokens": cached },
        } });
        Self::chunks(&[delta(json!({ "content": text })), finish(reason), usage])
    }

    /// Some words, then nothing until the sender is used; then the rest and the end.
    #[must_use]
    pub fn halting(before: &str, after: &str) -> (Self, oneshot::Sender<()>) {
        let (go_on, wait) = oneshot::channel();
        let first = event(&delta(json!({ "content": before })));
        let rest = [delta(json!({ "content": after })), finish("stop")];
        let rest = rest.iter().map(event).collect::<String>() + "data: [DONE]\n\n";
        let turn = Self(vec![
            Part::Bytes(stream_head()),
            Part::Bytes(first.into_bytes()),
            Part::Until(wait),
            Part::Bytes(rest.into_bytes()),
        ]);
        (turn, go_on)
    }

    /// Some words, and then the connection breaks off.
    #[must_use]
    pub fn cut(words: &str) -> Self {
        let words = event(&delta(json!({ "content": words })));
        Self(vec![Part::Bytes(stream_head()), Part::Bytes(words.into_bytes())])
    }

    /// A refusal with a status line, headers (each ending in CRLF) and a body.
    #[must_use]
    pub fn refusal(status: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        let text = format!(
            "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        Self(vec![Part::Bytes(text.into_bytes())])
    }

    fn chunks(chunks: &[Value]) -> Self {
        let body = chunks.iter().map(event).collect::<String>() + "data: [DONE]\n\n";
        Self(vec![Part::Bytes(stream_head()), Part::Bytes(body.into_bytes())])
    }
}

impl Model {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (turns, scripted) = mpsc::unbounded_channel();
        let (record, requests) = mpsc::unbounded_channel();
        let listing: Arc<Mutex<Option<String>>> = Arc::default();
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let endpoint = Endpoint {
            own: base_url.clone(),
            turns: Arc::new(Mutex::new(scripted)),
            record,
            listing: listing.clone(),
            heads: heads.clone(),
        };
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(endpoint.clone(), stream));
            }
        });
        Self {
            base_url,
            turns,
            requests,
            listing,
            heads,
            serving,
        }
    }

    /// Whether no request came that was not looked at.
    #[must_use]
    pub fn is_unasked(&self) -> bool {
        self.requests.is_empty()
    }

    pub fn will(&self, turn: Turn) {
        // Fails only when nobody asks any more, which the test then notices.
        let _ = self.turns.send(turn);
    }

    /// From now on gives this list of models. Requests for it are not kept.
    pub async fn lists(&self, listing: impl Into<String>) {
        *self.listing.lock().await = Some(listing.into());
    }

    /// The head of each request so far, in small letters.
    pub async fn heads(&self) -> Vec<String> {
        self.heads.lock().await.clone()
    }

    /// The next request: what the host told the model.
    pub async fn asked(&mut self) -> Value {
        soon("the host asks the model", self.requests.recv())
            .await
            .unwrap()
    }

    /// Stops listening: nothing answers at the address any more.
    pub async fn stop(&mut self) {
        self.serving.abort();
        let _ = (&mut self.serving).await;
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The tools a request offers, by name.
#[must_use]
pub fn tool_names(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().cloned().unwrap_or_default();
    let name = |tool: &Value| tool["function"]["name"].as_str().unwrap().to_owned();
    tools.iter().map(name).collect()
}

/// The results a request tells of, as (call, text).
#[must_use]
pub fn results(request: &Value) -> Vec<(String, String)> {
    let messages = request["messages"].as_array().unwrap();
    let of_tool = messages.iter().filter(|message| message["role"] == "tool");
    of_tool
        .map(|message| {
            let call = message["tool_call_id"].as_str().unwrap_or_default();
            (call.to_owned(), said(&message["content"]))
        })
        .collect()
}

/// Content is a text or a list of parts.
fn said(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        other => other.to_string(),
    }
}

/// What each connection to the endpoint uses.
#[derive(Clone)]
struct Endpoint {
    own: String,
    turns: Arc<Mutex<mpsc::UnboundedReceiver<Turn>>>,
    record: mpsc::UnboundedSender<Value>,
    listing: Arc<Mutex<Option<String>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

async fn serve(endpoint: Endpoint, mut stream: TcpStream) {
    let Some((head, request)) = read_request(&endpoint.own, &mut stream).await else {
        return;
    };
    endpoint.heads.lock().await.push(head.clone());
    if head.starts_with("get ") {
        answer_listing(&endpoint.listing, &mut stream).await;
        return;
    }
    let _ = endpoint.record.send(request);
    let Some(Turn(parts)) = endpoint.turns.lock().await.recv().await else {
        return;
    };
    for part in parts {
        match part {
            // The host may hang up at any time; that is what some tests are about.
            Part::Bytes(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Part::Until(go_on) => {
                let mut rest = [0; 16];
                tokio::select! {
                    said = go_on => if said.is_err() { return },
                    _ = stream.read(&mut rest) => return,
                }
            }
        }
    }
    let _ = stream.shutdown().await;
}

/// Answers with the list of models, or that there is none.
async fn answer_listing(listing: &Mutex<Option<String>>, stream: &mut TcpStream) {
    let listing = listing.lock().await.clone();
    let (status, body) = match &listing {
        Some(body) => ("200 OK", body.as_str()),
        None => ("404 Not Found", ""),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    let said = async {
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await
    };
    // The host hangs up where a list is longer than it reads.
    if said.await.is_ok() {
        let _ = stream.shutdown().await;
    }
}

/// The head of a request in small letters, and its body.
async fn read_request(own: &str, stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let small = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = small
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"))
                .and_then(|text| text.trim().parse().ok())
                .unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                let (head, body) = bytes.split_at(end + 4);
                canaries::requested(own, head, body);
                let body = serde_json::from_slice(&bytes[end + 4..]).unwrap_or(Value::Null);
                return Some((small, body));
            }
        }
        match stream.read(&mut buffer).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&buffer[..read]),
            _ => return None,
        }
    }
}

fn stream_head() -> Vec<u8> {
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec()
}

fn event(chunk: &Value) -> String {
    format!("data: {chunk}\n\n")
}

fn delta(delta: Value) -> Value {
    json!({ "id": "r1", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta }] })
}

fn finish(reason: &str) -> Value {
    let choice = json!({ "index": 0, "delta": {}, "finish_reason": reason });
    json!({ "id": "r1", "object": "chat.completion.chunk", "choices": [choice] })
}
