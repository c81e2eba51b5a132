//! Follows what a server does of its own accord, from the first moment of opening to the end of the session, so that
//! the error output of a slow start is in the log while it starts. What an event means is decided elsewhere.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior};
use vestibule_protocol::ServerId;
use vestibule_session::{CloseCause, CloseReason, Responder, ServerRequest, SessionEvent, SessionHandle};

use super::Registry;
use super::offers::Changed;
use crate::inbound::MOST_UNDER_WAY;
use crate::view::HostEvent;

/// How often a window hears that a log grew.
const TELLS: Duration = Duration::from_millis(250);
/// The most requests that wait for a session to open.
const MOST_EARLY: usize = 2 * MOST_UNDER_WAY;

/// The listener of one session.
pub(super) struct Ears {
    registry: Registry,
    server: ServerId,
    events: mpsc::Receiver<SessionEvent>,
    pub(super) changed: Arc<Changed>,
    tell: Interval,
    grown: bool,
    /// Set once the session is open.
    session: Option<SessionHandle>,
    /// What the server wanted before that.
    early: Vec<(ServerRequest, Responder)>,
    ended: Option<CloseReason>,
}

impl Ears {
    pub(super) fn new(registry: &Registry, server: ServerId, events: mpsc::Receiver<SessionEvent>) -> Self {
        let mut tell = tokio::time::interval(TELLS);
        tell.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            registry: registry.clone(),
            server,
            events,
            changed: Arc::default(),
            tell,
            grown: true,
            session: None,
            early: vec![],
            ended: None,
        }
    }

    /// The session is open: what the server wanted meanwhile is heard now.
    pub(super) fn opened(&mut self, session: SessionHandle) {
        self.session = Some(session);
        for (request, reply) in std::mem::take(&mut self.early) {
            self.hear(SessionEvent::Request { request, reply });
        }
    }

    fn hear(&mut self, event: SessionEvent) {
        match &self.session {
            Some(session) => self.registry.hear(self.server, session, &self.changed, event),
            None => match event {
                SessionEvent::Request { request, reply } => self.keep(request, reply),
                event => self.registry.note_event(self.server, &self.changed, event),
            },
        }
    }

    /// Keeps a request until the session is open. A server that withdraws each and asks again fills no memory.
    fn keep(&mut self, request: ServerRequest, reply: Responder) {
        if self.early.len() >= MOST_EARLY {
            self.early.retain(|(_, reply)| !reply.is_cancelled());
        }
        if self.early.len() < MOST_EARLY {
            return self.early.push((request, reply));
        }
        let kind = request.kind();
        self.registry.0.inbound.turned_away(self.server, kind, 1);
        kind.answer_not_now(reply);
    }

    /// Hears until the session ends. May be dropped and called again without losing anything.
    pub(super) async fn until_end(&mut self) -> CloseReason {
        loop {
            if let Some(reason) = &self.ended {
                return reason.clone();
            }
            tokio::select! {
                _ = self.tell.tick(), if self.grown => {
                    self.grown = false;
                    self.registry.0.events.tell(HostEvent::Log { server: self.server });
                }
                event = self.events.recv() => match event {
                    Some(SessionEvent::Closed(reason)) => self.ended = Some(reason),
                    Some(event) => {
                        self.grown = true;
                        self.hear(event);
                    }
                    None => self.ended = Some(CloseReason::new(CloseCause::Asked)),
                },
            }
        }
    }

    /// Hears while something else is done.
    pub(super) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        tokio::select! {
            done = &mut work => return done,
            _ = self.until_end() => {}
        }
        work.await
    }
}
