//! A chat as files have it: its entries in all branches, without anything that is of this computer alone. The digest covers
//! what an export and an import keep, so it is the same before and after.

use serde_json::{Value, json};
use vestibule_app_protocol::EntryBody;
use vestibule_policy::Digest;

use crate::body::portable;

/// A chat of a file, or for one.
#[derive(Clone, Debug, PartialEq)]
pub struct FileChat {
    /// Its id where it was exported.
    pub id: String,
    pub title: String,
    /// When it was begun, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it last changed, in milliseconds since 1970.
    pub updated_ms: i64,
    /// The entries of all branches. Each comes after the one it follows; the last of those that follow the same one is the
    /// newest version.
    pub entries: Vec<FileEntry>,
}

/// An entry of a chat.
#[derive(Clone, Debug, PartialEq)]
pub struct FileEntry {
    /// Its id where it was exported.
    pub id: String,
    /// The place of the entry it follows in [`FileChat::entries`]; `None` for the first of a branch.
    pub parent: Option<usize>,
    /// When it was made, in milliseconds since 1970.
    pub at_ms: i64,
    /// Whether the chat shows it.
    pub shown: bool,
    pub body: EntryBody,
}

impl FileChat {
    /// The last entry of the branch that the chat shows.
    #[must_use]
    pub fn shown_end(&self) -> Option<&FileEntry> {
        self.entries.iter().rev().find(|entry| entry.shown)
    }

    /// The digest of what was said and done in the chat: title, texts, calls, results, times and branches. Ids, places in
    /// the database and where the chat comes from are not in it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let entry = |entry: &FileEntry| {
            json!({
                "parent": entry.parent,
                "at": entry.at_ms,
                "shown": entry.shown,
                "body": body_value(&entry.body),
            })
        };
        let entries: Vec<Value> = self.entries.iter().map(entry).collect();
        Digest::of_chat(&json!({ "title": self.title, "entries": entries }))
    }
}

/// The body of an entry as files have it.
pub(crate) fn body_value(body: &EntryBody) -> Value {
    serde_json::to_value(portable(body.clone())).expect("an entry is plain data")
}
