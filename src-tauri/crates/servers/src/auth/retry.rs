//! What a demand of a server to sign in means for the request it refused: sent again with another authorization, after a
//! sign-in, or not at all.

use vestibule_auth::{Attempt, AuthError, ChallengeOutcome, Reason};
use vestibule_session::{CallError, Challenge};

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
/// else helps. What is refused with 401 or 403 was not carried out, so it may be sent again.
pub(crate) async fn authorized<T, F>(
    server: &ServerHandle,
    ask: bool,
    send: impl Fn() -> F,
) -> Result<T, Unsent>
where
    F: Future<Output = Result<T, CallError>>,
{
    let mut attempt = attempt(server).await.map_err(Unsent::Never)?;
    loop {
        let challenge = match send().await {
            Ok(answer) => return Ok(answer),
            Err(CallError::NotAnswered(failure)) if failure.challenge.is_some() => {
                failure.challenge.clone().expect("looked at just before")
            }
            Err(error) => return Err(Unsent::Call(error)),
        };
        match demanded(server, &mut attempt, &challenge).await {
            Demanded::Again => {}
            // Another caller's sign-in was faster.
            Demanded::SignIn if is_overtaken(server, attempt.as_ref()) => {}
            Demanded::SignIn if ask => sign_in(server)
                .await
                .map_err(|problem| Unsent::NotSignedIn { challenge, problem })?,
            Demanded::SignIn => return Err(Unsent::SignIn(challenge)),
            Demanded::Never(problem) => return Err(Unsent::Never(problem)),
        }
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
