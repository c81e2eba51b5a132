//! What the next request of a chat takes of what its model reads, by part.

use serde::Serialize;
use vestibule_protocol::ServerId;

/// The parts of the next request of a chat. All tokens are estimated, and corrected where the model reported how many an
/// earlier request had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct MeterView {
    /// How many tokens the model reads, as far as that is known.
    pub context: Option<u32>,
    /// What comes before the chat: how tools are used, and what servers say of theirs.
    #[ts(type = "number")]
    pub instructions: u64,
    /// The definitions of tools, by server.
    pub tools: Vec<MeterTools>,
    /// Results of tools, without pictures.
    #[ts(type = "number")]
    pub results: u64,
    /// What the user and the model said, with calls and attachments.
    #[ts(type = "number")]
    pub talk: u64,
    #[ts(type = "number")]
    pub pictures: u64,
    /// The sum of the parts.
    #[ts(type = "number")]
    pub total: u64,
    /// How many tokens the newest reply of this model read, as it reported; `None` where it reported nothing that can
    /// be believed, and the parts are then not corrected.
    #[ts(type = "number | null")]
    pub reported: Option<u64>,
}

/// The definitions of one server in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct MeterTools {
    /// `None` for the application's own tools.
    pub server: Option<ServerId>,
    pub server_name: String,
    /// How many of its tools are offered.
    pub count: u32,
    #[ts(type = "number")]
    pub tokens: u64,
}
