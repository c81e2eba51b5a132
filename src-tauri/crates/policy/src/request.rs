//! The question put to the engine: who wants to do what, with which definition, from where, and when.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};

use crate::{Digest, Places, Scope};

/// A kind of effect and the object it acts on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Start the server's program on this computer.
    StartServer,
    /// Connect to the server's address.
    ConnectServer,
    /// Call one of its tools.
    CallTool {
        /// The tool's exact name.
        tool: String,
    },
    /// Read one of its resources.
    ReadResource {
        /// The resource's exact address.
        uri: String,
    },
    /// Take one of its prompts into a chat.
    GetPrompt {
        /// The prompt's exact name.
        prompt: String,
    },
    /// Open a page it names in the user's browser.
    OpenPage {
        /// The registrable domain of the page, in ASCII.
        domain: String,
    },
    /// Let it have the model answer, at the user's cost.
    Sample,
}

impl Action {
    /// Whether it is what makes a server be there. A permission for that does not end by being unused: people keep
    /// servers that they seldom open.
    #[must_use]
    pub fn opens_server(&self) -> bool {
        matches!(self, Self::StartServer | Self::ConnectServer)
    }

    /// The name the ledger uses.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::StartServer => "server.start",
            Self::ConnectServer => "server.connect",
            Self::CallTool { .. } => "tool.call",
            Self::ReadResource { .. } => "resource.read",
            Self::GetPrompt { .. } => "prompt.get",
            Self::OpenPage { .. } => "page.open",
            Self::Sample => "model.sample",
        }
    }

    /// The exact object it acts on; empty where that is the server itself.
    #[must_use]
    pub fn object(&self) -> &str {
        match self {
            Self::CallTool { tool } => tool,
            Self::ReadResource { uri } => uri,
            Self::GetPrompt { prompt } => prompt,
            Self::OpenPage { domain } => domain,
            Self::StartServer | Self::ConnectServer | Self::Sample => "",
        }
    }

    /// Whether the user decides it each time, and no rule does: it cannot be taken back, or costs money.
    #[must_use]
    pub fn is_always_asked(&self) -> bool {
        matches!(self, Self::OpenPage { .. } | Self::Sample)
    }

    /// How far a permission for it may reach at the widest.
    #[must_use]
    pub fn widest(&self) -> Scope {
        if self.is_always_asked() {
            Scope::Once
        } else {
            Scope::Always
        }
    }
}

/// What is known of the object's definition at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionState {
    /// It is the one the user accepted, with this digest.
    Accepted(Digest),
    /// It is the one with this digest, and the digest does not cover all that would happen: no rule allows it, only the
    /// user.
    Unbound(Digest),
    /// It differs from the accepted one and waits for the user.
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
    pub definition: DefinitionState,
    /// Whether the definition itself claims to destroy things. A claim can raise a decision, never lower it.
    pub claims_destructive: bool,
    /// What it is done with. `None` where that is not known; conditions then never allow.
    pub arguments: Option<Arc<Value>>,
    /// Whether they carry a value that another server returned in this chat; see [`crate::TaintIndex`].
    pub carries_values: bool,
    /// Whether there was too much to compare with what other servers returned; see [`crate::DataFlow::too_much`].
    pub flow_unchecked: bool,
    /// Whether the model wrote the call as text instead of making it.
    pub written_as_text: bool,
    /// Where the paths in the arguments lead at this moment.
    pub places: Places,
    /// The chat that caused it, if one did.
    pub chat: Option<ChatId>,
    /// The workspace of that chat.
    pub workspace: WorkspaceId,
    /// The time of the decision.
    pub now: Timestamp,
}

impl Request {
    /// A request with nothing to judge but its object, caused by no chat.
    #[must_use]
    pub fn new(server: ServerId, action: Action, definition: DefinitionState, now: Timestamp) -> Self {
        Self {
            server,
            action,
            definition,
            claims_destructive: false,
            arguments: None,
            carries_values: false,
            flow_unchecked: false,
            written_as_text: false,
            places: Places::default(),
            chat: None,
            workspace: WorkspaceId::home(),
            now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words the ledger keeps for good: who looks for what was done finds it by these.
    #[test]
    fn each_action_has_its_name_and_its_object() {
        let (tool, uri, prompt, domain) = ("a".into(), "b".into(), "c".into(), "d".into());
        for (action, name, object) in [
            (Action::StartServer, "server.start", ""),
            (Action::ConnectServer, "server.connect", ""),
            (Action::CallTool { tool }, "tool.call", "a"),
            (Action::ReadResource { uri }, "resource.read", "b"),
            (Action::GetPrompt { prompt }, "prompt.get", "c"),
            (Action::OpenPage { domain }, "page.open", "d"),
            (Action::Sample, "model.sample", ""),
        ] {
            assert_eq!((action.name(), action.object()), (name, object));
        }
    }
}
