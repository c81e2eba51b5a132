//! How often each server asked in each way, what the user denied in a row, and what is muted. A muted question is not asked
//! at all; what the user said no to before stays answered. Muting allows nothing, so it needs no guard; taking it back
//! allows nothing either.

use std::collections::HashMap;

use jiff::{Timestamp, ToSpan};
use vestibule_policy::{COUNTED, Muted, RateLimiter, RateVerdict};
use vestibule_protocol::ServerId;

use super::NotAsked;
use super::waiting::KindOf;
use crate::Answer;

/// The longest time anything can be muted for; beyond that, "until I say otherwise" is the honest answer.
const MOST_MINUTES: u32 = 24 * 60;
/// How many denials in a row make a card offer a mute.
const DENIED_OFTEN: u32 = 3;
/// How long questions that were turned away wait to be counted, in seconds: as long as the pace looks back.
const UNCOUNTED_SECONDS: i64 = 60;

#[derive(Default)]
pub(super) struct RequestCounts {
    pub(super) limiter: RateLimiter,
    /// How often in a row the user denied questions of a kind.
    denials: HashMap<KindOf, u32>,
    /// Questions turned away while no other of their kind waited.
    uncounted: HashMap<KindOf, UncountedQuestions>,
}

/// Questions turned away before the first of their kind waited.
#[derive(Clone, Copy)]
struct UncountedQuestions {
    times: u32,
    since: Timestamp,
}

impl RequestCounts {
    /// Counts a question; how often it was asked, where that is too often or `is_batched` says that its card shows it
    /// already.
    pub(super) fn count(
        &mut self,
        kind: KindOf,
        is_batched: bool,
        now: Timestamp,
    ) -> Result<Option<u32>, NotAsked> {
        match self.limiter.count_request(kind.0, kind.1, now) {
            RateVerdict::WithinLimit => Ok(is_batched.then(|| self.recent(kind))),
            RateVerdict::Flood { asked, .. } => Ok(Some(asked)),
            RateVerdict::Muted => Err(NotAsked::Muted),
        }
    }

    /// Counts questions that are not shown; how often such a one was asked by now.
    pub(super) fn count_turned_away(&mut self, kind: KindOf, times: u32, now: Timestamp) -> u32 {
        for _ in 0..times.min(COUNTED) {
            self.limiter.count_request(kind.0, kind.1, now);
        }
        self.recent(kind)
    }

    fn recent(&self, kind: KindOf) -> u32 {
        self.limiter.recent_count(kind.0, kind.1)
    }

    /// Sets questions aside that are not shown while none of their kind waits, so that those that come after them still
    /// find a card: it counts them when it is there.
    pub(super) fn set_aside(&mut self, kind: KindOf, times: u32, now: Timestamp) {
        let new = UncountedQuestions { times: 0, since: now };
        let aside = self.uncounted.entry(kind).or_insert(new);
        if aside.is_old(now) {
            *aside = new;
        }
        aside.times = aside.times.saturating_add(times);
    }

    /// How many were set aside of late.
    pub(super) fn take_aside(&mut self, kind: KindOf, now: Timestamp) -> Option<u32> {
        let earlier = self.uncounted.remove(&kind)?;
        (!earlier.is_old(now)).then_some(earlier.times)
    }

    /// Counts how often in a row the user denied what the server asks in this way.
    pub(super) fn count_denials(&mut self, kind: Option<KindOf>, answer: &Answer, questions: usize) {
        let Some(kind) = kind else { return };
        match answer {
            Answer::Refuse { .. } => {
                let more = u32::try_from(questions).unwrap_or(u32::MAX);
                let denied = self.denials.entry(kind).or_default();
                *denied = denied.saturating_add(more);
            }
            answer if answer.permits() => drop(self.denials.remove(&kind)),
            _ => {}
        }
    }

    /// How often in a row the user denied such a question, where that is often enough to offer a mute.
    pub(super) fn denied(&self, kind: KindOf) -> Option<u32> {
        let denied = self.denials.get(&kind).copied();
        denied.filter(|denied| *denied >= DENIED_OFTEN)
    }

    pub(super) fn forget_server(&mut self, server: ServerId) {
        self.limiter.forget(server);
        self.uncounted.retain(|(of, _), _| *of != server);
        self.denials.retain(|(of, _), _| *of != server);
    }

    /// Mutes questions of this kind; without a time until the user says otherwise.
    pub(super) fn mute(&mut self, (server, asking): KindOf, minutes: Option<u32>, now: Timestamp) {
        let until = minutes.map(|minutes| {
            let minutes = i64::from(minutes.clamp(1, MOST_MINUTES));
            now.saturating_add(minutes.minutes()).unwrap_or(Timestamp::MAX)
        });
        let muted = Muted {
            server,
            asking,
            until,
        };
        self.limiter.mute(muted, now);
    }
}

impl UncountedQuestions {
    fn is_old(self, now: Timestamp) -> bool {
        now.duration_since(self.since).as_secs() >= UNCOUNTED_SECONDS
    }
}
