//! How often something may happen that a server causes: some times at once, and from then on at intervals. Time is passed
//! in, and nothing waits here.

use std::time::{Duration, Instant};

/// A token bucket that holds only the moment at which it is full again.
#[derive(Debug)]
pub(super) struct TokenBucket {
    /// How much may happen at once.
    burst: u32,
    /// The interval in which one more may happen.
    every: Duration,
    full_at: Option<Instant>,
}

impl TokenBucket {
    pub(super) fn new(burst: u32, every: Duration) -> Self {
        Self {
            burst,
            every,
            full_at: None,
        }
    }

    /// Takes a token and says how long to wait for it.
    pub(super) fn take(&mut self, now: Instant) -> Duration {
        let full_at = self.full_at.map_or(now, |at| at.max(now)) + self.every;
        self.full_at = Some(full_at);
        (full_at - now).saturating_sub(self.every * self.burst)
    }

    /// Takes a token that is there already; false where there is none.
    pub(super) fn try_take(&mut self, now: Instant) -> bool {
        let before = self.full_at;
        let is_there = self.take(now).is_zero();
        if !is_there {
            self.full_at = before;
        }
        is_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_burst_is_free_and_what_follows_waits_longer_each_time() {
        let (mut bucket, now) = (TokenBucket::new(3, SECOND), Instant::now());
        let waits: Vec<u64> = (0..6).map(|_| bucket.take(now).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 1, 2, 3]);
    }

    #[test]
    fn what_comes_at_intervals_never_waits() {
        let (mut bucket, start) = (TokenBucket::new(1, SECOND), Instant::now());
        assert!((0..9).all(|number| bucket.take(start + SECOND * number).is_zero()));
    }

    #[test]
    fn a_token_that_was_not_there_is_not_taken() {
        let (mut bucket, now) = (TokenBucket::new(2, SECOND), Instant::now());
        assert_eq!([bucket.try_take(now), bucket.try_take(now)], [true, true]);
        assert!((0..9).all(|_| !bucket.try_take(now)));
        assert!(bucket.try_take(now + SECOND));
    }
}
