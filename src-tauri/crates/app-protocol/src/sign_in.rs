//! Signing in to a server at an address, as a window shows it. Tokens and secrets never come here.

use serde::{Deserialize, Serialize};
use vestibule_protocol::QuestionId;

use super::SignInOffers;

/// The sign-in of one server.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct SignInView {
    /// How far a sign-in is that is on.
    pub phase: Option<SignInPhase>,
    /// What is held of an earlier one.
    pub held: Option<HeldSignIn>,
    /// What other ways the authorization server says it has; `None` until it was asked in this run.
    pub offers: Option<SignInOffers>,
}

/// How far a sign-in is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum SignInPhase {
    /// The authorization server is discovered: public metadata is read.
    Finding,
    /// Waits for the user's yes.
    Asking { question: QuestionId },
    /// Waits for the user in the browser.
    Browser {
        /// The host of the page.
        host: String,
    },
    /// Registers, or turns the sign-in into access.
    Finishing,
}

/// What is held of a sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct HeldSignIn {
    /// Who signed the user in.
    pub issuer: String,
    /// What the access is bound to.
    pub resource: String,
    /// Scopes granted, if the issuer reported them.
    pub scopes: Vec<String>,
    /// When it ends, in milliseconds since 1970, if the issuer reported it.
    #[ts(type = "number | null")]
    pub ends_ms: Option<i64>,
    /// Whether it is renewed without the user.
    pub renewable: bool,
}

/// What kind of failure ended a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInFailure {
    Network,
    /// An address that may not be used.
    Unsafe,
    /// An answer that cannot be read.
    Malformed,
    /// Two things that must be the same are not.
    Mismatch,
    /// The other side lacks something.
    Unsupported,
    /// The server does not say who signs people in.
    Undocumented,
    /// A client id has to be entered.
    NoClient,
    /// The authorization server said no.
    Refused,
    /// The user said no.
    Declined,
    /// The keychain did not do what was asked.
    Vault,
    /// The browser did not return from the page in time.
    TimedOut,
    /// This computer did not do what was asked.
    Local,
    /// Signing in did not help several times.
    Exhausted,
    /// There is no valid sign-in.
    Needed,
    /// This account may not do it.
    Denied,
}
