//! One sign-in at a time for each server, however many wait for it. It ends with the last waiter.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use tokio_util::sync::CancellationToken;
use vestibule_consent::EffectEnd;

use super::ServerAuth;
use super::prompter::AuthPrompter;
use super::retry::{declined, failed};
use super::sign_out::issuer_left;
use crate::gone;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{LogSource, Problem, ServerProblem, SignInFailure, SignInPhase};

type SignInFuture = BoxFuture<'static, Result<(), Problem>>;
pub(super) type SharedSignIn = WeakShared<SignInFuture>;

/// Signs in, or waits for the sign-in under way.
pub(crate) async fn sign_in(server: &ServerHandle) -> Result<(), Problem> {
    let auth = server.auth().ok_or_else(gone)?;
    let running: Shared<SignInFuture> = {
        let mut current = auth.current();
        let running = current.running.as_ref().and_then(WeakShared::upgrade);
        match running.filter(|running| running.peek().is_none()) {
            Some(running) => running,
            None => {
                current.cancel = server.context().closing.child_token();
                let sign_in = run(server.clone(), auth.clone(), current.cancel.clone());
                let sign_in = sign_in.boxed().shared();
                current.running = sign_in.downgrade();
                sign_in
            }
        }
    };
    running.await
}

async fn run(server: ServerHandle, auth: Arc<ServerAuth>, cancel: CancellationToken) -> Result<(), Problem> {
    let prompter = &auth.prompter;
    prompter.show_phase(Some(SignInPhase::Finding));
    let guard = PhaseGuard(prompter);
    let issuer = auth.authorizer.last_issuer().await.ok().flatten();
    let outcome = tokio::select! {
        () = cancel.cancelled() => None,
        outcome = auth.authorizer.sign_in() => Some(outcome),
    };
    let (end, outcome) = match outcome {
        None => (EffectEnd::Cancelled, Err(declined(&server))),
        Some(Ok(())) => {
            issuer_left(&server, &auth.authorizer, issuer).await;
            (EffectEnd::SignedIn, Ok(()))
        }
        Some(Err(error)) => {
            server.note(LogSource::Host, Some("warning".into()), &error.to_string());
            (EffectEnd::Failed, Err(failed(&server, &error)))
        }
    };
    prompter.ended(end).await;
    drop(guard);
    outcome
}

/// Cancels the sign-in under way.
pub(crate) fn cancel(server: &ServerHandle) {
    if let Some(auth) = server.auth() {
        auth.current().cancel.cancel();
    }
}

/// Opens the page of the sign-in under way once more.
pub(crate) async fn open_page_again(server: &ServerHandle) -> Result<(), Problem> {
    let auth = server.auth().ok_or_else(gone)?;
    let opened = auth.prompter.open_again().await;
    opened.map_err(|error| {
        Problem::Server(ServerProblem::SignInFailed {
            origin: server.origin(),
            why: SignInFailure::Local,
            detail: error.0,
        })
    })
}

/// Takes back what is shown of a sign-in, however it ended.
struct PhaseGuard<'a>(&'a AuthPrompter);

impl Drop for PhaseGuard<'_> {
    fn drop(&mut self) {
        self.0.drop_agreed();
        self.0.show_phase(None);
    }
}
