//! A call of a tool as a chat shows and stores it: its state, its result, and the content of that.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestibule_policy::Because;
use vestibule_protocol::{QuestionId, ServerId};
use vestibule_schema::Unchecked;

use super::{Problem, StoredPart};

/// A tool call of a model.
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
    /// Whether it was read from a file. It was not made here, and what came of it is what the file says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub imported: bool,
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
    /// The structured form where it is kept beside the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub structured_stored: Option<StoredPart>,
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
    /// What the user wants of a long result; `None` where the user is not asked, and the model is given a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub choice: Option<ResultChoice>,
}

/// The user's choice about a long result. No request is made while one is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum ResultChoice {
    Asked {
        /// About how many tokens the whole text has.
        #[ts(type = "number")]
        tokens: u64,
        /// Whether the model has room for it.
        fits: bool,
    },
    Made {
        share: ResultShare,
    },
}

/// How much of a long result a model is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ResultShare {
    Whole,
    /// The beginning and the end; the model can read the rest in parts.
    Part,
    /// Nothing, also not in parts.
    Nothing,
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
    /// A text, an image, a sound or the text of a resource that is kept beside the entry.
    Stored {
        part: StoredPart,
    },
    /// A part of a kind this version does not know.
    Other {
        /// The kind the server names.
        kind: String,
    },
}
