//! Large parts of results. They are kept beside their entry, whose body only refers to them, so that no window, no page of
//! a chat and no request carries their bytes. What is short enough stays in the entry.

use serde::{Deserialize, Serialize};
use vestibule_protocol::is_json_longer;

use super::{ContentView, ResultView};

/// A text that is longer is kept beside its entry, in bytes. So are texts over [`MIN_STORED`] of a result whose texts have
/// more together.
pub const MAX_INLINE: usize = 256 * 1024;
/// A part that is shorter always stays in its entry, in bytes. Any picture or sound that is longer, as Base64, is kept beside
/// it: most rounds of a chat do not send it, and all of them read the entry.
const MIN_STORED: usize = 64 * 1024;
/// The most parts of one result that are kept beside it.
const MAX_STORED: u32 = 64;

/// Whether a result is so short that all of it stays in its entry. Reads at most [`MIN_STORED`] bytes of its JSON.
#[must_use]
pub fn stays_inline(result: &ResultView) -> bool {
    !is_json_longer(result, MIN_STORED)
}

/// A part of a result that is kept beside its entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct StoredPart {
    /// Its number among the stored parts of the entry.
    pub number: u32,
    pub form: StoredForm,
    /// Its size in bytes, as it is stored.
    #[ts(type = "number")]
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// In how many pieces it is read.
    pub pieces: u32,
    /// How many lines a text has.
    #[ts(type = "number")]
    pub lines: u64,
    /// What a text begins with; empty for anything else.
    pub beginning: String,
    /// What a text ends with; empty for anything else.
    pub end: String,
}

/// What a stored part is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum StoredForm {
    Text,
    /// An image of a kind that is safe to show.
    Image {
        mime: String,
    },
    Audio {
        mime: String,
    },
    /// The text of a resource inside the result.
    Resource {
        uri: String,
        mime: Option<String>,
    },
    /// The structured form of a result, as JSON.
    Structured,
}

impl StoredForm {
    /// Whether it is read as text.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Resource { .. } | Self::Structured)
    }
}

/// Decides which parts of one result are kept beside its entry. To be asked about each part in order. Pictures and sounds
/// take no room of texts, so a text is stored only where all texts together are longer than [`MAX_INLINE`].
#[derive(Debug)]
pub struct InlineRoom {
    texts: usize,
    stored: u32,
}

impl Default for InlineRoom {
    fn default() -> Self {
        Self {
            texts: MAX_INLINE,
            stored: 0,
        }
    }
}

impl InlineRoom {
    /// Whether this part is kept beside the entry.
    pub fn stores(&mut self, part: &ContentView) -> bool {
        match part {
            ContentView::Text { text } | ContentView::Resource { text: Some(text), .. } => {
                self.stores_text(text.len())
            }
            ContentView::Image { base64, .. } | ContentView::Audio { base64, .. } => {
                self.takes_place(base64.len())
            }
            ContentView::Resource { text: None, .. }
            | ContentView::Link { .. }
            | ContentView::Stored { .. }
            | ContentView::Other { .. } => false,
        }
    }

    /// The same for a text with so many bytes.
    pub fn stores_text(&mut self, bytes: usize) -> bool {
        let is_stored = bytes > self.texts && self.takes_place(bytes);
        if !is_stored {
            self.texts = self.texts.saturating_sub(bytes);
        }
        is_stored
    }

    /// Whether a part with so many bytes is long enough to be stored, and takes one of the places for such parts.
    fn takes_place(&mut self, bytes: usize) -> bool {
        let is_stored = bytes > MIN_STORED && self.stored < MAX_STORED;
        self.stored += u32::from(is_stored);
        is_stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(sizes: &[usize]) -> Vec<bool> {
        let mut room = InlineRoom::default();
        sizes.iter().map(|size| room.stores_text(*size)).collect()
    }

    #[test]
    fn a_long_part_is_stored_and_short_ones_stay_as_far_as_they_fit() {
        assert_eq!(
            stored(&[MAX_INLINE + 1, MAX_INLINE, 70_000, 1_000]),
            [true, false, true, false]
        );
        assert_eq!(stored(&[200_000, 62_144, 65_537]), [false, false, true]);
    }

    #[test]
    fn a_long_picture_is_stored_and_takes_no_room_of_texts() {
        let mut room = InlineRoom::default();
        let picture = |bytes| ContentView::Image {
            mime: "image/png".into(),
            base64: "A".repeat(bytes),
        };
        assert!(!room.stores(&picture(MIN_STORED)) && room.stores(&picture(MIN_STORED + 1)));
        assert!(!room.stores_text(MAX_INLINE));
    }

    #[test]
    fn the_number_of_stored_parts_is_bounded() {
        let many = stored(&[MAX_INLINE + 1; 100]);
        assert_eq!(many.iter().filter(|stored| **stored).count(), MAX_STORED as usize);
    }
}
