//! The JSON form of chats, written chat by chat so that not all of them are in memory at once.

use serde_json::{Value, json};

use crate::chat::{FileChat, FileEntry, body_value};
use crate::{FORMAT, VERSION};

/// What a file ends with, after its chats.
pub const CHATS_END: &str = "\n]}\n";

/// The beginning of a file. The chats follow, with a comma and a line end between them, then [`CHATS_END`].
/// `exported_ms` is in milliseconds since 1970.
#[must_use]
pub fn begin_chats(exported_ms: i64) -> String {
    format!("{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"exported\":{exported_ms},\"chats\":[\n")
}

/// A chat as one line of a file.
#[must_use]
pub fn chat_json(chat: &FileChat) -> String {
    let entry = |entry: &FileEntry| {
        json!({
            "id": entry.id,
            "parent": entry.parent.and_then(|parent| chat.entries.get(parent)).map(|parent| &parent.id),
            "at": entry.at_ms,
            "body": body_value(&entry.body),
        })
    };
    let entries: Vec<Value> = chat.entries.iter().map(entry).collect();
    let chat = json!({
        "id": chat.id,
        "title": chat.title,
        "created": chat.created_ms,
        "updated": chat.updated_ms,
        "shown": chat.shown_end().map(|entry| &entry.id),
        "digest": chat.digest(),
        "entries": entries,
    });
    chat.to_string()
}
