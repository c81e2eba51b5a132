//! One run of a server: from the wish to start it, over the person's yes, to its end. The run owns the session's
//! events; whatever ends it, the ledger and the window hear how.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vestibule_consent::{NoPermit, Permit, StartRequest, StartServer};
use vestibule_policy::Digest;
use vestibule_protocol::ServerId;
use vestibule_protocol::mcp::Implementation;
use vestibule_session::{
    Era, HealthCheck, OpenError, Responder, ServerRequest, SessionEvent, SessionHandle, SessionOptions,
};
use vestibule_transport::stdio::{Launch, Patience, StdioTransport};
use vestibule_transport::{CloseCause, Wire};

use super::under_way::UnderWay;
use super::{Registry, gone};
use crate::inbound::Asker;
use crate::launch::{self, LaunchPlan};
use crate::view::{LogSource, Problem, ServerState};

/// How often a window hears that a log grew.
const LOG_TELLS: Duration = Duration::from_millis(250);
/// How many events of a session may wait to be looked at.
const EVENTS: usize = 256;
/// How many times a start is asked again because its launch changed while it was being asked.
const ASKS: usize = 3;

/// A session that opened, and what its server does of its own accord.
struct Open {
    session: SessionHandle,
    events: mpsc::Receiver<SessionEvent>,
}

/// Why a session did not open.
enum NotOpen {
    /// The server ended at the question which era it speaks; it may open without it.
    EndedByProbe,
    /// For good.
    Failed(OpenError),
}

impl From<OpenError> for NotOpen {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::EndedByProbe(_) => Self::EndedByProbe,
            error => Self::Failed(error),
        }
    }
}

impl From<NotOpen> for Problem {
    fn from(error: NotOpen) -> Self {
        match error {
            NotOpen::EndedByProbe => Self::ServerEnded {
                exit: None,
                stderr: vec![],
            },
            NotOpen::Failed(error) => error.into(),
        }
    }
}

/// How a run ended.
enum End {
    /// It was asked to, or the person did not let it start.
    Stopped,
    /// It should have gone on.
    Failed(Problem),
}

impl Registry {
    /// Starts a server, once the person or a rule lets it. Does nothing where it runs already.
    pub(crate) fn start(&self, server: ServerId) -> Result<(), Problem> {
        let token = {
            let mut seats = self.seats();
            let seat = seats.get_mut(&server).ok_or_else(gone)?;
            if seat.run.is_some() {
                return Ok(());
            }
            let token = self.0.closing.child_token();
            seat.run = Some(token.clone());
            token
        };
        let registry = self.clone();
        self.0
            .tasks
            .spawn(async move { registry.run(server, token).await });
        Ok(())
    }

    /// Stops a server, or withdraws the question whether it may start.
    pub(crate) fn stop(&self, server: ServerId) {
        if let Some(run) = self.seats().get(&server).and_then(|seat| seat.run.clone()) {
            run.cancel();
        }
    }

    /// Stops a server and waits until it has.
    pub(crate) async fn stop_and_wait(&self, server: ServerId) {
        let mut events = self.0.events.follow();
        self.stop(server);
        while self.seats().get(&server).is_some_and(|seat| seat.run.is_some()) {
            if events.recv().await.is_err() {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Whether a server may start without a question, as it would be started now.
    pub(crate) async fn may_start(&self, server: ServerId) -> bool {
        let launch = self.launch_digest(server).await;
        launch.is_some_and(|launch| self.0.gate.may_start(server, launch))
    }

    /// The digest of what starting a server would run now; `None` where it could not be started.
    pub(crate) async fn launch_digest(&self, server: ServerId) -> Option<Digest> {
        let record = self.record(server)?;
        let plan = launch::plan(&record, &*self.0.secrets, self.search_path().await).await;
        plan.ok().map(|plan| plan.digest)
    }

    async fn run(&self, server: ServerId, token: CancellationToken) {
        let end = self.live(server, &token).await;
        self.change(server, |seat| {
            seat.session = None;
            seat.tools.clear();
            seat.reviewing.clear();
            seat.run = None;
            seat.state = match end {
                End::Stopped => ServerState::Stopped,
                End::Failed(problem) => ServerState::Failed { problem },
            };
        });
        self.rules_changed(server);
    }

    async fn live(&self, server: ServerId, token: &CancellationToken) -> End {
        let opened = tokio::select! {
            () = token.cancelled() => return End::Stopped,
            opened = self.open(server) => opened,
        };
        let (Open { session, events }, mut under_way) = match opened {
            Ok(Some(open)) => open,
            Ok(None) => return End::Stopped,
            Err(problem) => return End::Failed(problem),
        };
        let end = self.serve(server, &session, events, token).await;
        let ended = match &end {
            End::Stopped => "stopped",
            End::Failed(_) => "ended by itself",
        };
        under_way.end(ended, None, 0).await;
        end
    }

    /// Asks, starts and opens. `None` where the person did not let it.
    async fn open(&self, server: ServerId) -> Result<Option<(Open, UnderWay)>, Problem> {
        let record = self.record(server).ok_or_else(gone)?;
        let search_path = self.search_path().await.clone();
        let mut asks = 0;
        let (permit, plan) = loop {
            let plan = launch::plan(&record, &*self.0.secrets, &search_path).await?;
            let Some(permit) = self.leave_to_start(server, &plan).await? else {
                return Ok(None);
            };
            // What runs is what was shown: looked at again now that the answer is there.
            let now = launch::plan(&record, &*self.0.secrets, &search_path).await?;
            if now.digest == permit.what().launch {
                break (permit, now);
            }
            let (_, receipt) = permit.spend();
            let mut unused = UnderWay::new(receipt, self, "not started");
            unused.end("not started", None, 0).await;
            asks += 1;
            if asks == ASKS {
                let detail = "it changed each time it was looked at".to_owned();
                return Err(Problem::NotStarted {
                    program: plan.facts.program,
                    detail,
                });
            }
        };
        self.change(server, |seat| seat.state = ServerState::Starting);
        self.note(
            server,
            LogSource::Host,
            None,
            &format!("starting {}", plan.facts.program),
        );
        let program = plan.facts.program.clone();
        let (open, under_way) = self.spawn(permit, plan).await.map_err(|problem| match problem {
            Problem::NotStarted { detail, .. } => Problem::NotStarted { program, detail },
            other => other,
        })?;
        self.list(server, &open.session).await?;
        self.ready(server, open.session.clone());
        Ok(Some((open, under_way)))
    }

    async fn leave_to_start(
        &self,
        server: ServerId,
        plan: &LaunchPlan,
    ) -> Result<Option<Permit<StartServer>>, Problem> {
        let request = StartRequest {
            server: self.face(server).ok_or_else(gone)?,
            launch: plan.facts.clone(),
            digest: plan.digest,
        };
        self.change(server, |seat| seat.state = ServerState::Asking { question: None });
        let asking = |question| {
            self.change(server, |seat| {
                seat.state = ServerState::Asking {
                    question: Some(question),
                }
            });
        };
        match self.0.gate.start_server(request, asking).await {
            Ok(permit) => Ok(Some(permit)),
            Err(NoPermit::Ledger(error)) => Err(error.into()),
            Err(NoPermit::Refused { .. } | NoPermit::NotNow | NoPermit::Ruled(_) | NoPermit::Held) => {
                Ok(None)
            }
        }
    }

    /// Starts the program: one of the two ways to a server, and it takes a permit.
    async fn spawn(
        &self,
        permit: Permit<StartServer>,
        plan: LaunchPlan,
    ) -> Result<(Open, UnderWay), Problem> {
        let (start, receipt) = permit.spend();
        let mut under_way = UnderWay::new(receipt, self, "ended while starting");
        let mut opened = self
            .spawn_and_open(start.server, plan.launch.clone(), Era::Auto)
            .await;
        if let Err(NotOpen::EndedByProbe) = opened {
            // Some servers end at any request before `initialize`. What was agreed to is started once more, without one.
            let text = "it ended when it was asked which protocol it speaks; started again without asking";
            self.note(start.server, LogSource::Host, None, text);
            opened = self.spawn_and_open(start.server, plan.launch, Era::Legacy).await;
        }
        match opened {
            Ok(open) => Ok((open, under_way)),
            Err(error) => {
                under_way.end("not started", None, 0).await;
                Err(error.into())
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that starts servers")]
    async fn spawn_and_open(&self, server: ServerId, launch: Launch, era: Era) -> Result<Open, NotOpen> {
        let guard = self.guard().await.map_err(OpenError::Spawn)?;
        let transport = StdioTransport::spawn(launch, &guard, Patience::default())
            .await
            .map_err(OpenError::Spawn)?;
        let mut options = SessionOptions::new(Implementation {
            name: "vestibule".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            title: Some("Vestibule".into()),
            ..Implementation::default()
        });
        options.era = era;
        options.health = Some(HealthCheck::default());
        options.capabilities = json!({ "roots": {} });
        if let Some(seat) = self.seats().get(&server) {
            options.call_timeout = seat.call_timeout;
        }
        let (tell, events) = mpsc::channel(EVENTS);
        let session = vestibule_session::open(Box::new(transport), options, tell).await?;
        Ok(Open { session, events })
    }

    fn ready(&self, server: ServerId, session: SessionHandle) {
        let info = session.info();
        let declared = info.capabilities.raw.as_object();
        let state = ServerState::Ready {
            revision: info.revision.to_string(),
            transport: wire(info.wire).to_owned(),
            claimed_name: info
                .server
                .title
                .clone()
                .unwrap_or_else(|| info.server.name.clone()),
            claimed_version: info.server.version.clone(),
            instructions: info.instructions.clone(),
            capabilities: declared
                .map(|all| all.keys().cloned().collect())
                .unwrap_or_default(),
        };
        self.change(server, |seat| {
            seat.session = Some(session);
            seat.state = state;
        });
        self.rules_changed(server);
    }

    /// Follows a session until it ends.
    async fn serve(
        &self,
        server: ServerId,
        session: &SessionHandle,
        mut inbox: mpsc::Receiver<SessionEvent>,
        token: &CancellationToken,
    ) -> End {
        let mut tell = tokio::time::interval(LOG_TELLS);
        tell.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut grown = true;
        let mut stopping = false;
        let ended = CancellationToken::new();
        let changed = self.list_when_changed(server, session, ended.clone());
        let _ended = ended.drop_guard();
        loop {
            tokio::select! {
                () = token.cancelled(), if !stopping => {
                    stopping = true;
                    self.change(server, |seat| {
                        seat.session = None;
                        seat.state = ServerState::Stopping;
                    });
                    let session = session.clone();
                    self.0.tasks.spawn(async move { session.close().await });
                }
                _ = tell.tick(), if grown => {
                    grown = false;
                    self.0.events.tell(crate::view::HostEvent::Log { server });
                }
                event = inbox.recv() => match event {
                    Some(SessionEvent::Closed(reason)) if stopping || reason.cause == CloseCause::Asked => {
                        return End::Stopped;
                    }
                    Some(SessionEvent::Closed(reason)) => return End::Failed(reason.into()),
                    None => return End::Stopped,
                    Some(event) => {
                        grown = true;
                        self.hear(server, session, &changed, event);
                    }
                },
            }
        }
    }

    fn hear(&self, server: ServerId, session: &SessionHandle, changed: &Notify, event: SessionEvent) {
        match event {
            SessionEvent::Request { request, reply } => self.ask_for(server, session, request, reply),
            SessionEvent::ToolsChanged => changed.notify_one(),
            SessionEvent::Log(message) => {
                let words = match &message.data {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let text = match &message.logger {
                    Some(logger) => format!("{logger}: {words}"),
                    None => words,
                };
                let level = json!(message.level).as_str().map(str::to_owned);
                self.note(server, LogSource::Message, level, &text);
            }
            SessionEvent::Diagnostic(line) => self.note(server, LogSource::Stderr, None, &line),
            SessionEvent::Oddity(what) => self.note(server, LogSource::Host, Some("notice".into()), &what),
            SessionEvent::ResourcesChanged
            | SessionEvent::PromptsChanged
            | SessionEvent::ResourceUpdated { .. }
            | SessionEvent::ElicitationComplete { .. }
            | SessionEvent::Closed(_) => {}
        }
    }
}

impl Registry {
    /// Hands a request of a server on. Dropping the reply, where the server is gone, answers too.
    fn ask_for(&self, server: ServerId, session: &SessionHandle, request: ServerRequest, reply: Responder) {
        let Some(face) = self.face(server) else { return };
        let occasion = self.seats().get(&server).and_then(|seat| seat.occasions.only());
        let asker = Asker {
            face,
            session: session.clone(),
            occasion,
        };
        self.0.inbound.take(asker, request, reply);
    }
}

/// A wire by the name people know.
fn wire(wire: Wire) -> &'static str {
    match wire {
        Wire::Stream => "stdio",
        Wire::Http => "Streamable HTTP",
        Wire::HttpSse => "HTTP+SSE",
    }
}
