//! The end of a sign-in: taken back by the person, or gone with its server. What was registered with an issuer goes when
//! no server is signed in through it any more. What could not be withdrawn where it was made is gone here all the same.

use vestibule_auth::{AuthError, Authorizer, Step};
use vestibule_protocol::ServerId;

use super::Registry;
use crate::secrets::SecretName;
use crate::view::Problem;

impl Registry {
    /// Forgets the sign-in of a server, here and where it was made.
    pub(crate) async fn sign_out(&self, server: ServerId) -> Result<(), Problem> {
        let Some(authorizer) = self.authorizer(server) else {
            return Ok(());
        };
        self.cancel_sign_in(server);
        let ended = authorizer.sign_out().await;
        self.change(server, |_| {});
        ended.map_err(|error| self.failed(server, &error))
    }

    /// Forgets everything about signing in to a server that is being removed. What could not be withdrawn where it
    /// was made is gone here all the same.
    pub(crate) async fn forget_sign_in(&self, server: ServerId) -> Result<(), Problem> {
        let Some(authorizer) = self.authorizer(server) else {
            return Ok(());
        };
        match authorizer.sign_out().await {
            Err(error) if error.step == Step::Vault => return Err(self.failed(server, &error)),
            Err(error) => tracing::warn!(%error, "a sign-in may still count where it was made"),
            Ok(()) => {}
        }
        let forgotten = async {
            if let Some(issuer) = authorizer.last_issuer().await? {
                self.forget_client_of(server, &issuer).await?;
            }
            Ok(())
        };
        forgotten
            .await
            .map_err(|error: AuthError| self.failed(server, &error))?;
        let issuer = SecretName::SignIn(format!("issuer/{server}"));
        Ok(self.0.secrets.remove(&issuer).await?)
    }

    /// Forgets the client registered with an issuer, unless another server was signed in through it last.
    async fn forget_client_of(&self, server: ServerId, issuer: &str) -> Result<(), AuthError> {
        let (own, others): (Vec<_>, Vec<_>) = self
            .authorizers()
            .into_iter()
            .partition(|(other, _)| *other == server);
        for (_, other) in others {
            if other.last_issuer().await?.as_deref() == Some(issuer) {
                return Ok(());
            }
        }
        match own.first() {
            Some((_, own)) => own.forget_client(issuer).await,
            None => Ok(()),
        }
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
            tracing::warn!(%error, "a registration nobody uses any more may still be kept");
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
