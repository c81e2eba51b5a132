//! The way to reach one server. A handle is cheap to clone and knows its server; what changes the state of the server is a
//! command to its task, and everything else is read from the snapshot that the task publishes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use vestibule_consent::Gate;
use vestibule_protocol::ServerId;
use vestibule_session::{Challenge, Origin};
use vestibule_store::{ServerPlace, ServerRecord};

use super::log::Log;
use super::state::{ActiveSession, ServerSnapshot};
use super::task::ServerCommand;
use super::traffic::Traffic;
use crate::auth::ServerAuth;
use crate::call::context::{CallContext, InFlightCalls};
use crate::call::read::FilledIn;
use crate::catalog::reviews::Reviews;
use crate::catalog::schema_checks::SchemaChecks;
use crate::catalog::tools::CatalogTool;
use crate::catalog::watches::ResourceWatches;
use crate::config::connection;
use crate::config::secrets::Secrets;
use crate::config::variables;
use crate::context::ServersContext;
use crate::requests::{ClientRequest, ClientRequestBody};
use vestibule_app_protocol::{HostEvent, LogSource};

/// One server. All clones are the same one.
#[derive(Clone)]
pub struct ServerHandle(Arc<ServerShared>);

/// The same without keeping the server.
#[derive(Clone)]
pub(crate) struct WeakServer(Weak<ServerShared>);

struct ServerShared {
    id: ServerId,
    context: Arc<ServersContext>,
    commands: mpsc::UnboundedSender<ServerCommand>,
    snapshot: watch::Sender<ServerSnapshot>,
    /// Cancelled when the user has removed the server.
    removed: CancellationToken,
    /// Held while its record is changed on disk and here, so that no change undoes another.
    changing: tokio::sync::Mutex<()>,
    /// Checks against the schemas of its tools.
    checks: SchemaChecks,
    auth: Mutex<Option<Arc<ServerAuth>>>,
    reviews: Mutex<Reviews>,
    watches: Mutex<ResourceWatches>,
    filled_in: Mutex<FilledIn>,
    calls: Mutex<InFlightCalls>,
    /// Stops what is done about another version of its package.
    update: Mutex<CancellationToken>,
    /// Held while that is done.
    updating: tokio::sync::Mutex<()>,
    log: Mutex<Log>,
    log_grew: Notify,
    traffic: Arc<Traffic>,
}

impl WeakServer {
    pub(crate) fn upgrade(&self) -> Option<ServerHandle> {
        self.0.upgrade().map(ServerHandle)
    }
}

impl ServerHandle {
    /// A server that is stopped, and the commands that its task will take.
    pub(crate) async fn new(
        context: Arc<ServersContext>,
        record: ServerRecord,
    ) -> (Self, mpsc::UnboundedReceiver<ServerCommand>) {
        let missing = variables::missing(&record, &*context.options.secrets).await;
        let (commands, taken) = mpsc::unbounded_channel();
        let handle = Self(Arc::new(ServerShared {
            id: record.id,
            commands,
            changing: tokio::sync::Mutex::default(),
            checks: SchemaChecks::new(context.options.worker.clone()),
            context,
            snapshot: watch::Sender::new(ServerSnapshot::new(record, missing)),
            removed: CancellationToken::new(),
            auth: Mutex::default(),
            reviews: Mutex::default(),
            watches: Mutex::default(),
            filled_in: Mutex::default(),
            calls: Mutex::default(),
            update: Mutex::default(),
            updating: tokio::sync::Mutex::default(),
            log: Mutex::default(),
            log_grew: Notify::new(),
            traffic: Arc::default(),
        }));
        (handle, taken)
    }

    pub fn id(&self) -> ServerId {
        self.0.id
    }

    pub fn record(&self) -> ServerRecord {
        self.read(|snapshot| snapshot.record.clone())
    }

    /// The user's name for the server.
    pub fn name(&self) -> String {
        self.read(|snapshot| snapshot.record.name.clone())
    }

    /// The proxy between this computer and a place, where there is one.
    pub(super) fn proxy(&self, place: &ServerPlace) -> Option<String> {
        match place {
            ServerPlace::Here(_) => None,
            ServerPlace::Address(endpoint) => {
                connection::proxy(&endpoint.url, &self.0.context.options.proxies)
            }
        }
    }

    /// Waits until no other change of its record is under way, and keeps others waiting until the guard is dropped.
    pub async fn begin_change(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.changing.lock().await
    }

    /// Begins to look for another version of its package, and stops an earlier look or download. Gives back what stops it.
    pub(crate) fn begin_update(&self) -> CancellationToken {
        let token = CancellationToken::new();
        let mut update = self.0.update.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *update, token.clone()).cancel();
        token
    }

    /// Stops looking for another version of its package, or downloading it.
    pub fn stop_update(&self) {
        self.0
            .update
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .cancel();
    }

    /// Waits until nothing is done about another version of its package, and keeps others waiting until the guard is dropped.
    pub(crate) async fn hold_updates(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.updating.lock().await
    }

    /// Stops looking for another version of its package, or downloading it, and waits until npm or uv has ended. Neither
    /// begins again until the guard is dropped.
    pub async fn end_updates(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.stop_update();
        self.hold_updates().await
    }

    /// One of its tools.
    pub fn tool(&self, name: &str) -> Option<CatalogTool> {
        self.read(|snapshot| {
            let mut tools = snapshot.tools.iter();
            tools.find(|listed| listed.tool.name == name).cloned()
        })
    }

    /// Starts or connects the server once that is approved. One that waits to reconnect does so at once, and one that
    /// waits for a sign-in begins it; otherwise a running server goes on. `patient` retries from the first attempt on.
    pub fn start(&self, patient: bool) {
        self.command(ServerCommand::Start { patient });
    }

    /// Stops the server, or withdraws the question whether it may start.
    pub fn stop(&self) {
        self.command(ServerCommand::Stop { stopped: None });
    }

    /// Stops the server and waits until it has stopped.
    pub async fn stop_and_wait(&self) {
        let (stopped, is_stopped) = oneshot::channel();
        self.command(ServerCommand::Stop {
            stopped: Some(stopped),
        });
        // The task drops the sender where it has ended.
        let _ = is_stopped.await;
    }

    /// Signs in as soon as the server requires it, and starts the server where it is stopped.
    pub fn sign_in(&self) {
        if let Some(auth) = self.auth() {
            auth.authorizer.forget_refusals();
        }
        self.command(ServerCommand::SignIn);
    }

    /// A call showed that something is wrong: probes at once whether the server is still there and knows the session.
    pub(crate) fn probe_now(&self) {
        self.command(ServerCommand::ProbeNow);
    }

    /// A call was refused because the server requires a sign-in.
    pub(crate) fn challenged(&self, challenge: Challenge) {
        self.command(ServerCommand::Challenged(challenge));
    }

    /// Replaces the record of the server, which is on disk already; the next start or connection uses it.
    pub fn set_record(&self, record: ServerRecord) {
        self.change(|snapshot| {
            snapshot.is_own_program &= snapshot.record.place == record.place;
            snapshot.record = record;
        });
        self.look_for_package();
    }

    /// The server is this very program, as it is now.
    pub fn set_own_program(&self) {
        self.change(|snapshot| snapshot.is_own_program = true);
    }

    /// Looks again which variables have no value.
    pub async fn look_for_variables(&self) {
        let missing = variables::missing(&self.record(), self.secrets()).await;
        self.change(|snapshot| snapshot.missing = missing);
    }

    /// Adds a line to the server's log, of which windows are notified.
    pub(crate) fn note(&self, source: LogSource, level: Option<String>, text: &str) {
        lock(&self.0.log).add(source, level, text);
        self.0.log_grew.notify_one();
    }

    /// Waits until the log has more lines than when this last returned.
    pub(super) async fn log_growth(&self) {
        self.0.log_grew.notified().await;
    }

    /// Writes to the server's log why it was refused something.
    pub fn note_refusal(&self, text: &str) {
        self.note(LogSource::Host, Some("warning".into()), text);
    }

    /// The rules for its tools, or the tools, changed.
    pub fn tools_changed(&self) {
        self.emit(|server| HostEvent::Tools { server });
    }

    /// Tells a connected server that the roots changed.
    pub async fn roots_changed(&self) {
        if let Some(active) = self.active()
            && let Err(error) = active.session.notify_roots_changed().await
        {
            let server = self.0.id;
            tracing::debug!(%server, %error, "failed to notify a server about changed roots; it has ended");
        }
    }

    /// The session, while the server is connected.
    pub(crate) fn active(&self) -> Option<ActiveSession> {
        self.read(|snapshot| snapshot.state.active().cloned())
    }

    /// The call that a request of this origin belongs to.
    pub(crate) fn call_context(&self, origin: &Origin) -> Option<CallContext> {
        self.calls().context_of(origin)
    }

    /// Puts something into the stream of what servers ask for.
    pub(crate) fn request(&self, body: ClientRequestBody) {
        let request = ClientRequest {
            server: self.clone(),
            span: tracing::Span::current(),
            body,
        };
        // The stream has no reader once the application has closed; dropping a request answers it.
        let _ = self.0.context.requests.send(request);
    }

    /// Follows the snapshots from now on.
    pub(crate) fn follow(&self) -> watch::Receiver<ServerSnapshot> {
        self.0.snapshot.subscribe()
    }

    /// Scheme, host and port of a remote server; empty for a local one.
    pub(crate) fn origin(&self) -> String {
        self.read(ServerSnapshot::origin)
    }

    /// Cancelled when the user has removed the server.
    pub(crate) fn removed(&self) -> &CancellationToken {
        &self.0.removed
    }

    pub(crate) fn command(&self, command: ServerCommand) {
        // The task has ended where the server was removed or the application closes.
        let _ = self.0.commands.send(command);
    }

    /// Reads the snapshot. `read` must not change it.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&ServerSnapshot) -> T) -> T {
        read(&self.0.snapshot.borrow())
    }

    /// Changes the snapshot and publishes the view, as one step. A removed server is not shown again.
    pub(crate) fn change(&self, change: impl FnOnce(&mut ServerSnapshot)) {
        self.update(change, |server| HostEvent::Server {
            server: server.view(),
        });
    }

    /// The same for what a window shows as features.
    pub(crate) fn change_features(&self, change: impl FnOnce(&mut ServerSnapshot)) {
        self.update(change, |server| HostEvent::Offers { server: server.0.id });
    }

    /// Publishes the view because something beside the snapshot changed in it.
    pub(crate) fn publish(&self) {
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

    pub(crate) fn emit(&self, event: impl FnOnce(ServerId) -> HostEvent) {
        self.0.context.options.events.tell(event(self.0.id));
    }

    pub(crate) fn context(&self) -> &ServersContext {
        &self.0.context
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.0.context.options.gate
    }

    pub(crate) fn secrets(&self) -> &dyn Secrets {
        &*self.0.context.options.secrets
    }

    pub(crate) fn checks(&self) -> &SchemaChecks {
        &self.0.checks
    }

    pub(crate) fn traffic_log(&self) -> Arc<Traffic> {
        self.0.traffic.clone()
    }

    pub(crate) fn server_log(&self) -> MutexGuard<'_, Log> {
        lock(&self.0.log)
    }

    pub(crate) fn auth(&self) -> Option<Arc<ServerAuth>> {
        lock(&self.0.auth).clone()
    }

    pub(crate) fn set_auth(&self, auth: Option<Arc<ServerAuth>>) {
        *lock(&self.0.auth) = auth;
    }

    pub(crate) fn reviews(&self) -> MutexGuard<'_, Reviews> {
        lock(&self.0.reviews)
    }

    pub(crate) fn watches(&self) -> MutexGuard<'_, ResourceWatches> {
        lock(&self.0.watches)
    }

    pub(crate) fn filled_in(&self) -> MutexGuard<'_, FilledIn> {
        lock(&self.0.filled_in)
    }

    pub(crate) fn calls(&self) -> MutexGuard<'_, InFlightCalls> {
        lock(&self.0.calls)
    }

    pub(crate) fn downgrade(&self) -> WeakServer {
        WeakServer(Arc::downgrade(&self.0))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each critical section leaves its value whole, so a panic elsewhere does not spoil it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
