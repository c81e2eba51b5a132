//! Chats and their entries. An entry's body is stored exactly as it is shown, so what is on screen is what is on
//! disk.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestibule_policy::Because;
use vestibule_protocol::{ChatId, EntryId, ModelId, QuestionId, ServerId, WorkspaceId};
use vestibule_schema::Unchecked;

use super::models::ChatSettings;
use super::{AttachmentView, Problem};

/// A chat in the list.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ChatView {
    /// Our name for it.
    pub id: ChatId,
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
    pub usage: Option<UsageView>,
    /// The servers whose tools are not offered to the model in it.
    pub servers_off: Vec<ServerId>,
    pub settings: ChatSettings,
}

/// A failure before the model's first word, and when it is asked again.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RetryView {
    pub problem: Problem,
    /// In milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
}

/// What one round or several took, as the model's server counted.
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
    /// In millionths of the user's currency; `None` where no price is known.
    #[ts(type = "number | null")]
    pub cost: Option<u64>,
}

/// One entry of a chat.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct EntryView {
    /// Our name for it.
    pub id: EntryId,
    /// The chat it belongs to.
    pub chat: ChatId,
    /// Its place, counting up.
    #[ts(type = "number")]
    pub position: i64,
    /// When it was made, in milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
    pub body: EntryBody,
}

/// A chat in which words were found.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ChatHit {
    pub chat: ChatId,
    /// The newest entry with all the words.
    pub entry: EntryId,
    /// The text around the first of them.
    pub excerpt: String,
}

/// What is written in a chat but not sent.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct DraftView {
    /// `None` for a chat that has not begun.
    pub chat: Option<ChatId>,
    pub text: String,
}

/// Which entries of a chat are read. A part has a bounded number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ts_rs::TS)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum EntriesPart {
    /// The last entries of the chat.
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
        /// What the round took; `None` where the model's server does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<UsageView>,
    },
    /// A tool call the model asked for.
    Call(CallBody),
    /// Tools that the model was not offered in the turn, named where that changed since the turn before.
    ToolsLeftOut {
        /// The first of them. Empty where all tools are offered again.
        tools: Vec<ToolLeftOut>,
        /// How many more there are.
        more: u32,
    },
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct CallBody {
    /// The model's own id for the call, to answer it by.
    pub call: String,
    /// The name the model used.
    pub called_as: String,
    /// The server, where one of that name is known.
    pub server: Option<ServerId>,
    /// The user's name for it then.
    pub server_name: String,
    pub tool: String,
    /// The arguments as they were sent, or as the model wrote them while nothing is sent yet.
    #[ts(type = "Record<string, unknown>")]
    pub arguments: Map<String, Value>,
    /// Whether the user changed them.
    pub edited: bool,
    /// Whether the model wrote the call as text instead of making it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub as_text: bool,
    /// Why it was let through or refused, once that is decided.
    pub because: Vec<Because>,
    /// How far it is.
    #[serde(flatten)]
    pub state: CallState,
}

/// How far a tool call is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CallState {
    /// Being looked at; no question yet.
    Deciding,
    /// A question waits for the user.
    Waiting {
        question: QuestionId,
    },
    /// The server works on it.
    Running {
        /// When it was sent, in milliseconds since 1970.
        #[ts(type = "number")]
        since_ms: i64,
        /// What the server last said of its progress.
        progress: Option<ProgressView>,
    },
    /// The server works on it as a task, which outlives connections and the application.
    Task {
        /// How far it is.
        task: TaskView,
    },
    Answered {
        result: ResultView,
        /// How long it took.
        #[ts(type = "number")]
        elapsed_ms: u64,
    },
    Failed {
        problem: Problem,
    },
    /// It was not let through.
    Refused {
        by: RefusedBy,
        /// The user's words for the model.
        reason: Option<String>,
    },
    /// The user stopped it.
    Cancelled {
        /// Whether it was sent before, and so may have happened all the same.
        #[serde(default = "sent_before")]
        sent: bool,
    },
    /// The application ended before it finished.
    Interrupted {
        /// Whether it was sent before, and so may have happened all the same.
        #[serde(default = "sent_before")]
        sent: bool,
    },
}

/// Entries of earlier versions do not say whether a call was sent, so it may have been.
fn sent_before() -> bool {
    true
}

/// A task, as its server last told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct TaskView {
    /// When it began, in milliseconds since 1970.
    #[ts(type = "number")]
    pub since_ms: i64,
    /// When the server was last asked how far it is, in milliseconds since 1970.
    #[ts(type = "number | null")]
    pub asked_ms: Option<i64>,
    /// Its server is not connected; it is asked again once it is.
    pub away: bool,
    /// It waits for something from the user.
    pub needs_input: bool,
    /// How far it is, in the server's words.
    pub words: Option<String>,
}

/// Who refused a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum RefusedBy {
    /// The user said no.
    Person,
    /// The user skipped it.
    NotNow,
    /// The user was not asked, because too many questions of the server wait.
    NotAsked,
    /// The user does not want to hear such questions now.
    Muted,
    /// A rule of the user.
    Rule,
    /// The tool has changed and waits to be accepted.
    Held,
}

/// A server's word on how far it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct ProgressView {
    pub done: f64,
    /// Of how much, where it is known.
    pub total: Option<f64>,
    /// In the server's words.
    pub message: Option<String>,
}

/// What a tool answered. All of it is the server's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct ResultView {
    /// The parts in order.
    pub content: Vec<ContentView>,
    /// The structured form, where there is one.
    #[ts(type = "unknown")]
    pub structured: Option<Value>,
    /// Whether the tool says that it failed.
    pub failed: bool,
    /// Where the structured form does not fit the schema the tool declared.
    pub misfits: Vec<String>,
    /// Why the structured form was not checked against that schema, where that was tried and failed.
    #[serde(default)]
    pub unchecked: Option<Unchecked>,
    /// How many bytes were left out because the result was too large to keep.
    #[ts(type = "number")]
    pub cut_bytes: u64,
    /// How many bytes of the text that was kept were not given to the model.
    #[serde(default)]
    #[ts(type = "number")]
    pub model_cut_bytes: u64,
}

/// One part of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentView {
    Text {
        text: String,
    },
    /// An image of a kind that is safe to show (PNG, JPEG, GIF, WebP).
    Image {
        mime: String,
        base64: String,
    },
    Audio {
        mime: String,
        base64: String,
    },
    /// A pointer to a resource; never followed by itself.
    Link {
        uri: String,
        /// What the server calls it.
        name: String,
        /// What it says of it.
        description: Option<String>,
    },
    /// A resource inside the result.
    Resource {
        /// Where it comes from.
        uri: String,
        /// Its type, where given.
        mime: Option<String>,
        /// Its text, where it is text.
        text: Option<String>,
        /// Its size where it is not.
        bytes: u32,
    },
    /// A part of a kind this version does not know.
    Other {
        /// The kind the server names.
        kind: String,
    },
}

#[cfg(test)]
mod tests;
