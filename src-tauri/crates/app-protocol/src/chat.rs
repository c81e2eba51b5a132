//! Chats and their entries. An entry's body is stored exactly as it is shown, so what is on screen is what is on
//! disk.

mod compaction;

use serde::{Deserialize, Serialize};
use vestibule_protocol::{ChatId, EntryId, ModelId, ServerId, WorkspaceId};

use super::models::ChatSettings;
use super::{AttachmentView, BuiltInCall, CallBody, ChatSource, Cost, Currency, Problem};
pub use compaction::{ChatSummary, Compaction, NoSummary};

/// A chat in the list.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ChatView {
    /// Our name for it.
    pub id: ChatId,
    /// Whether it is in memory alone and ends with the application.
    pub temporary: bool,
    /// The user's title; empty until the first message gives it one.
    pub title: String,
    /// The model it talks to; `None` means the default of the settings.
    pub model: Option<ModelId>,
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// When it last changed, in milliseconds since 1970.
    #[ts(type = "number")]
    pub updated_ms: i64,
    /// Whether the model is at work in it.
    pub busy: bool,
    /// Set while the model's server is to be asked again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retry: Option<RetryView>,
    /// What its rounds took so far; `None` where no model said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<ChatUsageView>,
    /// The servers whose tools are not offered to the model in it.
    pub servers_off: Vec<ServerId>,
    /// The servers whose tools alone are offered, where the user chose a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub servers_only: Option<Vec<ServerId>>,
    /// The single tools that are not offered to the model in it.
    pub tools_off: Vec<ToolOff>,
    pub settings: ChatSettings,
    /// The messages that wait until the model is done, in the order they are sent.
    pub queue: Vec<QueuedView>,
    /// Whether it is kept at the top of the list.
    pub pinned: bool,
    /// Whether it was put away.
    pub archived: bool,
    /// When it was moved to the trash, in milliseconds since 1970; `None` where it was not.
    #[ts(type = "number | null")]
    pub trashed_ms: Option<i64>,
    /// The application that wrote the file it was imported from; `None` where it was begun here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub imported: Option<ChatSource>,
}

/// A tool that the user switched off in a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ToolOff {
    pub server: ServerId,
    pub tool: String,
}

/// A named set of servers and tools that the model of a chat may be offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ToolProfile {
    /// Different from the others, in any case.
    pub name: String,
    pub servers: Vec<ServerId>,
    /// The tools of these servers that are not in the set.
    pub tools_off: Vec<ToolOff>,
}

/// A message that waits until the model is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct QueuedView {
    /// Our name for it while it waits.
    pub id: EntryId,
    pub text: String,
    /// How many things are attached to it.
    pub attachments: u32,
}

/// A failure before the model's first word, and when it is asked again.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RetryView {
    pub problem: Problem,
    /// In milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
}

/// What one round took, as the model's server counted or as estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct UsageView {
    /// Tokens read, with those from the cache.
    #[ts(type = "number")]
    pub input: u64,
    /// Tokens written, with those of reasoning.
    #[ts(type = "number")]
    pub output: u64,
    /// The part of `input` read from the vendor's cache.
    #[ts(type = "number")]
    pub cached: u64,
    /// In millionths of the currency; `None` where no price is known.
    #[ts(type = "number | null")]
    pub cost: Option<u64>,
    /// US dollars in a round that was stored without one.
    #[serde(default)]
    pub currency: Currency,
    /// Whether the model's server did not count, so that the numbers are estimates.
    #[serde(default)]
    pub estimated: bool,
}

/// What all rounds of a chat took, as the models' servers counted. Rounds that cost something and were not counted are
/// estimated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ChatUsageView {
    /// Tokens read, with those from the cache.
    #[ts(type = "number")]
    pub input: u64,
    /// Tokens written, with those of reasoning.
    #[ts(type = "number")]
    pub output: u64,
    /// The part of `input` read from the vendor's cache.
    #[ts(type = "number")]
    pub cached: u64,
    /// What rounds with a known price cost, one amount for each currency.
    pub costs: Vec<Cost>,
}

/// One entry of a chat.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct EntryView {
    /// Our name for it.
    pub id: EntryId,
    /// The chat it belongs to.
    pub chat: ChatId,
    /// Its place, counting up along a branch.
    #[ts(type = "number")]
    pub position: i64,
    /// When it was made, in milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
    /// `None` where it is the only version of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub versions: Option<VersionsView>,
    pub body: EntryBody,
}

/// Where an entry is among its versions: those that follow the same entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct VersionsView {
    /// Its number, from 1.
    pub at: u32,
    /// How many there are, itself included.
    pub of: u32,
    /// The version before it.
    pub before: Option<EntryId>,
    /// The version after it.
    pub after: Option<EntryId>,
}

/// What is written in a chat but not sent.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct DraftView {
    /// `None` for a chat that has not begun.
    pub chat: Option<ChatId>,
    pub text: String,
}

/// Which entries of the branch that a chat shows are read. A part has a bounded number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ts_rs::TS)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum EntriesPart {
    /// The last entries of the branch.
    Newest,
    /// Those right before a position.
    Before {
        #[ts(type = "number")]
        position: i64,
    },
    /// Those right after a position.
    After {
        #[ts(type = "number")]
        position: i64,
    },
    /// Those on both sides of an entry, and the entry.
    Around { entry: EntryId },
}

/// Entries of a chat that follow each other, at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct EntriesView {
    /// The number of the last event that is already in them; apply only later ones on top.
    #[ts(type = "number")]
    pub seq: u64,
    pub entries: Vec<EntryView>,
    /// Whether there are entries before the first of them.
    pub earlier: bool,
    /// Whether there are entries after the last of them.
    pub later: bool,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EntryBody {
    User {
        text: String,
        /// What of servers the user sent along.
        #[serde(default)]
        attachments: Vec<AttachmentView>,
    },
    /// The model's words in one round.
    Assistant {
        /// Markdown as far as it has come.
        text: String,
        /// What the model thought aloud, where it does.
        reasoning: String,
        model: String,
        /// Whether it is a script and not a model.
        scripted: bool,
        /// How far it is.
        state: TextState,
        /// What the round took; `None` where the model's server does not say and the model has no price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<UsageView>,
    },
    /// A tool call the model asked for.
    Call(CallBody),
    /// A call of one of Vestibule's own tools.
    BuiltInCall(BuiltInCall),
    /// Tools that the model was not offered in the turn, named where that changed since the turn before.
    ToolsLeftOut {
        /// The first of them. Empty where all tools are offered again.
        tools: Vec<ToolLeftOut>,
        /// How many more there are.
        more: u32,
    },
    /// What was done because the chat had become longer than its model reads.
    Compaction(Compaction),
    /// Something that went wrong in the turn.
    Failure {
        problem: Problem,
        /// Whether trying again can help.
        retryable: bool,
    },
}

/// A tool that a model was not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct ToolLeftOut {
    pub server: ServerId,
    /// The user's name for the server then.
    pub server_name: String,
    pub tool: String,
    pub reason: LeftOutReason,
}

/// Why a model was not offered a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum LeftOutReason {
    /// Its definition could not be read or is too large.
    NotRead { detail: String },
    /// The tools of all servers together have more definitions, or larger ones, than one request takes.
    NoRoom { most: u32, kilobytes: u32 },
    /// Its schema is not a valid one, so that providers refuse the whole request.
    InvalidSchema { detail: String },
}

/// How far the model's words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum TextState {
    Streaming,
    Done,
    /// The user stopped it.
    Stopped,
    /// The application ended in the middle, or the model did.
    Interrupted,
    /// A limit of tokens ended it, the model's or the user's. The model can continue it.
    Length,
}

#[cfg(test)]
mod tests;
