//! Why a turn failed, as the entry at its end says it.

use vestibule_app_protocol::{EntryBody, Problem};
use vestibule_store::StoreError;

/// A failure that ends a turn.
pub(super) struct TurnFailure {
    problem: Problem,
    /// Whether trying again can help.
    retryable: bool,
}

impl TurnFailure {
    pub(super) fn retryable(problem: Problem) -> Self {
        Self {
            problem,
            retryable: true,
        }
    }

    pub(super) fn lasting(problem: Problem) -> Self {
        Self {
            problem,
            retryable: false,
        }
    }
}

impl From<StoreError> for TurnFailure {
    fn from(error: StoreError) -> Self {
        Self::retryable(error.into())
    }
}

impl From<TurnFailure> for EntryBody {
    fn from(TurnFailure { problem, retryable }: TurnFailure) -> Self {
        Self::Failure { problem, retryable }
    }
}
