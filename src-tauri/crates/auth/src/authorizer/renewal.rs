//! Renewing a token: once, however many callers wait for it, and to its end, even if they stop waiting, because a new
//! refresh token that is not stored is lost. A renewal goes where the user agreed to, asks no document where
//! that is, and after a refusal of the server first looks whether it still trusts that authorization server.

use std::sync::{Arc, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use secrecy::ExposeSecret;
use tokio::task::AbortHandle;

use super::AuthorizerInner;
use super::ending::revoke;
use crate::challenge::AuthDemand;
use crate::client::Credential;
use crate::discovery;
use crate::dpop::DpopKey;
use crate::error::{AuthError, Reason, Step};
use crate::settings::Grant;
use crate::stored::StoredTokens;
use crate::token::Tokens;

/// Refusals that say nothing about the sign-in.
const PASSING: [&str; 3] = ["temporarily_unavailable", "server_error", "slow_down"];

/// A renewal that was begun.
pub(super) struct Renewing {
    outcome: Shared<BoxFuture<'static, Result<(), AuthError>>>,
    task: AbortHandle,
}

impl AuthorizerInner {
    /// Renews the token of this generation. With the server's demand, which is why, the server is asked again
    /// whom it trusts.
    pub(super) async fn renew(
        self: &Arc<Self>,
        seen: u64,
        demand: Option<AuthDemand>,
    ) -> Result<(), AuthError> {
        let outcome = {
            let mut renewing = self.renewing.lock().unwrap_or_else(PoisonError::into_inner);
            let (newer, any) = {
                let held = self.held();
                (held.generation > seen, held.kept.is_some())
            };
            if newer {
                return if any { Ok(()) } else { Err(needed()) };
            }
            // A renewal that has ended is not joined, also where it had no waiter: its outcome is of an earlier time.
            match renewing.as_ref().filter(|running| !running.task.is_finished()) {
                Some(running) => running.outcome.clone(),
                None => renewing.insert(self.start_renewal(demand)).outcome.clone(),
            }
        };
        outcome.await
    }

    /// Begins a renewal, which runs to its end even when no caller waits for it any more.
    fn start_renewal(self: &Arc<Self>, demand: Option<AuthDemand>) -> Renewing {
        let own = Arc::clone(self);
        let running = tokio::spawn(async move { own.renew_now(demand).await });
        let task = running.abort_handle();
        let outcome = async move {
            running.await.unwrap_or_else(|_| {
                let why = "the renewal was ended with the application";
                Err(AuthError::new(Step::Refresh, Reason::Local(why.to_owned())))
            })
        };
        Renewing {
            outcome: outcome.boxed().shared(),
            task,
        }
    }

    async fn renew_now(&self, demand: Option<AuthDemand>) -> Result<(), AuthError> {
        let Some(kept) = self.held().kept.clone() else {
            return Err(needed());
        };
        let is_trusted = match demand {
            Some(demand) => self.still_trusted(&kept, &demand).await?,
            None => true,
        };
        if !is_trusted || !self.can_renew(&kept) {
            return self.give_up(&kept).await;
        }
        match self.fetch_again(&kept).await {
            Ok(tokens) => self.keep_renewed(&kept, kept.renewed(tokens, self.now())).await,
            Err(error) => self.give_up_if_refused(&kept, error).await,
        }
    }

    /// Gives the tokens up when the authorization server refused to renew them.
    async fn give_up_if_refused(&self, kept: &Arc<StoredTokens>, error: AuthError) -> Result<(), AuthError> {
        if error.is_unknown_client() {
            self.records.delete_registration(kept.issuer()).await?;
            return self.give_up(kept).await;
        }
        let is_lasting =
            matches!(&error.reason, Reason::Refused { code, .. } if !PASSING.contains(&code.as_str()));
        if !is_lasting {
            return Err(error);
        }
        tracing::info!(%error, "refresh token rejected; a new sign-in is needed");
        self.give_up(kept).await
    }

    /// Keeps what a renewal of these tokens brought. A sign-in that ended meanwhile is newer and wins; after a sign-out
    /// the new tokens are withdrawn like those before.
    async fn keep_renewed(&self, before: &Arc<StoredTokens>, renewed: StoredTokens) -> Result<(), AuthError> {
        let storing = self.storing.lock().await;
        let is_held = self.held().is_held(before);
        if is_held && let Err(error) = self.records.put_tokens(&renewed).await {
            // The old refresh token may be used up, so the new one is used although it is not kept.
            tracing::warn!(%error, "failed to store the renewed token; it is lost when the application ends");
        }
        {
            let mut held = self.held();
            if held.is_held(before) {
                self.publish(&mut held, Some(renewed));
                return Ok(());
            }
            if held.kept.is_some() {
                return Ok(());
            }
        }
        drop(storing);
        if let Err(error) = revoke(&self.wire, &renewed, self.now()).await {
            tracing::warn!(%error, "failed to withdraw tokens that arrived after the user signed out");
        }
        Err(needed())
    }

    /// Gives these tokens up, and says that only the user can help. Newer ones of a sign-in that ended meanwhile stay.
    async fn give_up(&self, refused: &Arc<StoredTokens>) -> Result<(), AuthError> {
        {
            let mut held = self.held();
            if held.is_held(refused) {
                self.publish(&mut held, None);
            } else if held.kept.is_some() {
                return Ok(());
            }
        }
        self.delete_tokens().await?;
        Err(needed())
    }

    /// Whether the server still names the authorization server the token came from.
    async fn still_trusted(&self, kept: &StoredTokens, demand: &AuthDemand) -> Result<bool, AuthError> {
        let accepted = self.settings.resource.as_deref();
        let found = discovery::resource(&self.wire, demand, accepted).await?;
        Ok(found.is_none_or(|resource| {
            let servers = &resource.authorization_servers;
            resource.resource == kept.resource && servers.iter().any(|issuer| issuer == kept.issuer())
        }))
    }

    /// Whether a new token can be had without the user.
    pub(super) fn can_renew(&self, kept: &StoredTokens) -> bool {
        kept.refresh.is_some() || !matches!(self.settings.grant, Grant::Page)
    }

    async fn fetch_again(&self, kept: &StoredTokens) -> Result<Tokens, AuthError> {
        let key = kept.key.clone().map(DpopKey::from_secret).transpose()?;
        let requests = self.token_requests();
        let endpoint = requests.endpoint(&kept.token_endpoint, &kept.client, key.as_ref());
        let Some(refresh) = &kept.refresh else {
            let form = requests.machine_form(
                &kept.token_endpoint,
                kept.issuer(),
                &kept.resource,
                &kept.requested,
            );
            return endpoint.usable(Step::Refresh, form.await?).await;
        };
        let form = vec![
            ("grant_type", "refresh_token".to_owned()),
            ("refresh_token", refresh.expose_secret().to_owned()),
            ("resource", kept.resource.clone()),
        ];
        endpoint.usable(Step::Refresh, form).await
    }

    /// Puts a configured key back to a client that was kept without it.
    pub(super) fn with_key(&self, mut kept: StoredTokens) -> StoredTokens {
        if let (Credential::Signed { key }, Grant::ClientCredentials { key: configured }) =
            (&mut kept.client.credential, &self.settings.grant)
        {
            key.clone_from(configured);
        }
        kept
    }
}

fn needed() -> AuthError {
    AuthError::new(Step::Refresh, Reason::SignInNeeded)
}
