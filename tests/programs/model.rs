//! Stands in for llama.cpp's server: it takes the same arguments and the key in the same variable, says on `/health` that
//! it still loads, and gives everyone with the key the same answer. A file with "broken" in its name does not load.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;

/// How often it says that it still loads.
const LOADING: u32 = 2;

const ANSWER: &str = concat!(
    r#"data: {"id":"r1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"From the file."}}]}"#,
    "\n\n",
    r#"data: {"id":"r1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    "\n\ndata: [DONE]\n\n",
);

pub(crate) fn serve(file: &str, address: &str) -> ExitCode {
    if file.contains("broken") {
        let _ = writeln!(io::stderr(), "error loading model: it is broken");
        return ExitCode::FAILURE;
    }
    let key = std::env::var("LLAMA_API_KEY").expect("a key");
    let listener = TcpListener::bind(address).expect("the port is free");
    let _ = writeln!(io::stdout(), "main: server is listening on http://{address}");
    let mut looks = 0;
    for stream in listener.incoming() {
        let mut stream = stream.expect("a connection");
        let Some(head) = read(&mut stream) else { continue };
        let (status, kind, body) = if head.starts_with("get /health ") {
            looks += 1;
            let status = if looks > LOADING { "200 OK" } else { "503 Loading" };
            (status, "application/json", "{}")
        } else if head.contains(&format!("authorization: bearer {key}")) {
            ("200 OK", "text/event-stream", ANSWER)
        } else {
            ("401 Unauthorized", "application/json", "{}")
        };
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}");
        // Who has hung up does not want the answer.
        let _ = write!(stream, "{head}\r\nconnection: close\r\n\r\n{body}");
    }
    ExitCode::SUCCESS
}

/// The head of a request in small letters, after its body was read as well; `None` where it broke off.
fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = vec![];
    let mut part = [0; 4096];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        let read = stream.read(&mut part).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&part[..read]);
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
    while bytes.len() < end + 4 + length {
        let read = stream.read(&mut part).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&part[..read]);
    }
    Some(head)
}
