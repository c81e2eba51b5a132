//! One server's sign-in, for its whole life: holds the token, renews it once for all who wait, and says what a
//! challenge means. It does not repeat requests and decides nothing a user decides; the code that sends requests
//! asks it before each one and after each refusal.

mod challenged;
mod ending;
mod feed;
mod finding;
mod grants;
mod look_up;
mod page;
mod records;
mod renewal;
mod sign_in;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use secrecy::{ExposeSecret, SecretString};
use tokio::sync::watch;
use vestibule_app_protocol::SignInOffers;
use vestibule_transport::http::Authorization;

use crate::challenge::AuthDemand;
use crate::dpop::Nonces;
use crate::error::AuthError;
use crate::scope::Scopes;
use crate::settings::{AuthSettings, Possession};
use crate::stored::StoredTokens;
use crate::user_agent::UserAgent;
use crate::vault::Vault;
use crate::wire::AuthHttp;

pub use challenged::{Attempt, ChallengeOutcome};
use ending::{revoke, withdraw_registration};
use feed::RequestSigner;
use grants::TokenRequests;
use records::AuthRecords;
use sign_in::SignInRun;

/// One server's sign-in. Cheap to clone; clones are the same sign-in.
#[derive(Clone)]
pub struct Authorizer {
    inner: Arc<AuthorizerInner>,
}

/// What is known about the current sign-in, for showing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// Who signed the user in.
    pub issuer: String,
    pub resource: String,
    /// Scopes granted, if the issuer reported them.
    pub scopes: Scopes,
    /// When the token ends, if the issuer reported it.
    pub ends: Option<SystemTime>,
    /// Whether it can be renewed without the user.
    pub renewable: bool,
}

struct AuthorizerInner {
    settings: AuthSettings,
    wire: AuthHttp,
    person: Arc<dyn UserAgent>,
    records: AuthRecords,
    nonces: Nonces,
    held: Mutex<SignInState>,
    feed: watch::Sender<Option<SecretString>>,
    /// Held while a user signs in, so that there is one page at a time.
    page: tokio::sync::Mutex<()>,
    /// Held while tokens are stored or deleted, so that the vault ends with those that are used.
    storing: tokio::sync::Mutex<()>,
    renewing: Mutex<Option<renewal::Renewing>>,
}

/// What changes while it runs.
#[derive(Default)]
struct SignInState {
    /// Whether the vault was asked.
    loaded: bool,
    kept: Option<Arc<StoredTokens>>,
    /// Counts the tokens there were.
    generation: u64,
    /// What the server demanded last.
    demand: AuthDemand,
    /// Whether the demand was for more than the token is good for.
    wants_more: bool,
    /// How often the user was asked for each set of scopes on top.
    step_ups: HashMap<String, u32>,
    /// The issuers that the user let be asked how they sign users in, in this run.
    looked_up: BTreeSet<String>,
    /// What the user declined.
    declined: Vec<String>,
    /// The registered client whose page was opened last and did not come back.
    unanswered: Option<String>,
    /// Whether the user wants to sign in with another account than last time.
    another: bool,
    /// What the authorization server said it has, at the latest look.
    offers: Option<SignInOffers>,
}

impl Authorizer {
    /// The sign-in of a server. Nothing is read or sent yet.
    #[must_use]
    pub fn new(settings: AuthSettings, person: Arc<dyn UserAgent>, vault: Arc<dyn Vault>) -> Self {
        let inner = AuthorizerInner {
            wire: auth_http(&settings),
            person,
            records: AuthRecords::new(vault, &settings.name),
            nonces: Nonces::default(),
            held: Mutex::default(),
            feed: watch::Sender::new(None),
            page: tokio::sync::Mutex::default(),
            storing: tokio::sync::Mutex::default(),
            renewing: Mutex::default(),
            settings,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// What a transport writes into each request to the server.
    #[must_use]
    pub fn authorization(&self) -> Authorization {
        match self.inner.settings.possession {
            Possession::Off => Authorization::Held(self.inner.feed.subscribe()),
            Possession::WhereOffered { .. } => {
                Authorization::Signed(Arc::new(RequestSigner(Arc::clone(&self.inner))))
            }
        }
    }

    /// Reads what is kept of an earlier sign-in, for showing. Nothing is sent.
    ///
    /// # Errors
    /// When the vault does not answer.
    pub async fn load(&self) -> Result<(), AuthError> {
        self.inner.load().await
    }

    /// To be called before a request: reads what is kept, and renews a token that is about to end. Without a
    /// sign-in there is nothing to do, because a server need not want one.
    ///
    /// # Errors
    /// When the vault does not answer or the renewal failed; [`Reason::SignInNeeded`] when only the user can
    /// help.
    pub async fn ready(&self) -> Result<Attempt, AuthError> {
        self.inner.load().await?;
        let now = self.inner.now();
        // The server decides whether a token that cannot be renewed still counts, because the clock here can be wrong.
        let is_stale = |kept: &StoredTokens| self.inner.can_renew(kept) && !kept.is_fresh(now);
        let (seen, stale) = {
            let held = self.inner.held();
            (
                held.generation,
                held.kept.as_ref().is_some_and(|kept| is_stale(kept)),
            )
        };
        if stale {
            self.inner.renew(seen, None).await?;
        }
        Ok(Attempt::new(self.inner.held().generation))
    }

    /// What a refusal of the server means, and what to do about it. `attempt` is what [`ready`](Self::ready)
    /// gave for this request; it counts how often the request was tried.
    pub async fn on_challenge(
        &self,
        attempt: &mut Attempt,
        challenge: &vestibule_transport::Challenge,
    ) -> ChallengeOutcome {
        self.inner.on_challenge(attempt, challenge).await
    }

    /// Signs in: finds out how, asks the user, gets a token. Dropping it ends everything that was begun.
    /// When a sign-in is going on already, waits for that one instead.
    ///
    /// # Errors
    /// Says which step failed, why, and what to do.
    pub async fn sign_in(&self) -> Result<(), AuthError> {
        let inner = &*self.inner;
        inner.load().await?;
        let before = inner.held().generation;
        let _page = inner.page.lock().await;
        if inner.held().is_signed_in_since(before) {
            return Ok(());
        }
        let kept = SignInRun::begin(inner).await?.finish().await?;
        inner.keep(kept).await?;
        let mut held = inner.held();
        held.wants_more = false;
        held.another = false;
        Ok(())
    }

    /// Forgets the tokens, here and at the authorization server. Tokens that cannot be used, because they are for another
    /// address or cannot be read, are forgotten here.
    ///
    /// # Errors
    /// Of [`Step::Vault`] when they may still be here; of [`Step::Revocation`] when they are gone here and may
    /// still count there.
    pub async fn sign_out(&self) -> Result<(), AuthError> {
        let inner = &*self.inner;
        inner.load().await?;
        let kept = inner.stop_using_tokens();
        inner.delete_tokens().await?;
        match kept {
            Some(kept) => revoke(&inner.wire, &kept, inner.now()).await,
            None => Ok(()),
        }
    }

    #[must_use]
    pub fn signed_in(&self) -> Option<SignedIn> {
        let kept = self.inner.held().kept.clone()?;
        Some(SignedIn {
            issuer: kept.issuer().to_owned(),
            resource: kept.resource.clone(),
            scopes: kept.granted.clone(),
            ends: kept.ends(),
            renewable: self.inner.can_renew(&kept),
        })
    }

    /// Makes the next sign-in one with another account: the page is asked not to reuse the last one.
    pub fn as_another(&self) {
        self.inner.held().another = true;
    }

    /// What the authorization server said it has, as far as it was looked at in this run.
    #[must_use]
    pub fn offers(&self) -> Option<SignInOffers> {
        self.inner.held().offers
    }

    /// Who signed the user in last, whether or not that still counts.
    ///
    /// # Errors
    /// When the vault does not answer.
    pub async fn last_issuer(&self) -> Result<Option<String>, AuthError> {
        self.inner.records.last_issuer().await
    }

    /// Forgets the client that was registered with an issuer, once it is not used any more, and withdraws it there
    /// where the issuer lets it be withdrawn (RFC 7592).
    ///
    /// # Errors
    /// Of [`Step::Vault`] when it may still be here; of [`Step::Withdrawal`] when it is gone here and may still be
    /// registered there.
    pub async fn forget_client(&self, issuer: &str) -> Result<(), AuthError> {
        let withdrawn = self.withdraw_client(issuer).await;
        self.inner.records.delete_registration(issuer).await?;
        withdrawn
    }

    /// Withdraws the client that was registered with an issuer, if the issuer lets it be withdrawn; it can be registered
    /// again. Where it cannot, it is kept to be used again.
    ///
    /// # Errors
    /// When the vault does not answer; of [`Step::Withdrawal`] when it may still be registered there.
    pub async fn withdraw_client(&self, issuer: &str) -> Result<(), AuthError> {
        withdraw_registration(&self.inner.records, &self.inner.wire, issuer).await
    }

    /// Whether the token has changed since this attempt was last refused, so that sending again is what comes next.
    #[must_use]
    pub fn is_overtaken(&self, attempt: &Attempt) -> bool {
        let held = self.inner.held();
        held.kept.is_some() && attempt.is_before(held.generation)
    }

    /// Lets declined and exhausted demands be asked for again, because the user wants to try.
    pub fn forget_refusals(&self) {
        let mut held = self.inner.held();
        held.step_ups.clear();
        held.declined.clear();
    }
}

impl AuthorizerInner {
    fn held(&self) -> MutexGuard<'_, SignInState> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> SystemTime {
        (self.settings.clock)()
    }

    fn token_requests(&self) -> TokenRequests<'_> {
        TokenRequests {
            settings: &self.settings,
            wire: &self.wire,
            nonces: &self.nonces,
            now: self.now(),
        }
    }

    async fn load(&self) -> Result<(), AuthError> {
        if self.held().loaded {
            return Ok(());
        }
        let kept = self.records.tokens().await?;
        let kept = kept.filter(|kept| kept.server == self.settings.server.as_str());
        let mut held = self.held();
        if !held.loaded {
            held.loaded = true;
            if let Some(kept) = kept {
                self.publish(&mut held, Some(self.with_key(kept)));
            }
        }
        Ok(())
    }

    /// Keeps the tokens, then lets them be used.
    async fn keep(&self, kept: StoredTokens) -> Result<(), AuthError> {
        let _storing = self.storing.lock().await;
        self.records.put_tokens(&kept).await?;
        self.publish(&mut self.held(), Some(kept));
        Ok(())
    }

    /// Stops using the tokens, and gives back what they were.
    fn stop_using_tokens(&self) -> Option<Arc<StoredTokens>> {
        let mut held = self.held();
        let kept = held.kept.clone();
        self.publish(&mut held, None);
        kept
    }

    /// Deletes the tokens from the vault, unless a sign-in brought new ones meanwhile.
    async fn delete_tokens(&self) -> Result<(), AuthError> {
        let _storing = self.storing.lock().await;
        if self.held().kept.is_some() {
            return Ok(());
        }
        self.records.delete_tokens().await
    }

    fn publish(&self, held: &mut SignInState, kept: Option<StoredTokens>) {
        let bearer = kept.as_ref().filter(|kept| kept.key.is_none());
        let value = bearer.map(|kept| format!("Bearer {}", kept.access.expose_secret()).into());
        held.kept = kept.map(Arc::new);
        held.generation += 1;
        self.feed.send_replace(value);
    }
}

/// The way to the authorization servers of the configured server.
fn auth_http(settings: &AuthSettings) -> AuthHttp {
    AuthHttp {
        server: settings.server.clone(),
        limits: settings.limits,
        lookup: Arc::clone(&settings.lookup),
        proxies: settings.proxies.clone(),
    }
}

impl SignInState {
    /// Whether these tokens are still the ones that are used.
    fn is_held(&self, tokens: &Arc<StoredTokens>) -> bool {
        self.kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, tokens))
    }

    /// Whether the user signed in after this generation of tokens.
    fn is_signed_in_since(&self, generation: u64) -> bool {
        self.generation != generation && self.kept.is_some()
    }

    /// Counts that the user is asked for more, and says for what.
    fn count_step_up(&mut self) -> Option<String> {
        if !self.wants_more {
            return None;
        }
        let key = self.demand.scope.clone().unwrap_or_default().key();
        *self.step_ups.entry(key.clone()).or_default() += 1;
        Some(key)
    }
}
