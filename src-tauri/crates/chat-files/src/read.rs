//! Reads a file of chats: recognises who wrote it, and reads each chat by itself, so that one that cannot be read, or that
//! nests too deep, leaves the others whole.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use vestibule_app_protocol::{CallState, ChatPartFault, ChatSource, Compaction, ContentView, EntryBody};

use crate::body::ImportedBodies;
use crate::chat::FileChat;
use crate::left_out::{Faults, LeftOut};
use crate::tree::{self, FileNode, NodeContent};
use crate::{FORMAT, VERSION, chat_gpt, claude, own};

/// The longest text of a message, in bytes.
const MAX_TEXT: usize = 16 * 1024 * 1024;
/// The largest body of an entry, in bytes of JSON: a result of 68 MB, whose letters may take more bytes in JSON.
pub(crate) const MAX_ENTRY: usize = 96 * 1024 * 1024;
/// The most levels of a value that are read; the database stores a few more.
const MAX_LEVELS: usize = 100;
/// The most chats that are read of a file.
const MAX_CHATS: usize = 20_000;
/// The most messages of a chat.
const MAX_NODES: usize = 50_000;
/// The longest title that is kept, in characters.
const MAX_TITLE: usize = 200;

/// Replaces content of a result that cannot be shown safely by what can.
pub type CheckContent<'a> = &'a dyn Fn(ContentView) -> ContentView;

/// What a file holds.
#[derive(Debug, PartialEq)]
pub struct ReadChats {
    pub source: ChatSource,
    /// The chats, each with at least one entry, marked as from a file.
    pub chats: Vec<FileChat>,
    pub left_out: LeftOut,
}

/// Why a file is not read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is no JSON; in technical words.
    NotJson(String),
    /// It is JSON of another kind.
    UnknownForm,
    /// A newer version of Vestibule wrote it.
    Newer(u32),
}

/// A chat of a file before its messages are brought into order.
pub(crate) struct ChatParts {
    pub(crate) id: String,
    pub(crate) title: String,
    /// In milliseconds since 1970.
    pub(crate) created_ms: Option<i64>,
    pub(crate) updated_ms: Option<i64>,
    pub(crate) nodes: Vec<FileNode>,
    /// The id of the message whose branch is shown.
    pub(crate) shown: Option<String>,
    /// What is not among the messages, with technical words.
    pub(crate) faults: Faults,
}

/// What tells the forms apart. Values are passed over without being built.
#[derive(Deserialize)]
struct FileProbe<'a> {
    format: Option<String>,
    version: Option<u32>,
    #[serde(borrow)]
    chats: Option<&'a RawValue>,
    #[serde(borrow)]
    mapping: Option<&'a RawValue>,
    #[serde(borrow)]
    chat_messages: Option<&'a RawValue>,
}

impl FileProbe<'_> {
    fn source(&self) -> Option<ChatSource> {
        match self {
            Self { mapping: Some(_), .. } => Some(ChatSource::ChatGpt),
            Self {
                chat_messages: Some(_),
                ..
            } => Some(ChatSource::Claude),
            _ => None,
        }
    }
}

/// Reads a file of chats. `now_ms` is the time of what has none, and of what claims to be of the future.
///
/// # Errors
/// Where it is not JSON, of no known form, or of a newer version.
pub fn read_chats(text: &str, now_ms: i64, check: CheckContent<'_>) -> Result<ReadChats, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (source, chats) = recognised(text)?;
    let mut read = ReadChats {
        source,
        chats: vec![],
        left_out: LeftOut::default(),
    };
    for chat in chats.iter().take(MAX_CHATS) {
        let parts = match source {
            ChatSource::Vestibule => own::read(chat.get()),
            ChatSource::ChatGpt => chat_gpt::read(chat.get()),
            ChatSource::Claude => claude::read(chat.get()),
        };
        let left_out = &mut read.left_out;
        match parts {
            Ok(parts) => read.chats.extend(built(parts, now_ms, check, left_out)),
            Err(detail) => {
                left_out.begin_chat("");
                left_out.add(ChatPartFault::ChatUnreadable, &detail);
            }
        }
    }
    if chats.len() > MAX_CHATS {
        read.left_out.begin_chat("");
        chats[MAX_CHATS..]
            .iter()
            .for_each(|_| read.left_out.add(ChatPartFault::TooMany, ""));
    }
    Ok(read)
}

/// Who wrote a file, and its chats.
fn recognised(text: &str) -> Result<(ChatSource, Vec<&RawValue>), Unreadable> {
    let not_json = |error: serde_json::Error| Unreadable::NotJson(error.to_string());
    if text.trim_start().starts_with('[') {
        let chats: Vec<&RawValue> = serde_json::from_str(text).map_err(not_json)?;
        let sources = chats.iter().filter_map(|chat| probe(chat.get()).ok()?.source());
        let source = sources.into_iter().next().ok_or(Unreadable::UnknownForm)?;
        return Ok((source, chats));
    }
    let whole: &RawValue = serde_json::from_str(text).map_err(not_json)?;
    let probed = probe(whole.get()).map_err(|_| Unreadable::UnknownForm)?;
    if let Some(source) = probed.source() {
        return Ok((source, vec![whole]));
    }
    match (probed.format.as_deref(), probed.version, probed.chats) {
        (Some(FORMAT), Some(VERSION), Some(chats)) => {
            let chats = serde_json::from_str(chats.get()).map_err(|_| Unreadable::UnknownForm)?;
            Ok((ChatSource::Vestibule, chats))
        }
        (Some(FORMAT), Some(newer), _) if newer > VERSION => Err(Unreadable::Newer(newer)),
        _ => Err(Unreadable::UnknownForm),
    }
}

fn probe(text: &str) -> serde_json::Result<FileProbe<'_>> {
    serde_json::from_str(text)
}

/// The chat, where something is in it.
fn built(
    mut parts: ChatParts,
    now_ms: i64,
    check: CheckContent<'_>,
    left_out: &mut LeftOut,
) -> Option<FileChat> {
    let title: String = parts.title.trim().chars().take(MAX_TITLE).collect();
    left_out.begin_chat(&title);
    for (fault, detail) in &parts.faults {
        left_out.add(*fault, detail);
    }
    if parts.nodes.len() > MAX_NODES {
        left_out.add(ChatPartFault::TooMany, "");
        return None;
    }
    parts.nodes.iter_mut().for_each(|node| bound(node, left_out));
    let past = |ms: i64| ms.clamp(0, now_ms);
    let created_ms = past(parts.created_ms.unwrap_or(now_ms));
    let mut entries = tree::entries(parts.nodes, parts.shown.as_deref(), created_ms, left_out);
    let mut from_file = ImportedBodies::new(check);
    for entry in &mut entries {
        entry.at_ms = past(entry.at_ms);
        entry.body = from_file.imported(entry.body.clone());
    }
    let Some(last_ms) = entries.iter().map(|entry| entry.at_ms).max() else {
        left_out.add(ChatPartFault::ChatEmpty, "");
        return None;
    };
    Some(FileChat {
        id: parts.id,
        title,
        created_ms,
        updated_ms: past(parts.updated_ms.unwrap_or(last_ms)),
        entries,
    })
}

/// Leaves out the entries of a message that are too long or nest too deep.
fn bound(node: &mut FileNode, left_out: &mut LeftOut) {
    let NodeContent::Entries(bodies) = &mut node.said else {
        return;
    };
    bodies.retain(|body| {
        let fits = fits(body);
        if !fits {
            left_out.add(ChatPartFault::EntryTooLarge, &node.id);
        }
        fits
    });
}

/// Whether an entry is not too long and does not nest too deep to be stored.
fn fits(body: &EntryBody) -> bool {
    let is_flat = |arguments: &Map<String, Value>| arguments.values().all(nests_little);
    match body {
        EntryBody::User { text, .. } | EntryBody::Assistant { text, .. } => text.len() <= MAX_TEXT,
        EntryBody::Call(call) => {
            let structured = match &call.state {
                CallState::Answered { result, .. } => result.structured.as_ref(),
                _ => None,
            };
            is_flat(&call.arguments) && structured.is_none_or(nests_little)
        }
        EntryBody::BuiltInCall(call) => is_flat(&call.arguments),
        EntryBody::Compaction(Compaction::Summarized(summary)) => summary.summary.len() <= MAX_TEXT,
        EntryBody::Compaction(_) | EntryBody::ToolsLeftOut { .. } | EntryBody::Failure { .. } => true,
    }
}

/// Whether a value has few levels, counted without recursion.
fn nests_little(value: &Value) -> bool {
    let mut waiting = vec![(value, 0)];
    while let Some((value, level)) = waiting.pop() {
        if level > MAX_LEVELS {
            return false;
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(members) => waiting.extend(members.values().map(|member| (member, level + 1))),
            _ => {}
        }
    }
    true
}
