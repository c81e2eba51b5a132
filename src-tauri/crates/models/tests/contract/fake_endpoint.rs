//! A model endpoint that says exactly what a test tells it to, byte for byte, over plain TCP.
//!
//! It knows no HTTP library, so that broken answers can be told as easily as good ones. Every request is recorded,
//! and a test can wait for the moment at which the client hangs up.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use url::Url;

/// One step of an answer.
pub(crate) enum Step {
    Send(Vec<u8>),
    /// Keep the connection open, sending nothing, until the client hangs up.
    Hold,
}

/// A request as it arrived.
pub(crate) struct Recorded {
    /// The request line and headers.
    pub(crate) head: String,
    /// The body; `Null` when there was none.
    pub(crate) body: Value,
}

/// The endpoint. Answers connections in order, one answer each; then it closes at once.
pub(crate) struct FakeEndpoint {
    pub(crate) base: Url,
    pub(crate) requests: mpsc::UnboundedReceiver<Recorded>,
    /// One message for every connection the client closed while the endpoint was holding it.
    pub(crate) hang_ups: mpsc::UnboundedReceiver<()>,
}

/// Chooses the answer to a request.
pub(crate) type Answerer = Box<dyn FnMut(&Recorded) -> Vec<Step> + Send>;

impl FakeEndpoint {
    pub(crate) async fn start(answers: impl IntoIterator<Item = Vec<Step>>) -> Self {
        let mut answers: VecDeque<_> = answers.into_iter().collect();
        Self::answering(Box::new(move |_| answers.pop_front().unwrap_or_default())).await
    }

    /// One that looks at each request before it answers.
    pub(crate) async fn answering(answerer: Answerer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = Url::parse(&format!("http://{}/v1", listener.local_addr().unwrap())).unwrap();
        let (record, requests) = mpsc::unbounded_channel();
        let (hung_up, hang_ups) = mpsc::unbounded_channel();
        let answerer = Arc::new(Mutex::new(answerer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answerer.clone(), record.clone(), hung_up.clone()));
            }
        });
        Self {
            base,
            requests,
            hang_ups,
        }
    }
}

async fn serve(
    mut stream: TcpStream,
    answerer: Arc<Mutex<Answerer>>,
    record: mpsc::UnboundedSender<Recorded>,
    hung_up: mpsc::UnboundedSender<()>,
) {
    let Some(request) = read_request(&mut stream).await else {
        return;
    };
    let answer = answerer.lock().unwrap()(&request);
    let _ = record.send(request);
    for step in answer {
        match step {
            // The client may hang up at any time; that is what some tests are about.
            Step::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    let _ = hung_up.send(());
                    return;
                }
            }
            Step::Hold => {
                let mut rest = [0; 16];
                while matches!(stream.read(&mut rest).await, Ok(read) if read > 0) {}
                let _ = hung_up.send(());
                return;
            }
        }
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> Option<Recorded> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = header(&head, "content-length")
                .and_then(|text| text.parse().ok())
                .unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                let body = serde_json::from_slice(&bytes[end + 4..]).unwrap_or(Value::Null);
                return Some(Recorded { head, body });
            }
        }
        match stream.read(&mut buffer).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&buffer[..read]),
            _ => return None,
        }
    }
}

/// The value of a header in a recorded head.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().skip(1).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// The head of a streaming answer that ends when the connection does.
pub(crate) fn stream_head() -> Step {
    send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
}

/// A whole answer with a status, headers (each ending in CRLF) and a body.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![send(&format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    ))]
}

/// A whole stream of these chunks, each a JSON document, then `[DONE]`.
pub(crate) fn stream(chunks: &[Value]) -> Vec<Step> {
    let events: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    vec![stream_head(), send(&events), send("data: [DONE]\n\n")]
}

pub(crate) fn send(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

/// A chunk of Chat Completions with these choices.
pub(crate) fn chunk(choices: &[Value]) -> Value {
    json!({ "id": "r1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices })
}

/// A chunk with this delta.
pub(crate) fn delta(delta: Value) -> Value {
    chunk(&[json!({ "index": 0, "delta": delta })])
}

/// A chunk that ends the reply.
pub(crate) fn finish(reason: &str) -> Value {
    chunk(&[json!({ "index": 0, "delta": {}, "finish_reason": reason })])
}

/// A delta with one fragment of a call; `Null` members are left out.
pub(crate) fn fragment(index: Value, id: Value, name: Value, arguments: &str) -> Value {
    let mut call = json!({ "type": "function", "function": { "arguments": arguments } });
    for (pointer, value) in [("index", index), ("id", id)] {
        if !value.is_null() {
            call[pointer] = value;
        }
    }
    if !name.is_null() {
        call["function"]["name"] = name;
    }
    delta(json!({ "tool_calls": [call] }))
}
