//! What a search over all chats found: the entries, and the text around the words in parts, so that a window marks the
//! words without markup.

use serde::Serialize;
use vestibule_protocol::{ChatId, EntryId};

/// What a search over all chats found.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ChatSearch {
    /// The newest come first.
    pub hits: Vec<ChatHit>,
    /// Whether there may be more than these.
    pub more: bool,
    /// How many entries of an earlier version cannot be found yet.
    pub unindexed: u32,
}

/// An entry in which words were found.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ChatHit {
    pub chat: ChatId,
    pub entry: EntryId,
    /// When the entry was made, in milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
    pub speaker: HitSpeaker,
    /// One line of the text around the first hit, in order.
    pub excerpt: Vec<ExcerptPart>,
}

/// Who said what was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "who", rename_all = "snake_case")]
pub enum HitSpeaker {
    User,
    Model,
    /// The arguments of a call or its result.
    Tool {
        name: String,
    },
}

/// A part of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ExcerptPart {
    pub text: String,
    /// Whether it is what was searched for.
    pub hit: bool,
}
