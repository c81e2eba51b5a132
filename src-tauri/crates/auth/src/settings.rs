//! What is configured about signing in to one server, and about this application.

use std::sync::Arc;
use std::time::SystemTime;

use secrecy::SecretString;
use url::Url;
use vestibule_egress::{Lookup, Proxies, SystemLookup};

use crate::client::SigningKey;
use crate::user_agent::Assertion;
use crate::wire::AuthLimits;

/// The time, from the computer or from a test.
pub type TimeSource = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// How to sign in to one server.
#[derive(Clone)]
pub struct AuthSettings {
    /// The server's address as the user wrote it.
    pub server: Url,
    /// What its secrets are kept under; no other server may have the same name.
    pub name: String,
    /// This application, as authorization servers see it.
    pub application: Application,
    /// A client id entered for this server.
    pub entered: Option<EnteredClient>,
    /// How a token is got.
    pub grant: Grant,
    /// Whether tokens are bound to a key.
    pub possession: Possession,
    /// What to do when the server does not describe itself, as servers of 2025-03-26 do not.
    pub early: Early,
    /// A resource identifier of the server's origin that was accepted although it is not the server's address.
    pub resource: Option<String>,
    /// Issuers the user accepted although they do not say that they check the proof that protects codes.
    pub without_pkce: Vec<String>,
    /// Whether to ask for access that outlives the sign-in, where it is offered.
    pub stay_signed_in: bool,
    /// How long and how much others may take.
    pub limits: AuthLimits,
    /// Where names are looked up.
    pub lookup: Arc<dyn Lookup>,
    /// Which proxies stand between.
    pub proxies: Proxies,
    pub clock: TimeSource,
}

/// This application, as authorization servers see it.
#[derive(Clone, Debug)]
pub struct Application {
    pub name: String,
    /// The address of its Client ID Metadata Document, if there is one. The document has to list
    /// `http://127.0.0.1/callback` as a redirect URI.
    pub document: Option<String>,
}

/// A client id from an authorization server. It is shown to that issuer alone.
#[derive(Clone, Debug)]
pub struct EnteredClient {
    /// Whose it is, exactly as the issuer calls itself.
    pub issuer: String,
    pub id: String,
    /// The secret, if there is one.
    pub secret: Option<SecretString>,
    /// The port of its redirect URI `http://127.0.0.1:port/callback`, if the issuer insists on one.
    pub port: Option<u16>,
}

/// How a token is got.
#[derive(Clone)]
pub enum Grant {
    /// The user signs in on a page.
    Page,
    /// With credentials of the application itself (`io.modelcontextprotocol/oauth-client-credentials`), which are
    /// those of [`AuthSettings::entered`], or this key in place of its secret.
    ClientCredentials {
        /// Signs who this is.
        key: Option<SigningKey>,
    },
    /// With an assertion of the company's identity provider
    /// (`io.modelcontextprotocol/enterprise-managed-authorization`).
    Enterprise(Enterprise),
    /// With a token of the platform this runs on. Its source receives the token endpoint as the audience.
    Workload(Arc<dyn Assertion>),
}

/// What an administrator configures about the company's identity provider.
#[derive(Clone)]
pub struct Enterprise {
    pub token_endpoint: String,
    pub issuer: String,
    /// This application's client id there.
    pub client_id: String,
    /// The secret there, if any.
    pub client_secret: Option<SecretString>,
    /// Gives the user's identity assertion.
    pub identity: Arc<dyn Assertion>,
    /// What kind of assertion that is, such as `urn:ietf:params:oauth:token-type:id_token`.
    pub identity_type: String,
}

/// Whether tokens are bound to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Possession {
    Off,
    /// Where the authorization server offers it and the server takes it.
    WhereOffered {
        /// Whether proofs to the server cover the body, as a draft wants it.
        with_body: bool,
    },
}

/// What to do when a server does not describe itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    Refuse,
    /// Follow 2025-03-26, and say so when asking for consent.
    Ask,
    /// Follow 2025-03-26: the server negotiated it, or is configured to speak it.
    Follow,
}

impl AuthSettings {
    /// The usual settings for a server.
    #[must_use]
    pub fn new(server: Url, name: impl Into<String>, application: Application) -> Self {
        Self {
            server,
            name: name.into(),
            application,
            entered: None,
            grant: Grant::Page,
            possession: Possession::WhereOffered { with_body: false },
            early: Early::Ask,
            resource: None,
            without_pkce: Vec::new(),
            stay_signed_in: true,
            limits: AuthLimits::default(),
            lookup: Arc::new(SystemLookup),
            proxies: Proxies::default(),
            clock: Arc::new(SystemTime::now),
        }
    }
}
