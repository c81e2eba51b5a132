//! Files of chats: the forms in which chats are exported, and what a file holds before its chats are imported.

use serde::{Deserialize, Serialize};

/// The form of a file that chats are exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ChatFileForm {
    /// The branches that the chats show, to read.
    Markdown,
    /// Everything with all branches, to be imported again.
    Json,
}

/// The application that wrote a file of chats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ChatSource {
    Vestibule,
    ChatGpt,
    Claude,
}

/// What an import of a chosen file would add. Nothing is written before the user confirms it.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ChatImportView {
    /// The name of the file, without its folder.
    pub file: String,
    pub source: ChatSource,
    pub chats: u32,
    /// Messages of the user and of models, in all branches.
    pub messages: u32,
    /// Calls of tools, in all branches. None of them is made.
    pub calls: u32,
    /// The titles of the first chats.
    pub titles: Vec<String>,
    /// What of the file is not imported, at most a hundred lines.
    pub left_out: Vec<ChatPartLeftOut>,
    /// How many such lines there are besides.
    pub left_out_more: u32,
}

/// Parts of one chat of a file that are not imported for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ChatPartLeftOut {
    /// The title of the chat; empty where it has none.
    pub chat: String,
    pub reason: ChatPartFault,
    pub count: u32,
    /// What is wrong with the first of them, in technical words; may be empty.
    pub detail: String,
}

/// Why a part of a file of chats is not imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ChatPartFault {
    /// A whole chat lacks something or has something of another type.
    ChatUnreadable,
    /// A whole chat has nothing in it that can be imported.
    ChatEmpty,
    /// A whole chat has more entries than an import takes, or comes after as many chats as an import takes.
    TooMany,
    /// An entry lacks something, has something of another type, or is of an unknown kind.
    EntryUnreadable,
    /// An entry is larger than an import takes.
    EntryTooLarge,
    /// An entry has the id of an entry before it.
    IdTaken,
    /// An entry follows one that is not in the file, directly or not.
    ParentMissing,
    /// Entries follow each other in a circle.
    ParentCircle,
    /// A result of a tool does not follow a call.
    ResultWithoutCall,
    /// A picture or another file that the file of chats only names.
    FileMissing,
    /// Instructions that the other application gave to its model.
    Instructions,
}

/// What an import added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ChatsImported {
    pub chats: u32,
    /// The chat, where it was one alone.
    pub only: Option<vestibule_protocol::ChatId>,
}
