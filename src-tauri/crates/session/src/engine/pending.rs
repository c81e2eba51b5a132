//! Requests of ours that wait for answers. An entry leaves in exactly one of four ways: an answer, a timeout,
//! a withdrawal, the end of the session; and the caller is notified in the first, second and fourth.
//! Ids of withdrawn requests are remembered for a while, because an answer to them is no sign of disorder.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use vestibule_protocol::jsonrpc::RpcResultBuf;
use vestibule_protocol::mcp::Progress;
use vestibule_transport::CloseReason;

use super::clock::Clock;
use super::reports::Reports;
use crate::error::CallError;
use crate::message::OutgoingCall;

/// How many withdrawn ids are remembered.
const REMEMBERED: usize = 1024;
/// How many answered requests may still report.
const MAX_REPORTING: usize = 256;

pub(super) struct Pending {
    pub(super) clock: Clock,
    /// The least time between two progress reports of one call.
    interval: Duration,
    waiting: HashMap<i64, Waiting>,
    /// Of calls that are answered and still report.
    reporting: HashMap<i64, Reports>,
    withdrawn: HashSet<i64>,
    withdrawn_order: VecDeque<i64>,
}

struct Waiting {
    reply: oneshot::Sender<Result<RpcResultBuf, CallError>>,
    started: Duration,
    timeout: Duration,
    deadline: Duration,
    hard_deadline: Duration,
    opening: bool,
    /// Reports may come after the answer as well.
    keeps_progress: bool,
    is_for_result: bool,
    reports: Reports,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// A caller waited for it, or did until a moment ago.
    Found,
    /// It belongs to nothing.
    Unknown,
}

/// How much of the giving up of a request reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CancelNotice {
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
            reporting: HashMap::new(),
            withdrawn: HashSet::new(),
            withdrawn_order: VecDeque::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes a request that was sent, and says when to look at it again.
    pub(super) fn add(&mut self, call: OutgoingCall) -> Instant {
        let now = Instant::now();
        let started = self.clock.at(now);
        let waiting = Waiting {
            reply: call.reply,
            started,
            timeout: call.timeout,
            deadline: started.saturating_add(call.timeout),
            hard_deadline: started.saturating_add(call.hard_timeout),
            opening: call.opening,
            keeps_progress: call.keeps_progress,
            is_for_result: call.is_for_result,
            reports: Reports::new(call.progress),
        };
        let due = self.clock.when_from(now, waiting.due());
        self.waiting.insert(call.id, waiting);
        // While the clock is paused, resuming it sets the timer.
        due.unwrap_or_else(far)
    }

    /// Whether this request waits for the result of a tool.
    pub(super) fn is_for_result(&self, id: i64) -> bool {
        self.waiting.get(&id).is_some_and(|waiting| waiting.is_for_result)
    }

    pub(super) fn answer(&mut self, id: i64, outcome: Result<RpcResultBuf, CallError>) -> Match {
        if let Some(mut waiting) = self.waiting.remove(&id) {
            if waiting.keeps_progress && outcome.is_ok() && self.reporting.len() < MAX_REPORTING {
                self.reporting.insert(id, waiting.reports.take_pending());
            }
            waiting.finish(outcome);
            return Match::Found;
        }
        if self.withdrawn.remove(&id) {
            return Match::Found;
        }
        Match::Unknown
    }

    pub(super) fn withdraw(&mut self, id: i64) -> CancelNotice {
        let Some(waiting) = self.waiting.remove(&id) else {
            return CancelNotice::Nothing;
        };
        self.remember(id);
        waiting.cancel_notice()
    }

    /// Forgets what an answered request may still report.
    pub(super) fn forget(&mut self, id: i64) {
        self.reporting.remove(&id);
    }

    /// Takes a progress report; a report for nothing is ignored, as is one that falls behind the last.
    pub(super) fn progress(&mut self, id: i64, report: Progress, now: Instant) -> Option<Instant> {
        let Some(waiting) = self.waiting.get_mut(&id) else {
            let reports = self.reporting.get_mut(&id)?;
            return reports.add(report, self.interval, now).1;
        };
        let (grows, due) = waiting.reports.add(report, self.interval, now);
        if grows {
            waiting.deadline = self.clock.at(now).saturating_add(waiting.timeout);
        }
        due
    }

    /// Ends what is over time and returns the ids with the notice for the server; hands on reports held back.
    pub(super) fn expire(&mut self) -> Vec<(i64, CancelNotice)> {
        self.flush_reports();
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
            told.push((id, waiting.cancel_notice()));
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
        let waiting = self.waiting.values().map(|waiting| &waiting.reports);
        let report = waiting
            .chain(self.reporting.values())
            .filter(|reports| reports.held_back.is_some())
            .filter_map(|reports| reports.quiet_until)
            .min();
        deadline.into_iter().chain(report).min()
    }

    /// Hands on the reports whose time has come.
    fn flush_reports(&mut self) {
        let (now, interval) = (Instant::now(), self.interval);
        for reports in self.all_reports_mut() {
            reports.flush(now, interval);
        }
    }

    fn all_reports_mut(&mut self) -> impl Iterator<Item = &mut Reports> {
        let waiting = self.waiting.values_mut().map(|waiting| &mut waiting.reports);
        waiting.chain(self.reporting.values_mut())
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
    fn cancel_notice(&self) -> CancelNotice {
        if self.opening {
            CancelNotice::Wire
        } else {
            CancelNotice::Message
        }
    }

    fn due(&self) -> Duration {
        self.deadline.min(self.hard_deadline)
    }

    fn finish(self, outcome: Result<RpcResultBuf, CallError>) {
        self.reports.flush_and_end();
        // The caller may have been dropped at this moment.
        let _ = self.reply.send(outcome);
    }
}

fn far() -> Instant {
    Instant::now() + super::outbound::FAR
}
