//! What a chat keeps of its compaction: the summary that its model reads in place of earlier messages, or why there is
//! none.

use serde::{Deserialize, Serialize};
use vestibule_protocol::EntryId;

use super::UsageView;
use crate::Problem;

/// What was done where a chat had become longer than its model reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Compaction {
    /// The model is asked for a summary.
    Running,
    /// There is a summary of the messages before.
    Summarized(ChatSummary),
    /// There is none. Where a request has too little room, the oldest results of tools are left out of it, then the
    /// oldest words of the model.
    Shortened { why: NoSummary },
    /// The user stopped it, or the application ended. Nothing is left out because of it.
    Stopped,
}

/// A summary of the older part of a chat, written by its model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct ChatSummary {
    pub summary: String,
    /// The last entry it stands for. It stands for all entries before that one too.
    pub up_to: EntryId,
    /// The tokens of a request with these messages, as estimated.
    #[ts(type = "number")]
    pub before_tokens: u64,
    /// The tokens of the same request with the summary in their place, as estimated.
    #[ts(type = "number")]
    pub after_tokens: u64,
    /// Whether it is sent in their place. The user decides.
    pub used: bool,
    /// Whether the user changed it.
    pub edited: bool,
    /// What it took; `None` where the model's server does not say and the model has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<UsageView>,
}

/// Why a chat has no summary of its older part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum NoSummary {
    /// The model wrote nothing.
    Empty,
    /// What the model wrote is not shorter than what it stands for.
    TooLong,
    /// The request failed, or its reply was cut.
    Failed { problem: Problem },
    /// The model was not asked: too little is older than the newest messages, or it is too much for one request.
    NotAsked,
}
