//! Why something with a server did not work. Each variant is something a caller does differently; the texts
//! say what happened in our words, and what a server said stays inside the variant that quotes it.

use std::time::Duration;

use thiserror::Error;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RpcError;
use vestibule_transport::{CloseCause, CloseReason, SpawnError};

/// Why a request came to nothing.
#[derive(Clone, Debug, Error)]
pub enum CallError {
    /// The server answered with an error. Its text is the server's.
    #[error("the server refused: {0}")]
    Rpc(RpcError),
    /// The server did not answer in time. It was told that nobody waits any more.
    #[error("the server did not answer within {} seconds", .after.as_secs())]
    TimedOut {
        /// How long was waited, without the time a person was asked something.
        after: Duration,
    },
    /// The session has ended.
    #[error("{0}")]
    Closed(CloseReason),
    /// The answer is not what the method promises.
    #[error("the server's answer could not be understood: {0}")]
    Malformed(String),
    /// The server did not declare that it can do this, so it was not asked.
    #[error("the server did not declare that it can do this")]
    NotSupported,
    /// The server reads too slowly to be asked more; later it may work.
    #[error("the server is not reading what it is sent; try again later")]
    Busy,
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
            CallError::Rpc(error) => Self::Rpc(error),
            CallError::TimedOut { after } => Self::TimedOut {
                after,
                stderr_tail: end.diagnostics,
            },
            CallError::Malformed(reason) => Self::Malformed(reason),
            CallError::Closed(CloseReason {
                cause: CloseCause::NotStarted(error),
                ..
            }) => Self::Spawn(error),
            CallError::Closed(reason) => Self::Closed(reason),
            CallError::NotSupported | CallError::Busy => Self::Closed(end),
        }
    }
}
