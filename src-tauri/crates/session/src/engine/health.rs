//! Whether a legacy server is still there, asked now and then while nothing else is asked of it. A question that is not
//! answered is noted; several in a row end the session, because a connection that only looks alive is useless.
//! Modern servers know no such question. Over Streamable HTTP nothing is asked from here: an answer there may be a demand
//! to sign in, which the holder of the session handles.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use vestibule_protocol::jsonrpc::{RequestId, encode_request};
use vestibule_transport::{CloseCause, Outgoing, OutgoingKind, Wire};

use super::{EndReason, Engine};
use crate::error::CallError;
use crate::message::OutgoingCall;
use crate::options::HealthCheck;

type PingOutcome = Result<Box<serde_json::value::RawValue>, CallError>;

#[derive(Default)]
pub(super) struct Health {
    next: Option<Instant>,
    asked: Option<oneshot::Receiver<PingOutcome>>,
    missed: u32,
}

impl Health {
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.next
    }

    /// Looks at the last question. True when it was not answered; a refusal is an answer.
    fn was_missed(&mut self) -> bool {
        let Some(outcome) = self.asked.as_mut().map(oneshot::Receiver::try_recv) else {
            return false;
        };
        match outcome {
            Err(oneshot::error::TryRecvError::Empty) => false,
            Ok(Ok(_) | Err(CallError::Rpc(_))) => {
                self.asked = None;
                self.missed = 0;
                false
            }
            Ok(Err(_)) | Err(oneshot::error::TryRecvError::Closed) => {
                self.asked = None;
                self.missed += 1;
                true
            }
        }
    }
}

impl Engine {
    /// The session is open.
    pub(super) fn begin_health_checks(&mut self) {
        if let Some(check) = self.options.health
            && !self.is_modern()
            && self.transport.wire() != Wire::Http
        {
            self.ask_next(check.every);
        }
    }

    pub(super) fn on_health_due(&mut self) -> Result<(), EndReason> {
        let Some(check) = self.options.health else {
            return Ok(());
        };
        if self.health.next.is_none_or(|next| next > Instant::now()) {
            return Ok(());
        }
        if self.health.was_missed() {
            self.announcer.oddity("the server did not answer a ping");
        }
        // A server that works on something may do only that, and calls have timeouts of their own.
        if self.pending.len() > usize::from(self.health.asked.is_some()) {
            self.health.missed = 0;
            self.ask_next(check.every);
            return Ok(());
        }
        if self.health.missed >= check.misses {
            let missed = self.health.missed;
            let cause = format!("the server answered none of {missed} pings in a row");
            return Err(EndReason::Wanted(CloseCause::Failed(cause)));
        }
        if self.health.asked.is_none() {
            self.ping(check);
        }
        self.ask_next(check.every);
        Ok(())
    }

    fn ask_next(&mut self, every: Duration) {
        let next = Instant::now() + every;
        self.health.next = Some(next);
        self.wake_by(next);
    }

    fn ping(&mut self, check: HealthCheck) {
        let id = self.listening.fresh_id();
        let number = RequestId::Number(id);
        let Ok(frame) = encode_request::<()>(&number, "ping", None) else {
            return;
        };
        let outgoing = Outgoing {
            frame,
            kind: OutgoingKind::Request {
                id: number,
                method: "ping".into(),
                opening: false,
                headers: Vec::new(),
            },
        };
        // A server that does not read now is asked again later.
        if self.transport.send(outgoing).is_err() {
            return;
        }
        let (reply, asked) = oneshot::channel();
        self.health.asked = Some(asked);
        let due = self.pending.add(OutgoingCall {
            id,
            outgoing: None,
            timeout: check.patience,
            hard_timeout: check.patience,
            progress: None,
            opening: false,
            keeps_progress: false,
            reply,
        });
        self.wake_by(due);
    }
}
