//! What all servers have in common: the parts of the application they use, the guard process, and the tasks that closing
//! waits for.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vestibule_auth::CallbackPage;
use vestibule_consent::Gate;
use vestibule_egress::{Proxies, SharedClients};
use vestibule_protocol::capability::TASKS_EXTENSION;
use vestibule_store::Store;
use vestibule_transport::SpawnError;
use vestibule_transport::browser::Browser;
use vestibule_transport::guard::GuardHandle;
use vestibule_transport::path::SearchPath;
use vestibule_transport::worker::Worker;

use super::auth::Authorizers;
use super::requests::ClientRequest;
use crate::attachments::Attachments;
use crate::config::connection::host_of;
use crate::config::secrets::Secrets;
use vestibule_app_protocol::EventStream;

/// A program of ours that runs beside the application, and what it is called with.
#[derive(Clone, Debug)]
pub struct HelperProgram {
    pub program: PathBuf,
    /// What comes before its own arguments.
    pub leading_args: Vec<String>,
}

impl HelperProgram {
    /// Starts it as a worker with this role.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start_worker(&self, role: &str) -> io::Result<Worker> {
        let args: Vec<String> = self
            .leading_args
            .iter()
            .cloned()
            .chain([role.to_owned()])
            .collect();
        Worker::start(&self.program, &args)
    }
}

/// Gives what a browser shows at the end of a sign-in, in the language that the user has set at that moment.
pub type CallbackPageSource = Arc<dyn Fn() -> CallbackPage + Send + Sync>;

/// What servers are opened with.
pub struct ServersOptions {
    pub store: Store,
    pub gate: Arc<Gate>,
    pub secrets: Arc<dyn Secrets>,
    pub events: EventStream,
    /// Resources that were picked and not sent; marked when their server says that they changed.
    pub attachments: Attachments,
    /// The program that guards child processes.
    pub guard: HelperProgram,
    /// The program for work that a file or a server could make endless.
    pub worker: HelperProgram,
    pub browser: Browser,
    pub callback_page: CallbackPageSource,
    /// The proxies between this computer and remote servers.
    pub proxies: Proxies,
    /// The folder of Vestibule's own data.
    pub data_folder: PathBuf,
    /// The capabilities for requests of servers, declared to each.
    pub client_capabilities: Value,
    /// How many requests of one server are accepted at a time.
    pub max_requests: usize,
    pub call_timeout: Duration,
}

/// What all servers share.
pub(crate) struct ServersContext {
    pub(crate) options: ServersOptions,
    pub(crate) tasks: TaskTracker,
    /// Ends every server; cancelled when the application closes.
    pub(crate) closing: CancellationToken,
    pub(crate) authorizers: Authorizers,
    /// The HTTP clients of the servers that are connected.
    pub(crate) clients: SharedClients,
    /// Where the requests of all servers go.
    pub(crate) requests: mpsc::UnboundedSender<ClientRequest>,
    call_timeout: Mutex<Duration>,
    guard: tokio::sync::Mutex<Option<GuardHandle>>,
    search_path: SearchPath,
}

impl ServersContext {
    pub(crate) fn new(options: ServersOptions, requests: mpsc::UnboundedSender<ClientRequest>) -> Self {
        let closing = CancellationToken::new();
        Self {
            call_timeout: Mutex::new(options.call_timeout),
            options,
            tasks: TaskTracker::new(),
            search_path: SearchPath::new(&closing),
            closing,
            authorizers: Authorizers::default(),
            clients: SharedClients::default(),
            requests,
            guard: tokio::sync::Mutex::default(),
        }
    }

    /// The capabilities declared to servers.
    pub(crate) fn our_capabilities(&self) -> Value {
        let mut declared = self.options.client_capabilities.clone();
        declared["extensions"] = json!({ TASKS_EXTENSION: {} });
        declared
    }

    /// How long a call may go without progress, in sessions opened from now on.
    pub(crate) fn call_timeout(&self) -> Duration {
        *self.call_timeout.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_call_timeout(&self, timeout: Duration) {
        *self.call_timeout.lock().unwrap_or_else(PoisonError::into_inner) = timeout;
    }

    /// The hosts of all servers that are reached at an address. None where they cannot be read.
    pub(crate) async fn hosts(&self) -> Vec<String> {
        let servers = self.options.store.servers().await.unwrap_or_default();
        servers
            .iter()
            .filter_map(|server| host_of(&server.place))
            .collect()
    }

    /// The guard of child processes; started with the first local server, because most users open chats first.
    pub(crate) async fn guard(&self) -> Result<GuardHandle, SpawnError> {
        let mut held = self.guard.lock().await;
        if let Some(guard) = &*held {
            return Ok(guard.clone());
        }
        let HelperProgram {
            program,
            leading_args,
        } = self.options.guard.clone();
        let guard = GuardHandle::start(program, leading_args).await?;
        *held = Some(guard.clone());
        Ok(guard)
    }

    /// Ends the guard, even where a clone of the host still exists.
    pub(crate) async fn end_guard(&self) {
        self.guard.lock().await.take();
    }

    /// The folders where programs are looked for.
    pub(crate) async fn search_path(&self) -> &OsString {
        self.search_path.get().await
    }
}
