//! The owner of everything that goes on with one server. It starts the tasks, keeps their order where there is
//! one, learns from their inbox what the session was given, and ends them all when it is dropped. No task
//! outlives it and none touches what it knows.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError};
use tokio::time::{Sleep, sleep, timeout};
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RequestId;

use super::accepted::AcceptedRequests;
use super::context::{HttpContext, HttpEvent, own_headers};
use super::exchange::HttpExchange;
use super::mode::HttpMode;
use super::tasks::{ExchangeKind, ExchangeTasks};
use super::{HttpOptions, http_sse, listen, notification};
use crate::pipe::MAX_QUEUED_BYTES;
use crate::{
    CloseCause, CloseReason, Incoming, Outgoing, OutgoingKind, RequestFailure, SendError, Transport, Wire,
};
use vestibule_egress::{Egress, EgressError, MemoryBudget};

/// How many messages may be on their way or wait for it.
const MAX_MESSAGES: usize = 512;
/// How many things may wait in the inbox. Large ones are bounded by the budget.
const INBOX: usize = 16;
/// Everything but notifications waits until the server has accepted this one.
const INITIALIZED: &str = "notifications/initialized";

/// A server over HTTP. Dropping it ends every exchange without a goodbye.
pub struct HttpTransport {
    context: HttpContext,
    mode: HttpMode,
    inbox: mpsc::Receiver<HttpEvent>,
    tasks: ExchangeTasks,
    accepted: AcceptedRequests,
    /// Frames that came together and are handed on one by one.
    received: VecDeque<Bytes>,
    /// Messages that follow `notifications/initialized` and the beginning of the listening.
    held_back: VecDeque<Outgoing>,
    /// Runs while it is not known whether the server accepts a GET event stream; what is held back goes at its end.
    listening_begins: Option<Pin<Box<Sleep>>>,
    /// Notifications, sent one after the other so that they arrive in their order.
    notifications: VecDeque<(String, Vec<u8>)>,
    /// Bytes of ours on their way or waiting for it.
    bytes: usize,
    /// Whether the last request was of the stateless revisions.
    modern: bool,
    closed: Option<CloseReason>,
}

impl HttpTransport {
    /// A transport to this server. Nothing is sent yet.
    ///
    /// # Errors
    /// [`EgressError::Address`] when the address or a header may not be used.
    pub fn new(options: HttpOptions, egress: Egress) -> Result<Self, EgressError> {
        if !egress.leads_to(&options.address) {
            return Err(EgressError::Address(
                "the address has another origin than the way out".into(),
            ));
        }
        let (sender, inbox) = mpsc::channel(INBOX);
        let limits = options.limits;
        let mut address = options.address;
        address.set_fragment(None);
        let context = HttpContext {
            egress,
            address: Arc::new(address),
            headers: own_headers(&options.headers)?,
            authorization: options.authorization,
            session: None,
            revision: None,
            listened: false,
            limits,
            budget: MemoryBudget::new(limits.held.max(limits.event).max(limits.frame)),
            inbox: sender,
        };
        Ok(Self {
            context,
            mode: options.shape.into(),
            inbox,
            tasks: ExchangeTasks::default(),
            accepted: AcceptedRequests::default(),
            received: VecDeque::new(),
            held_back: VecDeque::new(),
            listening_begins: None,
            notifications: VecDeque::new(),
            bytes: 0,
            modern: false,
            closed: None,
        })
    }

    fn start(&mut self, outgoing: Outgoing) {
        let Outgoing { frame, kind } = outgoing;
        match kind {
            OutgoingKind::Request {
                id,
                method,
                headers,
                opening,
            } => self.start_request(frame, id, method.into_owned(), headers, opening),
            OutgoingKind::Notification { method } => {
                self.notifications.push_back((method.into_owned(), frame));
                self.start_notification();
            }
            OutgoingKind::Response { id, again } => {
                let bytes = frame.len();
                let task = notification::answer(self.context.clone(), (!again).then_some(id), frame);
                self.tasks.spawn(task, ExchangeKind::Other, bytes);
            }
        }
    }

    fn start_request(
        &mut self,
        frame: Vec<u8>,
        id: RequestId,
        method: String,
        headers: Vec<(String, String)>,
        opening: bool,
    ) {
        let bytes = frame.len();
        let modern = !headers.is_empty();
        let exchange = HttpExchange {
            context: self.context.clone(),
            id: id.clone(),
            method,
            may_be_old: self.mode.may_be_http_sse() && opening && !modern,
            headers,
            opening,
        };
        let carried = self.mode.carry(exchange, frame);
        let grace = self.context.limits.last_words;
        self.tasks.spawn_request(carried, id, modern, grace, bytes);
    }

    fn start_notification(&mut self) {
        if self.tasks.has_notification() {
            return;
        }
        if let Some((method, frame)) = self.notifications.pop_front() {
            let bytes = frame.len();
            let initialized = method == INITIALIZED;
            let task = notification::post(self.context.clone(), method, frame);
            self.tasks
                .spawn(task, ExchangeKind::Notification { initialized }, bytes);
        }
    }

    /// Whether messages other than notifications have to wait: until the server has accepted `notifications/initialized`,
    /// and until it has answered the GET request for the event stream, or its time is over. Servers on the TypeScript SDK
    /// send a request such as `elicitation/create` that names no request of ours on that stream only, and drop it while
    /// the stream is not open; a tool call that came before then waits for an answer to it that never comes.
    fn is_held_back(&self) -> bool {
        self.listening_begins.is_some()
            || self.notifications.iter().any(|(method, _)| method == INITIALIZED)
            || self.tasks.has_initialized()
    }

    fn on_done(&mut self, done: Result<(Id, ()), JoinError>) -> Option<Incoming> {
        let (task, panicked) = self.tasks.done(done)?;
        self.bytes = self.bytes.saturating_sub(task.bytes);
        match task.kind {
            ExchangeKind::Notification { initialized } => {
                self.start_notification();
                if initialized {
                    self.start_listening();
                }
                self.release();
                None
            }
            ExchangeKind::Request { id, .. } => panicked.then(|| Incoming::RequestFailed {
                id,
                failure: RequestFailure::new("the request failed inside this app"),
            }),
            ExchangeKind::Listening => {
                self.context.listened = false;
                self.on_listening();
                None
            }
            ExchangeKind::Other => None,
        }
    }

    fn start_listening(&mut self) {
        if self.mode.is_streamable() && self.context.revision.is_some() {
            let listening = listen::listen(self.context.clone());
            self.tasks.spawn(listening, ExchangeKind::Listening, 0);
            self.context.listened = true;
            self.listening_begins = Some(Box::pin(sleep(self.context.limits.listening)));
        }
    }

    /// It is known whether the server accepts a GET event stream.
    fn on_listening(&mut self) {
        self.listening_begins = None;
        self.release();
    }

    fn release(&mut self) {
        while !self.is_held_back()
            && let Some(outgoing) = self.held_back.pop_front()
        {
            self.start(outgoing);
        }
    }

    fn on_event(&mut self, event: HttpEvent) -> Option<Incoming> {
        match event {
            HttpEvent::Frames(frames, share) => {
                drop(share);
                for frame in &frames {
                    match self.mode {
                        HttpMode::HttpSse => self.tasks.answered(frame),
                        _ => self.accepted.answered(frame),
                    }
                }
                self.received.extend(frames);
                self.next_received()
            }
            HttpEvent::Received(incoming) => Some(incoming),
            HttpEvent::Session(id) => {
                self.context.session = Some(id);
                None
            }
            HttpEvent::Listening => {
                self.on_listening();
                None
            }
            HttpEvent::Accepted(id) => {
                self.accepted.add(id);
                None
            }
            HttpEvent::SessionLost => {
                self.end(CloseCause::SessionLost);
                Some(Incoming::SessionLost)
            }
            HttpEvent::HttpSse {
                endpoint,
                events,
                id,
                frame,
            } => {
                self.mode = HttpMode::HttpSse;
                self.context.address = Arc::new(endpoint);
                let reading = http_sse::read_events(self.context.clone(), events);
                self.tasks.spawn(reading, ExchangeKind::Other, 0);
                self.bytes += frame.len();
                self.start(Outgoing::opening(frame, id, "initialize"));
                None
            }
            HttpEvent::Ended(why) => {
                let cause = if why.is_empty() {
                    CloseCause::Ended
                } else {
                    CloseCause::Failed(why)
                };
                Some(Incoming::Closed(self.end(cause)))
            }
        }
    }

    /// Sends the notifications that still wait.
    async fn say_the_rest(&mut self) {
        while self.tasks.has_notification() || !self.notifications.is_empty() {
            tokio::select! {
                biased;
                Some(event) = self.inbox.recv() => drop(self.on_event(event)),
                Some(done) = self.tasks.next_done() => drop(self.on_done(done)),
            }
        }
    }

    fn end(&mut self, cause: CloseCause) -> CloseReason {
        self.tasks.end();
        self.accepted.clear();
        self.listening_begins = None;
        self.held_back.clear();
        self.notifications.clear();
        self.closed.get_or_insert_with(|| CloseReason::new(cause)).clone()
    }
}

#[async_trait]
impl Transport for HttpTransport {
    fn send(&mut self, outgoing: Outgoing) -> Result<(), SendError> {
        if self.closed.is_some() {
            return Err(SendError::Closed);
        }
        match &outgoing.kind {
            OutgoingKind::Request { headers, .. } => self.modern = !headers.is_empty(),
            _ if self.modern => {
                tracing::debug!("dropped a message that stateless revisions do not define");
                return Ok(());
            }
            _ => {}
        }
        let waiting = self.tasks.len() + self.held_back.len() + self.notifications.len();
        if waiting >= MAX_MESSAGES || self.bytes + outgoing.frame.len() > MAX_QUEUED_BYTES {
            return Err(SendError::Full);
        }
        self.bytes += outgoing.frame.len();
        let is_notification = matches!(outgoing.kind, OutgoingKind::Notification { .. });
        if !is_notification && self.is_held_back() {
            self.held_back.push_back(outgoing);
        } else {
            self.start(outgoing);
        }
        Ok(())
    }

    fn next_received(&mut self) -> Option<Incoming> {
        self.received.pop_front().map(Incoming::Frame)
    }

    async fn receive(&mut self) -> Incoming {
        if let Some(received) = self.next_received() {
            return received;
        }
        loop {
            if let Some(reason) = &self.closed {
                return Incoming::Closed(reason.clone());
            }
            if let Some((id, failure)) = self.accepted.broken(self.context.listened) {
                return Incoming::RequestFailed { id, failure };
            }
            // A task's last words are in the inbox before its end is seen.
            let incoming = tokio::select! {
                biased;
                Some(event) = self.inbox.recv() => self.on_event(event),
                Some(done) = self.tasks.next_done() => self.on_done(done),
                () = over(&mut self.listening_begins), if self.listening_begins.is_some() => {
                    self.on_listening();
                    None
                }
            };
            if let Some(incoming) = incoming {
                return incoming;
            }
        }
    }

    async fn close(&mut self) -> CloseReason {
        if let Some(reason) = &self.closed {
            return reason.clone();
        }
        // Among them may be the word that a request is not wanted any more.
        let _ = timeout(self.context.limits.close, self.say_the_rest()).await;
        let reason = self.end(CloseCause::Asked);
        if self.context.session.is_some() && self.mode.is_streamable() {
            // Whatever it answers, and whether it does, the session is over.
            let _ = timeout(self.context.limits.close, self.context.delete()).await;
        }
        reason
    }

    fn agreed(&mut self, revision: Revision) {
        self.context.revision = Some(revision);
    }

    fn abandon(&mut self, id: &RequestId) -> bool {
        let is_it = |outgoing: &Outgoing| matches!(&outgoing.kind, OutgoingKind::Request { id: other, .. } if other == id);
        if let Some(never_left) = self
            .held_back
            .iter()
            .position(is_it)
            .and_then(|at| self.held_back.remove(at))
        {
            self.bytes = self.bytes.saturating_sub(never_left.frame.len());
            return true;
        }
        self.accepted.forget(id);
        self.tasks.abandon(id).unwrap_or(self.modern)
    }

    fn wire(&self) -> Wire {
        match self.mode {
            HttpMode::Streamable { .. } => Wire::Http,
            HttpMode::OldClosed | HttpMode::HttpSse => Wire::HttpSse,
        }
    }
}

/// Waits for a timer that may not run.
async fn over(timer: &mut Option<Pin<Box<Sleep>>>) {
    if let Some(timer) = timer {
        timer.await;
    }
}
