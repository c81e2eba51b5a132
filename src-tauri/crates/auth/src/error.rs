//! What can go wrong on the way to a token, in words a user can act on. Every error names the step that
//! failed, what happened, and what to do. Words of others are bounded and made printable before they get in
//! here; secrets never do.

use std::fmt;

use thiserror::Error;
use vestibule_app_protocol::SignInFailure;
use vestibule_egress::EgressError;
use vestibule_protocol::is_invisible;

/// The longest piece of foreign text in an error, in characters.
const MAX_QUOTED: usize = 200;

/// Where a sign-in stood when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Reading what the server demands.
    Challenge,
    /// Discovering the authorization server of the server (RFC 9728).
    Resource,
    /// Reading the metadata of the authorization server (RFC 8414).
    Server,
    /// Choosing a client id.
    Identity,
    Consent,
    Registration,
    /// Waiting on this computer for the browser to come back.
    Listener,
    /// Opening the sign-in page.
    Browser,
    /// Reading what the browser brought back.
    Callback,
    /// Getting an access token.
    Token,
    /// Getting an identity assertion from the company's identity provider.
    Identification,
    /// Renewing an access token.
    Refresh,
    /// Reading or keeping secrets.
    Vault,
    /// Telling the authorization server that tokens are no longer used.
    Revocation,
    /// Telling the authorization server that this application is no longer registered there.
    Withdrawal,
    /// Using the access the server was given.
    Access,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Challenge => "reading what the server demands",
            Self::Resource => "finding out who signs people in for this server",
            Self::Server => "reading how the authorization server works",
            Self::Identity => "choosing a client id for the authorization server",
            Self::Consent => "asking for consent to sign in",
            Self::Registration => "registering with the authorization server",
            Self::Listener => "waiting for the browser to come back",
            Self::Browser => "opening the sign-in page",
            Self::Callback => "reading what the browser brought back",
            Self::Token => "exchanging the sign-in for a token",
            Self::Identification => "getting an identity assertion from the identity provider",
            Self::Refresh => "renewing the access token",
            Self::Vault => "reading or keeping the secrets of this sign-in",
            Self::Revocation => "withdrawing the tokens at the authorization server",
            Self::Withdrawal => "withdrawing the registration of this application",
            Self::Access => "using the access to the server",
        })
    }
}

/// What happened. Each variant is something a caller treats differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There was no answer, or it broke off. Worth another try.
    Network(String),
    /// An address that may not be used. Nothing was sent there.
    Unsafe(String),
    /// An answer that cannot be read.
    Malformed(String),
    /// Two things that must be the same are not.
    Mismatch {
        what: &'static str,
        /// What it has to be.
        expected: String,
        /// What it is, in foreign words.
        found: String,
    },
    /// The other side lacks something this application insists on.
    Unsupported(String),
    /// The server says nothing about who signs people in.
    Undocumented,
    /// No client id can be had without the user entering one.
    NoClient,
    /// The authorization server said no.
    Refused {
        code: String,
        description: Option<String>,
    },
    /// The user said no.
    Declined,
    /// The place for secrets did not do what was asked.
    Vault(String),
    /// The browser did not return in time.
    TimedOut(u64),
    /// This computer did not do what was asked.
    Local(String),
    /// Signing in did not help this often.
    Exhausted(u32),
    /// There is no token, or the one there was does not count any more.
    SignInNeeded,
    /// The server does not let this account do this.
    Denied,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{step} failed: {reason}. {}", reason.advice())]
pub struct AuthError {
    pub step: Step,
    pub reason: Reason,
}

impl AuthError {
    pub(crate) fn new(step: Step, reason: Reason) -> Self {
        Self { step, reason }
    }

    pub(crate) fn network(step: Step, error: &EgressError) -> Self {
        Self::new(
            step,
            match error {
                EgressError::Address(why) => Reason::Unsafe(why.clone()),
                EgressError::TooLarge(_) | EgressError::Compressed(_) | EgressError::Crowded => {
                    Reason::Malformed(error.to_string())
                }
                other => Reason::Network(other.to_string()),
            },
        )
    }

    pub(crate) fn malformed(step: Step, why: impl Into<String>) -> Self {
        Self::new(step, Reason::Malformed(why.into()))
    }

    pub(crate) fn unsupported(step: Step, why: impl Into<String>) -> Self {
        Self::new(step, Reason::Unsupported(why.into()))
    }

    pub(crate) fn mismatch(step: Step, what: &'static str, expected: &str, found: &str) -> Self {
        let (expected, found) = (quoted(expected), quoted(found));
        Self::new(
            step,
            Reason::Mismatch {
                what,
                expected,
                found,
            },
        )
    }

    /// Whether the same may work a moment later without any change.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self.reason, Reason::Network(_) | Reason::Vault(_))
    }

    /// Whether the authorization server refuses the client itself. Some say `unauthorized_client` where they have lost a
    /// registration.
    pub(crate) fn is_unknown_client(&self) -> bool {
        self.is_refusal("invalid_client") || self.is_refusal("unauthorized_client")
    }

    /// Whether the error code of an authorization server is this one.
    pub(crate) fn is_refusal(&self, wanted: &str) -> bool {
        matches!(&self.reason, Reason::Refused { code, .. } if code == wanted)
    }
}

impl Reason {
    /// The kind of failure, without its details.
    #[must_use]
    pub fn failure(&self) -> SignInFailure {
        match self {
            Self::Network(_) => SignInFailure::Network,
            Self::Unsafe(_) => SignInFailure::Unsafe,
            Self::Malformed(_) => SignInFailure::Malformed,
            Self::Mismatch { .. } => SignInFailure::Mismatch,
            Self::Unsupported(_) => SignInFailure::Unsupported,
            Self::Undocumented => SignInFailure::Undocumented,
            Self::NoClient => SignInFailure::NoClient,
            Self::Refused { .. } => SignInFailure::Refused,
            Self::Declined => SignInFailure::Declined,
            Self::Vault(_) => SignInFailure::Vault,
            Self::TimedOut(_) => SignInFailure::TimedOut,
            Self::Local(_) => SignInFailure::Local,
            Self::Exhausted(_) => SignInFailure::Exhausted,
            Self::SignInNeeded => SignInFailure::Needed,
            Self::Denied => SignInFailure::Denied,
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            Self::Network(_) => "Check the connection and try again",
            Self::Unsafe(_) => {
                "Nothing was sent there; contact the operator of the server, and do not sign in until it is fixed"
            }
            Self::Malformed(_) => "Contact the operator of the authorization server",
            Self::Mismatch { .. } => {
                "This can be an attempt to steal the sign-in, so it was stopped; contact the operator of the server"
            }
            Self::Unsupported(_) => {
                "Ask the operator of the authorization server, or use another way to sign in"
            }
            Self::Undocumented => {
                "Check the server's address; if it is an old server, allow the rules of 2025-03-26 for it"
            }
            Self::NoClient => "Enter the client id you got from the operator of the authorization server",
            Self::Refused { .. } => {
                "Try again; if it happens again, ask the operator of the authorization server"
            }
            Self::Declined => "Sign in again when you want to use this server",
            Self::Vault(_) => "Unlock the keychain and try again",
            Self::TimedOut(_) => "Start signing in again",
            Self::Local(_) => "Try again; if it stays like this, restart the application",
            Self::Exhausted(_) => {
                "The server does not accept the access it asked for; contact the operator of the server"
            }
            Self::SignInNeeded => "Sign in to this server again",
            Self::Denied => "Use an account that may do this, or ask the operator of the server",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(why)
            | Self::Unsafe(why)
            | Self::Malformed(why)
            | Self::Unsupported(why)
            | Self::Vault(why)
            | Self::Local(why) => f.write_str(why),
            Self::Mismatch {
                what,
                expected,
                found,
            } => write!(
                f,
                "{what} has to be \u{201c}{expected}\u{201d} and is \u{201c}{found}\u{201d}"
            ),
            Self::Undocumented => f.write_str("the server does not say who signs people in for it"),
            Self::NoClient => {
                f.write_str("the authorization server neither knows this application nor lets it register")
            }
            Self::Refused { code, description } => {
                write!(f, "the authorization server refused with \u{201c}{code}\u{201d}")?;
                match description {
                    Some(text) => write!(f, " and says \u{201c}{text}\u{201d}"),
                    None => Ok(()),
                }
            }
            Self::Declined => f.write_str("it was declined"),
            Self::TimedOut(seconds) => write!(f, "the sign-in page did not return within {seconds} seconds"),
            Self::Exhausted(tries) => write!(f, "it was tried {tries} times and the server still refuses"),
            Self::SignInNeeded => f.write_str("there is no valid sign-in"),
            Self::Denied => f.write_str("the server does not allow this with the access it was given"),
        }
    }
}

/// Foreign text, fit to be shown: bounded, and without what could deceive.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .filter(|c| !is_invisible(*c))
        .take(MAX_QUOTED)
        .collect();
    if text.chars().count() > MAX_QUOTED {
        shown.push('\u{2026}');
    }
    shown
}
