//! One run of a server: from the wish to have it, over the person's yes, to its end, and over every time the
//! connection breaks between. A session that ends by itself is opened again after a growing pause; what was in flight
//! is never sent again. Whatever ends a run, the ledger and the window hear how.

use std::pin::pin;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};
use vestibule_auth::Attempt;
use vestibule_consent::RunApproval;
use vestibule_policy::{Action, Digest};
use vestibule_protocol::ServerId;
use vestibule_session::Challenge;
use vestibule_store::ServerPlace;

use super::backoff::{Backoff, chance};
use super::open::{NotOpen, Open};
use super::sign_in::Demanded;
use super::under_way::UnderWay;
use super::{Registry, gone};
use crate::launch;
use crate::view::{CallProblem, LogSource, Problem, ServerProblem, ServerState};

/// How a run, or a session in it, ended.
pub(super) enum End {
    /// It was asked to, or the person did not let it be.
    Stopped,
    /// It should have gone on.
    Failed(Problem),
    /// The server wants a sign-in first.
    SignInNeeded(Challenge),
    /// The connection broke; it may be opened again.
    Lost {
        problem: Problem,
        /// The server is there and only forgot the session.
        at_once: bool,
    },
}

impl Registry {
    /// Starts or connects a server, once the person or a rule lets it. One that waits to be opened again is opened
    /// now; nothing happens where it runs already. `patient` goes on trying from the first attempt.
    pub(crate) fn start(&self, server: ServerId, patient: bool) -> Result<(), Problem> {
        let token = {
            let mut seats = self.seats();
            let seat = seats.get_mut(&server).ok_or_else(gone)?;
            if seat.run.is_some() {
                seat.hurry.notify_waiters();
                return Ok(());
            }
            let token = self.0.closing.child_token();
            seat.run = Some(token.clone());
            token
        };
        let registry = self.clone();
        self.0.tasks.spawn(
            async move { registry.run(server, token, patient).await }
                .instrument(info_span!("server", %server)),
        );
        Ok(())
    }

    /// Stops a server, or withdraws the question whether it may be there.
    pub(crate) fn stop(&self, server: ServerId) {
        if let Some(run) = self.seats().get(&server).and_then(|seat| seat.run.clone()) {
            run.cancel();
        }
    }

    /// Stops a server and waits until it has.
    pub(crate) async fn stop_and_wait(&self, server: ServerId) {
        let mut events = self.0.events.follow();
        self.stop(server);
        while self.seats().get(&server).is_some_and(|seat| seat.run.is_some()) {
            if events.recv().await.is_err() {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Whether a server may be started or connected without a question, as it would be now.
    pub(crate) async fn may_open(&self, server: ServerId) -> bool {
        let record = self.opening(server).await;
        record.is_some_and(|(action, record)| self.0.gate.may_open(server, action, record))
    }

    /// What starting or connecting a server would be, and the digest of it; `None` where it could not be done.
    pub(crate) async fn opening(&self, server: ServerId) -> Option<(Action, Digest)> {
        let record = self.record(server)?;
        match &record.place {
            ServerPlace::Here(program) => {
                let search_path = self.search_path().await;
                let plan = launch::plan(&record, program, &*self.0.secrets, search_path).await;
                plan.ok().map(|plan| (Action::StartServer, plan.digest))
            }
            ServerPlace::Address(endpoint) => {
                let plan = self.connect_plan(&record, endpoint).await;
                plan.ok().map(|plan| (Action::ConnectServer, plan.digest))
            }
        }
    }

    async fn run(&self, server: ServerId, token: CancellationToken, patient: bool) {
        tracing::info!("starting");
        let end = self.live(server, &token, patient).await;
        match &end {
            End::Failed(problem) | End::Lost { problem, .. } => tracing::warn!(%problem, "failed"),
            End::Stopped | End::SignInNeeded(_) => tracing::info!("stopped"),
        }
        self.change(server, |seat| {
            seat.session = None;
            seat.noticed = None;
            seat.tools.clear();
            seat.offers = Default::default();
            seat.reviewing.clear();
            seat.run = None;
            seat.state = match end {
                End::Stopped => ServerState::Stopped,
                End::Failed(problem) | End::Lost { problem, .. } => ServerState::Failed { problem },
                End::SignInNeeded(_) => ServerState::Stopped,
            };
        });
        self.rules_changed(server);
    }

    async fn live(&self, server: ServerId, token: &CancellationToken, patient: bool) -> End {
        let mut agreed = None;
        let mut backoff = Backoff::default();
        // A first attempt that fails is told at once: whoever just asked for it is looking.
        let mut goes_on = patient;
        let mut attempt = None;
        let mut sessions = 0_u64;
        loop {
            sessions += 1;
            let span = info_span!("session", session = sessions);
            let opened = tokio::select! {
                () = token.cancelled() => return End::Stopped,
                opened = self
                    .make_ready_and_open(server, &mut attempt, &mut agreed)
                    .instrument(span.clone()) => opened,
            };
            let end = match opened {
                Ok(Some((open, mut under_way))) => {
                    goes_on = true;
                    attempt = None;
                    let since = Instant::now();
                    let end = self.serve(server, open, token).instrument(span.clone()).await;
                    under_way.end(word(&end), None, 0).await;
                    backoff.lasted(since.elapsed());
                    end
                }
                Ok(None) => return End::Stopped,
                Err(NotOpen::Challenged(challenge)) => {
                    match self.demanded(server, &mut attempt, &challenge).await {
                        Demanded::Again => continue,
                        Demanded::SignIn => End::SignInNeeded(challenge),
                        Demanded::Never(problem) => return End::Failed(problem),
                    }
                }
                Err(NotOpen::EndedByProbe) => lost(Problem::Server(ServerProblem::ServerEnded {
                    exit: None,
                    stderr: vec![],
                })),
                Err(NotOpen::Failed(problem)) if may_pass(&problem) => lost(problem),
                Err(NotOpen::Failed(problem)) => return End::Failed(problem),
            };
            let (problem, at_once) = match end {
                End::Lost { problem, at_once } => (problem, at_once),
                End::SignInNeeded(challenge) => {
                    if self.until_signed_in(server, &challenge, token).await {
                        continue;
                    }
                    return End::Stopped;
                }
                end => return end,
            };
            let is_program = self
                .record(server)
                .is_none_or(|record| matches!(record.place, ServerPlace::Here(_)));
            let pause = backoff.next(is_program, at_once, chance()).filter(|_| goes_on);
            let Some(pause) = pause else {
                return End::Failed(problem);
            };
            tracing::warn!(%problem, attempt = pause.attempt, "connection lost; reconnecting");
            self.note(
                server,
                LogSource::Host,
                Some("warning".into()),
                &format!("connection lost: {problem}"),
            );
            if !self
                .pause(server, pause.attempt, pause.lasts, problem, token)
                .await
            {
                return End::Stopped;
            }
        }
    }

    /// Waits until the person has signed in, which begins when they want it to. False where they stopped the server.
    async fn until_signed_in(
        &self,
        server: ServerId,
        challenge: &Challenge,
        token: &CancellationToken,
    ) -> bool {
        let mut problem = self.sign_in_needed(server, challenge);
        loop {
            let Some(hurry) = self.seats().get(&server).map(|seat| seat.hurry.clone()) else {
                return false;
            };
            let mut wanted = pin!(hurry.notified());
            // Before anybody sees that there is something to sign in to.
            wanted.as_mut().enable();
            self.change(server, |seat| {
                seat.tools.clear();
                seat.state = ServerState::SignInNeeded { problem };
            });
            self.rules_changed(server);
            let wanted_before = self.set_wanted(server, false);
            tokio::select! {
                () = token.cancelled() => return false,
                () = &mut wanted, if !wanted_before => {}
                () = std::future::ready(()), if wanted_before => {}
            }
            self.set_wanted(server, false);
            self.change(server, |seat| seat.state = ServerState::SigningIn);
            let signed_in = tokio::select! {
                () = token.cancelled() => return false,
                signed_in = self.sign_in(server) => signed_in,
            };
            match signed_in {
                Ok(()) => {
                    tracing::info!("signed in");
                    return true;
                }
                Err(why) => problem = why,
            }
        }
    }

    async fn make_ready_and_open(
        &self,
        server: ServerId,
        attempt: &mut Option<Attempt>,
        agreed: &mut Option<RunApproval>,
    ) -> Result<Option<(Open, UnderWay)>, NotOpen> {
        if attempt.is_none() {
            *attempt = self.attempt(server).await?;
        }
        self.open(server, attempt, agreed).await
    }

    /// Waits to open a server again, visibly. False where the person stopped it meanwhile.
    async fn pause(
        &self,
        server: ServerId,
        attempt: u32,
        lasts: Duration,
        problem: Problem,
        token: &CancellationToken,
    ) -> bool {
        let Some(hurry) = self.seats().get(&server).map(|seat| seat.hurry.clone()) else {
            return false;
        };
        let mut hurried = pin!(hurry.notified());
        // Before anybody sees that there is something to hurry.
        hurried.as_mut().enable();
        let at_ms = Timestamp::now().as_millisecond() + i64::try_from(lasts.as_millis()).unwrap_or(0);
        self.change(server, |seat| {
            seat.state = ServerState::Reopening {
                attempt,
                at_ms,
                problem,
            };
        });
        self.rules_changed(server);
        tokio::select! {
            () = token.cancelled() => false,
            () = tokio::time::sleep(lasts) => true,
            () = &mut hurried => true,
        }
    }

    /// Asks, starts or connects, and lists the tools. `None` where the person did not let it.
    async fn open(
        &self,
        server: ServerId,
        attempt: &mut Option<Attempt>,
        agreed: &mut Option<RunApproval>,
    ) -> Result<Option<(Open, UnderWay)>, NotOpen> {
        let record = self.record(server).ok_or_else(gone)?;
        let opened = match &record.place {
            ServerPlace::Here(program) => self.start_program(&record, program, agreed).await?,
            ServerPlace::Address(endpoint) => self.connect(&record, endpoint, agreed).await?,
        };
        let Some((mut open, under_way)) = opened else {
            return Ok(None);
        };
        // The server was content with what it was shown. If it demands something else now, that is a new demand.
        *attempt = self.attempt(server).await?;
        let session = open.session.clone();
        open.ears.during(self.list(server, &session)).await?;
        Ok(Some((open, under_way)))
    }
}

/// A connection that broke, and may be opened again after a pause.
pub(super) fn lost(problem: Problem) -> End {
    End::Lost {
        problem,
        at_once: false,
    }
}

/// Whether something that kept a server from being opened may be over in a while.
fn may_pass(problem: &Problem) -> bool {
    match problem {
        Problem::Server(ServerProblem::ServerUnreachable { .. })
        | Problem::Server(ServerProblem::ServerEnded { .. })
        | Problem::Server(ServerProblem::StartTimedOut { .. })
        | Problem::Call(CallProblem::CallTimedOut { .. }) => true,
        Problem::Server(ServerProblem::ServerRefused { status, .. }) => {
            matches!(status, 408 | 425 | 429 | 500..)
        }
        _ => false,
    }
}

/// How a session ended, for the ledger.
fn word(end: &End) -> &'static str {
    match end {
        End::Stopped => "stopped",
        End::SignInNeeded(_) => "sign-in needed",
        End::Failed(_) | End::Lost { .. } => "ended by itself",
    }
}
