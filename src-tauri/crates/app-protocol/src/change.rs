//! What becomes of a change the user makes in the main window. What lets less happen is done at once; what lets more
//! happen waits for an answer in the consent window.

use serde::Serialize;
use vestibule_protocol::{ConnectionId, ModelId, QuestionId};

use super::Problem;

/// What a command did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ChangeOutcome {
    /// The change is made.
    Done,
    /// The consent window asks. Nothing is changed until then; an event tells how it ended.
    Asked { question: QuestionId },
}

/// What saving a connection did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ConnectionSaved {
    /// The connection, which exists only once the change is made.
    pub connection: ConnectionId,
    /// The models that come with it.
    pub models: Vec<ModelId>,
    /// Whether it is made.
    pub change: ChangeOutcome,
}

/// What adding models to a connection did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ModelsAdded {
    /// The new models, which exist only once the change is made.
    pub models: Vec<ModelId>,
    /// Whether it is made.
    pub change: ChangeOutcome,
}

/// How a change that was asked ended.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum ChangeEnd {
    /// The user said yes, and the change is made.
    Done,
    /// The user did not say yes.
    Refused,
    /// What the card showed was no longer so when the user said yes, so nothing was changed.
    Outdated,
    /// The change was allowed and could not be made.
    Failed { problem: Problem },
}
