//! How long to wait before a server is opened again: 1, 2, 4 … at most 60 seconds, a little less by chance so that
//! many clients do not come back in the same moment, and from the beginning once a session has lasted a minute.

use std::time::Duration;

/// The pause before the second attempt in a row.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
/// A session that lasted this long was healthy.
const HEALTHY: Duration = Duration::from_secs(60);
/// How often in a row a local program is restarted without success.
const STARTS: u32 = 5;

/// The attempts in a row since a session was last healthy.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    attempts: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    /// The number of the attempt, 1-based.
    pub(crate) attempt: u32,
    /// How long to wait for it.
    pub(crate) lasts: Duration,
}

impl Backoff {
    /// A session lasted this long.
    pub(crate) fn lasted(&mut self, time: Duration) {
        if time >= HEALTHY {
            self.attempts = 0;
        }
    }

    /// The pause before the next attempt; `None` where a program has been started often enough. `at_once` is for a
    /// server that is there and only forgot the session; `chance` is between 0 and 255.
    pub(crate) fn next(&mut self, is_program: bool, at_once: bool, chance: u8) -> Option<Pause> {
        if is_program && self.attempts >= STARTS {
            return None;
        }
        let full = FIRST.saturating_mul(1 << self.attempts.min(10)).min(LONGEST);
        let is_first = self.attempts == 0;
        self.attempts = self.attempts.saturating_add(1);
        let lasts = if at_once && is_first {
            Duration::ZERO
        } else {
            full - full * u32::from(chance) / (4 * 256)
        };
        Some(Pause {
            attempt: self.attempts,
            lasts,
        })
    }
}

/// A random byte that shortens the pause.
pub(crate) fn chance() -> u8 {
    uuid::Uuid::new_v4().as_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(backoff: &mut Backoff, is_program: bool) -> Option<u64> {
        backoff
            .next(is_program, false, 0)
            .map(|pause| pause.lasts.as_secs())
    }

    #[test]
    fn pauses_double_up_to_a_minute() {
        let mut backoff = Backoff::default();
        let pauses: Vec<_> = (0..9).filter_map(|_| seconds(&mut backoff, false)).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn chance_makes_a_pause_shorter_by_at_most_a_quarter() {
        let mut backoff = Backoff { attempts: 3 };
        let lasts = backoff.next(false, false, 255).unwrap().lasts;
        assert!(
            lasts > Duration::from_secs(6) && lasts < Duration::from_secs(8),
            "{lasts:?}"
        );
    }

    #[test]
    fn a_minute_of_health_begins_anew_and_less_does_not() {
        let mut backoff = Backoff { attempts: 6 };
        backoff.lasted(Duration::from_secs(59));
        assert_eq!(seconds(&mut backoff, false), Some(60));
        backoff.lasted(Duration::from_secs(60));
        assert_eq!(seconds(&mut backoff, false), Some(1));
    }

    #[test]
    fn a_program_that_keeps_ending_is_started_five_times_more_and_then_left() {
        let mut backoff = Backoff::default();
        let starts = (0..10).filter_map(|_| seconds(&mut backoff, true)).count();
        assert_eq!(starts, 5);
    }

    #[test]
    fn a_lost_session_is_opened_again_at_once_but_only_the_first_time() {
        let mut backoff = Backoff::default();
        assert_eq!(backoff.next(false, true, 0).unwrap().lasts, Duration::ZERO);
        assert_eq!(
            backoff.next(false, true, 0).unwrap().lasts,
            Duration::from_secs(2)
        );
    }
}
