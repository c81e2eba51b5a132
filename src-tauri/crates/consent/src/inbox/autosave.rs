//! What a user has entered on a card so far, kept beside its question so that the window may be reloaded in the
//! middle of it. It is in memory alone, bounded, and gone with its question. It belongs to the nonce it was entered
//! under: a card that has become another one never starts with it. Nothing here reads it, and no answer is made of it.

use serde_json::{Map, Value};
use vestibule_protocol::QuestionId;

use super::Inbox;
use crate::SavedInput;

/// The most that is kept of one card, in bytes of JSON.
const MOST_BYTES: usize = 256 * 1024;

impl Inbox {
    /// Keeps what was entered on a card in place of what was kept before; `None` where nothing is. What is too large,
    /// or belongs to a card that does not wait like this any more, is not kept.
    pub fn autosave(&self, question: QuestionId, nonce: &str, entered: Option<Map<String, Value>>) {
        let entered = entered.filter(is_small_enough);
        if let Some((card, autosaved)) = self.state().cards.card_with_autosave(question)
            && card == nonce
        {
            *autosaved = entered;
        }
    }

    /// What is kept of the cards that wait.
    #[must_use]
    pub fn autosaved(&self) -> Vec<SavedInput> {
        self.state().cards.autosaved().collect()
    }
}

fn is_small_enough(entered: &Map<String, Value>) -> bool {
    serde_json::to_vec(entered).is_ok_and(|bytes| bytes.len() <= MOST_BYTES)
}
