//! The order of calls that the model made at once. Looking at a call takes a different time for each, so every call waits
//! until the one before it was asked about or sent; requests then stand in the order in which the model made the calls.

use tokio::sync::oneshot;

/// The place of one call among those of its round.
pub(super) struct CallOrder {
    /// Resolves when the call before it was passed.
    before: Option<oneshot::Receiver<()>>,
    /// Dropped to pass this call.
    after: Option<oneshot::Sender<()>>,
}

impl CallOrder {
    /// One place for each call, in their order.
    pub(super) fn chain(calls: usize) -> Vec<Self> {
        let mut before = None;
        let mut chain = vec![];
        for _ in 0..calls {
            let (after, next) = oneshot::channel();
            chain.push(Self {
                before: before.replace(next),
                after: Some(after),
            });
        }
        chain
    }

    /// Waits for the call before this one.
    pub(super) async fn wait(&mut self) {
        if let Some(before) = self.before.take() {
            // The sender is only ever dropped.
            let _ = before.await;
        }
    }

    /// Lets the next call go on. Dropping does the same.
    pub(super) fn pass(&mut self) {
        self.after = None;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_call_waits_for_the_one_before_and_not_for_later_ones() {
        let mut chain = CallOrder::chain(3).into_iter();
        let mut next = || chain.next().unwrap();
        let (mut first, mut second, mut third) = (next(), next(), next());
        assert!(first.wait().now_or_never().is_some());
        assert!(second.wait().now_or_never().is_none());
        assert!(third.wait().now_or_never().is_none());
        let mut chain = CallOrder::chain(2).into_iter();
        let (first, mut second) = (chain.next().unwrap(), chain.next().unwrap());
        drop(first);
        assert!(
            second.wait().now_or_never().is_some(),
            "a call that ended lets the next go on"
        );
    }
}
