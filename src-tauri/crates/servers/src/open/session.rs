//! Opening a session over a transport: its events are handled from the first moment, and its traffic is recorded.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vestibule_protocol::EraChoice;
use vestibule_protocol::mcp::Implementation;
use vestibule_session::{Challenge, HealthCheck, OpenError, SessionHandle, SessionOptions};
use vestibule_transport::{Tapped, Transport};

use crate::catalog::refresh::{self, RefreshQueue, RefreshRequests};
use crate::problem_from::IntoProblem;
use crate::server::events::EventPump;
use crate::server::handle::ServerHandle;
use crate::server::state::Lifecycle;
use vestibule_app_protocol::{Problem, StartRefusal};

/// How many events of a session may wait to be handled.
const EVENTS: usize = 256;

/// A session that opened.
pub(crate) struct OpenSession {
    pub(crate) session: SessionHandle,
    pub(crate) events: EventPump,
    /// Has its tools and features listed again.
    pub(crate) refresh: RefreshRequests,
    pub(crate) refreshes: RefreshQueue,
    /// Cancelled when the session has ended.
    pub(crate) over: CancellationToken,
    /// Counts the sessions of the server up by one.
    pub(crate) number: u64,
}

/// Why a session did not open.
pub(crate) enum NotOpen {
    /// The server ended at the probe of its era; it may open without it.
    EndedByProbe,
    /// The server wants a sign-in first.
    Challenged(Challenge),
    Failed(Problem),
    /// It was refused without a question.
    Refused(StartRefusal),
    /// The run was stopped first.
    Stopped,
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
    /// With the name of what was opened, which the crates below do not know.
    pub(super) fn naming(self, name: &str) -> Self {
        match self {
            Self::Failed(problem) => Self::Failed(problem.naming(name)),
            other => other,
        }
    }
}

impl OpenSession {
    /// Closes a session that is not used, and waits for the end of the connection.
    pub(super) async fn close(self, server: &ServerHandle, stop: &CancellationToken) {
        let Self {
            session, mut events, ..
        } = self;
        if stop.is_cancelled() {
            show_stopping(server);
        }
        events.during(async { drop(session.close().await) }).await;
    }
}

fn show_stopping(server: &ServerHandle) {
    server.change(|snapshot| snapshot.state = Lifecycle::Stopping);
}

/// Opens a session over a transport, and handles its events from the first moment. `longest` is how long the opening may
/// take where that is not the usual time. A stop of the run ends the opening; this returns once the connection has ended.
#[expect(clippy::disallowed_methods, reason = "the one place that opens sessions")]
pub(super) async fn open_session(
    server: &ServerHandle,
    transport: Box<dyn Transport>,
    era: EraChoice,
    number: u64,
    longest: Option<Duration>,
    stop: &CancellationToken,
) -> Result<OpenSession, NotOpen> {
    let context = server.context();
    let mut options = SessionOptions::new(Implementation {
        name: "vestibule".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        title: Some("Vestibule".into()),
        ..Implementation::default()
    });
    options.era = era;
    if let Some(longest) = longest {
        options.start_timeout = longest;
    }
    options.health = Some(HealthCheck::default());
    options.capabilities = context.our_capabilities();
    // The excess is answered by the reader of the stream of requests, which knows what each is for.
    options.limits.server_requests = 2 * context.options.max_requests;
    options.call_timeout = context.call_timeout();
    let transport = Box::new(Tapped::new(transport, server.traffic_log()));
    let (sender, events) = mpsc::channel(EVENTS);
    let over = CancellationToken::new();
    let (refresh, refreshes) = refresh::channel();
    let mut events = EventPump::new(server, over.clone(), events, refresh.clone());
    let opened = tokio::select! {
        // Polled first, so that the session has begun and closes the connection when this is dropped.
        biased;
        opened = events.during(vestibule_session::open(transport, options, sender)) => opened,
        () = stop.cancelled() => {
            show_stopping(server);
            // The opening was dropped, which closes the connection. The last event comes after its end.
            events.until_end().await;
            return Err(NotOpen::Stopped);
        }
    };
    // What it said before it failed belongs into its log.
    let session = opened.inspect_err(|_| events.handle_waiting())?;
    events.opened(session.clone());
    Ok(OpenSession {
        session,
        events,
        refresh,
        refreshes,
        over,
        number,
    })
}
