//! What a user has entered on a card so far, as the window that is loaded again gets it back.

use serde::Serialize;
use serde_json::{Map, Value};
use vestibule_protocol::QuestionId;

/// What was entered on a card, in the window's own form.
#[derive(Clone, PartialEq, Serialize, ts_rs::TS)]
pub struct SavedInput {
    pub question: QuestionId,
    /// The nonce of the card it was entered on.
    pub nonce: String,
    #[ts(type = "Record<string, unknown>")]
    pub entered: Map<String, Value>,
}

impl std::fmt::Debug for SavedInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SavedInput({}, …)", self.question)
    }
}
