//! What a card says of a sign-in: whose page it is, what for, what the access will be good for, whom Vestibule
//! presents itself as, and what is unusual. Addresses are taken apart before they get here; secrets never do.

use serde::Serialize;
use vestibule_policy::inspect::{UrlInspection, UrlVerdict};

/// What will be signed in to.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct SignIn {
    /// What the access will be bound to.
    pub resource: String,
    /// Who signs the user in.
    pub issuer: UrlInspection,
    /// Whose that is, seen from the server.
    pub site: IssuerSite,
    /// How this relates to the sign-in before.
    pub history: SignInHistory,
    /// How access is got.
    pub way: SignInWay,
    /// The page that will be opened; what is added to it belongs to this sign-in alone. `None` where none is.
    pub page: Option<UrlInspection>,
    /// Where codes, tokens and secrets are sent.
    pub token_endpoint: UrlInspection,
    /// Where Vestibule will be registered, if it has to be.
    pub registration: Option<UrlInspection>,
    /// What is asked for in all; empty leaves it to the issuer.
    pub scopes: Vec<String>,
    /// What of it was not asked for before.
    pub new_scopes: Vec<String>,
    /// Whom Vestibule presents itself as.
    pub client: SignInClient,
    pub oddities: Vec<SignInOddity>,
    /// The file whose content is sent in place of a page, now and at each renewal.
    pub file: Option<SignInFile>,
    /// Whether the keychain keeps the access; else it is gone with this run.
    pub kept: bool,
}

/// A sign-in provider that Vestibule is about to ask how it signs users in. Nothing was sent to it yet.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct IssuerLookUp {
    /// Who signs the user in, as the server says.
    pub issuer: UrlInspection,
    /// Whose that is, seen from the server.
    pub site: IssuerSite,
    /// The proxy between, which finds out where the name leads.
    pub proxy: Option<String>,
}

/// A file whose content is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct SignInFile {
    pub path: String,
    /// Its size in bytes.
    pub bytes: u32,
    /// The host it is sent to.
    pub to: String,
}

/// Whose the issuer is, seen from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum IssuerSite {
    /// The same registered name, or the same host.
    Same,
    Other,
    /// Both are on this computer.
    ThisComputer,
}

/// How a sign-in relates to the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "history", rename_all = "snake_case")]
pub enum SignInHistory {
    First,
    Again,
    /// The server wants more than it was given.
    MoreScopes,
    /// The server names another issuer than before.
    IssuerChanged {
        before: String,
    },
}

/// How access is got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "way", rename_all = "snake_case")]
pub enum SignInWay {
    /// On a page, by the user.
    Page,
    /// With credentials of Vestibule itself.
    ClientCredentials,
    /// With an assertion of the company's identity provider.
    Enterprise {
        /// Where that is exchanged first.
        identity_provider: String,
    },
    /// With an assertion of the platform this runs on.
    Workload,
}

/// Whom Vestibule presents itself as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "client", rename_all = "snake_case")]
pub enum SignInClient {
    /// A client id the user entered.
    Entered {
        id: String,
    },
    /// The address of a document about Vestibule.
    Document {
        address: String,
    },
    /// An id of an earlier registration.
    Registered {
        id: String,
    },
    /// An id that will be asked for.
    ToBeRegistered,
    Unnamed,
}

/// Something unusual about a sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "oddity", rename_all = "snake_case")]
pub enum SignInOddity {
    /// The server documents nothing; where to sign in is a convention of an old revision.
    Guessed,
    /// The issuer does not say that it checks the proof that protects the code.
    NoPkce,
    /// Secrets go to another origin than the issuer's.
    OtherOrigin { origin: String },
    /// The access is for an address that the server is only a part of.
    Wider,
    /// The sign-in page belongs to another site than the issuer.
    OtherPage {
        origin: String,
        /// Whether the answer of the page has to name the issuer, so that the issuer cannot collect the code of
        /// the page of another site.
        confirmed: bool,
    },
}

impl SignIn {
    /// Whether an address of it may not be used at all.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        let others = [self.page.as_ref(), self.registration.as_ref()];
        let all = others
            .into_iter()
            .flatten()
            .chain([&self.issuer, &self.token_endpoint]);
        all.into_iter()
            .any(|address| address.verdict == UrlVerdict::Block)
    }
}
