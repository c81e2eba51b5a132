//! The servers the user added. Each is owned by a task and reached by a handle that knows its server; only the handles can
//! reach a session, and the functions that start, connect to, call or read from a server each consume a permit. What
//! servers ask of the client leaves as one stream.

pub mod attachments;
mod auth;
mod bundle_folder;
mod call;
mod catalog;
pub mod config;
mod context;
mod doctor;
mod model_server;
mod open;
mod packages;
mod problem_from;
mod requests;
mod server;
pub mod stored_parts;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};
use vestibule_policy::Decision;
use vestibule_protocol::ServerId;
use vestibule_session::Dropped;
use vestibule_store::ServerRecord;

pub use bundle_folder::{BundleFolder, UnpackedBundle};
pub use call::context::CallContext;
pub use call::result::checked_content;
pub use call::task::{TaskEffect, TaskFollower, TaskNotFollowed};
pub use call::tool::ToolCallOutcome;
pub use catalog::features::log_level_key;
pub use catalog::last_listed::forget as forget_listed_tools;
pub use catalog::tools::{CatalogTool, HeldTool, is_nothing};
use config::connection::host_of;
use context::ServersContext;
pub use context::ServersOptions;
pub use context::{CallbackPageSource, HelperProgram};
pub use model_server::{ModelServer, ModelServerEnd, ModelServerLaunch};
pub use open::update::FoundUpdate;
pub use packages::PackageFolder;
pub use problem_from::IntoProblem;
pub use requests::{ClientRequest, ClientRequestBody, IncomingRequest, PageVisits};
pub use server::handle::ServerHandle;
use server::log::announce_growth;
use server::state::ServerSnapshot;
use server::task::{ServerCommand, ServerTask};
use vestibule_app_protocol::{HostEvent, InputProblem, LeftOutReason, Problem, ServerView, ToolLeftOut};
pub use vestibule_auth::CallbackPage;

/// All servers. Cheap to clone; all clones are the same servers.
#[derive(Clone)]
pub struct Servers(Arc<ServerMap>);

struct ServerMap {
    context: Arc<ServersContext>,
    handles: Mutex<BTreeMap<ServerId, ServerHandle>>,
    /// Cancelled once every server has ended.
    closed: CancellationToken,
}

/// A tool that may be offered to a model.
pub struct OfferedTool {
    pub server: ServerHandle,
    pub tool: CatalogTool,
}

impl Servers {
    /// No servers yet, and the stream of what they will ask for.
    pub fn new(options: ServersOptions) -> (Self, mpsc::UnboundedReceiver<ClientRequest>) {
        // Not bounded: each session already limits how many requests it hands on that are not answered.
        let (requests, stream) = mpsc::unbounded_channel();
        let servers = Self(Arc::new(ServerMap {
            context: Arc::new(ServersContext::new(options, requests)),
            handles: Mutex::default(),
            closed: CancellationToken::new(),
        }));
        (servers, stream)
    }

    /// Adds a server. Nothing is started.
    pub async fn add(&self, record: ServerRecord) {
        let context = &self.0.context;
        let (server, commands) = ServerHandle::new(context.clone(), record).await;
        auth::set_up(&server).await;
        server.look_for_package();
        let id = server.id();
        context.options.events.tell_after(|| {
            self.handles().insert(id, server.clone());
            Some(HostEvent::Server {
                server: server.view(),
            })
        });
        let span = info_span!("server", server = %id);
        // In a task of its own, because a keychain may ask the user to unlock it.
        context
            .tasks
            .spawn(auth::load(server.clone()).instrument(span.clone()));
        context
            .tasks
            .spawn(announce_growth(server.clone()).instrument(span.clone()));
        let task = ServerTask::new(server, commands);
        context.tasks.spawn(task.run().instrument(span));
    }

    /// Removes a server that has stopped.
    pub fn remove(&self, server: &ServerHandle) {
        let context = &self.0.context;
        context.authorizers.set(server.id(), None);
        context.options.events.tell_after(|| {
            self.handles().remove(&server.id())?;
            server.removed().cancel();
            Some(HostEvent::ServerGone { server: server.id() })
        });
        server.command(ServerCommand::Remove);
    }

    /// A server by its id.
    ///
    /// # Errors
    /// [`Problem::Input(InputProblem::Gone)`] where the user has no such server.
    pub fn get(&self, id: ServerId) -> Result<ServerHandle, Problem> {
        self.handles().get(&id).cloned().ok_or_else(gone)
    }

    /// All servers, in the order they were added.
    pub fn all(&self) -> Vec<ServerHandle> {
        self.handles().values().cloned().collect()
    }

    /// All servers as windows see them.
    pub fn views(&self) -> Vec<ServerView> {
        self.all().iter().map(ServerHandle::view).collect()
    }

    /// The tools a model may use now: of servers that are connected or reconnecting, accepted, not refused by a rule.
    pub fn offered(&self) -> Vec<OfferedTool> {
        let offered = |server: ServerHandle| self.offered_by(&server);
        self.all().into_iter().flat_map(offered).collect()
    }

    fn offered_by(&self, server: &ServerHandle) -> Vec<OfferedTool> {
        let rules = self.0.context.options.gate.rules();
        let tools: Vec<CatalogTool> = server.read(|snapshot| {
            let is_offered = snapshot.state.active().is_some() || snapshot.is_reconnecting();
            let accepted = snapshot.accepted_tools().filter(|_| is_offered);
            accepted.cloned().collect()
        });
        let is_allowed = |tool: &CatalogTool| {
            rules.tool_decision(server.id(), &tool.tool.name, tool.digest) != Decision::Deny
        };
        let tools = tools.into_iter().filter(is_allowed);
        tools
            .map(|tool| OfferedTool {
                server: server.clone(),
                tool,
            })
            .collect()
    }

    /// The hosts of all servers that are reached at an address.
    pub fn hosts(&self) -> Vec<String> {
        let all = self.all().into_iter();
        all.filter_map(|server| host_of(&server.record().place)).collect()
    }

    /// The tools of connected servers whose definitions could not be read.
    pub fn tools_not_read(&self) -> Vec<ToolLeftOut> {
        let of_server = |server: ServerHandle| {
            let dropped = server.read(|snapshot| snapshot.dropped_tools.clone());
            let left_out = |dropped: Dropped| ToolLeftOut {
                server: server.id(),
                server_name: server.name(),
                tool: dropped.name,
                reason: LeftOutReason::NotRead {
                    detail: dropped.reason,
                },
            };
            dropped.into_iter().map(left_out).collect::<Vec<_>>()
        };
        self.all().into_iter().flat_map(of_server).collect()
    }

    /// What connected servers say about themselves to models, as far as the user accepted it, by the user's names for them.
    pub fn instructions(&self, is_on: impl Fn(ServerId) -> bool) -> Vec<(String, String)> {
        let of_server = |server: &ServerHandle| {
            server.active()?;
            let accepted = |snapshot: &ServerSnapshot| snapshot.instructions.accepted().map(str::to_owned);
            Some((server.name(), server.read(accepted)?))
        };
        let servers = self.all();
        let servers = servers.iter().filter(|server| is_on(server.id()));
        servers.filter_map(of_server).collect()
    }

    /// How long a call may go without progress, from the next start of each server on.
    pub fn set_call_timeout(&self, timeout: Duration) {
        self.0.context.set_call_timeout(timeout);
    }

    /// Cancelled when the application closes.
    pub fn closing(&self) -> CancellationToken {
        self.0.context.closing.clone()
    }

    /// Cancelled once every server has ended: nothing more comes from the stream of requests.
    pub fn closed(&self) -> CancellationToken {
        self.0.closed.clone()
    }

    /// Stops all servers and waits until they have stopped.
    pub async fn close(&self) {
        let context = &self.0.context;
        context.closing.cancel();
        context.tasks.close();
        context.tasks.wait().await;
        for server in self.all() {
            server.checks().end().await;
        }
        context.end_guard().await;
        self.0.closed.cancel();
    }

    fn handles(&self) -> MutexGuard<'_, BTreeMap<ServerId, ServerHandle>> {
        // Each change is one insert or remove.
        self.0.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The user has no such server.
pub fn gone() -> Problem {
    Problem::Input(InputProblem::Gone)
}
