//! Streamable HTTP by hand: HTTP/1.1, keep-alive, one thread that waits for all connections at once, so that neither a
//! thread nor a task a connection is part of what is measured.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};

use crate::answer::{Answer, Asked, Server, Sort, progress};

const LISTENER: Token = Token(0);
/// About how many bytes of a flood are one chunk.
const CHUNK: usize = 64 * 1024;

/// How the server behaves beyond the contract's defaults.
#[derive(Clone, Copy, Default)]
pub(crate) struct Habits {
    /// Answers every request with an event stream.
    pub(crate) streams: bool,
    /// Answers GET with a stream that stays open and silent.
    pub(crate) quiet_get: bool,
}

struct Service<'a> {
    server: &'a mut Server,
    habits: Habits,
    sessions: HashSet<String>,
    opened: usize,
    /// Answers that wait for their moment.
    later: Vec<(Instant, Token, Vec<u8>)>,
}

struct Connection {
    stream: TcpStream,
    input: Vec<u8>,
    out: Vec<u8>,
    written: usize,
}

/// The head of a request, as far as it is read.
#[derive(Default)]
struct Head<'a> {
    method: &'a str,
    path: &'a str,
    length: Option<usize>,
    session: &'a str,
    revision: &'a str,
    said_method: &'a str,
    said_name: &'a str,
    closes: bool,
}

pub(crate) fn serve(server: &mut Server, habits: Habits) -> io::Result<()> {
    let mut listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    println!("listening http://{}/mcp", listener.local_addr()?);
    let mut poll = Poll::new()?;
    poll.registry()
        .register(&mut listener, LISTENER, Interest::READABLE)?;
    let mut service = Service {
        server,
        habits,
        sessions: HashSet::new(),
        opened: 0,
        later: Vec::new(),
    };
    let mut connections: HashMap<Token, Connection> = HashMap::new();
    let (mut events, mut next) = (Events::with_capacity(1024), 1);
    let mut chunk = vec![0; CHUNK];
    loop {
        let due = service.later.iter().map(|(due, ..)| *due).min();
        poll.poll(
            &mut events,
            due.map(|due| due.saturating_duration_since(Instant::now())),
        )?;
        for event in &events {
            if event.token() == LISTENER {
                while let Ok((mut stream, _)) = listener.accept() {
                    let token = Token(next);
                    next += 1;
                    stream.set_nodelay(true)?;
                    poll.registry()
                        .register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
                    connections.insert(token, Connection::new(stream));
                }
            } else if let Some(connection) = connections.get_mut(&event.token())
                && connection.turn(&mut service, event.token(), &mut chunk).is_err()
            {
                connections.remove(&event.token());
            }
        }
        service.say_what_is_due(&mut connections);
    }
}

impl Connection {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            input: Vec::new(),
            out: Vec::new(),
            written: 0,
        }
    }

    /// Reads and answers what there is. An error ends the connection.
    fn turn(&mut self, service: &mut Service<'_>, token: Token, chunk: &mut [u8]) -> io::Result<()> {
        self.write()?;
        loop {
            match self.stream.read(chunk) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    self.input.extend_from_slice(&chunk[..count]);
                    self.answer_all(service, token)?;
                    // Less than there was room for: the rest comes with an event of its own.
                    if count < chunk.len() {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn answer_all(&mut self, service: &mut Service<'_>, token: Token) -> io::Result<()> {
        let mut used = 0;
        let mut closes = false;
        while let Some(end) = memchr::memmem::find(&self.input[used..], b"\r\n\r\n") {
            let head =
                std::str::from_utf8(&self.input[used..used + end]).map_err(|_| io::ErrorKind::InvalidData)?;
            let head = Head::read(head);
            let body = used + end + 4;
            let length = match head.length {
                Some(length) => length,
                None if head.method == "POST" => {
                    status(&mut self.out, "411 Length Required", "", b"");
                    break;
                }
                None => 0,
            };
            let Some(bytes) = self.input.get(body..body + length) else {
                break;
            };
            service.answer(&head, bytes, token, &mut self.out);
            closes |= head.closes;
            used = body + length;
        }
        self.input.drain(..used);
        self.write()?;
        if closes {
            Err(io::ErrorKind::ConnectionAborted.into())
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> io::Result<()> {
        while self.written < self.out.len() {
            match self.stream.write(&self.out[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.written = 0;
        Ok(())
    }
}

impl<'a> Head<'a> {
    fn read(text: &'a str) -> Self {
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let mut head = Self {
            method: words.next().unwrap_or_default(),
            path: words.next().unwrap_or_default(),
            ..Self::default()
        };
        for line in lines {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim();
            let is = |other: &str| name.eq_ignore_ascii_case(other);
            match name.len() {
                14 if is("content-length") => head.length = value.parse().ok(),
                14 if is("mcp-session-id") => head.session = value,
                20 if is("mcp-protocol-version") => head.revision = value,
                10 if is("mcp-method") => head.said_method = value,
                8 if is("mcp-name") => head.said_name = value,
                10 if is("connection") => head.closes = value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        head
    }
}

impl Service<'_> {
    fn answer(&mut self, head: &Head<'_>, body: &[u8], token: Token, out: &mut Vec<u8>) {
        match head.method {
            _ if head.path != "/mcp" => status(out, "404 Not Found", "", b""),
            "POST" => self.post(head, body, token, out),
            "GET" if self.habits.quiet_get => out.extend_from_slice(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
            ),
            "DELETE" if self.sessions.remove(head.session) => status(out, "200 OK", "", b""),
            "DELETE" => status(out, "404 Not Found", "", b""),
            _ => status(out, "405 Method Not Allowed", "", b""),
        }
    }

    fn post(&mut self, head: &Head<'_>, body: &[u8], token: Token, out: &mut Vec<u8>) {
        let Ok(asked) = serde_json::from_slice::<Asked<'_>>(body) else {
            return status(out, "400 Bad Request", "", b"");
        };
        let is_call = asked.method == "tools/call";
        if asked.is_modern() {
            let agrees = head.said_method == asked.method
                && head.revision == asked.revision()
                && (!is_call || head.said_name == asked.params.name);
            if !agrees && asked.id.is_some() {
                let id = asked.id.map_or("null", |id| id.get());
                let text = format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32020,"message":"headers and body differ"}}}}"#
                );
                return status(out, "400 Bad Request", JSON, text.as_bytes());
            }
        } else if asked.method != "initialize" {
            if head.session.is_empty() {
                return status(out, "400 Bad Request", "", b"");
            }
            if !self.sessions.contains(head.session) {
                return status(out, "404 Not Found", "", b"");
            }
        }
        match self.server.answer(&asked) {
            Answer::None => status(out, "202 Accepted", "", b""),
            Answer::One(Sort::Refused, text) => status(out, "400 Bad Request", JSON, text.as_bytes()),
            Answer::One(Sort::NoMethod, text) => status(out, "404 Not Found", JSON, text.as_bytes()),
            Answer::One(Sort::Opening, text) => {
                self.opened += 1;
                let id = format!("session-{}", self.opened);
                let header = format!("Mcp-Session-Id: {id}\r\n");
                self.sessions.insert(id);
                self.say(out, &header, &text);
            }
            Answer::One(Sort::Plain, text) => self.say(out, "", &text),
            Answer::Later(ms, text) => {
                let mut late = Vec::new();
                self.say(&mut late, "", &text);
                self.later
                    .push((Instant::now() + Duration::from_millis(ms), token, late));
            }
            Answer::Flood(count, about, text) => flood(out, count, &about, &text),
        }
    }

    fn say(&self, out: &mut Vec<u8>, header: &str, text: &str) {
        if self.habits.streams {
            begin_stream(out, header);
            chunk(out, format!("event: message\ndata: {text}\n\n").as_bytes());
            chunk(out, b"");
        } else {
            status(out, "200 OK", &format!("{JSON}{header}"), text.as_bytes());
        }
    }

    fn say_what_is_due(&mut self, connections: &mut HashMap<Token, Connection>) {
        let now = Instant::now();
        for (_, token, late) in self.later.extract_if(.., |(due, ..)| *due <= now) {
            if let Some(connection) = connections.get_mut(&token) {
                connection.out.extend_from_slice(&late);
                // A connection that is gone is found out when it is read.
                let _ = connection.write();
            }
        }
    }
}

const JSON: &str = "Content-Type: application/json\r\n";

fn status(out: &mut Vec<u8>, status: &str, headers: &str, body: &[u8]) {
    // Writing to memory does not fail.
    let _ = write!(
        out,
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    out.extend_from_slice(body);
}

fn begin_stream(out: &mut Vec<u8>, header: &str) {
    let _ = write!(
        out,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{header}Transfer-Encoding: chunked\r\n\r\n"
    );
}

fn chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    let _ = write!(out, "{:x}\r\n", bytes.len());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

fn flood(out: &mut Vec<u8>, count: usize, token: &str, text: &str) {
    begin_stream(out, "");
    let mut held = Vec::with_capacity(CHUNK + 256);
    for step in 1..=count {
        progress(
            &mut held,
            token,
            step..=step,
            count,
            ("event: message\ndata: ", "\n\n"),
        );
        if held.len() >= CHUNK {
            chunk(out, &held);
            held.clear();
        }
    }
    held.extend_from_slice(format!("event: message\ndata: {text}\n\n").as_bytes());
    chunk(out, &held);
    chunk(out, b"");
}
