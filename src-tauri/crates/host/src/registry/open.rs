//! What starting and connecting have in common: a session over a transport that is there already, heard from its
//! first moment and tapped for whoever wants to see the traffic.

use serde_json::{Value, json};
use tokio::sync::mpsc;
use vestibule_protocol::capability::TASKS_EXTENSION;
use vestibule_protocol::mcp::Implementation;
use vestibule_protocol::{EraChoice, QuestionId, ServerId};
use vestibule_session::{Challenge, HealthCheck, OpenError, SessionHandle, SessionOptions};
use vestibule_transport::{Tapped, Transport};

use super::Registry;
use super::ears::Ears;
use crate::inbound::Inbound;
use crate::problem_from::IntoProblem;
use crate::view::{Problem, ServerState};

/// How many events of a session may wait to be looked at.
const EVENTS: usize = 256;

/// A session that opened, and what its server does of its own accord.
pub(super) struct Open {
    pub(super) session: SessionHandle,
    pub(super) ears: Ears,
}

/// Why a session did not open.
pub(super) enum NotOpen {
    /// The server ended at the question which era it speaks; it may open without it.
    EndedByProbe,
    /// The server wants a sign-in first.
    Challenged(Challenge),
    Failed(Problem),
}

impl From<Problem> for NotOpen {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

impl From<OpenError> for NotOpen {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::EndedByProbe(_) => Self::EndedByProbe,
            OpenError::NotAnswered(failure) => match failure.challenge {
                Some(challenge) => Self::Challenged(challenge),
                None => Self::Failed((*failure).into_problem()),
            },
            error => Self::Failed(error.into_problem()),
        }
    }
}

impl NotOpen {
    /// With the name of what was opened, which those below do not know.
    pub(super) fn naming(self, name: &str) -> Self {
        match self {
            Self::Failed(problem) => Self::Failed(problem.naming(name)),
            other => other,
        }
    }
}

impl Registry {
    /// What we declare that we can do.
    pub(super) fn our_capabilities() -> Value {
        let mut declared = Inbound::declared();
        declared["extensions"] = json!({ TASKS_EXTENSION: {} });
        declared
    }

    /// Opens a session over a transport, and hears it from its first moment.
    #[expect(clippy::disallowed_methods, reason = "the one place that opens sessions")]
    pub(super) async fn open_session(
        &self,
        server: ServerId,
        transport: Box<dyn Transport>,
        era: EraChoice,
    ) -> Result<Open, NotOpen> {
        let mut options = SessionOptions::new(Implementation {
            name: "vestibule".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            title: Some("Vestibule".into()),
            ..Implementation::default()
        });
        options.era = era;
        options.health = Some(HealthCheck::default());
        options.capabilities = Self::our_capabilities();
        // Too many are answered by whoever knows what each is for.
        options.limits.server_requests = 2 * crate::inbound::MOST_UNDER_WAY;
        let mut transport = transport;
        if let Some(seat) = self.seats().get(&server) {
            options.call_timeout = seat.call_timeout;
            transport = Box::new(Tapped::new(transport, seat.traffic.clone()));
        }
        let (tell, events) = mpsc::channel(EVENTS);
        let mut ears = Ears::new(self, server, events);
        let session = ears
            .during(vestibule_session::open(transport, options, tell))
            .await?;
        ears.opened(session.clone());
        Ok(Open { session, ears })
    }

    /// A question waits whether a server may start or connect.
    pub(super) fn asking(&self, server: ServerId, question: QuestionId) {
        self.change(server, |seat| {
            seat.state = ServerState::Asking {
                question: Some(question),
            };
        });
    }
}
