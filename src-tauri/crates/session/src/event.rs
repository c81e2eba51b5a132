//! The notifications and requests that a server sends, as the host gets them. A request comes with the means to answer
//! it. A server of the newest revisions asks for input in the result of a call; that arrives as the same kind of request,
//! and its answer is sent with the call again.

use serde_json::json;
use vestibule_protocol::elicitation::{ElicitForm, ElicitUrl};
use vestibule_protocol::json::RawJsonBuf;
use vestibule_protocol::mcp::LogMessage;
use vestibule_transport::CloseReason;

use crate::demand::SignInDemand;
use crate::responder::Responder;

/// How the text of an oddity begins that names something on the wire that was no message.
pub const PASSED_OVER: &str = "passed over: ";

/// Something a server did.
#[derive(Debug)]
pub enum SessionEvent {
    Request {
        request: ServerRequest,
        /// Where the answer goes.
        reply: Responder,
    },
    /// Requests that were answered "not now" without being handed on, because too many wait; with how many there were
    /// since the last event of this kind.
    TurnedAway { kind: ServerRequestKind, times: u32 },
    /// A visit that it asked for in this session is over. Each visit is announced at most once, others never.
    ElicitationComplete {
        /// The server's name for the visit.
        elicitation_id: String,
    },
    /// Its tools are no longer the listed ones.
    ToolsChanged,
    /// Its resources are no longer the listed ones.
    ResourcesChanged,
    /// Its prompts are no longer the listed ones.
    PromptsChanged,
    /// A watched resource changed.
    ResourceUpdated {
        /// Which, as the server wrote it.
        uri: String,
    },
    /// It refused a ping, or our answer to a request of it, with a demand to sign in. Once the demand is settled, the
    /// answer is sent once more.
    Demand(SignInDemand),
    /// A line of its log.
    Log(LogMessage),
    /// A line it wrote beside the protocol.
    Diagnostic(String),
    /// Something out of order that does no harm, in our words; for the server's log.
    Oddity(String),
    /// The session has ended. Always the last event, also when opening failed.
    Closed(CloseReason),
}

/// What a server can want. Requests it may not make, and those that are not proper ones, are refused before
/// they come this far.
#[derive(Debug)]
pub enum ServerRequest {
    /// The folders it may know of; answer with a `ListRootsResult`.
    ListRoots,
    /// A model's answer; the parameters as they came, bounded in size. Refuse with code -1.
    CreateMessage(RawJsonBuf),
    /// A form filled in by the user; answer with an `ElicitResult`.
    ElicitForm(ElicitForm),
    /// A page visited by the user; answer with an `ElicitResult`.
    ElicitUrl(ElicitUrl),
}

/// The kinds of requests, each with its own answer for "not now".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServerRequestKind {
    /// `elicitation/create` with a form.
    Form,
    /// `elicitation/create` with a page.
    Page,
    Roots,
    Sampling,
}

/// The protocol's code for a sampling request that the user rejected.
const SAMPLING_REJECTED: i64 = -1;

impl ServerRequest {
    /// Which kind of request it is.
    #[must_use]
    pub fn kind(&self) -> ServerRequestKind {
        match self {
            Self::ElicitForm(_) => ServerRequestKind::Form,
            Self::ElicitUrl(_) => ServerRequestKind::Page,
            Self::ListRoots => ServerRequestKind::Roots,
            Self::CreateMessage(_) => ServerRequestKind::Sampling,
        }
    }

    /// About how many bytes it holds while it waits.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::ElicitForm(form) => form.message.len() + form.requested_schema.get().len(),
            Self::ElicitUrl(page) => page.message.len() + page.url.len(),
            Self::ListRoots => 0,
            Self::CreateMessage(params) => params.as_raw().get().len(),
        }
    }
}

impl ServerRequestKind {
    /// Answers a request that is not shown to the user, in the words that each kind has for "not now".
    pub fn answer_not_now(self, reply: Responder) {
        match self {
            Self::Form | Self::Page => reply.reply(&json!({ "action": "cancel" })),
            Self::Roots => reply.reply(&json!({ "roots": [] })),
            Self::Sampling => reply.refuse(SAMPLING_REJECTED, "User rejected sampling request"),
        }
    }
}
