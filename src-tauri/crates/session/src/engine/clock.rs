//! Time as a session counts it: the wall's, minus the spans in which a user was being asked something.

use std::time::Duration;

use tokio::time::Instant;

pub(super) struct Clock {
    epoch: Instant,
    /// Time that did not count, without a hold that still lasts.
    stood_still: Duration,
    holds: usize,
    held_since: Option<Instant>,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self {
            epoch: Instant::now(),
            stood_still: Duration::ZERO,
            holds: 0,
            held_since: None,
        }
    }

    /// Time counted since the session began.
    pub(super) fn now(&self) -> Duration {
        self.at(Instant::now())
    }

    /// Time counted from the beginning of the session to this moment, which is not in the past.
    pub(super) fn at(&self, now: Instant) -> Duration {
        let until = self.held_since.unwrap_or(now);
        until.duration_since(self.epoch).saturating_sub(self.stood_still)
    }

    /// The wall's time at which this much will have been counted; `None` while the clock is paused.
    pub(super) fn when(&self, counted: Duration) -> Option<Instant> {
        self.when_from(Instant::now(), counted)
    }

    /// The same, as known at this moment.
    pub(super) fn when_from(&self, now: Instant, counted: Duration) -> Option<Instant> {
        self.held_since
            .is_none()
            .then(|| now + counted.saturating_sub(self.at(now)))
    }

    pub(super) fn pause(&mut self) {
        self.holds += 1;
        self.held_since.get_or_insert_with(Instant::now);
    }

    pub(super) fn resume(&mut self) {
        self.holds = self.holds.saturating_sub(1);
        if self.holds == 0
            && let Some(since) = self.held_since.take()
        {
            self.stood_still += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    /// TM-004.
    #[tokio::test(start_paused = true)]
    async fn time_under_any_hold_is_not_counted() {
        let second = Duration::from_secs(1);
        let mut clock = Clock::new();
        advance(second).await;
        clock.pause();
        advance(second).await;
        clock.pause();
        clock.resume();
        advance(second).await;
        assert_eq!((clock.now(), clock.when(second * 5)), (second, None));
        clock.resume();
        advance(second).await;
        assert_eq!(clock.now(), second * 2);
        assert_eq!(clock.when(second * 5), Some(Instant::now() + second * 3));
    }
}
