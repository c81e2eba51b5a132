//! A server that sends too much is slowed down, by not reading it for the rest of a second.
//! Answers to our own calls do not count, because we asked for them.

use std::time::Duration;

use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

pub(super) struct FloodCounter {
    limit: u32,
    window: Instant,
    count: u32,
}

impl FloodCounter {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit,
            window: Instant::now(),
            count: 0,
        }
    }

    /// Counts one unrequested message of this moment. True when it is the first beyond the limit of this second.
    pub(super) fn count(&mut self, now: Instant) -> bool {
        if now.duration_since(self.window) >= SECOND {
            self.window = now;
            self.count = 0;
        }
        self.count += 1;
        self.count == self.limit
    }

    /// Until when nothing is to be read, if so.
    pub(super) fn pause(&self) -> Option<Instant> {
        let end = self.window + SECOND;
        (self.count >= self.limit && Instant::now() < end).then_some(end)
    }
}
