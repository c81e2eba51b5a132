//! Keeps the last messages between Vestibule and one server, requests paired with their answers. They are in memory only,
//! bounded in number, in length each and in all; they have no headers, so no credentials.
//! Nothing is decided by what stands here.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use vestibule_protocol::jsonrpc::{MAX_ID_BYTES, RequestId};
use vestibule_transport::{OutgoingKind, RequestFailure, Tap};

use super::entered::without_entered;
use vestibule_app_protocol::{ExchangeView, MessageView, Outcome, Side, TrafficPage};

/// How many exchanges are kept.
const EXCHANGES: usize = 500;
/// How much of a message is kept, in bytes.
const MESSAGE: usize = 16 * 1024;
/// How much of all messages is kept, in bytes.
const TOGETHER: usize = 4 * 1024 * 1024;
/// How much of a method's name is kept, in characters.
const METHOD: usize = 120;

/// The traffic of one server.
#[derive(Default)]
pub(crate) struct Traffic(Mutex<Ring>);

#[derive(Default)]
struct Ring {
    kept: VecDeque<KeptExchange>,
    /// Requests that wait for an answer, by who asked.
    waiting: HashMap<(bool, RequestId), u64>,
    last: u64,
    changes: u64,
    bytes: usize,
    /// What the last frame of ours answered; `None` where it stands alone.
    last_answered: Option<u64>,
}

struct KeptExchange {
    exchange: ExchangeView,
    since: Instant,
    changed: u64,
    id: Option<RequestId>,
}

/// What has to be known of a frame to tell it from others.
#[derive(Deserialize)]
struct FrameHead {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

impl Traffic {
    /// What is new since change number `after`.
    pub(crate) fn after(&self, after: u64) -> TrafficPage {
        let ring = self.ring();
        let new = ring.kept.iter().filter(|kept| kept.changed > after);
        TrafficPage {
            exchanges: new.map(|kept| kept.exchange.clone()).collect(),
            upto: ring.changes,
            oldest: ring
                .kept
                .front()
                .map_or(ring.last + 1, |kept| kept.exchange.number),
        }
    }

    /// The session is over: whatever still waits gets no answer.
    pub(crate) fn ended(&self) {
        let mut ring = self.ring();
        let waiting: Vec<_> = ring.waiting.keys().cloned().collect();
        for key in waiting {
            ring.end(&key, |took_ms| Outcome::Unanswered {
                detail: "the connection ended".into(),
                took_ms,
            });
        }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        // Every change leaves the ring whole, so a panic elsewhere is no reason to lose it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tap for Traffic {
    fn sent(&self, kind: &OutgoingKind, frame: &[u8]) {
        let is_answer = matches!(kind, OutgoingKind::Response { .. });
        let frame = &*without_entered(frame, is_answer);
        let mut ring = self.ring();
        ring.last_answered = None;
        match kind {
            OutgoingKind::Request { id, method, .. } => {
                ring.add(Side::Us, Some(method.to_string()), Some(id.clone()), frame);
            }
            OutgoingKind::Notification { method } => {
                ring.add(Side::Us, Some(method.to_string()), None, frame)
            }
            OutgoingKind::Response { id, .. } => {
                let is_error = head(frame).is_some_and(|head| head.error.is_some());
                ring.last_answered = ring.answer(Side::Server, id.clone(), is_error, frame);
            }
        }
    }

    fn not_taken(&self) {
        let mut ring = self.ring();
        match ring.last_answered.take() {
            Some(number) => ring.wait_again(number),
            None => ring.drop_last(),
        }
    }

    fn received(&self, frame: &[u8]) {
        let head = head(frame);
        let mut ring = self.ring();
        match head {
            Some(FrameHead {
                method: Some(method),
                id,
                ..
            }) => ring.add(Side::Server, Some(method), id, frame),
            Some(FrameHead {
                id: Some(id), error, ..
            }) => {
                ring.answer(Side::Us, id, error.is_some(), frame);
            }
            _ => ring.add(Side::Server, None, None, frame),
        }
    }

    fn unanswered(&self, id: &RequestId, failure: &RequestFailure) {
        let detail = failure.reason.clone();
        let outcome = |took_ms| Outcome::Unanswered { detail, took_ms };
        self.ring().end(&(true, id.clone()), outcome);
    }
}

impl Ring {
    fn add(&mut self, from: Side, method: Option<String>, id: Option<RequestId>, frame: &[u8]) {
        self.last += 1;
        self.changes += 1;
        let outcome = match &id {
            Some(id) => {
                self.waiting.insert((from == Side::Us, id.clone()), self.last);
                Outcome::Waiting
            }
            None => Outcome::Told,
        };
        let message = message(frame);
        self.bytes += message.text.len();
        let exchange = ExchangeView {
            number: self.last,
            at_ms: Timestamp::now().as_millisecond(),
            from,
            method: method.map(|method| method.chars().take(METHOD).collect()),
            message,
            outcome,
        };
        self.kept.push_back(KeptExchange {
            exchange,
            since: Instant::now(),
            changed: self.changes,
            id,
        });
        self.make_room();
    }

    /// The answer to what `asked` asked, which is given back; one to nothing that is kept stands alone.
    fn answer(&mut self, asked: Side, id: RequestId, is_error: bool, frame: &[u8]) -> Option<u64> {
        let key = (asked == Side::Us, id);
        let Some(number) = self.waiting.get(&key).copied() else {
            let from = if asked == Side::Us { Side::Server } else { Side::Us };
            self.add(from, None, None, frame);
            return None;
        };
        let answer = message(frame);
        self.bytes += answer.text.len();
        self.end(&key, |took_ms| Outcome::Answered {
            is_error,
            took_ms,
            answer,
        });
        self.make_room();
        Some(number)
    }

    /// Takes back the answer to a request of the server.
    fn wait_again(&mut self, number: u64) {
        let Some(kept) = self.kept.iter_mut().find(|kept| kept.exchange.number == number) else {
            return;
        };
        let outcome = std::mem::replace(&mut kept.exchange.outcome, Outcome::Waiting);
        self.changes += 1;
        kept.changed = self.changes;
        if let Some(id) = kept.id.clone() {
            self.waiting.insert((false, id), number);
        }
        if let Outcome::Answered { answer, .. } = outcome {
            self.bytes = self.bytes.saturating_sub(answer.text.len());
        }
    }

    fn end(&mut self, key: &(bool, RequestId), outcome: impl FnOnce(u32) -> Outcome) {
        let Some(number) = self.waiting.remove(key) else {
            return;
        };
        self.changes += 1;
        let changed = self.changes;
        if let Some(kept) = self.kept.iter_mut().find(|kept| kept.exchange.number == number) {
            let took = kept.since.elapsed().as_millis();
            kept.exchange.outcome = outcome(u32::try_from(took).unwrap_or(u32::MAX));
            kept.changed = changed;
        }
    }

    fn make_room(&mut self) {
        while self.kept.len() > EXCHANGES || (self.bytes > TOGETHER && self.kept.len() > 1) {
            let oldest = self.kept.pop_front();
            self.forget(oldest);
        }
    }

    fn drop_last(&mut self) {
        let last = self.kept.pop_back();
        self.forget(last);
    }

    fn forget(&mut self, kept: Option<KeptExchange>) {
        let Some(kept) = kept else { return };
        let answer = match &kept.exchange.outcome {
            Outcome::Answered { answer, .. } => answer.text.len(),
            _ => 0,
        };
        self.bytes = self
            .bytes
            .saturating_sub(kept.exchange.message.text.len() + answer);
        if let Some(id) = kept.id {
            let key = (kept.exchange.from == Side::Us, id);
            if self.waiting.get(&key) == Some(&kept.exchange.number) {
                self.waiting.remove(&key);
            }
        }
    }
}

/// What is known of a frame. An id that is too long is left out, because ids are kept beside the bounded messages; the session
/// answers no request with such an id.
fn head(frame: &[u8]) -> Option<FrameHead> {
    let head: FrameHead = serde_json::from_slice(frame).ok()?;
    let id = head.id.filter(|id| match id {
        RequestId::Number(_) => true,
        RequestId::Text(text) => text.len() <= MAX_ID_BYTES,
    });
    Some(FrameHead { id, ..head })
}

/// The beginning of a frame, cut between two characters.
fn message(frame: &[u8]) -> MessageView {
    let mut cut = frame.len().min(MESSAGE);
    while cut < frame.len() && cut > 0 && frame[cut] & 0xc0 == 0x80 {
        cut -= 1;
    }
    MessageView {
        text: String::from_utf8_lossy(&frame[..cut]).into_owned(),
        bytes: frame.len(),
        whole: cut == frame.len(),
    }
}

#[cfg(test)]
mod tests;
