//! Reads a chat of Vestibule's own JSON form.

use serde::Deserialize;
use serde_json::value::RawValue;
use vestibule_app_protocol::{ChatPartFault, EntryBody};

use crate::read::{ChatParts, MAX_ENTRY};
use crate::tree::{FileNode, NodeContent};

#[derive(Deserialize)]
struct WrittenChat<'a> {
    #[serde(default)]
    id: String,
    #[serde(default)]
    title: String,
    created: i64,
    updated: i64,
    shown: Option<String>,
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct WrittenEntry<'a> {
    id: String,
    parent: Option<String>,
    at: i64,
    #[serde(borrow)]
    body: &'a RawValue,
}

/// The title and the parts of a chat.
///
/// # Errors
/// In technical words, where it has not the form of a chat.
pub(crate) fn read(chat: &str) -> Result<ChatParts, String> {
    let written: WrittenChat<'_> = serde_json::from_str(chat).map_err(|error| error.to_string())?;
    let mut faults = vec![];
    let mut nodes = vec![];
    for entry in &written.entries {
        match node(entry.get()) {
            Ok(node) => nodes.push(node),
            Err((fault, detail, rest)) => {
                faults.push((fault, detail));
                nodes.extend(rest);
            }
        }
    }
    Ok(ChatParts {
        id: written.id,
        title: written.title,
        created_ms: Some(written.created),
        updated_ms: Some(written.updated),
        nodes,
        shown: written.shown,
        faults,
    })
}

/// An entry; or what is wrong with it, and what is left of it for those that follow it.
fn node(entry: &str) -> Result<FileNode, (ChatPartFault, String, Option<FileNode>)> {
    let unreadable = |error: serde_json::Error| (ChatPartFault::EntryUnreadable, error.to_string(), None);
    let written: WrittenEntry<'_> = serde_json::from_str(entry).map_err(unreadable)?;
    let body = written.body.get();
    let mut node = FileNode {
        id: written.id,
        parent: written.parent,
        at_ms: Some(written.at),
        said: NodeContent::Entries(vec![]),
    };
    if body.len() > MAX_ENTRY {
        return Err((ChatPartFault::EntryTooLarge, String::new(), Some(node)));
    }
    match serde_json::from_str::<EntryBody>(body) {
        Ok(body) => {
            node.said = NodeContent::Entries(vec![body]);
            Ok(node)
        }
        Err(error) => Err((ChatPartFault::EntryUnreadable, error.to_string(), Some(node))),
    }
}
