//! What is kept of a sign-in: tokens, whom they came from, what they are for. Everything a renewal needs stands
//! here as it was when the user agreed, so a renewal asks no document that could have changed since.
//! A record belongs to one server and one resource.

use std::time::{Duration, SystemTime};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::client::Client;
use crate::dpop::seconds;
use crate::management::Management;
use crate::masked;
use crate::scope::Scopes;
use crate::token::Tokens;

/// How long before its end a token is renewed, at most.
const AHEAD: u64 = 60;
/// How far the clock may have been turned back before a token's age is no longer believed.
const SKEW: u64 = 300;

/// The tokens of one server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredTokens {
    pub(crate) server: String,
    pub(crate) resource: String,
    pub(crate) client: Client,
    pub(crate) token_endpoint: Url,
    pub(crate) revocation_endpoint: Option<Url>,
    #[serde(with = "masked")]
    pub(crate) access: SecretString,
    #[serde(with = "masked::maybe")]
    pub(crate) refresh: Option<SecretString>,
    /// The key the token is bound to.
    #[serde(with = "masked::maybe")]
    pub(crate) key: Option<SecretString>,
    /// Seconds since 1970 by this computer's clock.
    pub(crate) obtained: u64,
    pub(crate) life: Option<u64>,
    pub(crate) requested: Scopes,
    pub(crate) granted: Scopes,
}

/// What is known of a client that registered itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Registration {
    pub(crate) client: Client,
    pub(crate) redirect_uri: String,
    /// Seconds since 1970, when its secret ends.
    pub(crate) expires: Option<u64>,
    /// How it is withdrawn, where the issuer said so.
    #[serde(default)]
    pub(crate) management: Option<Management>,
}

impl StoredTokens {
    /// Takes over what a renewal brought.
    pub(crate) fn renewed(&self, tokens: Tokens, now: SystemTime) -> Self {
        Self {
            access: tokens.access,
            refresh: tokens.refresh.or_else(|| self.refresh.clone()),
            obtained: seconds(now),
            life: tokens.life,
            granted: tokens.scopes.unwrap_or_else(|| self.granted.clone()),
            ..self.clone()
        }
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.client.issuer
    }

    /// Whether the token still counts for a while. One of unknown life counts until the server says otherwise.
    pub(crate) fn is_fresh(&self, now: SystemTime) -> bool {
        let Some(life) = self.life else {
            return true;
        };
        let now = seconds(now);
        let ahead = AHEAD.min(life / 5);
        now + SKEW >= self.obtained && now < (self.obtained + life).saturating_sub(ahead)
    }

    /// When the token ends.
    pub(crate) fn ends(&self) -> Option<SystemTime> {
        let end = Duration::from_secs(self.obtained + self.life?);
        SystemTime::UNIX_EPOCH.checked_add(end)
    }
}

impl Registration {
    /// The port it registered.
    pub(crate) fn port(&self) -> Option<u16> {
        Url::parse(&self.redirect_uri).ok()?.port()
    }

    pub(crate) fn counts(&self, now: SystemTime) -> bool {
        self.expires.is_none_or(|end| seconds(now) < end)
    }
}
