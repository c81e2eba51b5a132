//! How much processor time the checks of one server may take.

use std::time::{Duration, Instant};

/// The most that is saved up, in milliseconds. A listing of a hundred tools takes a fraction of a second.
const MOST: f64 = 10_000.0;
/// What has to be saved up for a check, in milliseconds.
const LEAST: f64 = 100.0;
/// One millisecond is earned in this many.
const PACE: f64 = 10.0;

/// Time that is left to spend. Grows slowly while it is not spent.
pub(super) struct Allowance {
    /// In milliseconds. Less than nothing where a check took more than was left.
    left: f64,
    since: Instant,
}

impl Allowance {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            left: MOST,
            since: now,
        }
    }

    /// Fails with the seconds to wait where nothing is left.
    pub(super) fn left(&mut self, now: Instant) -> Result<(), u32> {
        let earned = now.saturating_duration_since(self.since).as_secs_f64() * 1_000.0 / PACE;
        self.left = (self.left + earned).min(MOST);
        self.since = now;
        if self.left >= LEAST {
            return Ok(());
        }
        let seconds = (LEAST - self.left) * PACE / 1_000.0;
        // A cast from a float saturates.
        Err(seconds.ceil() as u32)
    }

    /// Takes what was used.
    pub(super) fn spend(&mut self, used: Duration) {
        self.left -= used.as_secs_f64() * 1_000.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_up_comes_back_slowly() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut allowance = Allowance::new(start);
        assert_eq!(allowance.left(start), Ok(()));
        allowance.spend(Duration::from_millis(9_900));
        assert_eq!(allowance.left(start), Ok(()), "enough for one more is left");
        allowance.spend(Duration::from_secs(2));
        assert_eq!(allowance.left(start), Err(20), "what it took too much is owed");
        assert_eq!(allowance.left(after(19)), Err(1));
        assert_eq!(allowance.left(after(21)), Ok(()));
        allowance.spend(Duration::from_millis(200));
        assert_eq!(allowance.left(after(21)), Err(1));
        assert_eq!(allowance.left(after(1_000_000)), Ok(()));
        allowance.spend(Duration::from_secs(10));
        assert_eq!(
            allowance.left(after(1_000_000)),
            Err(1),
            "no more than the most is saved up"
        );
    }
}
