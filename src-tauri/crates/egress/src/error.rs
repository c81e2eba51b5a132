//! Why nothing came back from a server, in sentences for a user. They never hold the address, whose query may
//! be a secret, and say whether anything can have reached the server.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use thiserror::Error;

/// Why nothing came back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EgressError {
    /// The address may not be used. Nothing was sent.
    #[error("{0}")]
    Address(String),
    /// No connection came about. Nothing was sent.
    #[error("the server could not be reached: {0}")]
    Unreachable(String),
    /// The server could not prove that it is the one that was meant. Nothing was sent.
    #[error("the server could not prove who it is: {0}; nothing was sent to it")]
    Unproven(String),
    /// The server said nothing for this long.
    #[error("the server said nothing for {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// The connection broke. The server may have acted.
    #[error("the connection to the server broke: {0}")]
    Broken(String),
    /// The answer is longer than this many bytes; the rest was not read.
    #[error("the answer is longer than {0} bytes")]
    TooLarge(usize),
    /// The server says more at once than is kept for it.
    #[error("the server says more at once than is kept for it")]
    Crowded,
    /// The answer is compressed, which was not asked for.
    #[error("the answer is compressed ({0}), which was not asked for")]
    Compressed(String),
}

impl EgressError {
    /// Whether certainly nothing reached the server.
    #[must_use]
    pub fn is_unsent(&self) -> bool {
        matches!(self, Self::Address(_) | Self::Unreachable(_) | Self::Unproven(_))
    }
}

pub(crate) fn failed(error: &reqwest::Error) -> EgressError {
    let detail = innermost(error);
    if let Some(why) = detail.strip_prefix("invalid peer certificate: ") {
        return EgressError::Unproven(unproven(why));
    }
    if error.is_connect() && is_tls(error) {
        return EgressError::Unproven(format!("no encrypted connection came about ({detail})"));
    }
    if error.is_connect() || error.is_builder() {
        EgressError::Unreachable(detail)
    } else {
        EgressError::Broken(detail)
    }
}

/// Whether the connection failed after it stood, while it was to become an encrypted one: the TLS library says so by the
/// kind of its error.
fn is_tls(error: &reqwest::Error) -> bool {
    let mut link = error.source();
    while let Some(cause) = link {
        if cause.downcast_ref::<io::Error>().is_some_and(is_invalid_data) {
            return true;
        }
        link = cause.source();
    }
    false
}

/// An error inside of another one of this type is no source of it, so it is looked for by itself.
fn is_invalid_data(error: &io::Error) -> bool {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<io::Error>());
    error.kind() == io::ErrorKind::InvalidData || inner.is_some_and(is_invalid_data)
}

/// The last error of the chain: the one that says what the network did. Never the address, which may hold a
/// secret.
pub(crate) fn innermost(error: &reqwest::Error) -> String {
    let Some(mut last) = error.source() else {
        return "the request could not be made".into();
    };
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// What is wrong with a certificate, from the TLS library's words.
fn unproven(why: &str) -> String {
    let known = [
        (
            "UnknownIssuer",
            "its certificate is not signed by an authority this computer trusts",
        ),
        ("BadSignature", "its certificate is not signed by whom it says"),
        ("CaUsedAsEndEntity", "its certificate is self-signed"),
        ("not valid for name", "its certificate is for another name"),
        ("NotValidForName", "its certificate is for another name"),
        (
            "not valid yet",
            "its certificate is not valid yet, or the clock of this computer is wrong",
        ),
        (
            "expired",
            "its certificate has expired, or the clock of this computer is wrong",
        ),
        (
            "Expired",
            "its certificate has expired, or the clock of this computer is wrong",
        ),
        ("evoked", "its certificate was revoked"),
    ];
    let meaning = known.iter().find(|(word, _)| why.contains(word));
    meaning.map_or_else(
        || format!("its certificate is not valid ({why})"),
        |(_, meaning)| (*meaning).to_owned(),
    )
}
