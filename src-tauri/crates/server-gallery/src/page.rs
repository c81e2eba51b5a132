//! An answer of a registry as a page of the gallery. What is not in form is left out and counted.

use std::collections::BTreeSet;

use serde_json::Value;
use vestibule_app_protocol::{GalleryPage, GalleryProblem, LeftOutEntries};
use vestibule_config_import::AddressCheck;

use crate::entry::{self, EntryFault};
use crate::text::member;

/// The most entries that are read of one page.
const MOST: usize = 100;
/// The longest cursor, in bytes.
const LONGEST_CURSOR: usize = 1024;

/// Reads an answer. A cursor that is the one that was sent would lead to the same page again and is dropped.
///
/// # Errors
/// `GalleryProblem::RegistryUnreadable` where it is no list of servers.
pub(crate) fn read(
    body: &[u8],
    host: &str,
    sent: Option<&str>,
    check: AddressCheck,
) -> Result<GalleryPage, GalleryProblem> {
    let unreadable = |detail: &str| GalleryProblem::RegistryUnreadable {
        host: host.to_owned(),
        detail: detail.to_owned(),
    };
    let answer: Value = serde_json::from_slice(body).map_err(|_| unreadable("it is not JSON"))?;
    let list = match &answer["servers"] {
        Value::Array(list) => list.as_slice(),
        // An empty list, as some programs write it.
        Value::Null if answer.get("servers").is_some() => &[],
        _ => return Err(unreadable("it has no list of servers")),
    };
    let mut page = GalleryPage {
        host: host.to_owned(),
        entries: vec![],
        next: next(&answer, sent),
        left_out: LeftOutEntries {
            beyond: u32::try_from(list.len().saturating_sub(MOST)).unwrap_or(u32::MAX),
            ..LeftOutEntries::default()
        },
    };
    let mut known = BTreeSet::new();
    for item in list.iter().take(MOST) {
        match entry::read(item, check) {
            Ok(entry) if known.insert((entry.name.clone(), entry.version.clone())) => {
                page.entries.push(entry)
            }
            Ok(_) | Err(EntryFault::Older) => page.left_out.repeated += 1,
            Err(EntryFault::Deleted) => page.left_out.deleted += 1,
            Err(EntryFault::Unreadable) => page.left_out.unreadable += 1,
        }
    }
    Ok(page)
}

/// What asks for the next page.
fn next(answer: &Value, sent: Option<&str>) -> Option<String> {
    let cursor = member(&answer["metadata"], &["nextCursor", "next_cursor"])?;
    (cursor.len() <= LONGEST_CURSOR && Some(cursor) != sent).then(|| cursor.to_owned())
}
