//! What happens, in order. The main window takes a snapshot and applies the events that follow it; the numbers
//! show that none is missing. The consent window has a stream of its own, which the main window cannot reach.

use serde::Serialize;
use vestibule_protocol::{AttachmentId, ChatId, EntryId, QuestionId, ServerId};

use super::{
    ChangeEnd, ChatView, ConnectionView, CostsView, DraftView, EntryView, HeadState, LedgerCheck, ModelView,
    MutedView, Question, RowsView, SavedInput, SecretsState, ServerView, Settings, ToolProfile,
    WorkspaceView,
};

/// An event with its number.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct Envelope {
    /// Counts up by one an event.
    #[ts(type = "number")]
    pub seq: u64,
    pub event: HostEvent,
}

/// The last event so far; number 0 where there was none.
#[derive(Clone, Copy, Debug, Serialize, ts_rs::TS)]
pub struct LastEvent {
    #[ts(type = "number")]
    pub seq: u64,
}

/// Everything the main window shows, at one moment.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct Snapshot {
    /// The number of the last event that is already in it.
    #[ts(type = "number")]
    pub seq: u64,
    pub chats: Vec<ChatView>,
    /// In the order they were added.
    pub servers: Vec<ServerView>,
    /// The ways to models.
    pub connections: Vec<ConnectionView>,
    pub models: Vec<ModelView>,
    /// The one every chat begins in first.
    pub workspaces: Vec<WorkspaceView>,
    pub settings: Settings,
    /// What the user's models cost today and in this month.
    pub costs: CostsView,
    /// Where secrets are kept.
    pub secrets: SecretsState,
    /// Whether the ledger is the newest there was.
    pub ledger: HeadState,
    /// What checking the whole ledger came to; `None` until it was checked in this run.
    pub ledger_check: Option<LedgerCheck>,
    /// Which rules, servers and tools were changed outside Vestibule.
    pub rows: RowsView,
    /// The questions that wait.
    pub waiting: Vec<WaitingView>,
    /// The kinds of requests that are muted, by server.
    pub muted: Vec<MutedView>,
    /// The profiles of tools, in the order of their names.
    pub profiles: Vec<ToolProfile>,
    /// What was written but not sent.
    pub drafts: Vec<DraftView>,
    /// The version of Vestibule.
    pub version: String,
    /// The folder all data is in.
    pub data_folder: String,
    /// The folder of the log files, inside the data folder.
    pub log_folder: String,
}

/// A question that waits, without its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct WaitingView {
    pub question: QuestionId,
    pub server: ServerId,
    /// Where in a chat.
    pub entry: Option<EntryId>,
    /// Since when, in milliseconds since 1970.
    #[ts(type = "number")]
    pub asked_ms: i64,
}

/// Where files are that the user drags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum FileDrag {
    Over,
    Left,
    Dropped,
}

#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum HostEvent {
    /// A chat is new or changed.
    Chat {
        chat: ChatView,
    },
    /// A chat is gone.
    ChatGone {
        chat: ChatId,
    },
    /// An entry is new or changed as a whole.
    Entry {
        entry: EntryView,
        /// Whether it is new, at the end of the branch that its chat shows. One that only changed may be of another
        /// branch.
        added: bool,
    },
    /// A chat shows another branch, so that its entries have to be read again.
    Branch {
        chat: ChatId,
    },
    /// An entry is gone (a failure that was tried again).
    EntryGone {
        chat: ChatId,
        entry: EntryId,
    },
    /// The model said more.
    Words {
        chat: ChatId,
        entry: EntryId,
        /// What is added to its text.
        text: String,
        /// What is added to its reasoning.
        reasoning: String,
    },
    /// A server is new or changed.
    Server {
        server: ServerView,
    },
    /// A server is gone.
    ServerGone {
        server: ServerId,
    },
    /// A server's tools or the rules for them changed.
    Tools {
        server: ServerId,
    },
    /// What a server offers besides tools changed.
    Offers {
        server: ServerId,
    },
    /// Files are dragged over the window, have left it again, or were dropped and wait to be attached to a chat.
    FilesDragged {
        now: FileDrag,
    },
    /// Servers say that something attached is another now than when it was read.
    AttachmentsChanged {
        /// Which, sent or not.
        attachments: Vec<AttachmentId>,
    },
    /// The whole ledger was checked.
    LedgerChecked {
        /// What that came to.
        check: LedgerCheck,
    },
    /// Other rules, servers or tools count as changed outside Vestibule.
    Rows {
        rows: RowsView,
    },
    /// A server's log grew. Told at most a few times a second.
    Log {
        server: ServerId,
    },
    Rules,
    /// The questions that wait.
    Waiting {
        waiting: Vec<WaitingView>,
    },
    /// A change of this window that was asked has ended.
    Answered {
        question: QuestionId,
        end: ChangeEnd,
    },
    /// The kinds of requests that are muted, by server.
    Muted {
        muted: Vec<MutedView>,
    },
    /// The connections or their models changed.
    Models {
        connections: Vec<ConnectionView>,
        models: Vec<ModelView>,
    },
    /// The workspaces, their folders or what is shared of them changed.
    Workspaces {
        workspaces: Vec<WorkspaceView>,
    },
    Settings {
        settings: Settings,
    },
    /// The profiles of tools changed.
    Profiles {
        profiles: Vec<ToolProfile>,
    },
    /// What the user's models cost today and in this month changed.
    Costs {
        costs: CostsView,
    },
    /// The user clicked the notification about this chat.
    ChatAsked {
        chat: ChatId,
    },
    /// The user wants to close the application while calls run or requests wait. Closing again closes it.
    CloseAsked {
        /// How many chats are at work.
        chats: u32,
        /// How many requests wait.
        requests: u32,
    },
}

/// A message to the consent window.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(tag = "message", rename_all = "snake_case")]
pub enum InboxMessage {
    /// What had been entered on the cards that wait, for a window that is reloaded. It comes first, if at all.
    Kept { kept: Vec<SavedInput> },
    /// The questions that wait, oldest first, and how to look.
    State(InboxState),
    /// The guard of a question starts again, now.
    Guard {
        question: QuestionId,
        /// For how long, in milliseconds.
        ms: u32,
    },
    /// Bring this question to the front.
    Show { question: QuestionId },
    /// The window was hidden: its card has to be presented again.
    Hidden,
}

/// The consent window's whole state.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct InboxState {
    pub questions: Vec<Question>,
    /// What is not asked because the user has muted it.
    pub muted: Vec<MutedView>,
    /// For appearance and language.
    pub settings: Settings,
}
