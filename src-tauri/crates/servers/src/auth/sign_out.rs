//! The end of a sign-in: taken back by the user, or removed with its server. A client registration is removed when no
//! server is signed in through its issuer any more, and where the issuer supports that, as soon as the user signs out of
//! the last. With a server everything is removed here, also what could not be withdrawn where it was made; the user is
//! told of that.

use vestibule_auth::{AuthError, Authorizer, Step};

use super::auth_of;
use super::retry::failed;
use crate::config::secrets::SecretName;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{Problem, ServerProblem};

/// Forgets the sign-in of a server, here and where it was made.
pub(crate) async fn sign_out(server: &ServerHandle) -> Result<(), Problem> {
    let Some(auth) = auth_of(server).await? else {
        return Ok(());
    };
    super::sign_in::cancel(server);
    let ended = auth.authorizer.sign_out().await;
    server.publish();
    ended.map_err(|error| not_ended(server, &error))
}

/// The same, and withdraws the registration where that is possible and no other server needs it.
pub(crate) async fn sign_out_for_good(server: &ServerHandle) -> Result<(), Problem> {
    let ended = sign_out(server).await;
    let withdrawn = async {
        if let Some(auth) = server.auth()
            && let Some(issuer) = auth.authorizer.last_issuer().await?
            && let Some(own) = last_through(server, &issuer).await?
        {
            own.withdraw_client(&issuer).await?;
        }
        Ok(())
    };
    let withdrawn = withdrawn.await;
    ended.and(withdrawn.map_err(|error: AuthError| not_ended(server, &error)))
}

/// Forgets everything about signing in to a server that is being removed or signed in to differently. What could not be
/// withdrawn where it was made is forgotten here all the same, and given back as a problem to show.
pub(crate) async fn forget(server: &ServerHandle) -> Result<Option<Problem>, Problem> {
    let Some(auth) = auth_of(server).await? else {
        return Ok(None);
    };
    let authorizer = &auth.authorizer;
    let mut left = still_valid(server, authorizer.sign_out().await)?;
    let issuer = authorizer.last_issuer().await;
    if let Some(issuer) = issuer.map_err(|error| failed(server, &error))? {
        let forgotten = forget_client_of(server, &issuer).await;
        left = left.or(still_valid(server, forgotten)?);
    }
    let issuer = SecretName::SignIn(format!("issuer/{}", server.id()));
    server.secrets().remove(&issuer).await?;
    Ok(left)
}

/// What may still be valid elsewhere; an error where it may still be here.
fn still_valid(server: &ServerHandle, ended: Result<(), AuthError>) -> Result<Option<Problem>, Problem> {
    match ended.map_err(|error| not_ended(server, &error)) {
        Ok(()) => Ok(None),
        Err(left @ Problem::Server(ServerProblem::NotWithdrawn { .. })) => Ok(Some(left)),
        Err(other) => Err(other),
    }
}

fn not_ended(server: &ServerHandle, error: &AuthError) -> Problem {
    match error.step {
        Step::Vault => failed(server, error),
        _ => Problem::Server(ServerProblem::NotWithdrawn {
            origin: server.origin(),
            detail: error.to_string(),
        }),
    }
}

/// Forgets the client registered with an issuer, unless another server was signed in through it last.
async fn forget_client_of(server: &ServerHandle, issuer: &str) -> Result<(), AuthError> {
    match last_through(server, issuer).await? {
        Some(own) => own.forget_client(issuer).await,
        None => Ok(()),
    }
}

/// The authorizer of a server, unless another server was signed in through this issuer last.
async fn last_through(server: &ServerHandle, issuer: &str) -> Result<Option<Authorizer>, AuthError> {
    let all = server.context().authorizers.list();
    let (own, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(id, _)| *id == server.id());
    for (_, other) in others {
        if other.last_issuer().await?.as_deref() == Some(issuer) {
            return Ok(None);
        }
    }
    Ok(own.into_iter().next().map(|(_, own)| own))
}

/// After a sign-in: removes what was registered with the issuer before, if that is another one now.
pub(super) async fn issuer_left(server: &ServerHandle, authorizer: &Authorizer, before: Option<String>) {
    let now = authorizer.last_issuer().await.ok().flatten();
    let Some(before) = before.filter(|before| now.as_ref() != Some(before)) else {
        return;
    };
    if let Err(error) = forget_client_of(server, &before).await {
        tracing::warn!(%error, "failed to delete an unused client registration at the issuer");
    }
}
