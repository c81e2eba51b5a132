//! Why values cannot be checked against a schema. Each variant is a sentence of the UI's catalogue; the text here is for
//! logs and for the model.

use serde::{Deserialize, Serialize};

/// Why a value was not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "why", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum Unchecked {
    #[error("it is larger than {kilobytes} kB")]
    TooLarge { kilobytes: u32 },
    #[error("it nests deeper than {levels} levels")]
    TooDeep { levels: u32 },
    #[error("it has more than {most} parts")]
    TooManyParts { most: u32 },
    #[error("it has more than {most} references")]
    TooManyReferences { most: u32 },
    #[error("its references multiply, so that one check would take too many steps")]
    Multiplies,
    #[error("a reference leads back to itself without going deeper into the value")]
    Circular,
    #[error("the reference {reference:?} leads outside of the schema")]
    Outside { reference: String },
    #[error("the pattern {pattern:?} is too large, or is not one that can be checked safely")]
    PatternRefused { pattern: String },
    #[error("its patterns are too many, or too large together")]
    PatternsTooLarge,
    #[error("it is not a valid schema: {detail}")]
    Invalid { detail: String },
    #[error("the value is too large to check against this schema")]
    ValueTooLarge,
    #[error("the check took too much time or memory and was stopped")]
    Stopped,
    #[error("the checks of this server used up their time; more is available in {seconds} seconds")]
    UsedUp { seconds: u32 },
    #[error("too many checks of this server are waiting")]
    Busy,
    #[error("the program that checks did not work: {detail}")]
    Failed { detail: String },
}

/// At most this many characters of a server's text stand in a reason.
const QUOTED: usize = 300;

/// The beginning of a text that a server wrote.
pub(crate) fn quoted(text: &str) -> String {
    text.chars().take(QUOTED).collect()
}
