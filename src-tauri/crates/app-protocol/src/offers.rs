//! What servers offer besides tools, and what a user picked of it for a chat.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vestibule_protocol::mcp::{LogLevel, PromptArgument, Role};
use vestibule_protocol::{AttachmentId, ServerId};

use super::{ContentView, Problem};

/// What a server offers besides tools. All of it is the server's words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ts_rs::TS)]
pub struct OffersView {
    /// What can be read.
    pub resources: Vec<ResourceView>,
    /// Patterns of more that can be read.
    pub templates: Vec<TemplateView>,
    /// What can be expanded.
    pub prompts: Vec<PromptView>,
    /// It proposes values while a user writes.
    pub completes: bool,
    /// It tells when something that was read changes.
    pub watches: bool,
    /// It declares the `logging` capability and accepts `logging/setLevel`.
    pub logs: bool,
    /// From which level up it was asked to log; `None` before it was first asked.
    pub log_level: Option<LogLevel>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ResourceView {
    /// The server's address for it.
    pub uri: String,
    /// What it is called.
    pub name: String,
    pub description: Option<String>,
    /// What it claims to hold.
    pub mime: Option<String>,
    /// The size it claims.
    #[ts(type = "number | null")]
    pub bytes: Option<u64>,
}

/// A pattern of resources.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct TemplateView {
    /// The pattern (RFC 6570).
    pub pattern: String,
    /// What it is called.
    pub name: String,
    pub description: Option<String>,
    /// What it claims to hold.
    pub mime: Option<String>,
    /// What it wants to know.
    pub variables: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct PromptView {
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What it wants to know.
    pub arguments: Vec<PromptArgument>,
}

/// Which resource a user picked.
#[derive(Clone, Debug, PartialEq, Deserialize, ts_rs::TS)]
#[serde(tag = "pick", rename_all = "snake_case", deny_unknown_fields)]
pub enum ResourcePick {
    /// One of the list.
    Listed { uri: String },
    /// One of a pattern.
    Pattern {
        pattern: String,
        /// What stands for its variables.
        values: BTreeMap<String, String>,
    },
}

/// A field a user is writing in.
#[derive(Clone, Debug, PartialEq, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct CompletionAsk {
    /// What is being filled in.
    pub of: CompletionOf,
    /// Which field of it.
    pub field: String,
    /// What stands in it.
    pub value: String,
    /// What stands in the others.
    pub others: BTreeMap<String, String>,
}

/// What is being filled in.
#[derive(Clone, Debug, PartialEq, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum CompletionOf {
    /// A prompt, by its name.
    Prompt(String),
    /// A pattern of resources.
    Pattern(String),
}

/// What a server proposes for a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct CompletionView {
    /// Best first, at most a hundred.
    pub values: Vec<String>,
    pub more: bool,
}

/// Something of a server, or a file, that a user picked for one chat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct AttachmentView {
    /// Our name for it.
    pub id: AttachmentId,
    /// The server it comes from; `None` for a file.
    pub server: Option<ServerId>,
    /// The user's name for that server then; empty for a file.
    pub server_name: String,
    /// Where it comes from.
    pub from: AttachmentFrom,
    /// All that goes to the model of it, in order.
    pub parts: Vec<AttachedPart>,
    /// How many bytes were left out because it was too large to keep.
    #[ts(type = "number")]
    pub cut_bytes: u64,
    /// The server said since that it is another now.
    #[serde(default)]
    pub changed: bool,
}

impl AttachmentView {
    /// Whether it is a file of this computer or of the clipboard.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self.from, AttachmentFrom::File { .. })
    }

    /// Whether it is a file with a picture.
    #[must_use]
    pub fn is_picture(&self) -> bool {
        let is_image = |part: &AttachedPart| matches!(part.content, ContentView::Image { .. });
        self.is_file() && self.parts.iter().any(is_image)
    }
}

/// Where something attached comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum AttachmentFrom {
    /// A resource was read.
    Resource {
        uri: String,
        /// What the server calls it; the address where it is of a pattern.
        name: String,
    },
    /// A prompt was expanded.
    Prompt {
        name: String,
        /// What the user wrote.
        arguments: BTreeMap<String, String>,
    },
    /// A file of this computer was read, or a picture of the clipboard.
    File {
        /// Its name without the folder.
        name: String,
        /// Its size when it was read.
        #[ts(type = "number")]
        bytes: u64,
        /// How many pages the PDF has whose text this is; `None` for any other file.
        #[serde(default)]
        pages: Option<u32>,
    },
}

/// What came of files that the user picked, dropped or pasted for a chat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ts_rs::TS)]
pub struct FilesAttached {
    /// What waits to be sent now, in the order of the files.
    pub attached: Vec<AttachmentView>,
    /// Why each of the others was refused.
    pub refused: Vec<Problem>,
    /// Why some of those that wait do not survive the end of the application.
    pub not_kept: Vec<Problem>,
    /// The paths of folders among them, which can be added to a workspace instead.
    pub folders: Vec<String>,
}

/// One part of something attached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct AttachedPart {
    /// Who speaks in it, in a prompt.
    pub role: Option<Role>,
    pub content: ContentView,
}
