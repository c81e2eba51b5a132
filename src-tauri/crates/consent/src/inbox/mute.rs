//! The kinds of requests that are muted, by server. A muted question is not asked at all; what the user said no to before
//! stays answered. Muting allows nothing, so it needs no guard; taking it back allows nothing either.

use jiff::{Timestamp, ToSpan};
use vestibule_policy::{Muted, RequestKind};
use vestibule_protocol::ServerId;

use super::state::invalid_answer;
use super::{Inbox, InboxEvent, InboxState, NotTaken};
use crate::Question;

/// The longest time anything can be muted for; beyond that, "until I say otherwise" is the honest answer.
const MOST_MINUTES: u32 = 24 * 60;

impl Inbox {
    /// What is muted now.
    #[must_use]
    pub fn muted(&self) -> Vec<Muted> {
        self.state().limiter.muted((self.clock)())
    }

    /// Mutes what was muted when Vestibule was closed, for as long as is left of its time.
    pub(crate) fn restore_mutes(&self, muted: &[Muted]) {
        let now = (self.clock)();
        for one in muted {
            self.state().limiter.mute(*one, now);
        }
    }

    /// Counts so many questions that were not even looked at.
    pub(crate) fn count_turned_away(&self, server: ServerId, asking: RequestKind, times: u32) {
        self.state()
            .count_turned_away(server, asking, times, (self.clock)());
        self.emit(InboxEvent::Changed);
    }

    /// Asks these questions again.
    pub(crate) fn unmute(&self, server: ServerId, asking: RequestKind) {
        self.state().limiter.unmute(server, asking);
        self.emit(InboxEvent::Changed);
    }

    /// Forgets a server that was removed.
    pub(crate) fn forget_server(&self, server: ServerId) {
        self.state().forget_server(server);
        self.emit(InboxEvent::Changed);
    }
}

impl InboxState {
    fn forget_server(&mut self, server: ServerId) {
        self.limiter.forget(server);
        self.uncounted.retain(|(of, _), _| *of != server);
        self.denials.retain(|(of, _), _| *of != server);
    }

    /// Mutes the questions of the kind that stands on this card.
    pub(super) fn mute(
        &mut self,
        card: &Question,
        minutes: Option<u32>,
        now: Timestamp,
    ) -> Result<(), NotTaken> {
        let Some(asking) = card.about.request_kind() else {
            return invalid_answer("questions of this kind cannot be muted");
        };
        let until = minutes.map(|minutes| {
            let minutes = i64::from(minutes.clamp(1, MOST_MINUTES));
            now.saturating_add(minutes.minutes()).unwrap_or(Timestamp::MAX)
        });
        let server = card.server.id;
        self.limiter.mute(
            Muted {
                server,
                asking,
                until,
            },
            now,
        );
        Ok(())
    }
}
