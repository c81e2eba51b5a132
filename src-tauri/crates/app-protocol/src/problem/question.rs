//! What can go wrong with a question and its answer.

use serde::{Deserialize, Serialize};

/// A question was not asked or not shown, or its answer was not taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum QuestionProblem {
    #[error("the question was not asked because too many are waiting")]
    NotAsked,
    #[error("the answer does not belong to the question that is shown")]
    AnswerStale,
    #[error("the answer came too soon after the question appeared")]
    AnswerTooSoon,
    #[error("the answer does not fit the question: {detail}")]
    AnswerUnfit { detail: String },
    #[error("the page was not opened: {detail}")]
    PageNotOpened { detail: String },
    #[error("the consent window could not be shown: {detail}")]
    WindowNotShown { detail: String },
    #[error("the consent window could not be hidden: {detail}")]
    WindowNotHidden { detail: String },
}
