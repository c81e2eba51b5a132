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
mod pending;
mod reports;
mod visits;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::DropGuard;
use tracing::Instrument;
use vestibule_protocol::EraChoice;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{RequestId, encode_notification};
use vestibule_transport::{CloseCause, CloseReason, Incoming, Outgoing, SendError, Transport};

use crate::error::CallError;
use crate::event::SessionEvent;
use crate::message::{SessionCommand, SessionSignal};
use crate::options::SessionOptions;
use announce::Announcer;
use flood::FloodCounter;
use health::Health;
use listening::Subscriptions;
use pending::{CancelNotice, Pending};
use visits::AwaitedVisits;

/// Commands that may wait for the task.
const COMMANDS: usize = 64;
/// When nothing waits, the timer points far away.
const FAR: Duration = Duration::from_secs(24 * 60 * 60);

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
    let engine = Engine {
        transport,
        pending: Pending::new(options.limits.progress_interval),
        asked: HashMap::new(),
        announcer: Announcer::new(events, &options.limits),
        listening: Subscriptions::new(ids),
        visits: AwaitedVisits::default(),
        health: Health::default(),
        options: options.clone(),
        revision: None,
        junk: 0,
        flood: FloodCounter::new(options.limits.unasked_per_second),
        timer: Box::pin(sleep_until(Instant::now() + FAR)),
        signals: signals.clone(),
    };
    tokio::spawn(
        engine
            .run(command_inbox, note_inbox, publish_end)
            .in_current_span(),
    );
    Ends {
        commands,
        signals,
        ended,
    }
}

struct Engine {
    transport: Box<dyn Transport>,
    pending: Pending,
    /// Requests of the server; dropping an entry tells its responder.
    asked: HashMap<RequestId, DropGuard>,
    announcer: Announcer,
    /// What a modern server tells of changes.
    listening: Subscriptions,
    visits: AwaitedVisits,
    health: Health,
    options: SessionOptions,
    /// Known once both sides agree.
    revision: Option<Revision>,
    /// Things in a row that were no messages.
    junk: usize,
    flood: FloodCounter,
    timer: Pin<Box<Sleep>>,
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
    async fn run(
        mut self,
        mut commands: mpsc::Receiver<SessionCommand>,
        mut signals: mpsc::UnboundedReceiver<SessionSignal>,
        publish_end: watch::Sender<Option<CloseReason>>,
    ) {
        let end = self.serve(&mut commands, &mut signals).await;
        commands.close();
        let known = match &end {
            EndReason::Closed(reason) => reason.clone(),
            EndReason::Wanted(cause) => CloseReason::new(cause.clone()),
        };
        // Fail pending calls before the graceful shutdown, which can take seconds.
        self.asked.clear();
        self.pending.fail_all(&known);
        while let Ok(command) = commands.try_recv() {
            if let SessionCommand::Call(call) = command {
                let _ = call.reply.send(Err(CallError::Closed(known.clone())));
            }
        }
        let reason = match end {
            EndReason::Closed(reason) => reason,
            EndReason::Wanted(cause) => CloseReason {
                cause,
                ..self.transport.close().await
            },
        };
        publish_end.send_replace(Some(reason.clone()));
        self.announcer.closed(reason).await;
    }

    async fn serve(
        &mut self,
        commands: &mut mpsc::Receiver<SessionCommand>,
        signals: &mut mpsc::UnboundedReceiver<SessionSignal>,
    ) -> EndReason {
        loop {
            let pause = self.flood.pause();
            // In this order a server that floods cannot keep our own side from being heard.
            let step = tokio::select! {
                biased;
                Some(signal) = signals.recv() => self.on_signal(signal),
                () = &mut self.timer => self.on_timer(),
                command = commands.recv(), if self.pending.len() < self.options.limits.calls => match command {
                    Some(command) => {
                        self.on_command(command);
                        Ok(())
                    }
                    None => Err(EndReason::Wanted(CloseCause::Asked)),
                },
                () = self.announcer.room(), if self.announcer.has_backlog() => Ok(()),
                () = until(pause), if pause.is_some() => Ok(()),
                incoming = self.transport.receive(), if pause.is_none() => self.on_incoming(incoming),
            };
            if let Err(end) = step {
                return end;
            }
        }
    }

    fn on_signal(&mut self, signal: SessionSignal) -> Result<(), EndReason> {
        match signal {
            SessionSignal::Opened {
                revision,
                changes,
                wire,
            } => {
                self.revision = Some(revision);
                self.transport.agreed(revision);
                // The caller that opened the session may be gone.
                let _ = wire.send(self.transport.wire());
                if revision.is_modern() {
                    self.listen_for(changes);
                }
                self.begin_health_checks();
            }
            SessionSignal::Inquire { request, reply } => self.announcer.request(request, reply),
            SessionSignal::ToolsChanged => self.announcer.tools_changed(),
            SessionSignal::Withdraw(id) => {
                let tell = self.pending.withdraw(id);
                self.give_up(id, tell, "the request was cancelled by the client");
            }
            SessionSignal::Forget(id) => self.pending.forget(id),
            // An answer to a request that was withdrawn is not wanted.
            SessionSignal::Answer { id, frame } => {
                if self.asked.remove(&id).is_some() {
                    return self.answer(id, frame);
                }
            }
            SessionSignal::PauseTimeouts => self.pending.clock.pause(),
            SessionSignal::ResumeTimeouts => {
                self.pending.clock.resume();
                self.set_timer();
            }
            SessionSignal::Close => return Err(EndReason::Wanted(CloseCause::Asked)),
        }
        Ok(())
    }

    fn on_command(&mut self, command: SessionCommand) {
        match command {
            // The caller was dropped before the request was sent.
            SessionCommand::Call(call) if call.reply.is_closed() => {}
            SessionCommand::Call(mut call) => {
                let Some(outgoing) = call.outgoing.take() else {
                    return;
                };
                match self.transport.send(outgoing) {
                    Ok(()) => {
                        let due = self.pending.add(call);
                        self.wake_by(due);
                    }
                    Err(SendError::Full) => drop(call.reply.send(Err(CallError::Busy))),
                    // The transport is about to say why it ended; the call then fails with that reason.
                    Err(SendError::Closed) => drop(self.pending.add(call)),
                }
            }
            SessionCommand::Notify(outgoing) => self.send_notification(outgoing),
            SessionCommand::Watch(watch) => self.watch(watch),
            SessionCommand::Unwatch(uri) => self.unwatch(&uri),
        }
    }

    fn on_timer(&mut self) -> Result<(), EndReason> {
        for (id, tell) in self.pending.expire() {
            self.give_up(id, tell, "the time for the answer is over");
        }
        self.on_listening_due();
        let checked = self.on_health_due();
        self.set_timer();
        checked
    }

    fn set_timer(&mut self) {
        let due = self
            .pending
            .next_due()
            .into_iter()
            .chain(self.listening.next_due())
            .chain(self.health.next_due());
        let due = due.min().unwrap_or_else(|| Instant::now() + FAR);
        self.timer.as_mut().reset(due);
    }

    fn wake_by(&mut self, due: Instant) {
        if due < self.timer.deadline() {
            self.timer.as_mut().reset(due);
        }
    }

    fn is_modern(&self) -> bool {
        self.revision.is_some_and(Revision::is_modern)
    }

    /// Whether requests of the server get answers. Modern servers make none; while the era is being found out,
    /// a server that sends one is a legacy server.
    fn may_answer(&self) -> bool {
        match self.revision {
            Some(revision) => !revision.is_modern(),
            None => self.options.era != EraChoice::Modern,
        }
    }

    /// Counts something the server said unasked.
    fn unasked(&mut self) {
        if self.flood.count() {
            self.announcer
                .oddity("the server says too much at once and is slowed down");
        }
    }

    fn on_incoming(&mut self, incoming: Incoming) -> Result<(), EndReason> {
        match incoming {
            Incoming::Frame(frame) => self.on_frame(&frame),
            Incoming::Junk { reason, sample } => self.on_junk(&reason, &sample),
            Incoming::Diagnostic(line) => {
                self.unasked();
                self.announcer.line(SessionEvent::Diagnostic(line));
                Ok(())
            }
            Incoming::Oddity(what) => {
                self.announcer.oddity(what);
                Ok(())
            }
            Incoming::RequestFailed { id, failure } => {
                if failure.too_large {
                    self.announcer
                        .oddity(format!("passed over: {}, request {id}", failure.reason));
                }
                // A failure of a withdrawn request is ignored.
                match id {
                    RequestId::Number(id) if self.listening.owns(id) => {
                        self.on_listening_ended(id, Err(failure.into()));
                    }
                    RequestId::Number(id) => drop(self.pending.answer(id, Err(failure.into()))),
                    RequestId::Text(_) => {}
                }
                Ok(())
            }
            Incoming::SessionLost => Err(EndReason::Wanted(CloseCause::SessionLost)),
            Incoming::Closed(reason) => Err(EndReason::Closed(reason)),
        }
    }

    /// Ends a withdrawn request, in the wire's way or with a message. An opening request is only
    /// ended in the wire's way.
    fn give_up(&mut self, id: i64, tell: CancelNotice, reason: &str) {
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

    fn send_notification(&mut self, outgoing: Outgoing) {
        if let Err(error) = self.transport.send(outgoing) {
            // A server that reads nothing misses nothing else either.
            tracing::debug!(%error, "failed to send a notification");
        }
    }

    /// Every request is owed an answer. A server that asks on and on but never reads has broken off itself.
    fn answer(&mut self, id: RequestId, frame: Vec<u8>) -> Result<(), EndReason> {
        match self.transport.send(Outgoing::response(frame, id)) {
            Ok(()) | Err(SendError::Closed) => Ok(()),
            Err(SendError::Full) => {
                let cause = CloseCause::Failed("the server asks faster than it reads the answers".into());
                Err(EndReason::Wanted(cause))
            }
        }
    }
}

async fn until(moment: Option<Instant>) {
    if let Some(moment) = moment {
        sleep_until(moment).await;
    }
}
