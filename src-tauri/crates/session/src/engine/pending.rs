//! Requests of ours that wait for answers. An entry leaves in exactly one of four ways: an answer, a timeout,
//! a withdrawal, the end of the session; and whoever waits for it is told in the first, second and fourth.
//! Ids of withdrawn requests are remembered for a while, because an answer to them is no sign of disorder.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use vestibule_protocol::mcp::Progress;
use vestibule_transport::CloseReason;

use super::Call;
use super::clock::Clock;
use crate::error::CallError;

/// How many withdrawn ids are remembered.
const REMEMBERED: usize = 1024;
/// How much of a progress report's text is handed on, in bytes.
const MAX_MESSAGE_BYTES: usize = 4096;

pub(super) struct Pending {
    pub(super) clock: Clock,
    /// The least time between two progress reports of one call.
    interval: Duration,
    waiting: HashMap<i64, Waiting>,
    withdrawn: HashSet<i64>,
    withdrawn_order: VecDeque<i64>,
}

struct Waiting {
    reply: oneshot::Sender<Result<Box<RawValue>, CallError>>,
    /// In counted time.
    started: Duration,
    timeout: Duration,
    deadline: Duration,
    hard_deadline: Duration,
    opening: bool,
    progress: Option<mpsc::Sender<Progress>>,
    last: f64,
    /// Before this, a report is held back; a later one takes its place.
    quiet_until: Option<Instant>,
    held_back: Option<Progress>,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// Somebody waited for it, or did until a moment ago.
    Found,
    /// It belongs to nothing.
    Unknown,
}

/// How much of the giving up of a request reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tell {
    /// Nothing: there is no such request.
    Nothing,
    /// What the wire tells by itself. An opening request is never cancelled by a message.
    Wire,
    /// That, or else a message.
    Message,
}

impl Pending {
    pub(super) fn new(interval: Duration) -> Self {
        Self {
            clock: Clock::new(),
            interval,
            waiting: HashMap::new(),
            withdrawn: HashSet::new(),
            withdrawn_order: VecDeque::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes a request that was sent, and says when to look at it again.
    pub(super) fn add(&mut self, call: Call) -> Instant {
        let started = self.clock.now();
        let waiting = Waiting {
            reply: call.reply,
            started,
            timeout: call.timeout,
            deadline: started.saturating_add(call.timeout),
            hard_deadline: started.saturating_add(call.hard_timeout),
            opening: call.opening,
            progress: call.progress,
            last: f64::NEG_INFINITY,
            quiet_until: None,
            held_back: None,
        };
        let due = self.clock.when(waiting.due());
        self.waiting.insert(call.id, waiting);
        // While the clock stands still, releasing it sets the timer.
        due.unwrap_or_else(far)
    }

    pub(super) fn answer(&mut self, id: i64, outcome: Result<Box<RawValue>, CallError>) -> Match {
        if let Some(waiting) = self.waiting.remove(&id) {
            waiting.finish(outcome);
            return Match::Found;
        }
        if self.withdrawn.remove(&id) {
            return Match::Found;
        }
        Match::Unknown
    }

    /// Forgets a request.
    pub(super) fn withdraw(&mut self, id: i64) -> Tell {
        let Some(waiting) = self.waiting.remove(&id) else {
            return Tell::Nothing;
        };
        self.remember(id);
        waiting.tell()
    }

    /// Takes a progress report; a report for nothing is ignored, as is one that falls behind the last.
    pub(super) fn progress(&mut self, id: i64, report: Progress) -> Option<Instant> {
        let now = self.clock.now();
        let waiting = self
            .waiting
            .get_mut(&id)
            .filter(|waiting| report.progress >= waiting.last)?;
        if report.progress > waiting.last {
            waiting.deadline = now.saturating_add(waiting.timeout);
        }
        waiting.last = report.progress;
        waiting.report(report, self.interval)
    }

    /// Ends what is over time and returns the ids with what the server is to be told; hands on reports held back.
    pub(super) fn expire(&mut self) -> Vec<(i64, Tell)> {
        let now = Instant::now();
        for waiting in self.waiting.values_mut() {
            waiting.flush(now, self.interval);
        }
        if self.clock.when(Duration::ZERO).is_none() {
            return Vec::new();
        }
        let counted = self.clock.now();
        let over: Vec<(i64, Waiting)> = self
            .waiting
            .extract_if(|_, waiting| waiting.due() <= counted)
            .collect();
        let mut told = Vec::new();
        for (id, waiting) in over {
            self.remember(id);
            told.push((id, waiting.tell()));
            let after = counted.saturating_sub(waiting.started);
            waiting.finish(Err(CallError::TimedOut { after }));
        }
        told
    }

    /// When to look again.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let deadline = self
            .waiting
            .values()
            .map(Waiting::due)
            .min()
            .and_then(|due| self.clock.when(due));
        let report = self
            .waiting
            .values()
            .filter(|waiting| waiting.held_back.is_some())
            .filter_map(|waiting| waiting.quiet_until)
            .min();
        deadline.into_iter().chain(report).min()
    }

    pub(super) fn fail_all(&mut self, reason: &CloseReason) {
        for (_, waiting) in self.waiting.drain() {
            waiting.finish(Err(CallError::Closed(reason.clone())));
        }
    }

    /// An answer to this id that is still to come is no sign of disorder.
    pub(super) fn remember(&mut self, id: i64) {
        if self.withdrawn_order.len() == REMEMBERED
            && let Some(oldest) = self.withdrawn_order.pop_front()
        {
            self.withdrawn.remove(&oldest);
        }
        self.withdrawn_order.push_back(id);
        self.withdrawn.insert(id);
    }
}

impl Waiting {
    fn tell(&self) -> Tell {
        if self.opening { Tell::Wire } else { Tell::Message }
    }

    fn due(&self) -> Duration {
        self.deadline.min(self.hard_deadline)
    }

    /// Hands a report on, or holds it back and says until when.
    fn report(&mut self, mut report: Progress, interval: Duration) -> Option<Instant> {
        let progress = self.progress.as_ref()?;
        if let Some(message) = &mut report.message {
            message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        }
        let now = Instant::now();
        if let Some(until) = self.quiet_until.filter(|until| *until > now) {
            self.held_back = Some(report);
            return Some(until);
        }
        self.quiet_until = Some(now + interval);
        self.held_back = None;
        // A watcher that is behind will see a later report.
        let _ = progress.try_send(report);
        None
    }

    fn flush(&mut self, now: Instant, interval: Duration) {
        if self.quiet_until.is_none_or(|until| until <= now)
            && let (Some(report), Some(progress)) = (self.held_back.take(), &self.progress)
        {
            self.quiet_until = Some(now + interval);
            let _ = progress.try_send(report);
        }
    }

    fn finish(self, outcome: Result<Box<RawValue>, CallError>) {
        if let (Some(report), Some(progress)) = (self.held_back, self.progress) {
            let _ = progress.try_send(report);
        }
        // Whoever waited may have gone at this very moment.
        let _ = self.reply.send(outcome);
    }
}

fn far() -> Instant {
    Instant::now() + super::FAR
}
