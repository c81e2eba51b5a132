//! Handles what a server does of its own accord, from the first moment of opening to the end of the session, so that
//! the error output of a slow start is in the log while it starts.

use std::pin::pin;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument as _;
use vestibule_protocol::mcp::LogMessage;
use vestibule_session::{
    CloseCause, CloseReason, Responder, ServerRequest, SessionEvent, SessionHandle, SignInDemand,
};

use super::handle::ServerHandle;
use super::liveness;
use crate::catalog::refresh::RefreshRequests;
use crate::catalog::watches;
use crate::requests::{ClientRequestBody, IncomingRequest};
use vestibule_app_protocol::LogSource;

/// Reads the events of one session. When it is dropped, the session has ended.
pub(crate) struct EventPump {
    server: ServerHandle,
    over: CancellationToken,
    /// Cancels `over` when the events end with this value.
    _over: DropGuard,
    events: mpsc::Receiver<SessionEvent>,
    refresh: RefreshRequests,
    /// Set once the session is open.
    session: Option<SessionHandle>,
    /// Requests that arrived before that.
    early: Vec<(ServerRequest, Responder)>,
    ended: Option<CloseReason>,
}

impl EventPump {
    pub(crate) fn new(
        server: &ServerHandle,
        over: CancellationToken,
        events: mpsc::Receiver<SessionEvent>,
        refresh: RefreshRequests,
    ) -> Self {
        Self {
            server: server.clone(),
            _over: over.clone().drop_guard(),
            over,
            events,
            refresh,
            session: None,
            early: vec![],
            ended: None,
        }
    }

    /// The session is open: requests that arrived before are handed on.
    pub(crate) fn opened(&mut self, session: SessionHandle) {
        for (request, reply) in std::mem::take(&mut self.early) {
            self.hand_on(&session, request, reply);
        }
        self.session = Some(session);
    }

    /// Handles events until the session ends. May be dropped and called again without losing any.
    pub(crate) async fn until_end(&mut self) -> CloseReason {
        loop {
            if let Some(reason) = &self.ended {
                return reason.clone();
            }
            match self.events.recv().await {
                Some(SessionEvent::Closed(reason)) => self.ended = Some(reason),
                Some(event) => self.handle_event(event),
                None => self.ended = Some(CloseReason::new(CloseCause::Asked)),
            }
        }
    }

    /// Handles the events that have arrived. Nothing of the session is awaited.
    pub(crate) fn handle_waiting(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.handle_event(event);
        }
    }

    /// Handles events while `work` is done.
    pub(crate) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        tokio::select! {
            done = &mut work => return done,
            _ = self.until_end() => {}
        }
        work.await
    }

    fn handle_event(&mut self, event: SessionEvent) {
        let server = &self.server;
        match event {
            SessionEvent::Request { request, reply } => self.take_request(request, reply),
            SessionEvent::ElicitationComplete { elicitation_id } => {
                server.request(ClientRequestBody::UrlCompleted { elicitation_id });
            }
            SessionEvent::TurnedAway { kind, times } => {
                server.request(ClientRequestBody::TurnedAway { kind, times });
            }
            SessionEvent::ToolsChanged => self.refresh.tools(),
            SessionEvent::ResourcesChanged | SessionEvent::PromptsChanged => self.refresh.features(),
            SessionEvent::ResourceUpdated { uri } => watches::resource_updated(server, &uri),
            SessionEvent::Demand(demand) => self.settle(demand),
            SessionEvent::Log(message) => note_message(server, &message),
            SessionEvent::Diagnostic(line) => server.note(LogSource::Stderr, None, &line),
            SessionEvent::Oddity(what) => server.note(LogSource::Host, Some("notice".into()), &what),
            // The caller handles it: it is the last event.
            SessionEvent::Closed(_) => {}
        }
    }

    fn take_request(&mut self, request: ServerRequest, reply: Responder) {
        match self.session.clone() {
            Some(session) => self.hand_on(&session, request, reply),
            None => self.keep(request, reply),
        }
    }

    /// Settles a demand to sign in while the session lasts.
    fn settle(&self, demand: SignInDemand) {
        let Some(session) = self.session.clone() else {
            return;
        };
        let (server, over) = (self.server.clone(), self.over.clone());
        let settled = async move {
            let settle = liveness::settle(&server, &session, demand);
            over.run_until_cancelled(settle).await;
        };
        self.server.context().tasks.spawn(settled.in_current_span());
    }

    /// Hands a request to the client features.
    fn hand_on(&self, session: &SessionHandle, request: ServerRequest, reply: Responder) {
        let context = self.server.call_context(reply.origin());
        self.server.request(ClientRequestBody::Request(IncomingRequest {
            request,
            reply,
            session: session.clone(),
            session_over: self.over.clone(),
            context,
        }));
    }

    /// Keeps a request until the session is open. A server that withdraws each and asks again fills no memory.
    fn keep(&mut self, request: ServerRequest, reply: Responder) {
        let most = 2 * self.server.context().options.max_requests;
        if self.early.len() >= most {
            self.early.retain(|(_, reply)| !reply.is_cancelled());
        }
        if self.early.len() < most {
            return self.early.push((request, reply));
        }
        let kind = request.kind();
        self.server
            .request(ClientRequestBody::TurnedAway { kind, times: 1 });
        kind.answer_not_now(reply);
    }
}

impl Drop for EventPump {
    /// Also where the session did not open, the requests that wait get no answer.
    fn drop(&mut self) {
        self.server.traffic_log().ended();
    }
}

/// Writes a log message of the server into its log.
fn note_message(server: &ServerHandle, message: &LogMessage) {
    let words = match &message.data {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = match &message.logger {
        Some(logger) => format!("{logger}: {words}"),
        None => words,
    };
    let level = json!(message.level).as_str().map(str::to_owned);
    server.note(LogSource::Message, level, &text);
}
