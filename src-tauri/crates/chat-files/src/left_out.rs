//! What of a file is not imported, joined by chat and reason, in the order in which it was found.

use std::collections::BTreeMap;

use vestibule_app_protocol::{ChatPartFault, ChatPartLeftOut};

/// Lines that are kept.
const MAX_LINES: usize = 100;
/// The longest detail that is kept, in characters.
const MAX_DETAIL: usize = 300;

/// What of one chat is not imported, with technical words.
pub(crate) type Faults = Vec<(ChatPartFault, String)>;

/// What of a file is not imported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeftOut {
    lines: Vec<ChatPartLeftOut>,
    /// The lines by chat and reason; the chat by its number, since titles can be the same.
    places: BTreeMap<(usize, ChatPartFault), usize>,
    more: u32,
    /// The chat that is read: its number and title.
    chat: (usize, String),
}

impl LeftOut {
    /// Begins the next chat.
    pub(crate) fn begin_chat(&mut self, title: &str) {
        self.chat = (self.chat.0 + 1, title.to_owned());
    }

    pub(crate) fn add(&mut self, reason: ChatPartFault, detail: &str) {
        let next = self.lines.len();
        let place = *self.places.entry((self.chat.0, reason)).or_insert(next);
        if let Some(line) = self.lines.get_mut(place) {
            line.count = line.count.saturating_add(1);
        } else if next < MAX_LINES {
            self.lines.push(ChatPartLeftOut {
                chat: self.chat.1.clone(),
                reason,
                count: 1,
                detail: detail.chars().take(MAX_DETAIL).collect(),
            });
        } else {
            // It is counted once, and the next of its kind again.
            self.places.remove(&(self.chat.0, reason));
            self.more = self.more.saturating_add(1);
        }
    }

    /// The lines, and how many parts are in none of them.
    #[must_use]
    pub fn lines(&self) -> (&[ChatPartLeftOut], u32) {
        (&self.lines, self.more)
    }
}
