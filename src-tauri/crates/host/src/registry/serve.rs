//! One session that is on: what is shown of it, what its server does of its own accord, and how it ends. Opening it
//! and what comes after it is `run.rs`.

use std::pin::pin;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use vestibule_protocol::ServerId;
use vestibule_session::{
    CloseCause, CloseReason, Responder, ServerRequest, SessionEvent, SessionHandle, Wire,
};

use super::Registry;
use super::offers::Changed;
use super::open::Open;
use super::pulse::{self, Noticed};
use super::run::{End, lost};
use crate::inbound::Asker;
use crate::problem_from::IntoProblem;
use crate::view::{LogSource, Problem, ReadyView, ServerProblem, ServerState};

impl Registry {
    fn ready(&self, server: ServerId, session: SessionHandle, noticed: mpsc::Sender<Noticed>) {
        let info = session.info();
        let names = |value: &Value| {
            let members = value.as_object();
            members
                .map(|all| all.keys().cloned().collect())
                .unwrap_or_default()
        };
        let ready = ReadyView {
            revision: info.revision.to_string(),
            era: info.era(),
            transport: info.wire,
            claimed_name: info
                .server
                .title
                .clone()
                .unwrap_or_else(|| info.server.name.clone()),
            claimed_version: info.server.version.clone(),
            instructions: info.instructions.clone(),
            capabilities: names(&info.capabilities.raw),
            our_capabilities: names(&Self::our_capabilities()),
            since_ms: Timestamp::now().as_millisecond(),
        };
        tracing::info!(revision = %info.revision, transport = ?info.wire, "connected");
        self.change(server, |seat| {
            seat.session = Some(session);
            seat.sessions += 1;
            seat.noticed = Some(noticed);
            seat.state = ServerState::Ready(Box::new(ready));
        });
        self.rules_changed(server);
    }

    /// Follows a session until it ends.
    pub(super) async fn serve(&self, server: ServerId, open: Open, token: &CancellationToken) -> End {
        let Open { session, mut ears } = open;
        let (notice, mut noticed) = mpsc::channel(1);
        self.ready(server, session.clone(), notice.clone());
        let ended = CancellationToken::new();
        self.list_when_changed(server, &session, ears.changed.clone(), ended.clone());
        if let Some(seat) = self.seats().get_mut(&server) {
            seat.session_over = ended.clone();
        }
        self.list_offers_when_changed(server, &session, ears.changed.clone(), ended.clone());
        let _ended = ended.drop_guard();
        let doubt = self.doubt(server);
        let is_http = session.info().wire == Wire::Http;
        let mut beat = pin!(async {
            if is_http {
                pulse::watch(self, server, session.clone(), &doubt, notice).await;
            }
            std::future::pending::<()>().await;
        });
        let end = tokio::select! {
            () = token.cancelled() => {
                self.change(server, |seat| {
                    seat.session = None;
                    seat.state = ServerState::Stopping;
                });
                End::Stopped
            }
            reason = ears.until_end() => ended_with(reason).over(session.info().wire, || self.origin(server)),
            Some(noticed) = noticed.recv() => match noticed {
                Noticed::Gone(problem) => lost(problem.naming(&self.origin(server))),
                Noticed::Challenged(challenge) => End::SignInNeeded(challenge),
            },
            () = &mut beat => End::Stopped,
        };
        self.change(server, |seat| {
            seat.session = None;
            seat.noticed = None;
            seat.traffic.ended();
        });
        // What the server still says while it is asked to end belongs into its log.
        ears.during(session.close()).await;
        end
    }

    fn doubt(&self, server: ServerId) -> std::sync::Arc<Notify> {
        let seats = self.seats();
        seats
            .get(&server)
            .map(|seat| seat.doubt.clone())
            .unwrap_or_default()
    }

    /// Hears what a server of an open session does of its own accord.
    pub(super) fn hear(
        &self,
        server: ServerId,
        session: &SessionHandle,
        changed: &Changed,
        event: SessionEvent,
    ) {
        match event {
            SessionEvent::Request { request, reply } => self.ask_for(server, session, request, reply),
            event => self.note_event(server, changed, event),
        }
    }

    /// Hears what needs no answer, also while the session is being opened.
    pub(super) fn note_event(&self, server: ServerId, changed: &Changed, event: SessionEvent) {
        match event {
            SessionEvent::ElicitationComplete { elicitation_id } => {
                self.0.inbound.visit_complete(server, &elicitation_id);
            }
            SessionEvent::TurnedAway { kind, times } => self.0.inbound.turned_away(server, kind, times),
            SessionEvent::ToolsChanged => changed.tools.notify_one(),
            SessionEvent::ResourcesChanged | SessionEvent::PromptsChanged => changed.offers.notify_one(),
            SessionEvent::ResourceUpdated { uri } => self.resource_updated(server, &uri),
            SessionEvent::Log(message) => {
                let words = match &message.data {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let text = match &message.logger {
                    Some(logger) => format!("{logger}: {words}"),
                    None => words,
                };
                let level = json!(message.level).as_str().map(str::to_owned);
                self.note(server, LogSource::Message, level, &text);
            }
            SessionEvent::Diagnostic(line) => self.note(server, LogSource::Stderr, None, &line),
            SessionEvent::Oddity(what) => self.note(server, LogSource::Host, Some("notice".into()), &what),
            // Dropping a request that comes this far answers it.
            SessionEvent::Request { .. } | SessionEvent::Closed(_) => {}
        }
    }

    /// Hands a request of a server on. One of a server that is gone is not shown.
    fn ask_for(&self, server: ServerId, session: &SessionHandle, request: ServerRequest, reply: Responder) {
        let Some(face) = self.face(server) else {
            return request.kind().answer_not_now(reply);
        };
        let task = reply.origin().task.as_deref();
        let seat = |seat: &super::Seat| (seat.occasions.because_of(task), seat.session_over.clone());
        let Some((occasion, session_over)) = self.seats().get(&server).map(seat) else {
            return request.kind().answer_not_now(reply);
        };
        let asker = Asker {
            face,
            session: session.clone(),
            registry: self.clone(),
            session_over,
            occasion,
        };
        self.0.inbound.take(asker, request, reply);
    }
}

/// A session that ended by itself.
fn ended_with(reason: CloseReason) -> End {
    match &reason.cause {
        CloseCause::Asked => End::Stopped,
        CloseCause::SessionLost => End::Lost {
            problem: reason.into_problem(),
            at_once: true,
        },
        CloseCause::Ended | CloseCause::Failed(_) => lost(reason.into_problem()),
        // A server that does not keep to the protocol would do the same again.
        CloseCause::NotStarted(_)
        | CloseCause::NotReading(_)
        | CloseCause::EndlessLine(_)
        | CloseCause::OnlyJunk(_) => End::Failed(reason.into_problem()),
    }
}

impl End {
    /// A server at an address has no process that ended: what broke is the connection.
    fn over(self, over: Wire, origin: impl FnOnce() -> String) -> Self {
        match self {
            Self::Lost {
                problem: Problem::Server(ServerProblem::ServerEnded { exit, .. }),
                at_once,
            } if over != Wire::Stream => Self::Lost {
                problem: Problem::Server(ServerProblem::ServerUnreachable {
                    origin: origin(),
                    detail: exit.unwrap_or_else(|| "it ended the connection".to_owned()),
                }),
                at_once,
            },
            other => other,
        }
    }
}
