//! The end of a sign-in: taken back by the person, or gone with its server. What was registered with an issuer goes when
//! no server is signed in through it any more, and where the issuer lets it be withdrawn, it goes as soon as the person
//! signs out of the last. Of a server that is removed everything is gone here, also what could not be withdrawn where it
//! was made; the person is told of that.

use vestibule_auth::{AuthError, Authorizer, Step};
use vestibule_protocol::ServerId;

use super::Registry;
use crate::secrets::SecretName;
use crate::view::{Problem, ServerProblem};

impl Registry {
    /// Forgets the sign-in of a server, here and where it was made.
    pub(crate) async fn sign_out(&self, server: ServerId) -> Result<(), Problem> {
        let Some(authorizer) = self.authorizer(server) else {
            return Ok(());
        };
        self.cancel_sign_in(server);
        let ended = authorizer.sign_out().await;
        self.change(server, |_| {});
        ended.map_err(|error| self.not_ended(server, &error))
    }

    /// The same for good: the registration goes as well, where it can be withdrawn and nobody else needs it.
    pub(crate) async fn leave(&self, server: ServerId) -> Result<(), Problem> {
        let ended = self.sign_out(server).await;
        let withdrawn = async {
            if let Some(authorizer) = self.authorizer(server)
                && let Some(issuer) = authorizer.last_issuer().await?
                && let Some(own) = self.last_through(server, &issuer).await?
            {
                own.withdraw_client(&issuer).await?;
            }
            Ok(())
        };
        let withdrawn = withdrawn.await;
        ended.and(withdrawn.map_err(|error: AuthError| self.not_ended(server, &error)))
    }

    /// Forgets everything about signing in to a server that is being removed or signed in to differently. What could
    /// not be withdrawn where it was made is gone here all the same, and given back to be told.
    pub(crate) async fn forget_sign_in(&self, server: ServerId) -> Result<Option<Problem>, Problem> {
        let Some(authorizer) = self.authorizer(server) else {
            return Ok(None);
        };
        let mut told = self.still_there(server, authorizer.sign_out().await)?;
        let issuer = authorizer.last_issuer().await;
        if let Some(issuer) = issuer.map_err(|error| self.failed(server, &error))? {
            let forgotten = self.forget_client_of(server, &issuer).await;
            told = told.or(self.still_there(server, forgotten)?);
        }
        let issuer = SecretName::SignIn(format!("issuer/{server}"));
        self.0.secrets.remove(&issuer).await?;
        Ok(told)
    }

    /// What may still count elsewhere; an error where it may still be here.
    fn still_there(
        &self,
        server: ServerId,
        ended: Result<(), AuthError>,
    ) -> Result<Option<Problem>, Problem> {
        match ended.map_err(|error| self.not_ended(server, &error)) {
            Ok(()) => Ok(None),
            Err(told @ Problem::Server(ServerProblem::NotWithdrawn { .. })) => Ok(Some(told)),
            Err(other) => Err(other),
        }
    }

    fn not_ended(&self, server: ServerId, error: &AuthError) -> Problem {
        match error.step {
            Step::Vault => self.failed(server, error),
            _ => Problem::Server(ServerProblem::NotWithdrawn {
                origin: self.origin(server),
                detail: error.to_string(),
            }),
        }
    }

    /// Forgets the client registered with an issuer, unless another server was signed in through it last.
    async fn forget_client_of(&self, server: ServerId, issuer: &str) -> Result<(), AuthError> {
        match self.last_through(server, issuer).await? {
            Some(own) => own.forget_client(issuer).await,
            None => Ok(()),
        }
    }

    /// The sign-in of a server, unless another server was signed in through this issuer last.
    async fn last_through(&self, server: ServerId, issuer: &str) -> Result<Option<Authorizer>, AuthError> {
        let (own, others): (Vec<_>, Vec<_>) = self
            .authorizers()
            .into_iter()
            .partition(|(other, _)| *other == server);
        for (_, other) in others {
            if other.last_issuer().await?.as_deref() == Some(issuer) {
                return Ok(None);
            }
        }
        Ok(own.into_iter().next().map(|(_, own)| own))
    }

    /// After a sign-in: what was registered with the issuer before, if that is another one now.
    pub(super) async fn issuer_left(
        &self,
        server: ServerId,
        authorizer: &Authorizer,
        before: Option<String>,
    ) {
        let now = authorizer.last_issuer().await.ok().flatten();
        let Some(before) = before.filter(|before| now.as_ref() != Some(before)) else {
            return;
        };
        if let Err(error) = self.forget_client_of(server, &before).await {
            tracing::warn!(%error, "failed to delete an unused client registration at the issuer");
        }
    }

    fn authorizers(&self) -> Vec<(ServerId, Authorizer)> {
        let seats = self.seats();
        let of = |(server, seat): (&ServerId, &super::Seat)| {
            Some((*server, seat.seal.as_ref()?.authorizer.clone()))
        };
        seats.iter().filter_map(of).collect()
    }
}
