//! What the user configured about a server over HTTP.

use std::fmt;

use secrecy::SecretString;
use url::Url;

use super::{Authorization, HttpLimits};

/// Which of the two transports over HTTP to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpVariant {
    /// Streamable HTTP, and the one of 2024-11-05 if the server turns out to speak only that.
    Either,
    Streamable,
    /// The one of 2024-11-05.
    Old,
}

/// What a server over HTTP is reached with.
#[derive(Clone)]
pub struct HttpOptions {
    pub address: Url,
    /// Headers the user configured for it. Not those this crate sets itself.
    pub headers: Vec<(String, SecretString)>,
    /// On whose behalf requests are sent.
    pub authorization: Option<Authorization>,
    /// Which transport to speak.
    pub shape: HttpVariant,
    /// How long and how much it may take.
    pub limits: HttpLimits,
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Queries and headers can hold secrets.
        f.debug_struct("HttpOptions")
            .field("origin", &self.address.origin().ascii_serialization())
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}
