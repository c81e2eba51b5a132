//! Pings a legacy server now and then while no other request waits for it. A ping that is not answered is noted; several
//! in a row end the session, because a connection that only looks alive is useless. Modern servers have no ping. Over
//! Streamable HTTP no ping is sent from here, because the holder of the session asks. Over the HTTP+SSE transport an answer
//! may be a demand to sign in, which the holder settles.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use vestibule_protocol::jsonrpc::{RequestId, RpcResultBuf, encode_request};
use vestibule_transport::{CloseCause, Outgoing, OutgoingKind, Wire};

use super::EndReason;
use super::announce::Announcer;
use super::outbound::Outbound;
use crate::demand::SignInDemand;
use crate::error::CallError;
use crate::message::OutgoingCall;
use crate::options::HealthCheck;

type PingOutcome = Result<RpcResultBuf, CallError>;

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

    /// Looks at the last ping. A refusal is an answer.
    fn look(&mut self, announcer: &mut Announcer) {
        let Some(outcome) = self.asked.as_mut().map(oneshot::Receiver::try_recv) else {
            return;
        };
        match outcome {
            Err(oneshot::error::TryRecvError::Empty) => return,
            Ok(Ok(_) | Err(CallError::Rpc(_))) => self.missed = 0,
            Ok(Err(CallError::NotAnswered(failure))) if failure.challenge.is_some() => {
                self.missed = 0;
                let challenge = failure.challenge.filter(|challenge| challenge.status == 401);
                if let Some(challenge) = challenge {
                    announcer.demand(SignInDemand::new(challenge).0);
                }
            }
            Ok(Err(_)) | Err(oneshot::error::TryRecvError::Closed) => {
                self.missed += 1;
                announcer.oddity("the server did not answer a ping");
            }
        }
        self.asked = None;
    }

    /// The session is open.
    pub(super) fn begin(&mut self, outbound: &mut Outbound) {
        if let Some(check) = outbound.options.health
            && !outbound.is_modern()
            && outbound.transport.wire() != Wire::Http
        {
            self.ask_next(check.every, outbound);
        }
    }

    pub(super) fn on_due(
        &mut self,
        outbound: &mut Outbound,
        announcer: &mut Announcer,
    ) -> Result<(), EndReason> {
        let Some(check) = outbound.options.health else {
            return Ok(());
        };
        if self.next.is_none_or(|next| next > Instant::now()) {
            return Ok(());
        }
        self.look(announcer);
        self.ask_unless_busy(check, outbound)?;
        self.ask_next(check.every, outbound);
        Ok(())
    }

    /// Sends a ping where nothing else waits for the server; returns an error after too many misses.
    fn ask_unless_busy(&mut self, check: HealthCheck, outbound: &mut Outbound) -> Result<(), EndReason> {
        // A server that works on something may do only that, and calls have timeouts of their own.
        if outbound.pending.len() > usize::from(self.asked.is_some()) {
            self.missed = 0;
            return Ok(());
        }
        if self.missed >= check.misses {
            let cause = format!("the server answered none of {} pings in a row", self.missed);
            return Err(EndReason::Wanted(CloseCause::Failed(cause)));
        }
        if self.asked.is_none() {
            self.asked = ping(check, outbound);
        }
        Ok(())
    }

    fn ask_next(&mut self, every: Duration, outbound: &mut Outbound) {
        let next = Instant::now() + every;
        self.next = Some(next);
        outbound.wake_by(next);
    }
}

/// Sends a ping. A server that does not read now is asked again later.
fn ping(check: HealthCheck, outbound: &mut Outbound) -> Option<oneshot::Receiver<PingOutcome>> {
    let id = outbound.fresh_id();
    outbound.transport.send(ping_request(id)?).ok()?;
    let (reply, asked) = oneshot::channel();
    outbound.await_answer(OutgoingCall {
        id,
        outgoing: None,
        timeout: check.patience,
        hard_timeout: check.patience,
        progress: None,
        opening: false,
        keeps_progress: false,
        is_for_result: false,
        reply,
    });
    Some(asked)
}

fn ping_request(id: i64) -> Option<Outgoing> {
    let id = RequestId::Number(id);
    let frame = encode_request::<()>(&id, "ping", None).ok()?;
    let kind = OutgoingKind::Request {
        id,
        method: "ping".into(),
        opening: false,
        headers: Vec::new(),
    };
    Some(Outgoing { frame, kind })
}
