//! The order of calls that the model made at once. Looking at a call takes a different time for each, so every call waits
//! until the one before it was asked about or its intent is on its way to the disk, and is sent after that one: questions,
//! records and requests then stand in the order in which the model made the calls. What is written for calls that wait
//! for no question is written together.

use tokio_util::sync::CancellationToken;
use vestibule_store::{ExpectedChange, Store};

/// The place of one call among those of its round.
pub(super) struct CallOrder {
    /// Until the call before it was asked about, or what it is about to do stands in the queue of the store.
    pub(super) deciding: CallTurn,
    /// Until the call before it was asked about or permitted.
    pub(super) sending: CallTurn,
    /// The record of what the call is about to do. The records before it wait a little for it.
    record: ExpectedChange,
}

impl CallOrder {
    /// One place for each call, in their order.
    pub(super) fn chain(calls: usize, store: &Store) -> Vec<Self> {
        let turns = CallTurn::chain(calls).into_iter().zip(CallTurn::chain(calls));
        let orders = turns.map(|(deciding, sending)| Self {
            deciding,
            sending,
            record: store.expect_change(),
        });
        orders.collect()
    }

    /// Lets the next call be decided: what this one is about to do stands in the queue of the store.
    pub(super) fn pass_decided(&self) {
        self.record.end();
        self.deciding.pass();
    }

    /// Lets the next call go on without waiting for this one any more. Dropping does the same.
    pub(super) fn pass(&self) {
        self.pass_decided();
        self.sending.pass();
    }
}

/// The turn of one call at something that calls do one after the other.
pub(super) struct CallTurn {
    /// Cancelled when the call before it was passed.
    before: Option<CancellationToken>,
    after: CancellationToken,
}

impl CallTurn {
    fn chain(calls: usize) -> Vec<Self> {
        let mut before = None;
        let mut turn = || {
            let after = CancellationToken::new();
            Self {
                before: before.replace(after.clone()),
                after,
            }
        };
        (0..calls).map(|_| turn()).collect()
    }

    /// Waits for the call before this one.
    pub(super) async fn wait(&self) {
        if let Some(before) = &self.before {
            before.cancelled().await;
        }
    }

    /// Lets the next call go on. Dropping does the same.
    pub(super) fn pass(&self) {
        self.after.cancel();
    }
}

impl Drop for CallTurn {
    fn drop(&mut self) {
        self.pass();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_call_waits_for_the_one_before_and_not_for_later_ones() {
        let mut chain = CallTurn::chain(3).into_iter();
        let mut next = || chain.next().unwrap();
        let (first, second, third) = (next(), next(), next());
        assert!(first.wait().now_or_never().is_some());
        assert!(second.wait().now_or_never().is_none());
        assert!(third.wait().now_or_never().is_none());
        first.pass();
        assert!(second.wait().now_or_never().is_some());
        assert!(third.wait().now_or_never().is_none());
        drop(second);
        assert!(
            third.wait().now_or_never().is_some(),
            "a call that ended lets the next go on"
        );
    }

    #[tokio::test]
    async fn a_call_is_decided_before_the_one_before_it_is_permitted_and_sent_after_it() {
        let mut chain = CallOrder::chain(2, &Store::in_memory().unwrap()).into_iter();
        let (first, second) = (chain.next().unwrap(), chain.next().unwrap());
        first.pass_decided();
        assert!(second.deciding.wait().now_or_never().is_some());
        assert!(second.sending.wait().now_or_never().is_none());
        first.pass();
        assert!(second.sending.wait().now_or_never().is_some());
    }
}
