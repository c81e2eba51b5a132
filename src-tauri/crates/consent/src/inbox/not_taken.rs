//! Why an answer is not taken, and what the user then reads.

use vestibule_app_protocol::{Problem, QuestionProblem};

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// No such question, or the nonce or digest is of another one.
    #[error("the answer does not belong to a question that waits")]
    Stale,
    /// A yes inside the guard time, or to a card that is not the one in front.
    #[error("the answer came before the question could be read")]
    TooSoon,
    /// The answer is not one this question accepts.
    #[error("{0}")]
    Invalid(String),
}

impl From<NotTaken> for Problem {
    fn from(error: NotTaken) -> Self {
        match error {
            NotTaken::Stale => Problem::Question(QuestionProblem::AnswerStale),
            NotTaken::TooSoon => Problem::Question(QuestionProblem::AnswerTooSoon),
            NotTaken::Invalid(detail) => Problem::Question(QuestionProblem::AnswerUnfit { detail }),
        }
    }
}
