//! What is left out of one request where a chat is longer than its model reads and no summary stands for its beginning:
//! the oldest results of tools, then the oldest words of the model. The user's words never are.

use std::collections::HashSet;
use std::slice;
use std::sync::Arc;

use vestibule_protocol::EntryId;

use super::read_part::{entries_tokens, entry_pictures};
use super::request_size::pictures_tokens;
use crate::view::{BuiltInCall, CallBody, EntryBody, EntryView};

/// What the model reads in place of its own words.
pub(super) const WORDS: &str = "[left out, because this chat is longer than you read]";

/// The entries whose results or words are left out of a request.
#[derive(Default)]
pub(super) struct LeftOut(HashSet<EntryId>);

impl LeftOut {
    pub(super) fn has(&self, entry: EntryId) -> bool {
        self.0.contains(&entry)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The oldest of `entries` that take at least `over` tokens, as far as there are such. Results before the newest
    /// round are left out in steps of `step` tokens, so that requests that follow each other begin with the same bytes.
    /// The request does not have the `skipped` oldest pictures, so that leaving these out saves nothing.
    pub(super) fn oldest(entries: &[Arc<EntryView>], over: u64, step: u64, mut skipped: usize) -> Self {
        let wanted = over.div_ceil(step.max(1)) * step.max(1);
        let newest = entries.iter().rposition(|entry| is_words(entry)).unwrap_or(0);
        let said = entries.iter().rposition(|entry| is_message(entry)).unwrap_or(0);
        let mut left_out = Self::default();
        let mut saved = 0;
        for (at, entry) in entries.iter().enumerate() {
            let enough = if at < newest { wanted } else { over };
            let unsent = if skipped == 0 {
                0
            } else {
                entry_pictures(entry).min(skipped)
            };
            skipped -= unsent;
            if saved < enough && is_result(entry) {
                saved += left_out.add(entry, unsent);
            }
        }
        // Words since the user's last message stay, since vendors want the thoughts that belong to them.
        for entry in entries[..said].iter().filter(|entry| is_words(entry)) {
            if saved < over {
                saved += left_out.add(entry, 0);
            }
        }
        left_out
    }

    /// Leaves an entry out where that saves something, and returns how many tokens it does. The request does not have
    /// `unsent` of its pictures.
    fn add(&mut self, entry: &Arc<EntryView>, unsent: usize) -> u64 {
        let entries = slice::from_ref(entry);
        let alone = Self(HashSet::from([entry.id]));
        let whole = entries_tokens(entries, &Self::default());
        let saved = whole
            .saturating_sub(entries_tokens(entries, &alone))
            .saturating_sub(pictures_tokens(unsent));
        if saved > 0 {
            self.0.insert(entry.id);
        }
        saved
    }
}

/// What the model reads in place of the result of a server's tool.
pub(super) fn result(call: &CallBody, entry: EntryId) -> String {
    format!(
        "[The result of {} is left out, because this chat is longer than you read. read_result finds it with the \
         handle {entry}.]",
        call.called_as
    )
}

/// What the model reads in place of what one of our own tools gave it.
pub(super) fn built_in_result(call: &BuiltInCall) -> String {
    let name = call.tool.name();
    format!(
        "[What {name} gave is left out, because this chat is longer than you read. Call it again for it.]"
    )
}

fn is_result(entry: &EntryView) -> bool {
    matches!(entry.body, EntryBody::Call(_) | EntryBody::BuiltInCall(_))
}

fn is_words(entry: &EntryView) -> bool {
    matches!(entry.body, EntryBody::Assistant { .. })
}

fn is_message(entry: &EntryView) -> bool {
    matches!(entry.body, EntryBody::User { .. })
}
