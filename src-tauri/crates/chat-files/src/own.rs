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
    let entries = written.entries.iter();
    let nodes = entries
        .filter_map(|entry| node(entry.get(), &mut faults))
        .collect();
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

/// An entry. Of one whose body is wrong, what holds those together that follow it.
fn node(entry: &str, faults: &mut Vec<(ChatPartFault, String)>) -> Option<FileNode> {
    let written: serde_json::Result<WrittenEntry<'_>> = serde_json::from_str(entry);
    let written = written
        .map_err(|error| faults.push((ChatPartFault::EntryUnreadable, error.to_string())))
        .ok()?;
    let bodies = match body(written.body.get()) {
        Ok(body) => vec![body],
        Err(fault) => {
            faults.push(fault);
            vec![]
        }
    };
    Some(FileNode {
        id: written.id,
        parent: written.parent,
        at_ms: Some(written.at),
        said: NodeContent::Entries(bodies),
    })
}

fn body(written: &str) -> Result<EntryBody, (ChatPartFault, String)> {
    if written.len() > MAX_ENTRY {
        return Err((ChatPartFault::EntryTooLarge, String::new()));
    }
    serde_json::from_str(written).map_err(|error| (ChatPartFault::EntryUnreadable, error.to_string()))
}
