//! The caller's end of a question. Holding this is what keeps the question there: dropped, it takes the
//! question back, so that no card stays for a caller that is gone. It knows nothing of cards and windows.

use tokio::sync::oneshot;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::Inbox;
use super::waiting::DeliveredAnswer;
use crate::Answer;

/// A question that waits.
pub struct PendingAnswer {
    id: QuestionId,
    shown: Digest,
    pub(super) waits: oneshot::Receiver<DeliveredAnswer>,
    _withdraws: WithdrawGuard,
}

impl PendingAnswer {
    pub(super) fn new(
        id: QuestionId,
        shown: Digest,
        waits: oneshot::Receiver<DeliveredAnswer>,
        inbox: Inbox,
    ) -> Self {
        let _withdraws = WithdrawGuard { id, inbox };
        Self {
            id,
            shown,
            waits,
            _withdraws,
        }
    }

    #[must_use]
    pub fn id(&self) -> QuestionId {
        self.id
    }

    /// The digest of what the user saw: once it is answered, of the card the answer was given to.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.shown
    }

    /// Waits for the answer, however long the user takes. Losing the question counts as "not now".
    pub async fn answer(&mut self) -> Answer {
        match (&mut self.waits).await {
            Ok(given) => {
                self.shown = given.shown;
                given.answer
            }
            Err(_) => Answer::Cancel,
        }
    }
}

/// Takes the question back when the caller is dropped.
struct WithdrawGuard {
    id: QuestionId,
    inbox: Inbox,
}

impl Drop for WithdrawGuard {
    fn drop(&mut self) {
        self.inbox.withdraw(self.id);
    }
}
