//! What is queued while a transaction is open, and may be committed with it.

use std::time::Instant;

use tokio::sync::mpsc;

use super::expected::ExpectedChanges;
use super::shared::SharedChange;
use super::{Flush, WorkerMessage};

/// The changes that may share a transaction.
pub(super) struct QueuedChanges<'a> {
    /// Whether the transaction is flushed.
    pub(super) flush: Flush,
    pub(super) receiver: &'a mut mpsc::Receiver<WorkerMessage>,
    /// Anything else that is queued. What is queued after it does not come before it.
    pub(super) other: &'a mut Option<WorkerMessage>,
}

impl QueuedChanges<'_> {
    fn next(&mut self) -> Option<Box<dyn SharedChange>> {
        match self.receiver.try_recv().ok()? {
            WorkerMessage::Change(wanted, change) if wanted <= self.flush => Some(change),
            other => {
                *self.other = Some(other);
                None
            }
        }
    }

    /// The same, waiting for expected changes in a transaction that waits for the disk.
    pub(super) fn next_expected(
        &mut self,
        expected: &ExpectedChanges,
        deadline: Instant,
    ) -> Option<Box<dyn SharedChange>> {
        loop {
            let seen = expected.count();
            if let Some(change) = self.next() {
                return Some(change);
            }
            let may_wait = self.flush == Flush::Now && self.other.is_none();
            if !may_wait || !expected.wait(seen, deadline) {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use tokio::sync::oneshot;

    use super::*;
    use crate::worker::shared;

    /// A queue into which another thread puts a change that was expected, once the test asked for the next one.
    struct Late {
        expected: ExpectedChanges,
        receiver: mpsc::Receiver<WorkerMessage>,
        other: Option<WorkerMessage>,
    }

    impl Late {
        fn new(message: impl FnOnce() -> Option<WorkerMessage> + Send + 'static) -> Self {
            let (queue, receiver) = mpsc::channel(1);
            let expected = ExpectedChanges::default();
            let change = expected.expect();
            thread::spawn(move || {
                if let Some(message) = message() {
                    queue
                        .try_send(message)
                        .unwrap_or_else(|_| panic!("the queue has room"));
                }
                change.end();
            });
            Self {
                expected,
                receiver,
                other: None,
            }
        }

        fn next(&mut self, flush: Flush, patience: Duration) -> Option<Box<dyn SharedChange>> {
            let mut queued = QueuedChanges {
                flush,
                receiver: &mut self.receiver,
                other: &mut self.other,
            };
            queued.next_expected(&self.expected, Instant::now() + patience)
        }
    }

    const LONG: Duration = Duration::from_secs(600);

    fn change(flush: Flush) -> WorkerMessage {
        WorkerMessage::Change(flush, shared::new(|_| Ok(()), oneshot::channel().0))
    }

    #[test]
    fn a_transaction_waits_for_a_change_that_is_expected() {
        assert!(
            Late::new(|| Some(change(Flush::Now)))
                .next(Flush::Now, LONG)
                .is_some()
        );
        assert!(
            Late::new(|| Some(change(Flush::Later)))
                .next(Flush::Now, LONG)
                .is_some()
        );
    }

    #[test]
    fn a_change_that_does_not_come_is_not_waited_for() {
        assert!(Late::new(|| None).next(Flush::Now, LONG).is_none());
    }

    #[test]
    fn a_change_that_stays_away_is_waited_for_until_the_deadline() {
        let (release, held) = oneshot::channel::<()>();
        let mut late = Late::new(move || held.blocking_recv().ok().map(|()| change(Flush::Now)));
        assert!(late.next(Flush::Now, Duration::from_millis(1)).is_none());
        drop(release);
    }

    #[test]
    fn a_transaction_that_is_not_flushed_waits_for_nothing() {
        let (release, held) = oneshot::channel::<()>();
        let mut late = Late::new(move || held.blocking_recv().ok().map(|()| change(Flush::Now)));
        assert!(late.next(Flush::Later, LONG).is_none());
        drop(release);
    }

    #[test]
    fn what_has_the_connection_for_itself_is_not_kept_waiting() {
        let job = || WorkerMessage::Run(Box::new(|_| ()));
        let mut late = Late::new(move || Some(job()));
        let _still_expected = late.expected.expect();
        assert!(late.next(Flush::Now, LONG).is_none());
        assert!(matches!(late.other, Some(WorkerMessage::Run(_))));
    }
}
