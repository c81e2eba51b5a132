//! The two error types of this crate: [`CallError`] says why a request to a server failed, [`OpenError`] why a
//! session did not open. Each variant is a case that callers treat differently. Text of the server is only in the
//! variants that quote it.

use std::time::Duration;

use serde_json::Value;
use thiserror::Error;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{Frame, INVALID_PARAMS, Message, RESOURCE_NOT_FOUND, RpcError, parse};
use vestibule_transport::{CloseCause, CloseReason, RequestFailure, SpawnError};

use crate::url_elicitation::RequiredPage;

/// Why a request came to nothing.
#[derive(Clone, Debug, Error)]
pub enum CallError {
    /// The server answered with an error. Its text is the server's.
    #[error("the server refused: {0}")]
    Rpc(RpcError),
    /// The server wants the user to visit pages first and then to be asked again, with the very same call
    /// (2025-11-25).
    #[error("the server wants a page to be visited first: {error}")]
    PagesRequired {
        /// The pages, at least one.
        pages: Vec<RequiredPage>,
        /// The server's own words.
        error: RpcError,
    },
    /// The server needs capabilities that were not declared with the call (from 2026-07-28 on). With them
    /// declared, if they may be, the same call can be made again.
    #[error("the server needs something this call did not offer: {error}")]
    CapabilitiesRequired {
        /// What it needs, as capabilities; an empty object when it does not say.
        required: Value,
        /// The server's own words.
        error: RpcError,
    },
    /// The task was given up before it came to anything.
    #[error("the task was cancelled")]
    TaskCancelled,
    /// The server knows the task no longer, or never did.
    #[error("the server no longer knows the task")]
    TaskGone,
    /// The server did not answer in time. It was sent a cancellation.
    #[error("the server did not answer within {} seconds", .after.as_secs())]
    TimedOut {
        /// How long was waited, without the time a user was asked something.
        after: Duration,
    },
    /// The session has ended.
    #[error("{0}")]
    Closed(CloseReason),
    /// The request got no answer of the protocol, but the session goes on: the wire, a status, a demand to
    /// sign in.
    #[error("{}", .0.reason)]
    NotAnswered(Box<RequestFailure>),
    /// The answer is not what the method promises.
    #[error("the server's answer could not be understood: {0}")]
    Malformed(String),
    /// The server wanted something before it would answer and did not get it, so it was not asked again.
    #[error("the call was not continued: {0}")]
    NotContinued(String),
    /// The request cannot be put into a message, so it was not sent.
    #[error("the request could not be sent: {0}")]
    NotSendable(String),
    /// The server did not declare that it can do this, so it was not asked.
    #[error("the server did not declare that it can do this")]
    NotSupported,
    /// The server reads too slowly to be asked more; later it may work.
    #[error("the server is not reading what it is sent; try again later")]
    Busy,
}

impl CallError {
    /// Whether a read failed because there is no such resource.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Rpc(error) if matches!(error.code, RESOURCE_NOT_FOUND | INVALID_PARAMS))
    }
}

/// An exchange that brought no answer. An error of the protocol in it that names no request is the answer all
/// the same, unless the server wants a sign-in first, or its status says that a later request may be answered: what wrote
/// that error may be a gateway, and the status decides whether to try again.
impl From<RequestFailure> for CallError {
    fn from(failure: RequestFailure) -> Self {
        let is_for_now = failure.challenge.is_some() || failure.status.is_some_and(is_passing_status);
        let body = failure.body.as_deref().filter(|_| !is_for_now);
        let answer = match body.map(parse) {
            Some(Ok(Frame::One(Message::Response { outcome, .. }))) => outcome.err(),
            _ => None,
        };
        match answer {
            Some(error) => Self::Rpc(error),
            None => Self::NotAnswered(Box::new(failure)),
        }
    }
}

/// Whether an HTTP status says that the same request may be answered later.
fn is_passing_status(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..)
}

/// Why a session did not open.
#[derive(Clone, Debug, Error)]
pub enum OpenError {
    /// The program could not be started.
    #[error("the server could not be started: {0}")]
    Spawn(SpawnError),
    /// The server did not answer in time.
    #[error("the server did not answer within {} seconds", .after.as_secs())]
    TimedOut {
        /// How long was waited.
        after: Duration,
        /// The last lines it wrote beside the protocol. Untrusted text.
        stderr_tail: Vec<String>,
    },
    /// The connection ended first.
    #[error("{0}")]
    Closed(CloseReason),
    /// The connection ended while the server was asked for its era. Restarted and opened with
    /// [`EraChoice::Legacy`](crate::EraChoice::Legacy) it may work.
    #[error("the server ended when it was asked for its era: {0}")]
    EndedByProbe(CloseReason),
    /// The opening request got no answer of the protocol: the wire, a status, a demand to sign in.
    #[error("{}", .0.reason)]
    NotAnswered(Box<RequestFailure>),
    /// There is no revision of the protocol that both sides speak.
    #[error(
        "the server speaks protocol revision {answered:?}, which this app does not (it proposed {offered})"
    )]
    Unsupported {
        /// What we proposed last.
        offered: Revision,
        /// What the server wants instead, as it wrote it, cut to a line.
        answered: String,
    },
    /// The server refused to open.
    #[error("the server refused to open a session: {0}")]
    Rpc(RpcError),
    /// The server's answer is not one.
    #[error("the server's opening answer could not be understood: {0}")]
    Malformed(String),
}

impl OpenError {
    /// A failed opening request, with how the connection then ended.
    pub(crate) fn from_call(error: CallError, end: CloseReason) -> Self {
        match error {
            CallError::Rpc(error)
            | CallError::PagesRequired { error, .. }
            | CallError::CapabilitiesRequired { error, .. } => Self::Rpc(error),
            CallError::TimedOut { after } => Self::TimedOut {
                after,
                stderr_tail: end.diagnostics,
            },
            CallError::Malformed(reason)
            | CallError::NotSendable(reason)
            | CallError::NotContinued(reason) => Self::Malformed(reason),
            CallError::NotAnswered(failure) => Self::NotAnswered(failure),
            CallError::Closed(CloseReason {
                cause: CloseCause::NotStarted(error),
                ..
            }) => Self::Spawn(error),
            CallError::Closed(reason) => Self::Closed(reason),
            CallError::NotSupported | CallError::Busy | CallError::TaskCancelled | CallError::TaskGone => {
                Self::Closed(end)
            }
        }
    }
}
