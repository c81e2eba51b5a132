//! The question put to the engine: who wants to do what, with which definition, from where, and when.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};

use crate::Digest;

/// A kind of effect and the object it acts on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Start the server's program on this computer.
    StartServer,
    /// Call one of its tools.
    CallTool {
        /// The tool's exact name.
        tool: String,
    },
}

impl Action {
    /// The name the ledger uses.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::StartServer => "server.start",
            Self::CallTool { .. } => "tool.call",
        }
    }
}

/// What is known of the object's definition at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// It is the one the person accepted, with this digest.
    Accepted(Digest),
    /// It differs from the accepted one and waits for the person.
    Changed,
}

/// One effect, before it happens.
#[derive(Clone, Debug)]
pub struct Request {
    /// The server that would act.
    pub server: ServerId,
    /// What it would do.
    pub action: Action,
    /// The launch record or tool definition behind the action.
    pub definition: Definition,
    /// Whether the definition itself claims to destroy things. A claim can raise a decision, never lower it.
    pub claims_destructive: bool,
    /// The chat that caused it, if one did.
    pub chat: Option<ChatId>,
    /// The workspace of that chat.
    pub workspace: WorkspaceId,
    /// The time of the decision.
    pub now: Timestamp,
}
