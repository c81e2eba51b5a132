//! Changes that are about to be queued. Several calls of one round are looked at one after the other; without this, the
//! first would be committed alone, and the disk waited for again and again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a transaction may wait for expected changes.
const LONGEST: Duration = Duration::from_millis(5);

/// The changes that the writing thread expects. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub(crate) struct ExpectedChanges(Arc<ExpectedShared>);

#[derive(Default)]
struct ExpectedShared {
    count: Mutex<ExpectedCount>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default)]
pub(super) struct ExpectedCount {
    expected: usize,
    /// How many are no longer expected.
    ended: u64,
}

/// A change that is expected, until it is queued or will not come.
pub struct ExpectedChange {
    all: ExpectedChanges,
    is_over: AtomicBool,
}

impl ExpectedChange {
    /// Says that it was queued, or will not come. Dropping does the same.
    pub fn end(&self) {
        if !self.is_over.swap(true, Ordering::Relaxed) {
            let mut count = self.all.lock();
            count.expected -= 1;
            count.ended += 1;
            drop(count);
            self.all.0.changed.notify_one();
        }
    }
}

impl Drop for ExpectedChange {
    fn drop(&mut self) {
        self.end();
    }
}

impl ExpectedChanges {
    /// Lets a transaction that is flushed wait for one more change, at most [`LONGEST`].
    pub(crate) fn expect(&self) -> ExpectedChange {
        self.lock().expected += 1;
        ExpectedChange {
            all: self.clone(),
            is_over: AtomicBool::new(false),
        }
    }

    /// What is expected now, for [`Self::wait`].
    pub(super) fn count(&self) -> ExpectedCount {
        *self.lock()
    }

    /// Waits until one of those that were expected at `seen` is queued or will not come. Returns `false` where none was
    /// expected, and at the deadline.
    pub(super) fn wait(&self, seen: ExpectedCount, deadline: Instant) -> bool {
        if seen.expected == 0 {
            return false;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let changed = &self.0.changed;
        let waited = changed.wait_timeout_while(self.lock(), left, |count| count.ended == seen.ended);
        let (count, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        drop(count);
        !timeout.timed_out()
    }

    fn lock(&self) -> MutexGuard<'_, ExpectedCount> {
        self.0.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When a transaction that begins now is committed, whatever is expected.
pub(super) fn deadline() -> Instant {
    Instant::now() + LONGEST
}
