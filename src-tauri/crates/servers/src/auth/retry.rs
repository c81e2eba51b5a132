//! What a demand of a server to sign in means for the request it refused: sent again with another authorization, after a
//! sign-in, or not at all.

use std::pin::pin;

use tokio::sync::mpsc;
use vestibule_auth::{Attempt, AuthError, ChallengeOutcome, Reason};
use vestibule_session::{CallError, Challenge, SignInDemand};

use super::auth_of;
use super::sign_in::sign_in;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{Problem, ServerProblem};

/// Why a request was not answered.
pub(crate) enum Unsent {
    /// It failed by itself.
    Call(CallError),
    /// The server wants a sign-in first.
    SignIn(Challenge),
    /// The server wants a sign-in, and the one that was begun for this request ended without one.
    NotSignedIn { challenge: Challenge, problem: Problem },
    /// Signing in did not help.
    Never(Problem),
}

/// What a demand of the server means.
pub(crate) enum Demanded {
    /// The same may be sent again.
    Again,
    /// The user has to sign in.
    SignIn,
    Never(Problem),
}

/// The authorization for the next request: a token that is about to expire is renewed, once for all who wait.
pub(crate) async fn attempt(server: &ServerHandle) -> Result<Option<Attempt>, Problem> {
    let Some(auth) = auth_of(server).await? else {
        return Ok(None);
    };
    let authorizer = &auth.authorizer;
    let before = authorizer.signed_in();
    let ready = match authorizer.ready().await {
        // The token is not valid any more; the server says what it wants instead.
        Err(error) if error.reason == Reason::SignInNeeded => authorizer.ready().await,
        ready => ready,
    };
    if authorizer.signed_in() != before {
        server.publish();
    }
    ready.map(Some).map_err(|error| failed(server, &error))
}

/// What a demand means for what was sent with this authorization.
pub(crate) async fn demanded(
    server: &ServerHandle,
    attempt: &mut Option<Attempt>,
    challenge: &Challenge,
) -> Demanded {
    let (Some(auth), Some(attempt)) = (server.auth(), attempt) else {
        return Demanded::Never(sign_in_needed(server, challenge));
    };
    let outcome = auth.authorizer.on_challenge(attempt, challenge).await;
    server.publish();
    match outcome {
        ChallengeOutcome::Retry => Demanded::Again,
        ChallengeOutcome::SignInNeeded { .. } => Demanded::SignIn,
        ChallengeOutcome::GiveUp(error) => Demanded::Never(failed(server, &error)),
    }
}

/// Sends something until the server accepts the authorization. With `ask` the user is asked to sign in where nothing
/// else helps. What is refused with 401 or 403 was not carried out, so it may be sent again; a call that the server refuses
/// to go on with tells its demands over the channel and goes on by itself.
pub(crate) async fn authorized<T, F>(
    server: &ServerHandle,
    ask: bool,
    send: impl Fn(mpsc::Sender<SignInDemand>) -> F,
) -> Result<T, Unsent>
where
    F: Future<Output = Result<T, CallError>>,
{
    let mut attempt = attempt(server).await.map_err(Unsent::Never)?;
    let (sender, mut demands) = mpsc::channel(1);
    loop {
        let mut sent = pin!(send(sender.clone()));
        let outcome = loop {
            tokio::select! {
                outcome = &mut sent => break outcome,
                Some(demand) = demands.recv() => {
                    settle(server, ask, &mut attempt, &demand.challenge).await?;
                    demand.settle();
                }
            }
        };
        let challenge = match outcome {
            Ok(answer) => return Ok(answer),
            Err(CallError::NotAnswered(failure)) if failure.challenge.is_some() && !failure.cut => {
                failure.challenge.clone().expect("looked at just before")
            }
            Err(error) => return Err(Unsent::Call(error)),
        };
        settle(server, ask, &mut attempt, &challenge).await?;
    }
}

/// Does what a demand wants before the same may be sent again.
async fn settle(
    server: &ServerHandle,
    ask: bool,
    attempt: &mut Option<Attempt>,
    challenge: &Challenge,
) -> Result<(), Unsent> {
    match demanded(server, attempt, challenge).await {
        Demanded::Again => Ok(()),
        // Another caller's sign-in was faster.
        Demanded::SignIn if is_overtaken(server, attempt.as_ref()) => Ok(()),
        Demanded::SignIn if ask => sign_in(server).await.map_err(|problem| Unsent::NotSignedIn {
            challenge: challenge.clone(),
            problem,
        }),
        Demanded::SignIn => Err(Unsent::SignIn(challenge.clone())),
        Demanded::Never(problem) => Err(Unsent::Never(problem)),
    }
}

fn is_overtaken(server: &ServerHandle, attempt: Option<&Attempt>) -> bool {
    server
        .auth()
        .zip(attempt)
        .is_some_and(|(auth, attempt)| auth.authorizer.is_overtaken(attempt))
}

pub(crate) fn sign_in_needed(server: &ServerHandle, challenge: &Challenge) -> Problem {
    Problem::Server(ServerProblem::SignInNeeded {
        origin: server.origin(),
        status: challenge.status,
    })
}

pub(super) fn declined(server: &ServerHandle) -> Problem {
    Problem::Server(ServerProblem::SignInDeclined {
        origin: server.origin(),
    })
}

pub(super) fn failed(server: &ServerHandle, error: &AuthError) -> Problem {
    if error.reason == Reason::Declined {
        return declined(server);
    }
    Problem::Server(ServerProblem::SignInFailed {
        origin: server.origin(),
        why: error.reason.failure(),
        detail: error.to_string(),
    })
}
