//! The way to reach one server. A handle is cheap to clone and knows its server; what changes the state of the server is a
//! command to its task, and everything else is read from the snapshot that the task publishes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use vestibule_consent::{Gate, ServerFace};
use vestibule_protocol::ServerId;
use vestibule_session::Challenge;
use vestibule_store::{ServerPlace, ServerRecord};

use super::log::Log;
use super::state::{ActiveSession, ServerSnapshot, place_view};
use super::task::ServerCommand;
use super::traffic::Traffic;
use crate::connection::{self, origin_of};
use crate::launch::{command_line, working_folder};
use crate::secrets::Secrets;
use crate::servers::auth::ServerAuth;
use crate::servers::call::context::{CallContext, InFlightCalls};
use crate::servers::catalog::reviews::ToolReviews;
use crate::servers::catalog::schema_checks::SchemaChecks;
use crate::servers::catalog::tools::CatalogTool;
use crate::servers::catalog::watches::ResourceWatches;
use crate::servers::context::ServersContext;
use crate::servers::effect::EffectWriter;
use crate::servers::requests::{ClientRequest, ClientRequestBody};
use crate::variables;
use crate::view::{HostEvent, LogSource, Problem, ServerProblem, ServerView};

/// One server. All clones are the same one.
#[derive(Clone)]
pub(crate) struct ServerHandle(Arc<ServerShared>);

/// The same without keeping the server.
#[derive(Clone)]
pub(in crate::servers) struct WeakServer(Weak<ServerShared>);

struct ServerShared {
    id: ServerId,
    context: Arc<ServersContext>,
    commands: mpsc::UnboundedSender<ServerCommand>,
    snapshot: watch::Sender<ServerSnapshot>,
    /// Cancelled when the user has removed the server.
    removed: CancellationToken,
    /// The proxy in between, where there is one.
    proxy: Option<String>,
    /// Checks against the schemas of its tools.
    checks: SchemaChecks,
    auth: Mutex<Option<Arc<ServerAuth>>>,
    reviews: Mutex<ToolReviews>,
    watches: Mutex<ResourceWatches>,
    calls: Mutex<InFlightCalls>,
    log: Mutex<Log>,
    traffic: Arc<Traffic>,
}

impl WeakServer {
    pub(in crate::servers) fn upgrade(&self) -> Option<ServerHandle> {
        self.0.upgrade().map(ServerHandle)
    }
}

impl ServerHandle {
    /// A server that is stopped, and the commands that its task will take.
    pub(in crate::servers) async fn new(
        context: Arc<ServersContext>,
        record: ServerRecord,
    ) -> (Self, mpsc::UnboundedReceiver<ServerCommand>) {
        let missing = variables::missing(&record, &*context.options.secrets).await;
        let proxy = match &record.place {
            ServerPlace::Here(_) => None,
            ServerPlace::Address(endpoint) => connection::proxy(&endpoint.url, &context.options.proxies),
        };
        let (commands, taken) = mpsc::unbounded_channel();
        let handle = Self(Arc::new(ServerShared {
            id: record.id,
            commands,
            proxy,
            checks: SchemaChecks::new(&context.options.guard_program),
            context,
            snapshot: watch::Sender::new(ServerSnapshot::new(record, missing)),
            removed: CancellationToken::new(),
            auth: Mutex::default(),
            reviews: Mutex::default(),
            watches: Mutex::default(),
            calls: Mutex::default(),
            log: Mutex::default(),
            traffic: Arc::default(),
        }));
        (handle, taken)
    }

    pub(crate) fn id(&self) -> ServerId {
        self.0.id
    }

    pub(crate) fn record(&self) -> ServerRecord {
        self.read(|snapshot| snapshot.record.clone())
    }

    /// The user's name for the server.
    pub(crate) fn name(&self) -> String {
        self.read(|snapshot| snapshot.record.name.clone())
    }

    /// The server as windows see it.
    pub(crate) fn view(&self) -> ServerView {
        let sign_in = self.auth().map(|auth| auth.view());
        self.read(|snapshot| {
            let (tool_count, held_count) = snapshot.tool_counts();
            ServerView {
                id: self.0.id,
                name: snapshot.record.name.clone(),
                place: place_view(&snapshot.record.place, self.0.proxy.clone()),
                era: snapshot.record.era,
                missing: snapshot.missing.clone(),
                sign_in,
                state: snapshot.state_view(),
                tool_count,
                held_count,
            }
        })
    }

    /// The server as cards show it.
    pub(crate) fn face(&self) -> ServerFace {
        let record = self.record();
        let provenance = match &record.place {
            ServerPlace::Here(program) => command_line(&program.command, &program.args),
            ServerPlace::Address(endpoint) => origin_of(&endpoint.url),
        };
        ServerFace {
            id: record.id,
            name: record.name,
            provenance,
        }
    }

    /// The folder a local server runs in.
    pub(crate) fn working_folder(&self) -> Option<PathBuf> {
        match self.record().place {
            ServerPlace::Here(program) => Some(working_folder(&program)),
            ServerPlace::Address(_) => None,
        }
    }

    /// One of its tools.
    pub(crate) fn tool(&self, name: &str) -> Option<CatalogTool> {
        self.read(|snapshot| {
            let mut tools = snapshot.tools.iter();
            tools.find(|listed| listed.tool.name == name).cloned()
        })
    }

    /// Starts or connects the server once that is approved. One that waits to reconnect does so at once, and one that
    /// waits for a sign-in begins it; otherwise a running server goes on. `patient` retries from the first attempt on.
    pub(crate) fn start(&self, patient: bool) {
        self.command(ServerCommand::Start { patient });
    }

    /// Stops the server, or withdraws the question whether it may start.
    pub(crate) fn stop(&self) {
        self.command(ServerCommand::Stop { stopped: None });
    }

    /// Stops the server and waits until it has stopped.
    pub(crate) async fn stop_and_wait(&self) {
        let (stopped, is_stopped) = oneshot::channel();
        self.command(ServerCommand::Stop {
            stopped: Some(stopped),
        });
        // The task drops the sender where it has ended.
        let _ = is_stopped.await;
    }

    /// Signs in as soon as the server requires it, and starts the server where it is stopped.
    pub(crate) fn sign_in(&self) {
        if let Some(auth) = self.auth() {
            auth.authorizer.forget_refusals();
        }
        self.command(ServerCommand::SignIn);
    }

    /// A call got no answer: probes at once whether the server is still there.
    pub(in crate::servers) fn probe_now(&self) {
        self.command(ServerCommand::ProbeNow);
    }

    /// A call was refused because the server requires a sign-in.
    pub(in crate::servers) fn challenged(&self, challenge: Challenge) {
        self.command(ServerCommand::Challenged(challenge));
    }

    /// Replaces where the server is; the next start or connection uses it.
    pub(crate) fn set_place(&self, place: ServerPlace) {
        self.change(|snapshot| snapshot.record.place = place);
    }

    /// Looks again which variables have no value.
    pub(crate) async fn look_for_variables(&self) {
        let missing = variables::missing(&self.record(), self.secrets()).await;
        self.change(|snapshot| snapshot.missing = missing);
    }

    /// The error for what cannot be sent because the server is not connected.
    pub(in crate::servers) fn not_connected(&self) -> Problem {
        let server = self.name();
        self.reconnecting()
            .unwrap_or(Problem::Server(ServerProblem::ServerNotRunning { server }))
    }

    /// The error for what cannot be sent although the tools are on offer, because the server is reconnecting.
    pub(crate) fn reconnecting(&self) -> Option<Problem> {
        self.read(|snapshot| {
            snapshot.is_reconnecting().then(|| {
                Problem::Server(ServerProblem::ServerReopening {
                    server: snapshot.record.name.clone(),
                })
            })
        })
    }

    /// Adds a line to the server's log, without an event: the event pump sends one a few times a second.
    pub(in crate::servers) fn note(&self, source: LogSource, level: Option<String>, text: &str) {
        lock(&self.0.log).add(source, level, text);
    }

    /// Writes to the server's log why it was refused something.
    pub(crate) fn note_refusal(&self, text: &str) {
        self.note(LogSource::Host, Some("warning".into()), text);
        self.emit(|server| HostEvent::Log { server });
    }

    /// The rules for its tools, or the tools, changed.
    pub(crate) fn tools_changed(&self) {
        self.emit(|server| HostEvent::Tools { server });
    }

    /// Tells a connected server that the roots changed.
    pub(crate) async fn roots_changed(&self) {
        if let Some(active) = self.active()
            && let Err(error) = active.session.notify_roots_changed().await
        {
            let server = self.0.id;
            tracing::debug!(%server, %error, "failed to notify a server about changed roots; it has ended");
        }
    }

    /// The session, while the server is connected.
    pub(in crate::servers) fn active(&self) -> Option<ActiveSession> {
        self.read(|snapshot| snapshot.state.active().cloned())
    }

    /// The call that a request belongs to, `task` being the task it names.
    pub(in crate::servers) fn call_context(&self, task: Option<&str>) -> Option<CallContext> {
        self.calls().context_of(task)
    }

    /// Puts something into the stream of what servers ask for.
    pub(in crate::servers) fn request(&self, body: ClientRequestBody) {
        let request = ClientRequest {
            server: self.clone(),
            span: tracing::Span::current(),
            body,
        };
        // The stream has no reader once the application has closed; dropping a request answers it.
        let _ = self.0.context.requests.send(request);
    }

    /// Follows the snapshots from now on.
    pub(in crate::servers) fn follow(&self) -> watch::Receiver<ServerSnapshot> {
        self.0.snapshot.subscribe()
    }

    /// Scheme, host and port of a remote server; empty for a local one.
    pub(in crate::servers) fn origin(&self) -> String {
        self.read(ServerSnapshot::origin)
    }

    /// Cancelled when the user has removed the server.
    pub(in crate::servers) fn removed(&self) -> &CancellationToken {
        &self.0.removed
    }

    pub(in crate::servers) fn command(&self, command: ServerCommand) {
        // The task has ended where the server was removed or the application closes.
        let _ = self.0.commands.send(command);
    }

    /// Reads the snapshot. `read` must not change it.
    pub(in crate::servers) fn read<T>(&self, read: impl FnOnce(&ServerSnapshot) -> T) -> T {
        read(&self.0.snapshot.borrow())
    }

    /// Changes the snapshot and publishes the view, as one step. A removed server is not shown again.
    pub(in crate::servers) fn change(&self, change: impl FnOnce(&mut ServerSnapshot)) {
        self.update(change, |server| HostEvent::Server {
            server: server.view(),
        });
    }

    /// The same for what a window shows as features.
    pub(in crate::servers) fn change_features(&self, change: impl FnOnce(&mut ServerSnapshot)) {
        self.update(change, |server| HostEvent::Offers { server: server.0.id });
    }

    /// Publishes the view because something beside the snapshot changed in it.
    pub(in crate::servers) fn publish(&self) {
        self.change(|_| {});
    }

    fn update(&self, change: impl FnOnce(&mut ServerSnapshot), event: impl FnOnce(&Self) -> HostEvent) {
        self.0.context.options.events.tell_after(|| {
            if self.0.removed.is_cancelled() {
                return None;
            }
            self.0.snapshot.send_modify(change);
            Some(event(self))
        });
    }

    pub(in crate::servers) fn emit(&self, event: impl FnOnce(ServerId) -> HostEvent) {
        self.0.context.options.events.tell(event(self.0.id));
    }

    pub(in crate::servers) fn context(&self) -> &ServersContext {
        &self.0.context
    }

    pub(in crate::servers) fn gate(&self) -> &Gate {
        &self.0.context.options.gate
    }

    pub(in crate::servers) fn secrets(&self) -> &dyn Secrets {
        &*self.0.context.options.secrets
    }

    pub(in crate::servers) fn effects(&self) -> EffectWriter {
        self.0.context.effects()
    }

    pub(in crate::servers) fn checks(&self) -> &SchemaChecks {
        &self.0.checks
    }

    pub(in crate::servers) fn traffic_log(&self) -> Arc<Traffic> {
        self.0.traffic.clone()
    }

    pub(in crate::servers) fn server_log(&self) -> MutexGuard<'_, Log> {
        lock(&self.0.log)
    }

    pub(in crate::servers) fn auth(&self) -> Option<Arc<ServerAuth>> {
        lock(&self.0.auth).clone()
    }

    pub(in crate::servers) fn set_auth(&self, auth: Option<Arc<ServerAuth>>) {
        *lock(&self.0.auth) = auth;
    }

    pub(in crate::servers) fn reviews(&self) -> MutexGuard<'_, ToolReviews> {
        lock(&self.0.reviews)
    }

    pub(in crate::servers) fn watches(&self) -> MutexGuard<'_, ResourceWatches> {
        lock(&self.0.watches)
    }

    pub(in crate::servers) fn calls(&self) -> MutexGuard<'_, InFlightCalls> {
        lock(&self.0.calls)
    }

    pub(in crate::servers) fn downgrade(&self) -> WeakServer {
        WeakServer(Arc::downgrade(&self.0))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each critical section leaves its value whole, so a panic elsewhere does not spoil it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
