//! What a user sees of a sign-in, as a trait the application implements. A request tells everything the
//! decision is about; only a request that was approved can be turned into an [`Approved`], and without one no
//! page is opened, nothing is registered and no secret leaves.

use async_trait::async_trait;
use secrecy::SecretString;
use thiserror::Error;
use url::Url;
use vestibule_app_protocol::{SignInClient, SignInHistory, SignInOddity, SignInWay};

use crate::listener::CallbackPage;
use crate::scope::Scopes;

/// How a sign-in reaches the user, who decides and sees the sign-in page.
#[async_trait]
pub trait UserAgent: Send + Sync {
    /// Asks whether to ask an authorization server how it signs users in. Nothing was sent to it yet. Dropping the future
    /// withdraws the question.
    ///
    /// # Errors
    /// [`Declined`] on no, and when the user cannot be asked.
    async fn look_up(&self, request: LookUpPrompt) -> Result<(), Declined>;

    /// The authorization server of the last [`look_up`](Self::look_up) was asked; `found` says whether it described itself.
    async fn looked_up(&self, found: bool);

    /// Asks whether to sign in like this. Answer with [`SignInPrompt::approve`] on yes. Dropping the future
    /// withdraws the question.
    ///
    /// # Errors
    /// [`Declined`] on no, and when the user cannot be asked.
    async fn consent(&self, request: SignInPrompt) -> Result<Approved, Declined>;

    /// Shows the sign-in page in the user's browser, without a shell. The address holds no secret, but it is
    /// only good for this sign-in. Returns once the browser has it.
    ///
    /// # Errors
    /// [`PageNotOpened`] with what went wrong.
    async fn open(&self, approved: &Approved, page: &Url) -> Result<(), PageNotOpened>;

    /// What the browser shows at the end, in the user's language.
    fn callback_page(&self) -> CallbackPage;
}

/// An authorization server that a server names, before anything is sent to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookUpPrompt {
    /// The server that access is wanted to, as configured.
    pub server: Url,
    /// Its address, checked but foreign.
    pub issuer: Url,
    /// The origin of the proxy between, which finds out where the name leads.
    pub proxy: Option<String>,
}

/// The user said no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("declined")]
pub struct Declined;

/// The browser did not open.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PageNotOpened(pub String);

/// What the user decides on. Issuer, endpoints and scopes are other parties' words, checked but foreign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInPrompt {
    /// The server that access is wanted to, as configured.
    pub server: Url,
    /// What the token will be bound to.
    pub resource: String,
    /// Who signs the user in.
    pub issuer: String,
    /// How this request relates to what was before.
    pub relation: SignInHistory,
    /// How the token is got.
    pub way: SignInWay,
    /// Where the sign-in page is. `None` where no page is opened.
    pub authorization_endpoint: Option<Url>,
    /// Where codes, tokens and secrets are sent.
    pub token_endpoint: Url,
    /// Where this application will be registered, if it has to be.
    pub registration_endpoint: Option<Url>,
    /// What is asked for in all; empty leaves it to the authorization server.
    pub scopes: Scopes,
    /// What of it was not asked for before.
    pub new_scopes: Scopes,
    /// Whom this application presents itself as.
    pub client: SignInClient,
    /// What is unusual, and allowed only because the user says so.
    pub oddities: Vec<SignInOddity>,
    /// The file whose content will be sent, now and at each renewal.
    pub file: Option<AssertionFile>,
}

/// A file whose content is sent as an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionFile {
    pub path: String,
    /// Its size in bytes when it was looked at.
    pub bytes: u64,
}

impl SignInPrompt {
    /// The user agreed to exactly this.
    #[must_use]
    pub fn approve(self) -> Approved {
        Approved { request: self }
    }
}

/// A request the user agreed to.
#[derive(Debug)]
pub struct Approved {
    request: SignInPrompt,
}

impl Approved {
    /// What was agreed to.
    #[must_use]
    pub fn request(&self) -> &SignInPrompt {
        &self.request
    }
}

/// Gives an assertion when one is needed: an identity token after single sign-on, or a workload's own token.
#[async_trait]
pub trait Assertion: Send + Sync {
    /// A fresh assertion for this audience.
    ///
    /// # Errors
    /// In words for the user.
    async fn assertion(&self, audience: &str) -> Result<SecretString, String>;

    /// The file it is read from, checked before the user is asked. `None` where it comes from no file.
    ///
    /// # Errors
    /// In words for the user, who is then not asked; nothing is sent.
    async fn file(&self) -> Result<Option<AssertionFile>, String> {
        Ok(None)
    }
}

#[async_trait]
impl Assertion for SecretString {
    async fn assertion(&self, _audience: &str) -> Result<SecretString, String> {
        Ok(self.clone())
    }
}
