//! The task that owns one connection. Everything that can happen to a session arrives here, one thing at a
//! time, so what waits for answers needs no lock. The task waits only for the transport: a host
//! that does not take its events loses log lines, not answers, and a server that floods is slowed by its own
//! limits. The task serves both eras: what differs is what the server may say unasked and who is answered.

mod announce;
mod clock;
mod flood;
mod health;
mod inbound;
mod listening;
mod outbound;
mod params;
mod pending;
mod reports;
mod size;
mod visits;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::DropGuard;
use tracing::Instrument;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RequestId;
use vestibule_protocol::modern::SubscriptionFilter;
use vestibule_transport::{Challenge, CloseCause, CloseReason, Incoming, RequestFailure, Transport, Wire};

use crate::demand::SignInDemand;
use crate::error::CallError;
use crate::event::SessionEvent;
use crate::message::{SessionCommand, SessionSignal};
use crate::options::SessionOptions;
use announce::Announcer;
use flood::FloodCounter;
use health::Health;
use listening::Subscriptions;
use outbound::Outbound;
use visits::AwaitedVisits;

/// Commands that may wait for the task.
const COMMANDS: usize = 64;
/// Frames that were read at once and are handled before our own side is heard again.
const TOGETHER: usize = 32;
/// The callers' ends of the task's channels.
pub(crate) struct Ends {
    pub(crate) commands: mpsc::Sender<SessionCommand>,
    pub(crate) signals: mpsc::UnboundedSender<SessionSignal>,
    pub(crate) ended: watch::Receiver<Option<CloseReason>>,
}

/// Starts the task. It ends when the connection ends, when asked, or when the commands' sender is gone.
pub(crate) fn start(
    transport: Box<dyn Transport>,
    options: &SessionOptions,
    events: mpsc::Sender<SessionEvent>,
    ids: Arc<AtomicI64>,
) -> Ends {
    let (commands, command_inbox) = mpsc::channel(COMMANDS);
    let (signals, note_inbox) = mpsc::unbounded_channel();
    let (publish_end, ended) = watch::channel(None);
    let outbound = Outbound::new(transport, options, ids);
    let announcer = Announcer::new(events, &options.limits);
    let engine = Engine::new(outbound, announcer, signals.clone());
    let task = engine.run(command_inbox, note_inbox, publish_end);
    tokio::spawn(task.in_current_span());
    Ends {
        commands,
        signals,
        ended,
    }
}

struct Engine {
    outbound: Outbound,
    /// Requests of the server; dropping an entry tells its responder.
    asked: HashMap<RequestId, DropGuard>,
    announcer: Announcer,
    /// What a modern server tells of changes.
    listening: Subscriptions,
    visits: AwaitedVisits,
    health: Health,
    /// Things in a row that were no messages.
    junk: usize,
    flood: FloodCounter,
    signals: mpsc::UnboundedSender<SessionSignal>,
}

/// Why the loop ends.
enum EndReason {
    /// The transport said so.
    Closed(CloseReason),
    /// We want it so.
    Wanted(CloseCause),
}

impl Engine {
    fn new(outbound: Outbound, announcer: Announcer, signals: mpsc::UnboundedSender<SessionSignal>) -> Self {
        Self {
            asked: HashMap::new(),
            announcer,
            listening: Subscriptions::default(),
            visits: AwaitedVisits::default(),
            health: Health::default(),
            junk: 0,
            flood: FloodCounter::new(outbound.options.limits.unasked_per_second),
            signals,
            outbound,
        }
    }

    async fn run(
        mut self,
        mut commands: mpsc::Receiver<SessionCommand>,
        mut signals: mpsc::UnboundedReceiver<SessionSignal>,
        publish_end: watch::Sender<Option<CloseReason>>,
    ) {
        let end = self.serve(&mut commands, &mut signals).await;
        commands.close();
        // Fail pending calls before the graceful shutdown, which can take seconds.
        self.fail_calls(&end, &mut commands);
        let reason = match end {
            EndReason::Closed(reason) => reason,
            EndReason::Wanted(cause) => CloseReason {
                cause,
                ..self.outbound.transport.close().await
            },
        };
        publish_end.send_replace(Some(reason.clone()));
        self.announcer.closed(reason).await;
    }

    /// Fails the calls that wait for an answer or still for the task, and forgets the requests of the server.
    fn fail_calls(&mut self, end: &EndReason, commands: &mut mpsc::Receiver<SessionCommand>) {
        let known = match end {
            EndReason::Closed(reason) => reason.clone(),
            EndReason::Wanted(cause) => CloseReason::new(cause.clone()),
        };
        self.asked.clear();
        self.outbound.pending.fail_all(&known);
        while let Ok(command) = commands.try_recv() {
            if let SessionCommand::Call(call) = command {
                let _ = call.reply.send(Err(CallError::Closed(known.clone())));
            }
        }
    }

    async fn serve(
        &mut self,
        commands: &mut mpsc::Receiver<SessionCommand>,
        signals: &mut mpsc::UnboundedReceiver<SessionSignal>,
    ) -> EndReason {
        loop {
            if let Err(end) = self.step(commands, signals).await {
                return end;
            }
        }
    }

    /// Waits for the next thing that happens to the session, and handles it.
    async fn step(
        &mut self,
        commands: &mut mpsc::Receiver<SessionCommand>,
        signals: &mut mpsc::UnboundedReceiver<SessionSignal>,
    ) -> Result<(), EndReason> {
        let pause = self.flood.pause();
        // In this order a server that floods cannot keep our own side from being heard.
        tokio::select! {
            biased;
            Some(signal) = signals.recv() => self.on_signal(signal),
            () = &mut self.outbound.timer => self.on_timer(),
            command = commands.recv(), if self.outbound.pending.len() < self.outbound.options.limits.calls => {
                self.on_command(command.ok_or(EndReason::Wanted(CloseCause::Asked))?);
                Ok(())
            }
            () = self.announcer.room(), if self.announcer.has_backlog() => Ok(()),
            () = until(pause), if pause.is_some() => Ok(()),
            incoming = self.outbound.transport.receive(), if pause.is_none() => self.on_received(incoming),
        }
    }

    /// Handles what was received, and some of what was read with it.
    fn on_received(&mut self, first: Incoming) -> Result<(), EndReason> {
        self.on_incoming(first)?;
        for _ in 1..TOGETHER {
            if self.flood.pause().is_some() {
                break;
            }
            let Some(next) = self.outbound.transport.next_received() else {
                break;
            };
            self.on_incoming(next)?;
        }
        Ok(())
    }

    fn on_signal(&mut self, signal: SessionSignal) -> Result<(), EndReason> {
        match signal {
            SessionSignal::Opened {
                revision,
                changes,
                wire,
            } => self.on_opened(revision, changes, wire),
            SessionSignal::Inquire(inquiry) => {
                let (request, reply) = *inquiry;
                self.announcer.request(request, reply);
            }
            SessionSignal::ToolsChanged => self.announcer.tools_changed(),
            SessionSignal::Withdraw(id) => self.outbound.withdraw(id),
            SessionSignal::Forget(id) => self.outbound.pending.forget(id),
            SessionSignal::Answer { id, frame } => return self.send_answer(id, frame),
            SessionSignal::AnswerAgain { id, frame } => return self.outbound.answer_again(id, frame),
            SessionSignal::PauseTimeouts => self.outbound.pending.clock.pause(),
            SessionSignal::ResumeTimeouts => {
                self.outbound.pending.clock.resume();
                self.set_timer();
            }
            SessionSignal::Close => return Err(EndReason::Wanted(CloseCause::Asked)),
        }
        Ok(())
    }

    fn on_opened(&mut self, revision: Revision, changes: SubscriptionFilter, wire: oneshot::Sender<Wire>) {
        self.outbound.revision = Some(revision);
        self.outbound.transport.agreed(revision);
        // The caller that opened the session may be gone.
        let _ = wire.send(self.outbound.transport.wire());
        if revision.is_modern() {
            self.listening.listen_for(changes, &mut self.outbound);
        }
        self.health.begin(&mut self.outbound);
    }

    /// Sends the answer to a request of the server. One to a request that was withdrawn is not wanted.
    fn send_answer(&mut self, id: RequestId, frame: Vec<u8>) -> Result<(), EndReason> {
        match self.asked.remove(&id) {
            Some(_) => self.outbound.answer(id, frame),
            None => Ok(()),
        }
    }

    fn on_command(&mut self, command: SessionCommand) {
        match command {
            // The caller was dropped before the request was sent.
            SessionCommand::Call(call) if call.reply.is_closed() => {}
            SessionCommand::Call(call) => self.outbound.call(*call),
            SessionCommand::Notify(outgoing) => self.outbound.send_notification(*outgoing),
            SessionCommand::Watch(watch) => self.listening.watch(watch, &mut self.outbound),
            SessionCommand::Unwatch(uri) => self.listening.unwatch(&uri, &mut self.outbound),
        }
    }

    fn on_timer(&mut self) -> Result<(), EndReason> {
        self.outbound.expire();
        self.listening.on_due(&mut self.outbound, &mut self.announcer);
        let checked = self.health.on_due(&mut self.outbound, &mut self.announcer);
        self.set_timer();
        checked
    }

    fn set_timer(&mut self) {
        let others = self
            .listening
            .next_due()
            .into_iter()
            .chain(self.health.next_due());
        self.outbound.set_timer(others);
    }

    /// Counts something the server said unasked.
    fn unasked(&mut self, now: Instant) {
        if self.flood.count(now) {
            self.announcer
                .oddity("the server says too much at once and is slowed down");
        }
    }

    fn on_incoming(&mut self, incoming: Incoming) -> Result<(), EndReason> {
        match incoming {
            Incoming::Frame(frame) => return self.on_frame(&frame),
            Incoming::Junk { reason, sample } => return self.on_junk(&reason, &sample),
            Incoming::Diagnostic(line) => {
                self.unasked(Instant::now());
                self.announcer.line(SessionEvent::Diagnostic(line));
            }
            Incoming::Oddity(what) => self.announcer.oddity(what),
            Incoming::RequestFailed { id, failure } => self.on_request_failed(id, failure),
            Incoming::AnswerRefused { id, frame, challenge } => self.on_answer_refused(id, frame, challenge),
            Incoming::SessionLost => return Err(EndReason::Wanted(CloseCause::SessionLost)),
            Incoming::Closed(reason) => return Err(EndReason::Closed(reason)),
        }
        Ok(())
    }

    /// The server still waits for this answer: it is sent once more when the host has settled the demand.
    fn on_answer_refused(&mut self, id: RequestId, frame: Vec<u8>, challenge: Challenge) {
        let (demand, is_settled) = SignInDemand::new(challenge);
        let signals = self.signals.clone();
        let again = async move {
            if is_settled.await.is_ok() {
                // Without a session there is no receiver.
                let _ = signals.send(SessionSignal::AnswerAgain { id, frame });
            }
        };
        tokio::spawn(again.in_current_span());
        self.announcer.demand(demand);
    }

    pub(super) fn on_request_failed(&mut self, id: RequestId, failure: RequestFailure) {
        if failure.too_large {
            self.announcer
                .oddity(format!("passed over: {}, request {id}", failure.reason));
        }
        // A failure of a withdrawn request is ignored.
        match id {
            RequestId::Number(id) if self.listening.owns(id) => {
                self.on_listening_ended(id, Err(listening::error_of(failure)));
            }
            RequestId::Number(id) => drop(self.outbound.pending.answer(id, Err(failure.into()))),
            RequestId::Text(_) => {}
        }
    }
}

async fn until(moment: Option<Instant>) {
    if let Some(moment) = moment {
        sleep_until(moment).await;
    }
}
