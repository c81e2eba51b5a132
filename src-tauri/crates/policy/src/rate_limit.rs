//! How often one server asks for one kind of thing. A server that asks without end would teach its person to say yes
//! without reading; past a limit its questions are to be held back, and one card says how many there were. This module
//! only counts: it holds nothing back itself, and it has no clock but the time it is given.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use vestibule_protocol::ServerId;

/// The kinds of asking that are counted each for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "Asking")]
pub enum RequestKind {
    /// For permission to call a tool.
    Call,
    /// For a form to be filled.
    Form,
    /// For a page to be opened.
    Page,
    /// For an answer of the model.
    Sampling,
    /// For the folders of the workspace.
    Roots,
}

/// How many questions in a row are borne, and how many more each minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    pub burst: u32,
    /// Each minute after that.
    pub per_minute: u32,
}

/// What follows from one more question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateVerdict {
    /// It may be asked.
    WithinLimit,
    /// There are too many.
    Flood {
        /// How many there were within a minute, this one included; at most [`COUNTED`] are counted.
        asked: u32,
        /// Whether this is the first one too many since it was last calm.
        first: bool,
    },
    /// The user muted it.
    Muted,
}

/// Most questions of one minute that are counted.
pub const COUNTED: u32 = 1000;
/// Most pairs of server and kind that are kept; what is beyond them counts as a flood.
const MOST_KEPT: usize = 1024;
const MINUTE_MS: i64 = 60_000;

/// Questions of one kind that the user muted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Muted {
    pub server: ServerId,
    pub asking: RequestKind,
    /// Until when; `None` until they say otherwise.
    pub until: Option<Timestamp>,
}

/// The counts of all servers.
#[derive(Debug)]
pub struct RateLimiter {
    limit: fn(RequestKind) -> RateLimit,
    counts: HashMap<(ServerId, RequestKind), RequestCount>,
}

#[derive(Debug)]
struct RequestCount {
    /// Thousandths of questions that may still be asked, so that time refills them without fractions.
    left: u64,
    seen: i64,
    recent: VecDeque<i64>,
    flooded: bool,
    muted: Option<Until>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    At(i64),
    Unmuted,
}

impl Until {
    fn is_over(self, now: i64) -> bool {
        matches!(self, Self::At(end) if end <= now)
    }
}

impl Default for RateLimiter {
    fn default() -> Self {
        Self::new(limit_for)
    }
}

/// The usual limits: a user reads a card in some seconds, and a form takes longer. What goes to a model is read
/// twice and may cost money.
#[must_use]
pub fn limit_for(asking: RequestKind) -> RateLimit {
    let (burst, per_minute) = match asking {
        RequestKind::Call => (30, 30),
        RequestKind::Form | RequestKind::Page => (5, 5),
        RequestKind::Sampling => (3, 10),
        RequestKind::Roots => (10, 10),
    };
    RateLimit { burst, per_minute }
}

impl RateLimiter {
    /// Counts that begin at nothing.
    #[must_use]
    pub fn new(limit: fn(RequestKind) -> RateLimit) -> Self {
        Self {
            limit,
            counts: HashMap::new(),
        }
    }

    /// Counts one question at `now`. A clock that was set back refills nothing.
    pub fn count_request(&mut self, server: ServerId, asking: RequestKind, now: Timestamp) -> RateVerdict {
        let now = now.as_millisecond();
        let limit = (self.limit)(asking);
        if !self.make_room(server, asking, now) {
            return RateVerdict::Flood {
                asked: COUNTED,
                first: false,
            };
        }
        let count = self
            .counts
            .entry((server, asking))
            .or_insert_with(|| RequestCount::new(limit, now));
        count.pass_time(limit, now);
        count.count_at(now);
        count.verdict()
    }

    /// How many questions there were in the minute before the last one that was counted; at most [`COUNTED`].
    #[must_use]
    pub fn recent_count(&self, server: ServerId, asking: RequestKind) -> u32 {
        let count = self.counts.get(&(server, asking));
        count.map_or(0, |count| u32::try_from(count.recent.len()).unwrap_or(COUNTED))
    }

    /// Counts it as muted until its time is over or [`Self::unmute`] is called, whichever is first.
    pub fn mute(&mut self, muted: Muted, now: Timestamp) {
        let limit = (self.limit)(muted.asking);
        let new = || RequestCount::new(limit, now.as_millisecond());
        let until = muted
            .until
            .map_or(Until::Unmuted, |until| Until::At(until.as_millisecond()));
        let count = self
            .counts
            .entry((muted.server, muted.asking))
            .or_insert_with(new);
        count.muted = Some(until);
    }

    /// Takes a mute back, as if nothing had been asked before.
    pub fn unmute(&mut self, server: ServerId, asking: RequestKind) {
        self.counts.remove(&(server, asking));
    }

    /// Everything that is muted at `now`, in the order of servers and kinds.
    #[must_use]
    pub fn muted(&self, now: Timestamp) -> Vec<Muted> {
        let now = now.as_millisecond();
        let mut all: Vec<Muted> = self
            .counts
            .iter()
            .filter_map(|((server, asking), count)| {
                let until = count.muted.filter(|until| !until.is_over(now))?;
                Some(Muted {
                    server: *server,
                    asking: *asking,
                    until: match until {
                        Until::At(end) => Timestamp::from_millisecond(end).ok(),
                        Until::Unmuted => None,
                    },
                })
            })
            .collect();
        all.sort_by_key(|muted| (muted.server, muted.asking));
        all
    }

    /// Forgets a server that was removed.
    pub fn forget(&mut self, server: ServerId) {
        self.counts.retain(|(counted, _), _| *counted != server);
    }

    /// Whether there is a place for this pair, after those that are calm again gave theirs back.
    fn make_room(&mut self, server: ServerId, asking: RequestKind, now: i64) -> bool {
        if self.counts.len() >= MOST_KEPT && !self.counts.contains_key(&(server, asking)) {
            let limit = self.limit;
            self.counts.retain(|(_, asking), count| {
                count.pass_time(limit(*asking), now);
                count.muted.is_some() || !count.is_full(limit(*asking))
            });
        }
        self.counts.len() < MOST_KEPT || self.counts.contains_key(&(server, asking))
    }
}

impl RequestCount {
    fn new(limit: RateLimit, now: i64) -> Self {
        Self {
            left: u64::from(limit.burst) * 1000,
            seen: now,
            recent: VecDeque::new(),
            flooded: false,
            muted: None,
        }
    }

    /// What a question that was counted is within, and takes it off what is left.
    fn verdict(&mut self) -> RateVerdict {
        if self.muted.is_some() {
            return RateVerdict::Muted;
        }
        if self.left >= 1000 {
            self.left -= 1000;
            return RateVerdict::WithinLimit;
        }
        let first = !std::mem::replace(&mut self.flooded, true);
        let asked = u32::try_from(self.recent.len()).unwrap_or(COUNTED);
        RateVerdict::Flood { asked, first }
    }

    fn is_full(&self, limit: RateLimit) -> bool {
        self.left >= u64::from(limit.burst) * 1000
    }

    fn pass_time(&mut self, limit: RateLimit, now: i64) {
        let passed = now.saturating_sub(self.seen).clamp(0, MINUTE_MS * 60);
        let whole = u64::from(limit.burst) * 1000;
        let earned = passed.unsigned_abs() * u64::from(limit.per_minute) / 60;
        self.left = (self.left + earned).min(whole);
        self.seen = now;
        self.muted = self.muted.filter(|until| !until.is_over(now));
        if self.is_full(limit) {
            self.flooded = false;
        }
    }

    fn count_at(&mut self, now: i64) {
        self.recent.push_back(now);
        while self.recent.len() > COUNTED as usize
            || self
                .recent
                .front()
                .is_some_and(|first| now.saturating_sub(*first) >= MINUTE_MS)
        {
            self.recent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests;
