//! Our side of a connection: what is sent, what of it waits for an answer, and when to look again. It never waits itself.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, Sleep, sleep_until};
use vestibule_protocol::jsonrpc::{RequestId, encode_notification};
use vestibule_protocol::{EraChoice, Revision};
use vestibule_transport::{CloseCause, Outgoing, SendError, Transport};

use super::EndReason;
use super::pending::{CancelNotice, Pending};
use crate::error::CallError;
use crate::message::OutgoingCall;
use crate::options::SessionOptions;

/// When nothing waits, the timer points far away.
pub(super) const FAR: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) struct Outbound {
    pub(super) transport: Box<dyn Transport>,
    pub(super) pending: Pending,
    pub(super) timer: Pin<Box<Sleep>>,
    pub(super) options: SessionOptions,
    /// Known once both sides agree.
    pub(super) revision: Option<Revision>,
    ids: Arc<AtomicI64>,
}

impl Outbound {
    pub(super) fn new(transport: Box<dyn Transport>, options: &SessionOptions, ids: Arc<AtomicI64>) -> Self {
        Self {
            transport,
            pending: Pending::new(options.limits.progress_interval),
            timer: Box::pin(sleep_until(Instant::now() + FAR)),
            options: options.clone(),
            revision: None,
            ids,
        }
    }

    /// An id that was never given.
    pub(super) fn fresh_id(&self) -> i64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a request whose caller waits for its answer.
    pub(super) fn call(&mut self, mut call: OutgoingCall) {
        let Some(outgoing) = call.outgoing.take() else {
            return;
        };
        match self.transport.send(outgoing) {
            Ok(()) => self.await_answer(call),
            Err(SendError::Full) => drop(call.reply.send(Err(CallError::Busy))),
            // The transport is about to say why it ended; the call then fails with that reason.
            Err(SendError::Closed) => drop(self.pending.add(call)),
        }
    }

    /// Takes a request that was sent.
    pub(super) fn await_answer(&mut self, call: OutgoingCall) {
        let due = self.pending.add(call);
        self.wake_by(due);
    }

    /// Ends the calls whose time is over.
    pub(super) fn expire(&mut self) {
        for (id, tell) in self.pending.expire() {
            self.give_up(id, tell, "the time for the answer is over");
        }
    }

    /// Ends the call of a caller that is gone.
    pub(super) fn withdraw(&mut self, id: i64) {
        let tell = self.pending.withdraw(id);
        self.give_up(id, tell, "the request was cancelled by the client");
    }

    /// Looks again at the first of these moments, or when a call is due.
    pub(super) fn set_timer(&mut self, others: impl Iterator<Item = Instant>) {
        let due = self.pending.next_due().into_iter().chain(others).min();
        self.timer
            .as_mut()
            .reset(due.unwrap_or_else(|| Instant::now() + FAR));
    }

    pub(super) fn wake_by(&mut self, due: Instant) {
        if due < self.timer.deadline() {
            self.timer.as_mut().reset(due);
        }
    }

    pub(super) fn is_modern(&self) -> bool {
        self.revision.is_some_and(Revision::is_modern)
    }

    /// Whether requests of the server get answers. Modern servers make none; while the era is being found out,
    /// a server that sends one is a legacy server.
    pub(super) fn may_answer(&self) -> bool {
        match self.revision {
            Some(revision) => !revision.is_modern(),
            None => self.options.era != EraChoice::Modern,
        }
    }

    /// Ends a withdrawn request, in the wire's way or with a message. An opening request is only
    /// ended in the wire's way.
    pub(super) fn give_up(&mut self, id: i64, tell: CancelNotice, reason: &str) {
        let known = tell != CancelNotice::Nothing;
        if known && !self.transport.abandon(&RequestId::Number(id)) && tell == CancelNotice::Message {
            self.send_cancelled(id, reason);
        }
    }

    fn send_cancelled(&mut self, id: i64, reason: &str) {
        let params = json!({ "requestId": id, "reason": reason });
        match encode_notification("notifications/cancelled", Some(&params)) {
            Ok(frame) => self.send_notification(Outgoing::notification(frame, "notifications/cancelled")),
            Err(error) => tracing::error!(%error, "failed to encode a cancellation"),
        }
    }

    pub(super) fn send_notification(&mut self, outgoing: Outgoing) {
        if let Err(error) = self.transport.send(outgoing) {
            // A server that reads nothing misses nothing else either.
            tracing::debug!(%error, "failed to send a notification");
        }
    }

    /// Every request is owed an answer. A server that asks on and on but never reads has broken off itself.
    pub(super) fn answer(&mut self, id: RequestId, frame: Vec<u8>) -> Result<(), EndReason> {
        self.send_answer(Outgoing::response(frame, id))
    }

    /// Sends an answer that the server refused before.
    pub(super) fn answer_again(&mut self, id: RequestId, frame: Vec<u8>) -> Result<(), EndReason> {
        self.send_answer(Outgoing::response_again(frame, id))
    }

    fn send_answer(&mut self, answer: Outgoing) -> Result<(), EndReason> {
        match self.transport.send(answer) {
            Ok(()) | Err(SendError::Closed) => Ok(()),
            Err(SendError::Full) => {
                let cause = CloseCause::Failed("the server asks faster than it reads the answers".into());
                Err(EndReason::Wanted(cause))
            }
        }
    }
}
