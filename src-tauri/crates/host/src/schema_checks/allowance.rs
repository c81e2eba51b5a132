//! How much processor time the checks of one server may take.

use std::time::{Duration, Instant};

/// The most that is saved up. A listing of a hundred tools takes a fraction of a second.
const MOST: Duration = Duration::from_secs(10);
/// One second is earned in this many.
const PACE: u32 = 10;

/// Time that is left to spend. Grows slowly while it is not spent.
pub(super) struct Allowance {
    left: Duration,
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
        let earned = now.saturating_duration_since(self.since) / PACE;
        self.left = self.left.saturating_add(earned).min(MOST);
        self.since = now;
        if self.left.is_zero() { Err(PACE) } else { Ok(()) }
    }

    /// Takes what was used. What is used beyond what is left is not owed.
    pub(super) fn spend(&mut self, used: Duration) {
        self.left = self.left.saturating_sub(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_up_comes_back_slowly() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        assert_eq!(allowance.left(start), Ok(()));
        allowance.spend(MOST - Duration::from_millis(1));
        assert_eq!(allowance.left(start), Ok(()), "a millisecond is left");
        allowance.spend(Duration::from_secs(2));
        assert_eq!(allowance.left(start), Err(PACE));
        let later = start + Duration::from_secs(10);
        assert_eq!(allowance.left(later), Ok(()));
        allowance.spend(Duration::from_secs(1));
        assert_eq!(allowance.left(later), Err(PACE), "ten seconds bring one");
        let much_later = later + Duration::from_secs(100_000);
        assert_eq!(allowance.left(much_later), Ok(()));
        allowance.spend(MOST);
        assert_eq!(
            allowance.left(much_later),
            Err(PACE),
            "no more than the most is saved up"
        );
    }
}
