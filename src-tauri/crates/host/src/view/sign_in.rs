//! Signing in to a server at an address, as a window shows it. Tokens and secrets never come here.

use serde::Serialize;
use vestibule_protocol::QuestionId;

/// The sign-in of one server.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct SignInView {
    /// How far a sign-in is that is on.
    pub phase: Option<SignInPhase>,
    /// What is held of an earlier one.
    pub held: Option<HeldSignIn>,
}

/// How far a sign-in is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum SignInPhase {
    /// It is being found out who signs people in; public documents are read.
    Finding,
    /// Waits for the person's yes.
    Asking {
        /// The question.
        question: QuestionId,
    },
    /// Waits for the person in the browser.
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
    /// Who signed the person in.
    pub issuer: String,
    /// What the access is bound to.
    pub resource: String,
    /// What it is good for, as far as was said.
    pub scopes: Vec<String>,
    /// When it ends, in milliseconds since 1970, as far as was said.
    #[ts(type = "number | null")]
    pub ends_ms: Option<i64>,
    /// Whether it is renewed without the person.
    pub renewable: bool,
}
