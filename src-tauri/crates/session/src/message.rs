//! The messages to a session's task from our own side: commands, which wait their turn, and signals, which never wait,
//! because most of them come from destructors.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{RequestId, RpcResultBuf};
use vestibule_protocol::mcp::Progress;
use vestibule_protocol::modern::SubscriptionFilter;
use vestibule_transport::{Outgoing, Wire};

use crate::error::CallError;
use crate::event::ServerRequest;
use crate::responder::Responder;

/// A subscription to one resource, and where to report whether the server sends its updates.
#[derive(Debug)]
pub(crate) struct ResourceWatch {
    pub(crate) uri: String,
    pub(crate) reply: oneshot::Sender<Result<(), CallError>>,
}

/// What a caller wants sent.
#[derive(Debug)]
pub(crate) enum SessionCommand {
    Call(Box<OutgoingCall>),
    Notify(Box<Outgoing>),
    /// Changes of one resource are wanted from a modern server.
    Watch(ResourceWatch),
    /// They are no longer.
    Unwatch(String),
}

/// A request of ours, written already.
#[derive(Debug)]
pub(crate) struct OutgoingCall {
    pub(crate) id: i64,
    /// Taken when it is sent.
    pub(crate) outgoing: Option<Outgoing>,
    pub(crate) timeout: Duration,
    pub(crate) hard_timeout: Duration,
    pub(crate) progress: Option<mpsc::Sender<Progress>>,
    pub(crate) opening: bool,
    pub(crate) keeps_progress: bool,
    /// Its answer may be larger than other messages.
    pub(crate) is_for_result: bool,
    pub(crate) reply: CallReply,
}

/// Where the caller waits for the answer.
pub(crate) type CallReply = oneshot::Sender<Result<RpcResultBuf, CallError>>;

/// What must be sent without waiting, most of it from destructors. Its channel has no bound of its own; each
/// signal belongs to a call, a request or a hold, and those are bounded.
#[derive(Debug)]
pub(crate) enum SessionSignal {
    /// Both sides agree. A modern server is to tell of these changes; the wire is what it turned out to be.
    Opened {
        revision: Revision,
        changes: SubscriptionFilter,
        wire: oneshot::Sender<Wire>,
    },
    /// A call needs something from the host.
    Inquire(Box<(ServerRequest, Responder)>),
    /// The tools are not those the host knows.
    ToolsChanged,
    /// The caller of this call is gone.
    Withdraw(i64),
    /// This call is answered and its caller wants no more reports.
    Forget(i64),
    /// A request of the server is answered.
    Answer {
        id: RequestId,
        frame: Vec<u8>,
    },
    /// An answer that the server refused until a sign-in is to be sent once more.
    AnswerAgain {
        id: RequestId,
        frame: Vec<u8>,
    },
    PauseTimeouts,
    ResumeTimeouts,
    /// The session shall end.
    Close,
}
