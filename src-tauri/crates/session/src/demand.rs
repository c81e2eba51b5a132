//! A demand to sign in with which a server refuses to go on with a call. What a call came to so far, above all what the
//! user answered, is kept while the caller settles the demand.

use tokio::sync::oneshot;
use vestibule_transport::Challenge;

/// A demand to sign in, in the middle of a call. Dropped, the call ends as one that was not continued.
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

    /// Lets the call go on with the same round: what the server demanded is there.
    pub fn settle(self) {
        // The call may have been dropped at this moment.
        let _ = self.settled.send(());
    }
}
