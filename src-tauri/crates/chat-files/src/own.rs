//! Reads a chat of Vestibule's own JSON form.

use serde::Deserialize;
use serde_json::value::RawValue;
use vestibule_app_protocol::{ChatPartFault, EntryBody};

use crate::left_out::Faults;
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

/// What holds the entries together. It is read apart from the rest, so that an entry with a wrong member keeps its place.
#[derive(Deserialize)]
struct WrittenLink {
    id: String,
    parent: Option<String>,
}

#[derive(Deserialize)]
struct WrittenEntry<'a> {
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

/// An entry. Of one whose time or body is wrong, what holds those together that follow it.
fn node(entry: &str, faults: &mut Faults) -> Option<FileNode> {
    let unreadable = |error: serde_json::Error| (ChatPartFault::EntryUnreadable, error.to_string());
    let link: WrittenLink = serde_json::from_str(entry)
        .map_err(|error| faults.push(unreadable(error)))
        .ok()?;
    let written: serde_json::Result<WrittenEntry<'_>> = serde_json::from_str(entry);
    let at_ms = written.as_ref().ok().map(|written| written.at);
    let body = written
        .map_err(unreadable)
        .and_then(|written| body(written.body.get()));
    let bodies = body.map_err(|fault| faults.push(fault)).into_iter().collect();
    Some(FileNode {
        id: link.id,
        parent: link.parent,
        at_ms,
        said: NodeContent::Entries(bodies),
    })
}

fn body(written: &str) -> Result<EntryBody, (ChatPartFault, String)> {
    if written.len() > MAX_ENTRY {
        return Err((ChatPartFault::EntryTooLarge, String::new()));
    }
    serde_json::from_str(written).map_err(|error| (ChatPartFault::EntryUnreadable, error.to_string()))
}
