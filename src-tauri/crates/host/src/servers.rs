//! The servers the user added. Each is owned by a task and reached by a handle that knows its server; only the handles can
//! reach a session, and the functions that start, connect to, call or read from a server each consume a permit. What
//! servers ask of the client leaves as one stream.

mod auth;
mod call;
mod catalog;
mod context;
mod effect;
mod open;
mod requests;
mod server;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};
use vestibule_policy::Decision;
use vestibule_protocol::ServerId;
use vestibule_store::ServerRecord;

use crate::view::{HostEvent, InputProblem, Problem, ServerView};
pub(crate) use call::context::CallContext;
pub(crate) use call::task::{TaskEffect, TaskFollower, TaskNotFollowed};
pub(crate) use call::tool::ToolCallOutcome;
pub(crate) use catalog::features::log_level_key;
pub(crate) use catalog::tools::CatalogTool;
pub use context::GuardProgram;
use context::ServersContext;
pub(crate) use context::ServersOptions;
pub(crate) use effect::EffectWriter;
pub(crate) use requests::{ClientRequest, ClientRequestBody, IncomingRequest, PageVisits};
pub(crate) use server::handle::ServerHandle;
use server::task::{ServerCommand, ServerTask};

/// All servers. Cheap to clone; all clones are the same servers.
#[derive(Clone)]
pub(crate) struct Servers(Arc<ServerMap>);

struct ServerMap {
    context: Arc<ServersContext>,
    handles: Mutex<BTreeMap<ServerId, ServerHandle>>,
    /// Cancelled once every server has ended.
    closed: CancellationToken,
}

/// A tool that may be offered to a model.
pub(crate) struct OfferedTool {
    pub(crate) server: ServerHandle,
    pub(crate) tool: CatalogTool,
}

impl Servers {
    /// No servers yet, and the stream of what they will ask for.
    pub(crate) fn new(options: ServersOptions) -> (Self, mpsc::UnboundedReceiver<ClientRequest>) {
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
    pub(crate) async fn add(&self, record: ServerRecord) {
        let context = &self.0.context;
        let (server, commands) = ServerHandle::new(context.clone(), record).await;
        auth::set_up(&server).await;
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
        let task = ServerTask::new(server, commands);
        context.tasks.spawn(task.run().instrument(span));
    }

    /// Removes a server that has stopped.
    pub(crate) fn remove(&self, server: &ServerHandle) {
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
    pub(crate) fn get(&self, id: ServerId) -> Result<ServerHandle, Problem> {
        self.handles().get(&id).cloned().ok_or_else(gone)
    }

    /// All servers, in the order they were added.
    pub(crate) fn all(&self) -> Vec<ServerHandle> {
        self.handles().values().cloned().collect()
    }

    /// All servers as windows see them.
    pub(crate) fn views(&self) -> Vec<ServerView> {
        self.all().iter().map(ServerHandle::view).collect()
    }

    /// Whether there is a server of this name.
    pub(crate) fn is_known_name(&self, name: &str) -> bool {
        self.all().iter().any(|server| server.name() == name)
    }

    /// The tools a model may use now: of servers that are connected or reconnecting, accepted, not refused by a rule.
    pub(crate) fn offered(&self) -> Vec<OfferedTool> {
        let gate = &self.0.context.options.gate;
        let of_server = |server: ServerHandle| {
            let tools: Vec<CatalogTool> = server.read(|snapshot| {
                let is_offered = snapshot.state.active().is_some() || snapshot.is_reconnecting();
                let accepted = snapshot.accepted_tools().filter(|_| is_offered);
                accepted.cloned().collect()
            });
            let is_allowed = |tool: &CatalogTool| {
                gate.tool_decision(server.id(), &tool.tool.name, tool.digest) != Decision::Deny
            };
            let tools = tools.into_iter().filter(is_allowed);
            tools
                .map(|tool| OfferedTool {
                    server: server.clone(),
                    tool,
                })
                .collect::<Vec<_>>()
        };
        self.all().into_iter().flat_map(of_server).collect()
    }

    /// What connected servers say about themselves to models, by the user's names for them.
    pub(crate) fn instructions(&self) -> Vec<(String, String)> {
        let of_server = |server: &ServerHandle| {
            let instructions = server.active()?.ready.instructions?;
            Some((server.name(), instructions))
        };
        self.all().iter().filter_map(of_server).collect()
    }

    /// How long a call may go without progress, from the next start of each server on.
    pub(crate) fn set_call_timeout(&self, timeout: Duration) {
        self.0.context.set_call_timeout(timeout);
    }

    /// Writes the ends of effects to the ledger.
    pub(crate) fn effects(&self) -> EffectWriter {
        self.0.context.effects()
    }

    /// Cancelled when the application closes.
    pub(crate) fn closing(&self) -> CancellationToken {
        self.0.context.closing.clone()
    }

    /// Cancelled once every server has ended: nothing more comes from the stream of requests.
    pub(crate) fn closed(&self) -> CancellationToken {
        self.0.closed.clone()
    }

    /// Stops all servers and waits until they have stopped.
    pub(crate) async fn close(&self) {
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
pub(crate) fn gone() -> Problem {
    Problem::Input(InputProblem::Gone)
}
