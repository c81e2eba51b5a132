//! Signing in to a server at an address: what a demand of the server means for whoever sent something, one sign-in at
//! a time however many wait for it, and what is shown of it. How signing in works is the business of the crate
//! `auth`; nothing here sends a request to anybody.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use tokio_util::sync::CancellationToken;
use vestibule_auth::{Attempt, AuthError, Authorizer, ChallengeOutcome, Reason};
use vestibule_protocol::ServerId;
use vestibule_session::{CallError, Challenge};
use vestibule_store::ServerPlace;

use super::person::{Keychain, Visitor};
use super::{Registry, gone};
use crate::connection::origin_of;
use crate::view::{HeldSignIn, LogSource, Problem, ServerProblem, SignInFailure, SignInPhase, SignInView};

type Signing = BoxFuture<'static, Result<(), Problem>>;

/// The sign-in of one server.
pub(super) struct Seal {
    pub(super) authorizer: Authorizer,
    visitor: Arc<Visitor>,
    /// The sign-in that is on, as long as somebody waits for it.
    signing: Option<WeakShared<Signing>>,
    /// Ends the sign-in that is on.
    cancel: CancellationToken,
    /// The person wants to sign in as soon as the server asks for it.
    pub(super) wanted: bool,
}

/// What became of something that was sent.
pub(super) enum Unsent {
    /// It failed by itself.
    Call(CallError),
    /// The server wants a sign-in first.
    SignIn(Challenge),
    /// Signing in did not help.
    Never(Problem),
}

/// What a demand of the server means.
pub(super) enum Demanded {
    /// The same may be sent again.
    Again,
    /// The person has to sign in.
    SignIn,
    Never(Problem),
}

impl Seal {
    fn view(&self) -> SignInView {
        let ms = |time: SystemTime| {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        };
        let held = self.authorizer.signed_in().map(|held| HeldSignIn {
            scopes: held.scopes.iter().map(str::to_owned).collect(),
            ends_ms: held.ends.map(ms),
            renewable: held.renewable,
            issuer: held.issuer,
            resource: held.resource,
        });
        SignInView {
            phase: self.visitor.phase(),
            held,
            offers: self.authorizer.offers(),
        }
    }
}

impl Registry {
    /// The sign-in of a server at an address. Nothing is read or sent yet.
    pub(super) async fn seal(&self, server: ServerId, place: &ServerPlace) -> Option<Seal> {
        let ServerPlace::Address(endpoint) = place else {
            return None;
        };
        let address = crate::connection::address(&endpoint.url).ok()?;
        let settings = match self.auth_settings(server, address).await {
            Ok(settings) => settings,
            Err(problem) => {
                tracing::warn!(%problem, "failed to read the sign-in settings; sign-in is unavailable");
                return None;
            }
        };
        let visitor = Visitor::new(server, Arc::downgrade(&self.0), self.0.browser.clone());
        let visitor = Arc::new(visitor);
        let vault = Arc::new(Keychain(self.0.secrets.clone()));
        Some(Seal {
            authorizer: Authorizer::new(settings, visitor.clone(), vault),
            visitor,
            signing: None,
            cancel: self.0.closing.child_token(),
            wanted: false,
        })
    }

    pub(super) fn authorizer(&self, server: ServerId) -> Option<Authorizer> {
        let seats = self.seats();
        Some(seats.get(&server)?.seal.as_ref()?.authorizer.clone())
    }

    /// Looks for an earlier sign-in and shows it. Asks only the keychain.
    pub(super) async fn look_for_sign_in(&self, server: ServerId) {
        let Some(authorizer) = self.authorizer(server) else {
            return;
        };
        if let Err(error) = authorizer.load().await {
            let text = error.to_string();
            self.note(server, LogSource::Host, Some("warning".into()), &text);
        }
        if authorizer.signed_in().is_some() {
            self.change(server, |_| {});
        }
    }

    /// Makes ready for a request: a token that is about to end is renewed, once for all who wait.
    pub(super) async fn attempt(&self, server: ServerId) -> Result<Option<Attempt>, Problem> {
        let Some(authorizer) = self.authorizer(server) else {
            return Ok(None);
        };
        let before = authorizer.signed_in();
        let ready = match authorizer.ready().await {
            // What was held counts no more; the server says what it wants instead.
            Err(error) if error.reason == Reason::SignInNeeded => authorizer.ready().await,
            ready => ready,
        };
        if authorizer.signed_in() != before {
            self.change(server, |_| {});
        }
        ready.map(Some).map_err(|error| self.failed(server, &error))
    }

    /// What a demand means for what was sent under this attempt.
    pub(super) async fn demanded(
        &self,
        server: ServerId,
        attempt: &mut Option<Attempt>,
        challenge: &Challenge,
    ) -> Demanded {
        let (Some(authorizer), Some(attempt)) = (self.authorizer(server), attempt) else {
            return Demanded::Never(self.sign_in_needed(server, challenge));
        };
        let outcome = authorizer.on_challenge(attempt, challenge).await;
        self.change(server, |_| {});
        match outcome {
            ChallengeOutcome::Retry => Demanded::Again,
            ChallengeOutcome::SignInNeeded { .. } => Demanded::SignIn,
            ChallengeOutcome::GiveUp(error) => Demanded::Never(self.failed(server, &error)),
        }
    }

    /// Sends something until the server is content with who sends it. With `ask` the person is asked to sign in where
    /// nothing else helps. What is refused with 401 or 403 was not carried out, so it may be sent again.
    pub(super) async fn authorized<T, F>(
        &self,
        server: ServerId,
        ask: bool,
        send: impl Fn() -> F,
    ) -> Result<T, Unsent>
    where
        F: Future<Output = Result<T, CallError>>,
    {
        let mut attempt = self.attempt(server).await.map_err(Unsent::Never)?;
        loop {
            let challenge = match send().await {
                Ok(answer) => return Ok(answer),
                Err(CallError::NotAnswered(failure)) if failure.challenge.is_some() => {
                    failure.challenge.clone().expect("looked at just before")
                }
                Err(error) => return Err(Unsent::Call(error)),
            };
            match self.demanded(server, &mut attempt, &challenge).await {
                Demanded::Again => {}
                // Somebody else's sign-in was faster.
                Demanded::SignIn if self.is_overtaken(server, attempt.as_ref()) => {}
                Demanded::SignIn if ask => self.sign_in(server).await.map_err(|problem| {
                    if challenge.status == 401 {
                        Unsent::SignIn(challenge)
                    } else {
                        Unsent::Never(problem)
                    }
                })?,
                Demanded::SignIn => return Err(Unsent::SignIn(challenge)),
                Demanded::Never(problem) => return Err(Unsent::Never(problem)),
            }
        }
    }

    fn is_overtaken(&self, server: ServerId, attempt: Option<&Attempt>) -> bool {
        self.authorizer(server)
            .zip(attempt)
            .is_some_and(|(authorizer, attempt)| authorizer.is_overtaken(attempt))
    }

    /// Signs in, or waits for the sign-in that is on. It ends when nobody waits for it any more.
    pub(super) async fn sign_in(&self, server: ServerId) -> Result<(), Problem> {
        let signing: Shared<Signing> = {
            let mut seats = self.seats();
            let seal = seats.get_mut(&server).and_then(|seat| seat.seal.as_mut());
            let seal = seal.ok_or_else(gone)?;
            let running = seal.signing.as_ref().and_then(WeakShared::upgrade);
            match running.filter(|running| running.peek().is_none()) {
                Some(running) => running,
                None => {
                    seal.cancel = self.0.closing.child_token();
                    let cancel = seal.cancel.clone();
                    let parts = (seal.authorizer.clone(), seal.visitor.clone());
                    let signing = self.clone().sign_in_now(server, parts, cancel).boxed().shared();
                    seal.signing = signing.downgrade();
                    signing
                }
            }
        };
        signing.await
    }

    async fn sign_in_now(
        self,
        server: ServerId,
        (authorizer, visitor): (Authorizer, Arc<Visitor>),
        cancel: CancellationToken,
    ) -> Result<(), Problem> {
        visitor.reach(Some(SignInPhase::Finding));
        let over = Over(&visitor);
        let issuer = authorizer.last_issuer().await.ok().flatten();
        let outcome = tokio::select! {
            () = cancel.cancelled() => None,
            outcome = authorizer.sign_in() => Some(outcome),
        };
        let (word, outcome) = match outcome {
            None => ("cancelled", Err(self.declined(server))),
            Some(Ok(())) => {
                self.issuer_left(server, &authorizer, issuer).await;
                ("signed in", Ok(()))
            }
            Some(Err(error)) => {
                let text = error.to_string();
                self.note(server, LogSource::Host, Some("warning".into()), &text);
                ("failed", Err(self.failed(server, &error)))
            }
        };
        visitor.ended(word).await;
        drop(over);
        outcome
    }

    /// Ends the sign-in that is on.
    pub(crate) fn cancel_sign_in(&self, server: ServerId) {
        let seats = self.seats();
        let cancel = seats
            .get(&server)
            .and_then(|seat| Some(seat.seal.as_ref()?.cancel.clone()));
        drop(seats);
        if let Some(cancel) = cancel {
            cancel.cancel();
        }
    }

    /// The next sign-in may be one as somebody else.
    pub(crate) fn wants_another(&self, server: ServerId) {
        if let Some(authorizer) = self.authorizer(server) {
            authorizer.as_another();
        }
    }

    /// Lets be asked what was declined before, because the person wants to sign in.
    pub(crate) fn wants_sign_in(&self, server: ServerId) {
        if let Some(authorizer) = self.authorizer(server) {
            authorizer.forget_refusals();
        }
        self.set_wanted(server, true);
    }

    /// Says whether the person wants to sign in as soon as the server asks for it; gives back what held before.
    pub(super) fn set_wanted(&self, server: ServerId, wanted: bool) -> bool {
        let mut seats = self.seats();
        let seal = seats.get_mut(&server).and_then(|seat| seat.seal.as_mut());
        seal.is_some_and(|seal| std::mem::replace(&mut seal.wanted, wanted))
    }

    /// Opens the page of the sign-in that is on once more.
    pub(crate) async fn open_page_again(&self, server: ServerId) -> Result<(), Problem> {
        let visitor = {
            let seats = self.seats();
            seats
                .get(&server)
                .and_then(|seat| Some(seat.seal.as_ref()?.visitor.clone()))
        };
        let opened = visitor.ok_or_else(gone)?.open_again().await;
        opened.map_err(|error| {
            Problem::Server(ServerProblem::SignInFailed {
                origin: self.origin(server),
                why: SignInFailure::Local,
                detail: error.0,
            })
        })
    }

    pub(super) fn sign_in_needed(&self, server: ServerId, challenge: &Challenge) -> Problem {
        Problem::Server(ServerProblem::SignInNeeded {
            origin: self.origin(server),
            status: challenge.status,
        })
    }

    fn declined(&self, server: ServerId) -> Problem {
        Problem::Server(ServerProblem::SignInDeclined {
            origin: self.origin(server),
        })
    }

    pub(super) fn failed(&self, server: ServerId, error: &AuthError) -> Problem {
        if error.reason == Reason::Declined {
            return self.declined(server);
        }
        Problem::Server(ServerProblem::SignInFailed {
            origin: self.origin(server),
            why: error.reason.failure(),
            detail: error.to_string(),
        })
    }

    /// Where a server is connected; empty for one on this computer.
    pub(super) fn origin(&self, server: ServerId) -> String {
        match self.record(server).map(|record| record.place) {
            Some(ServerPlace::Address(endpoint)) => origin_of(&endpoint.url),
            _ => String::new(),
        }
    }
}

impl super::Seat {
    pub(super) fn sign_in_view(&self) -> Option<SignInView> {
        self.seal.as_ref().map(Seal::view)
    }
}

/// Takes back what is shown of a sign-in, however it ended.
struct Over<'a>(&'a Visitor);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.drop_agreed();
        self.0.reach(None);
    }
}
