//! Calls of Vestibule's own tools. They read what the application already has, reach no server and change nothing, so
//! they are never asked. Each is whole when it is stored.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestibule_protocol::ServerId;

/// A call of one of Vestibule's own tools, with what the model read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct BuiltInCall {
    /// The model's id for the call.
    pub call: String,
    pub tool: BuiltInTool,
    /// What the model wrote; empty where that was no object.
    #[ts(type = "Record<string, unknown>")]
    pub arguments: Map<String, Value>,
    pub outcome: BuiltInOutcome,
    /// What the model read of it.
    pub words: String,
    /// Whether it was read from a file. It was not made here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub imported: bool,
}

/// A tool that Vestibule itself offers to a model beside those of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum BuiltInTool {
    /// Finds tools by words, where a chat has too many to offer all of them.
    FindTools,
    /// Reads more of a result that was shortened for the model.
    ReadResult,
}

impl BuiltInTool {
    /// The name that a model calls it by. Names of servers' tools have two underscores, so none is the same.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FindTools => "find_tools",
            Self::ReadResult => "read_result",
        }
    }
}

/// What a call of one of Vestibule's own tools came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum BuiltInOutcome {
    /// These tools are offered to the model from now on, the best first.
    Found { tools: Vec<FoundTool> },
    /// A part of what a server's tool returned earlier in the chat.
    Read {
        /// The server it came from; `None` where the call named no known one.
        server: Option<ServerId>,
        /// The user's name for the server then.
        server_name: String,
        tool: String,
        /// A part of the result, in the words of the server.
        text: String,
    },
    /// It could not be carried out; the words say why.
    Refused,
}

/// A tool that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct FoundTool {
    pub server: ServerId,
    /// The user's name for the server then.
    pub server_name: String,
    pub tool: String,
}
