//! The loop that reads the connection, and what all calls share.
//!
//! The loop never waits for a user or for a tool: requests that take time run as tasks of their own, so that a
//! cancellation, a ping or another call is always heard. It alone knows which calls run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, mpsc};
use tokio::task::{AbortHandle, JoinSet};

use crate::lines::{self, InputLine, Lines};
use crate::peer::Peer;
use crate::rpc::{self, ClientMessage, ErrorReply, RpcOutcome};
use crate::session::{Session, TourRevision};
use crate::{calls, prompts, resources, tools};

/// The most requests that run at once.
const MOST_RUNNING: usize = 64;
/// Messages that may wait for a slow reader before calls wait themselves.
const OUTBOX: usize = 256;

/// How long the last messages may take to leave.
const FLUSH: Duration = Duration::from_secs(5);

/// Log levels, least important first.
pub(crate) const LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// What all calls of one connection share.
pub(crate) struct Tour {
    pub(crate) peer: Peer,
    pub(crate) session: OnceLock<Session>,
    pub(crate) notebook: Mutex<BTreeMap<String, String>>,
    pub(crate) subscriptions: Mutex<BTreeSet<String>>,
    pub(crate) weather_changed: AtomicBool,
    pub(crate) crash: Notify,
    level: AtomicU8,
}

impl Tour {
    fn new(peer: Peer) -> Self {
        Self {
            peer,
            session: OnceLock::new(),
            notebook: Mutex::default(),
            subscriptions: Mutex::default(),
            weather_changed: AtomicBool::new(false),
            crash: Notify::new(),
            level: AtomicU8::new(1),
        }
    }

    /// The agreed revision; the oldest while none is agreed.
    pub(crate) fn revision(&self) -> TourRevision {
        self.session
            .get()
            .map_or(TourRevision::V2024_11_05, |session| session.revision)
    }

    /// Sends a log message if the client wants its level.
    pub(crate) async fn log(&self, level: &str, data: Value) {
        let rank = LEVELS.iter().position(|known| *known == level).unwrap_or(0);
        if rank >= usize::from(self.level.load(Ordering::Relaxed)) {
            let params = json!({ "level": level, "logger": "tour", "data": data });
            self.peer.notify("notifications/message", params).await;
        }
    }

    fn set_level(&self, params: &Value) -> RpcOutcome {
        let level = params["level"]
            .as_str()
            .and_then(|level| LEVELS.iter().position(|known| *known == level));
        let level = level.and_then(|level| u8::try_from(level).ok());
        let level = level.ok_or_else(|| ErrorReply::params("level must be one of the eight log levels"))?;
        self.level.store(level, Ordering::Relaxed);
        Ok(json!({}))
    }

    fn initialize(&self, params: &Value) -> RpcOutcome {
        let session = Session::open(params);
        let result = session.result();
        self.session
            .set(session)
            .map(|()| result)
            .map_err(|_| ErrorReply::new(rpc::INVALID_REQUEST, "the session is open already"))
    }
}

pub(crate) async fn run<R, W>(reader: R, writer: W) -> std::io::Result<()>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (outbox, messages) = mpsc::channel(OUTBOX);
    let mut writing = tokio::spawn(lines::write(writer, messages));
    let outcome = {
        let mut connection = ClientConnection::new(Arc::new(Tour::new(Peer::new(outbox))));
        tokio::select! {
            outcome = connection.read(Lines::new(reader)) => outcome,
            written = &mut writing => return written?,
        }
    };
    // The connection and all its calls are gone; what they wrote is flushed, except after a crash.
    match outcome {
        // A client that reads no more does not keep the server alive.
        Ok(()) => tokio::time::timeout(FLUSH, writing)
            .await
            .map_or(Ok(()), |written| written?),
        Err(error) => {
            writing.abort();
            Err(error)
        }
    }
}

struct ClientConnection {
    tour: Arc<Tour>,
    tasks: JoinSet<String>,
    running: HashMap<String, AbortHandle>,
}

impl ClientConnection {
    fn new(tour: Arc<Tour>) -> Self {
        Self {
            tour,
            tasks: JoinSet::new(),
            running: HashMap::new(),
        }
    }

    async fn read<R: AsyncRead + Unpin>(&mut self, mut lines: Lines<R>) -> std::io::Result<()> {
        let tour = self.tour.clone();
        loop {
            tokio::select! {
                line = lines.next() => match line? {
                    None => return Ok(()),
                    Some(line) => self.line(line).await,
                },
                Some(done) = self.tasks.join_next() => {
                    // A call that was cancelled has left the map already.
                    if let Ok(id) = done {
                        self.running.remove(&id);
                    }
                }
                () = tour.crash.notified() => return Err(std::io::Error::other("the crash that was asked for")),
            }
        }
    }

    async fn line(&mut self, line: InputLine) {
        let InputLine::Whole(bytes) = line else {
            let why = "the line is longer than 1 MiB";
            return self.refuse_line(rpc::INVALID_REQUEST, why).await;
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match serde_json::from_slice(&bytes) {
            Ok(Value::Array(batch)) => self.batch(batch).await,
            Ok(message) => {
                if let Some(reply) = self.message(message).await {
                    self.tour.peer.send(reply).await;
                }
            }
            Err(_) => self.refuse_line(rpc::PARSE_ERROR, "the line is not JSON").await,
        }
    }

    async fn refuse_line(&self, code: i64, why: &str) {
        let refusal = rpc::reply(&Value::Null, Err(ErrorReply::new(code, why)));
        self.tour.peer.send(refusal).await;
    }

    /// Batches exist in 2025-03-26 only. Answers that are ready at once travel together; the others follow alone.
    async fn batch(&mut self, batch: Vec<Value>) {
        let known = self.tour.revision() == TourRevision::V2025_03_26;
        if !known || batch.is_empty() || batch.len() > MOST_RUNNING {
            let why = "batches are not part of this revision, or this one is empty or too large";
            let refusal = rpc::reply(&Value::Null, Err(ErrorReply::new(rpc::INVALID_REQUEST, why)));
            return self.tour.peer.send(refusal).await;
        }
        let mut replies = Vec::new();
        for message in batch {
            replies.extend(self.message(message).await);
        }
        if !replies.is_empty() {
            self.tour.peer.send(Value::Array(replies)).await;
        }
    }

    /// Takes one message; returns the reply if it is ready at once.
    async fn message(&mut self, message: Value) -> Option<Value> {
        match rpc::incoming(message) {
            Ok(ClientMessage::Request { id, method, params }) => self.request(id, &method, params).await,
            Ok(ClientMessage::Notification { method, params }) => {
                self.notification(&method, &params);
                None
            }
            Ok(ClientMessage::Response { id, outcome }) => {
                self.tour.peer.answered(&id, outcome);
                None
            }
            Err((id, why)) => Some(rpc::reply(&id, Err(ErrorReply::new(rpc::INVALID_REQUEST, why)))),
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        // Every other notification only informs, and nothing here depends on it.
        if method == "notifications/cancelled"
            && let Some(call) = self.running.remove(&params["requestId"].to_string())
        {
            call.abort();
        }
    }

    async fn request(&mut self, id: Value, method: &str, params: Value) -> Option<Value> {
        if self.running.contains_key(&id.to_string()) {
            let busy = ErrorReply::new(rpc::INVALID_REQUEST, "a request with this id runs");
            return Some(rpc::reply(&id, Err(busy)));
        }
        if method != "tools/call" {
            let outcome = self.quick(method, &params).await;
            return Some(rpc::reply(&id, outcome));
        }
        if let Err(error) = self.admit() {
            return Some(rpc::reply(&id, Err(error)));
        }
        self.start_call(id, params);
        None
    }

    fn start_call(&mut self, id: Value, params: Value) {
        let key = id.to_string();
        let call = calls::TourCall::new(self.tour.clone(), &params);
        let done = key.clone();
        let task = async move {
            let outcome = call.run(params).await;
            call.tour.peer.send(rpc::reply(&id, outcome)).await;
            done
        };
        self.running.insert(key, self.tasks.spawn(task));
    }

    fn admit(&self) -> Result<(), ErrorReply> {
        if self.tour.session.get().is_none() {
            return Err(ErrorReply::new(
                rpc::INVALID_REQUEST,
                "the session is not open: send initialize first",
            ));
        }
        if self.running.len() >= MOST_RUNNING {
            return Err(ErrorReply::new(
                rpc::BUSY,
                "too many calls run at once; try again when one is done",
            ));
        }
        Ok(())
    }

    /// Requests that are answered without waiting for the user.
    async fn quick(&self, method: &str, params: &Value) -> RpcOutcome {
        let tour = &self.tour;
        let open = tour.session.get().is_some();
        match method {
            "initialize" => tour.initialize(params),
            "ping" => Ok(json!({})),
            "logging/setLevel"
            | "tools/list"
            | "prompts/list"
            | "prompts/get"
            | "completion/complete"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "resources/subscribe"
            | "resources/unsubscribe"
                if !open =>
            {
                Err(ErrorReply::new(
                    rpc::INVALID_REQUEST,
                    "the session is not open: send initialize first",
                ))
            }
            "logging/setLevel" => tour.set_level(params),
            "tools/list" => tools::list(tour, params),
            "prompts/list" => Ok(prompts::list(tour)),
            "prompts/get" => prompts::get(params),
            "completion/complete" => prompts::complete(tour, params),
            "resources/list" => Ok(resources::list(tour)),
            "resources/templates/list" => Ok(resources::templates(tour)),
            "resources/read" => resources::read(tour, params),
            "resources/subscribe" => resources::subscribe(tour, params),
            "resources/unsubscribe" => resources::unsubscribe(tour, params),
            _ => Err(ErrorReply::new(
                rpc::METHOD_NOT_FOUND,
                format!("there is no method {}", short(method)),
            )),
        }
    }
}

fn short(method: &str) -> String {
    method.chars().take(100).collect()
}
