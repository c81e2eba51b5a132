//! One connection for many messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::model_answer::ModelAnswer;
use super::wires::over;
use super::*;

/// Keeps its connections open, as real endpoints do, and sends the end of a body late.
async fn endpoint(wire: Wire) -> (Url, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = Url::parse(&format!("http://{}/v1", listener.local_addr().unwrap())).unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(serve(stream, wire));
        }
    });
    (base, connections)
}

async fn serve(mut stream: TcpStream, wire: Wire) {
    // As real servers do; otherwise the end of a body waits for a delayed acknowledgement.
    stream.set_nodelay(true).unwrap();
    let mut bytes = vec![];
    while stream.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {
        let Some(request) = whole_request(&bytes) else {
            continue;
        };
        let shows = request.starts_with("POST /api/show ");
        bytes.clear();
        let body = if shows {
            "{}".to_owned()
        } else {
            body_of(&ModelAnswer::words("Hei").over(wire))
        };
        let kind = match (wire, shows) {
            (_, true) => "application/json",
            (Wire::Ollama, _) => "application/x-ndjson",
            _ => "text/event-stream",
        };
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n");
        let chunk = format!("{head}{:x}\r\n{body}\r\n", body.len());
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            return;
        }
        // The reader has its whole reply by now; the chunk that ends the body comes after it.
        tokio::task::yield_now().await;
        if stream.write_all(b"0\r\n\r\n").await.is_err() {
            return;
        }
    }
}

fn whole_request(bytes: &[u8]) -> Option<String> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length: usize = header(&head, "content-length").map_or(0, |text| text.parse().unwrap());
    (bytes.len() >= end + 4 + length).then_some(head)
}

fn body_of(steps: &[Step]) -> String {
    let text = |step: &Step| match step {
        Step::Send(bytes) => String::from_utf8(bytes.clone()).unwrap(),
        Step::Hold => String::new(),
    };
    steps[1..].iter().map(text).collect()
}

#[tokio::test]
async fn ten_messages_use_one_connection() {
    for wire in Wire::ALL {
        let (base, connections) = endpoint(wire).await;
        let patient = ModelLimits {
            linger: GUARD,
            settle: GUARD,
            ..ModelLimits::default()
        };
        let model = over(wire, &base).with_limits(patient);
        for message in 0..10 {
            let (events, error) = read(&model, hello()).await;
            assert_eq!(
                (text(&events).as_str(), error),
                ("Hei", None),
                "{wire:?}: {message}"
            );
        }
        assert_eq!(connections.load(Ordering::SeqCst), 1, "{wire:?}");
    }
}
