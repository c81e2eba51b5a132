//! The task of one server: from the start, over the approval, to the end, and over every time the connection breaks in
//! between. A session that ends by itself is opened again after a growing pause; what was in flight is never sent again.
//! The task alone moves the server from one state to the next. However a run ends, the ledger records it and the windows are notified.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};
use vestibule_session::Challenge;
use vestibule_store::ServerPlace;

use super::backoff::{Backoff, Pause, chance};
use super::connected::SessionEnd;
use super::handle::ServerHandle;
use super::state::Lifecycle;
use crate::auth::retry::{Demanded, demanded, sign_in_needed};
use crate::auth::sign_in;
use crate::open::session::NotOpen;
use crate::open::{OpenAttempts, open};
use vestibule_app_protocol::{CallProblem, LogSource, Problem, ServerProblem, SignInFailure, StartRefusal};

/// Commands to the task of a server.
pub(crate) enum ServerCommand {
    /// Starts the server; retries at once where it waits to reconnect, and signs in where it waits for that.
    Start {
        /// Retries from the first attempt on.
        patient: bool,
    },
    Stop {
        /// Notified once the server has stopped.
        stopped: Option<oneshot::Sender<()>>,
    },
    /// As `Start`, and signs in as soon as the server requires it.
    SignIn,
    /// Probes whether the server is still there.
    ProbeNow,
    /// The server refused a call because it requires a sign-in.
    Challenged(Challenge),
    /// The server was removed; the task ends.
    Remove,
}

/// How a run ended.
enum RunEnd {
    /// It was stopped, or was not approved.
    Stopped,
    /// It was refused without a question.
    Refused(StartRefusal),
    Failed(Problem),
}

/// Owns the state of one server.
pub(crate) struct ServerTask {
    pub(super) server: ServerHandle,
    pub(super) commands: mpsc::UnboundedReceiver<ServerCommand>,
    /// Ends the current run; cancelled by `Stop` and when the application closes.
    pub(super) stop: CancellationToken,
    /// Whether the user wants to sign in as soon as the server requires it.
    pub(super) sign_in_wanted: bool,
    /// Notified when the current run has ended.
    stop_waiters: Vec<oneshot::Sender<()>>,
    /// A start that came while the run was stopping; it begins the next run.
    next_start: Option<ServerCommand>,
    /// How many sessions were attempted.
    sessions: u64,
}

/// What one run keeps over all its sessions.
struct Run {
    attempts: OpenAttempts,
    backoff: Backoff,
    /// A first attempt that fails ends the run, because the user who asked for it is looking.
    retries: bool,
}

impl Run {
    /// A session opened: from now on one that breaks is opened again.
    fn opened(&mut self) {
        self.retries = true;
        self.attempts.authorization = None;
    }
}

impl ServerTask {
    pub(crate) fn new(server: ServerHandle, commands: mpsc::UnboundedReceiver<ServerCommand>) -> Self {
        Self {
            stop: server.context().closing.child_token(),
            server,
            commands,
            sign_in_wanted: false,
            stop_waiters: vec![],
            next_start: None,
            sessions: 0,
        }
    }

    /// Takes commands until the server is removed or the application closes.
    pub(crate) async fn run(mut self) {
        let closing = self.server.context().closing.clone();
        loop {
            let command = tokio::select! {
                biased;
                () = closing.cancelled() => return,
                command = self.next_idle_command() => command,
            };
            match command {
                Some(ServerCommand::Start { patient }) => self.run_once(patient).await,
                Some(ServerCommand::SignIn) => {
                    self.sign_in_wanted = true;
                    self.run_once(false).await;
                }
                Some(ServerCommand::Stop { stopped }) => notify(stopped),
                Some(ServerCommand::ProbeNow | ServerCommand::Challenged(_)) => {}
                Some(ServerCommand::Remove) | None => return,
            }
        }
    }

    /// The next command while nothing runs.
    async fn next_idle_command(&mut self) -> Option<ServerCommand> {
        match self.next_start.take() {
            Some(start) => Some(start),
            None => self.commands.recv().await,
        }
    }

    async fn run_once(&mut self, patient: bool) {
        tracing::info!("starting");
        self.stop = self.server.context().closing.child_token();
        self.server.reviews().begin_run(self.stop.clone());
        let end = self.supervise(patient).await;
        let state = match end {
            RunEnd::Stopped => {
                tracing::info!("stopped");
                Lifecycle::Stopped
            }
            RunEnd::Refused(why) => {
                tracing::info!(?why, "not started");
                Lifecycle::NotStarted(why)
            }
            RunEnd::Failed(problem) => {
                tracing::warn!(%problem, "failed");
                Lifecycle::Failed { problem }
            }
        };
        self.end_run(state);
    }

    /// Forgets what belonged to the run, and notifies those who wait for its end.
    fn end_run(&mut self, state: Lifecycle) {
        self.sign_in_wanted = false;
        self.server.reviews().end_run();
        self.server.watches().end_run();
        self.server.filled_in().end_run();
        self.server.change(|snapshot| {
            snapshot.tools.clear();
            snapshot.dropped_tools.clear();
            snapshot.listing_problem = None;
            snapshot.instructions = Default::default();
            snapshot.features = Default::default();
            snapshot.state = state;
        });
        self.server.tools_changed();
        std::mem::take(&mut self.stop_waiters)
            .into_iter()
            .for_each(|waiter| notify(Some(waiter)));
    }

    /// Opens one session after the other until the run ends.
    async fn supervise(&mut self, patient: bool) -> RunEnd {
        let mut run = Run {
            attempts: OpenAttempts::default(),
            backoff: Backoff::default(),
            retries: patient,
        };
        loop {
            // Without an end the same is attempted again, with another authorization.
            if let Some(end) = self.open_and_run(&mut run).await
                && let Some(end) = self.wait_after(&mut run, end).await
            {
                return end;
            }
        }
    }

    /// Waits until a session may be opened again. Returns the end of the run where that is not wanted.
    async fn wait_after(&mut self, run: &mut Run, end: SessionEnd) -> Option<RunEnd> {
        match end {
            SessionEnd::Stopped => Some(RunEnd::Stopped),
            SessionEnd::Refused(why) => Some(RunEnd::Refused(why)),
            SessionEnd::Failed(problem) => Some(RunEnd::Failed(problem)),
            SessionEnd::SignInRequired(challenge) => {
                let signed_in = self.wait_for_sign_in(&challenge).await;
                (!signed_in).then_some(RunEnd::Stopped)
            }
            SessionEnd::Lost { problem, at_once } => self.wait_to_reconnect(run, problem, at_once).await,
        }
    }

    /// Opens a session and follows it to its end. `None` where it is to be opened again with another authorization.
    async fn open_and_run(&mut self, run: &mut Run) -> Option<SessionEnd> {
        self.sessions += 1;
        run.attempts.number = self.sessions;
        let span = info_span!("session", session = self.sessions);
        let (server, stop) = (self.server.clone(), self.stop.clone());
        let opened = tokio::select! {
            // Boxes are gone while the session is up; the future of this task would keep their room. A stop ends it once
            // what was started is gone.
            opened = Box::pin(open(&server, &mut run.attempts, &stop)).instrument(span.clone()) => opened,
            () = self.hold_commands() => return Some(SessionEnd::Stopped),
        };
        match opened {
            Ok(Some((open, effect))) => {
                run.opened();
                let since = Instant::now();
                let end = self.run_connected(open).instrument(span).await;
                effect.finish(end.effect_end()).await;
                run.backoff.lasted(since.elapsed());
                Some(end)
            }
            Ok(None) => Some(SessionEnd::Stopped),
            Err(not_open) => Box::pin(end_of_attempt(&server, run, not_open)).await,
        }
    }

    /// Waits until the user has signed in, which begins when they want it to. False where they stopped the server.
    async fn wait_for_sign_in(&mut self, challenge: &Challenge) -> bool {
        let server = self.server.clone();
        let mut problem = sign_in_needed(&server, challenge);
        loop {
            show_sign_in_required(&server, problem);
            if !std::mem::take(&mut self.sign_in_wanted) && !self.until_started().await {
                return false;
            }
            self.sign_in_wanted = false;
            server.change(|snapshot| snapshot.state = Lifecycle::SigningIn);
            let signed_in = tokio::select! {
                () = self.until_stopped() => return false,
                signed_in = Box::pin(sign_in::sign_in(&server)) => signed_in,
            };
            let Err(failure) = signed_in else {
                tracing::info!("signed in");
                return true;
            };
            problem = failure;
        }
    }

    /// Waits for the next attempt, visibly. Gives back how the run ended where there is none.
    async fn wait_to_reconnect(&mut self, run: &mut Run, problem: Problem, at_once: bool) -> Option<RunEnd> {
        let is_program = matches!(self.server.record().place, ServerPlace::Here(_));
        let pause = run.backoff.next(is_program, at_once, chance());
        let Some(pause) = pause.filter(|_| run.retries) else {
            return Some(RunEnd::Failed(problem));
        };
        show_reconnecting(&self.server, &pause, problem);
        let goes_on = tokio::select! {
            started = self.until_started() => started,
            () = tokio::time::sleep(pause.lasts) => true,
        };
        (!goes_on).then_some(RunEnd::Stopped)
    }

    /// Resolves when the run is to end. May be dropped without losing a command.
    pub(super) async fn until_stopped(&mut self) {
        while !self.stop.is_cancelled() {
            self.next_command().await;
        }
    }

    /// Waits until the user starts the server, which runs already but waits; false where it is to stop.
    async fn until_started(&mut self) -> bool {
        while !self.stop.is_cancelled() {
            if let Some(ServerCommand::Start { .. } | ServerCommand::SignIn) = self.next_command().await {
                return true;
            }
        }
        false
    }

    /// The next command, after what each of them does in every state of a run. `None` where the run is to end.
    pub(super) async fn next_command(&mut self) -> Option<ServerCommand> {
        let stop = self.stop.clone();
        let command = tokio::select! {
            () = stop.cancelled() => return None,
            command = self.commands.recv() => command,
        };
        match command {
            Some(ServerCommand::Stop { stopped }) => {
                self.stop_waiters.extend(stopped);
                self.stop.cancel();
                None
            }
            Some(ServerCommand::Remove) | None => {
                self.commands.close();
                self.stop.cancel();
                None
            }
            Some(ServerCommand::SignIn) => {
                self.sign_in_wanted = true;
                Some(ServerCommand::SignIn)
            }
            command => command,
        }
    }

    /// Takes commands while a session is being opened or closed. A stop ends the opening, and takes effect once the session
    /// is closed; a start after it is kept for the next run, unless another stop follows. Never resolves.
    pub(super) async fn hold_commands(&mut self) {
        self.until_stopped().await;
        while let Some(command) = self.commands.recv().await {
            match command {
                ServerCommand::Stop { stopped } => {
                    self.stop_waiters.extend(stopped);
                    self.next_start = None;
                }
                start @ (ServerCommand::Start { .. } | ServerCommand::SignIn) => {
                    self.next_start = Some(start)
                }
                ServerCommand::Remove => {
                    self.commands.close();
                    self.next_start = None;
                }
                ServerCommand::ProbeNow | ServerCommand::Challenged(_) => {}
            }
        }
        std::future::pending().await
    }
}

/// What it means for the run that a session did not open; `None` where the same is to be attempted again.
async fn end_of_attempt(server: &ServerHandle, run: &mut Run, not_open: NotOpen) -> Option<SessionEnd> {
    match not_open {
        NotOpen::Challenged(challenge) => {
            match demanded(server, &mut run.attempts.authorization, &challenge).await {
                Demanded::Again => None,
                Demanded::SignIn => Some(SessionEnd::SignInRequired(challenge)),
                Demanded::Never(problem) => {
                    // This one counts its refusals; the next attempt begins with another.
                    run.attempts.authorization = None;
                    Some(end_of_failure(problem))
                }
            }
        }
        NotOpen::EndedByProbe => Some(SessionEnd::lost(Problem::Server(ServerProblem::ServerEnded {
            exit: None,
            stderr: vec![],
        }))),
        NotOpen::Failed(problem) => Some(end_of_failure(problem)),
        NotOpen::Refused(why) => Some(SessionEnd::Refused(why)),
        NotOpen::Stopped => Some(SessionEnd::Stopped),
    }
}

/// The end of a session that did not open because of this problem.
fn end_of_failure(problem: Problem) -> SessionEnd {
    if may_pass(&problem) {
        SessionEnd::lost(problem)
    } else {
        SessionEnd::Failed(problem)
    }
}

fn notify(stopped: Option<oneshot::Sender<()>>) {
    if let Some(stopped) = stopped {
        // The waiter may have been dropped.
        let _ = stopped.send(());
    }
}

fn show_reconnecting(server: &ServerHandle, pause: &Pause, problem: Problem) {
    tracing::warn!(%problem, attempt = pause.attempt, "connection lost; reconnecting");
    let text = format!("connection lost: {problem}");
    server.note(LogSource::Host, Some("warning".into()), &text);
    server.change(|snapshot| {
        snapshot.state = Lifecycle::Reconnecting {
            attempt: pause.attempt,
            at_ms: from_now(pause.lasts),
            problem,
        };
    });
    server.tools_changed();
}

fn show_sign_in_required(server: &ServerHandle, problem: Problem) {
    server.change(|snapshot| {
        snapshot.tools.clear();
        snapshot.dropped_tools.clear();
        snapshot.listing_problem = None;
        snapshot.state = Lifecycle::SignInRequired { problem };
    });
    server.tools_changed();
}

/// Whether the reason why a session did not open may pass by itself.
fn may_pass(problem: &Problem) -> bool {
    match problem {
        Problem::Server(ServerProblem::ServerUnreachable { .. })
        | Problem::Server(ServerProblem::ServerEnded { .. })
        | Problem::Server(ServerProblem::StartTimedOut { .. })
        | Problem::Server(ServerProblem::SignInFailed {
            why: SignInFailure::Network,
            ..
        })
        | Problem::Call(CallProblem::CallTimedOut { .. }) => true,
        Problem::Server(ServerProblem::ServerRefused { status, .. }) => {
            matches!(status, 408 | 425 | 429 | 500..)
        }
        _ => false,
    }
}

/// A time in milliseconds since 1970.
fn from_now(pause: Duration) -> i64 {
    Timestamp::now().as_millisecond() + i64::try_from(pause.as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign_in_failed(why: SignInFailure) -> Problem {
        Problem::Server(ServerProblem::SignInFailed {
            origin: "https://mcp.example.com".into(),
            why,
            detail: "renewing the access token failed".into(),
        })
    }

    /// An access token that ends while the network is away is renewed once it is back.
    #[test]
    fn a_sign_in_that_failed_for_the_network_is_tried_again_and_no_other() {
        let end = end_of_failure(sign_in_failed(SignInFailure::Network));
        assert!(matches!(end, SessionEnd::Lost { at_once: false, .. }));
        for why in [
            SignInFailure::Refused,
            SignInFailure::Mismatch,
            SignInFailure::Unsafe,
            SignInFailure::Exhausted,
            SignInFailure::Denied,
            SignInFailure::Declined,
        ] {
            let end = end_of_failure(sign_in_failed(why));
            assert!(matches!(end, SessionEnd::Failed(_)), "{why:?}");
        }
    }
}
