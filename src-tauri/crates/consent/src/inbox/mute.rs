//! The kinds of requests that are muted, by server, and what is counted without being asked.

use vestibule_policy::{Muted, RequestKind};
use vestibule_protocol::ServerId;

use super::Inbox;

impl Inbox {
    /// What is muted now.
    #[must_use]
    pub fn muted(&self) -> Vec<Muted> {
        self.state().counts.limiter.muted((self.clock)())
    }

    /// Mutes what was muted when Vestibule was closed, for as long as is left of its time.
    pub(crate) fn restore_mutes(&self, muted: &[Muted]) {
        let now = (self.clock)();
        for one in muted {
            self.state().counts.limiter.mute(*one, now);
        }
    }

    /// Counts so many questions that were not even looked at.
    pub(crate) fn count_turned_away(&self, server: ServerId, asking: RequestKind, times: u32) {
        let now = (self.clock)();
        self.change(|state| state.count_turned_away((server, asking), times, now));
    }

    /// Asks these questions again.
    pub(crate) fn unmute(&self, server: ServerId, asking: RequestKind) {
        self.change(|state| state.counts.limiter.unmute(server, asking));
    }

    /// Forgets a server that was removed.
    pub(crate) fn forget_server(&self, server: ServerId) {
        self.change(|state| state.counts.forget_server(server));
    }
}
