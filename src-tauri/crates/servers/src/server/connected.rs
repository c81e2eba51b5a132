//! Runs one open session of a server until it ends: shows the server as connected, handles events, checks that it is
//! alive, takes commands, closes the session and says why it ended.

use tokio::sync::mpsc;
use vestibule_consent::EffectEnd;
use vestibule_session::{Challenge, CloseCause, CloseReason, SessionHandle, Wire};

use super::events::EventPump;
use super::handle::ServerHandle;
use super::liveness::{self, Liveness};
use super::state::{ActiveSession, Lifecycle};
use super::task::{ServerCommand, ServerTask};
use crate::catalog::refresh;
use crate::open::session::OpenSession;
use crate::problem_from::IntoProblem;
use vestibule_app_protocol::{Problem, ReadyView, ServerProblem, StartRefusal};

/// How a session ended.
pub(super) enum SessionEnd {
    /// The run was stopped, or was not approved.
    Stopped,
    /// It was refused without a question.
    Refused(StartRefusal),
    /// Another session would fail in the same way.
    Failed(Problem),
    /// The server wants a sign-in first.
    SignInRequired(Challenge),
    /// The connection broke; it may be opened again.
    Lost {
        problem: Problem,
        /// The server is there and only forgot the session.
        at_once: bool,
    },
}

impl ServerTask {
    /// Follows a session until it has ended and is closed.
    pub(super) async fn run_connected(&mut self, open: OpenSession) -> SessionEnd {
        let OpenSession {
            session,
            mut events,
            refresh,
            refreshes,
            over,
            number,
        } = open;
        let our_capabilities = self.server.context().our_capabilities();
        let active = ActiveSession::new(session.clone(), over.clone(), number, &our_capabilities, refresh);
        let ready = show_connected(&self.server, active);
        refresh::spawn(&self.server, &session, refreshes, &over);
        let end = self.until_session_end(&session, &mut events).await;
        self.server.change(|snapshot| {
            snapshot.state = match end {
                SessionEnd::Stopped => Lifecycle::Stopping,
                _ => Lifecycle::Lost(Box::new(ready)),
            };
        });
        // What the server still writes while it is asked to end belongs into its log.
        tokio::select! {
            () = events.during(async { drop(session.close().await) }) => {}
            () = self.hold_commands() => {}
        }
        end
    }

    /// Handles events, probes and commands until one of them ends the session.
    async fn until_session_end(&mut self, session: &SessionHandle, events: &mut EventPump) -> SessionEnd {
        let server = self.server.clone();
        let (probe_now, probes) = mpsc::channel(1);
        tokio::select! {
            end = self.until_unwanted(&probe_now) => end,
            reason = events.until_end() => {
                SessionEnd::from(reason).over(session.info().wire, || server.origin())
            }
            liveness = liveness::watch(&server, session, probes) => match liveness {
                Liveness::Gone(problem) => SessionEnd::lost(problem.naming(&server.origin())),
                Liveness::Forgotten => {
                    let reason = CloseReason::new(CloseCause::SessionLost);
                    SessionEnd::from(reason).over(session.info().wire, || server.origin())
                }
                Liveness::Challenged(challenge) => SessionEnd::SignInRequired(challenge),
            },
        }
    }

    /// Takes commands until one of them ends the session.
    async fn until_unwanted(&mut self, probe_now: &mpsc::Sender<()>) -> SessionEnd {
        loop {
            match self.next_command().await {
                None => return SessionEnd::Stopped,
                Some(ServerCommand::Challenged(challenge)) => return SessionEnd::SignInRequired(challenge),
                Some(ServerCommand::ProbeNow) => {
                    // A full queue holds the same request already.
                    let _ = probe_now.try_send(());
                }
                Some(_) => {}
            }
        }
    }
}

/// Publishes that the server is connected; gives back what is shown of it.
fn show_connected(server: &ServerHandle, active: ActiveSession) -> ReadyView {
    let info = active.session.info();
    tracing::info!(revision = %info.revision, transport = ?info.wire, "connected");
    let ready = active.ready.clone();
    server.change(|snapshot| snapshot.state = Lifecycle::Connected(Box::new(active)));
    server.tools_changed();
    ready
}

impl SessionEnd {
    /// A connection that broke, and may be opened again after a pause.
    pub(super) fn lost(problem: Problem) -> Self {
        Self::Lost {
            problem,
            at_once: false,
        }
    }

    /// The ledger's word for this end.
    pub(super) fn effect_end(&self) -> EffectEnd {
        match self {
            Self::Stopped | Self::Refused(_) => EffectEnd::Stopped,
            Self::SignInRequired(_) => EffectEnd::SignInNeeded,
            Self::Failed(_) | Self::Lost { .. } => EffectEnd::EndedByItself,
        }
    }

    /// A remote server has no process that ended: what broke is the connection.
    fn over(self, wire: Wire, origin: impl FnOnce() -> String) -> Self {
        match self {
            Self::Lost {
                problem: Problem::Server(ServerProblem::ServerEnded { exit, .. }),
                at_once,
            } if wire != Wire::Stream => Self::Lost {
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

impl From<CloseReason> for SessionEnd {
    fn from(reason: CloseReason) -> Self {
        match &reason.cause {
            CloseCause::Asked => Self::Stopped,
            CloseCause::SessionLost => Self::Lost {
                problem: reason.into_problem(),
                at_once: true,
            },
            CloseCause::Ended | CloseCause::Failed(_) => Self::lost(reason.into_problem()),
            // A server that does not keep to the protocol would do the same again.
            CloseCause::NotStarted(_)
            | CloseCause::NotReading(_)
            | CloseCause::EndlessLine(_)
            | CloseCause::OnlyJunk(_) => Self::Failed(reason.into_problem()),
        }
    }
}
