//! A demand to sign in with which a server refuses to go on with a call, or refuses a message of the session itself. What
//! a call came to so far, above all what the user answered, is kept while the caller settles the demand; so is an answer
//! to a request of the server.

use tokio::sync::oneshot;
use vestibule_transport::Challenge;

/// A demand to sign in. Dropped, a call ends as one that was not continued, and an answer is not sent again.
#[derive(Debug)]
pub struct SignInDemand {
    /// What the server demands.
    pub challenge: Challenge,
    settled: oneshot::Sender<()>,
}

impl SignInDemand {
    /// A demand, and what resolves once it is settled.
    pub(crate) fn new(challenge: Challenge) -> (Self, oneshot::Receiver<()>) {
        let (settled, is_settled) = oneshot::channel();
        (Self { challenge, settled }, is_settled)
    }

    /// Has what was refused sent again: what the server demanded is there.
    pub fn settle(self) {
        // The call may have been dropped at this moment, and nothing waits for a ping.
        let _ = self.settled.send(());
    }
}
