//! Whoever asked, while the question waits. Holding this is what keeps the question there: dropped, it takes the
//! question back, so that no card stands for somebody who has gone. It knows nothing of cards and windows.

use tokio::sync::oneshot;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::{Given, Inbox};
use crate::Answer;

/// A question that waits.
pub struct Asked {
    id: QuestionId,
    shown: Digest,
    pub(super) waits: oneshot::Receiver<Given>,
    _withdraws: Withdraws,
}

impl Asked {
    pub(super) fn new(id: QuestionId, shown: Digest, waits: oneshot::Receiver<Given>, inbox: Inbox) -> Self {
        let _withdraws = Withdraws { id, inbox };
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

    /// The digest of what the person saw: once it is answered, of the card the answer was given to.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.shown
    }

    /// Waits for the answer, however long the person takes. Losing the question counts as "not now".
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

/// Takes the question back when whoever asked is gone.
struct Withdraws {
    id: QuestionId,
    inbox: Inbox,
}

impl Drop for Withdraws {
    fn drop(&mut self) {
        self.inbox.withdraw(self.id);
    }
}
