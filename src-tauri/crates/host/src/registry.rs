//! The servers the person added: what each is, whether it runs, what it offers, what it logged. The registry is
//! the only part of Vestibule that holds sessions, and the ways through it to a server, starting one, connecting to
//! one and calling a tool, each take a permit.

mod backoff;
mod call;
mod connect;
mod ears;
mod listing;
mod offers;
mod open;
mod person;
mod pulse;
mod read;
mod run;
mod seat;
mod serve;
mod sign_in;
mod sign_in_facts;
mod sign_in_settings;
mod sign_out;
mod start;
mod task;
mod token_file;
mod under_way;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vestibule_consent::{Gate, ServerFace};
use vestibule_policy::Decision;
use vestibule_protocol::ServerId;
use vestibule_store::{ServerPlace, ServerRecord, Store};
use vestibule_transport::SpawnError;
use vestibule_transport::browser::Browser;
use vestibule_transport::egress::Proxies;
use vestibule_transport::guard::GuardHandle;
use vestibule_transport::path::login_shell_path;

use crate::attachments::Attachments;
use crate::catalog::CatalogTool;
use crate::connection::origin_of;
use crate::events::EventStream;
use crate::folders::Folders;
use crate::inbound::Inbound;
use crate::launch::{command_line, working_folder};
use crate::model_setup::Models;
use crate::sampling;
use crate::secrets::Secrets;
use crate::variables;
use crate::view::{
    HostEvent, InputProblem, LogPage, LogSource, Problem, ServerProblem, ServerView, ToolRule, ToolView,
    TrafficPage,
};
pub(crate) use call::Reached;
pub(crate) use offers::log_level_key;
use seat::Seat;
pub(crate) use task::{FollowedOnPaper, Following, Unfollowed};

pub(crate) use under_way::UnderWay;

/// The program that guards child processes, and what it is called with.
#[derive(Clone, Debug)]
pub struct GuardProgram {
    pub program: PathBuf,
    /// What comes before its own arguments.
    pub leading_args: Vec<String>,
}

/// All servers. Cheap to clone; all clones are one registry.
#[derive(Clone)]
pub(crate) struct Registry(Arc<Shared>);

struct Shared {
    store: Store,
    gate: Arc<Gate>,
    secrets: Arc<dyn Secrets>,
    events: EventStream,
    /// What is picked and not sent, to mark what changed.
    attachments: Attachments,
    guard_program: GuardProgram,
    browser: Browser,
    /// What stands between this computer and servers at an address.
    proxies: Proxies,
    /// The folder of Vestibule's own data.
    data_folder: PathBuf,
    guard: tokio::sync::Mutex<Option<GuardHandle>>,
    search_path: OnceCell<OsString>,
    seats: Mutex<BTreeMap<ServerId, Seat>>,
    tasks: TaskTracker,
    inbound: Inbound,
    folders: Folders,
    /// Ends every run; set when the application closes.
    closing: CancellationToken,
}

/// A tool that may be offered to a model.
pub(crate) struct Offered {
    pub(crate) server: ServerId,
    pub(crate) server_name: String,
    pub(crate) tool: CatalogTool,
}

impl Registry {
    pub(crate) fn new(
        store: Store,
        gate: Arc<Gate>,
        secrets: Arc<dyn Secrets>,
        events: EventStream,
        attachments: Attachments,
        guard_program: GuardProgram,
        browser: Browser,
        proxies: Proxies,
        data_folder: PathBuf,
    ) -> Self {
        let inbound = Inbound::new(gate.clone(), browser.clone());
        let folders = Folders::new(store.clone(), events.clone());
        Self(Arc::new(Shared {
            store,
            gate,
            inbound,
            folders,
            secrets,
            events,
            attachments,
            guard_program,
            browser,
            proxies,
            data_folder,
            guard: tokio::sync::Mutex::default(),
            search_path: OnceCell::new(),
            seats: Mutex::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        }))
    }

    /// All servers, in the order they were added.
    pub(crate) fn views(&self) -> Vec<ServerView> {
        self.seats().values().map(Seat::view).collect()
    }

    /// Whether there is a server of this name.
    pub(crate) fn knows_name(&self, name: &str) -> bool {
        self.seats().values().any(|seat| seat.record.name == name)
    }

    /// The record of a server.
    pub(crate) fn record(&self, server: ServerId) -> Option<ServerRecord> {
        self.seats().get(&server).map(|seat| seat.record.clone())
    }

    /// Replaces where a server is; the next start or connection uses it.
    pub(crate) fn set_place(&self, server: ServerId, place: ServerPlace) {
        self.change(server, |seat| seat.record.place = place);
    }

    /// How long a call may go without a sign of life, from the next start of each server on.
    pub(crate) fn set_call_timeout(&self, timeout: Duration) {
        self.seats()
            .values_mut()
            .for_each(|seat| seat.call_timeout = timeout);
    }

    /// Looks again which variables have no value.
    pub(crate) async fn look_for_variables(&self, server: ServerId) {
        let Some(record) = self.record(server) else { return };
        let missing = variables::missing(&record, &*self.0.secrets).await;
        self.change(server, |seat| seat.missing = missing);
    }

    /// The tools of a server, with what the person decided for each.
    pub(crate) fn tools(&self, server: ServerId) -> Vec<ToolView> {
        let tools = self
            .seats()
            .get(&server)
            .map(|seat| seat.tools.clone())
            .unwrap_or_default();
        tools.iter().map(|tool| self.tool_view(server, tool)).collect()
    }

    fn tool_view(&self, server: ServerId, listed: &CatalogTool) -> ToolView {
        let face = listed.face();
        let rule = match self.0.gate.tool_decision(server, &face.name, listed.digest) {
            Decision::Allow => ToolRule::Allow,
            Decision::Ask => ToolRule::Ask,
            Decision::Deny => ToolRule::Never,
        };
        ToolView {
            name: face.name,
            title: face.title,
            description: face.description,
            claims: face.claims,
            input_schema: listed.tool.input_schema().clone(),
            rule,
            held: listed.held.is_some(),
            tokens: listed.tokens(),
            unchecked_arguments: listed.schemas.input.as_ref().err().cloned(),
            unchecked_results: listed
                .schemas
                .output
                .as_ref()
                .and_then(|output| output.as_ref().err().cloned()),
        }
    }

    /// One tool of a server that is connected.
    pub(crate) fn tool(&self, server: ServerId, name: &str) -> Option<CatalogTool> {
        let seats = self.seats();
        seats
            .get(&server)?
            .tools
            .iter()
            .find(|listed| listed.tool.name == name)
            .cloned()
    }

    /// The tools a model may hear of now: of servers that are connected or will be again in a moment, accepted, not
    /// refused by a rule.
    pub(crate) fn offered(&self) -> Vec<Offered> {
        let all: Vec<Offered> = self
            .seats()
            .values()
            .filter(|seat| seat.session.is_some() || seat.is_coming_back())
            .flat_map(|seat| {
                seat.tools.iter().map(|tool| Offered {
                    server: seat.record.id,
                    server_name: seat.record.name.clone(),
                    tool: tool.clone(),
                })
            })
            .collect();
        let heard = |Offered { server, tool, .. }: &Offered| {
            tool.held.is_none()
                && self.0.gate.tool_decision(*server, &tool.tool.name, tool.digest) != Decision::Deny
        };
        all.into_iter().filter(heard).collect()
    }

    /// What connected servers say about themselves to models, by the person's names for them.
    pub(crate) fn instructions(&self) -> Vec<(String, String)> {
        let said = |seat: &Seat| {
            let words = seat.session.as_ref()?.info().instructions.clone()?;
            Some((seat.record.name.clone(), words))
        };
        self.seats().values().filter_map(said).collect()
    }

    /// A server as cards show it.
    pub(crate) fn face(&self, server: ServerId) -> Option<ServerFace> {
        let seats = self.seats();
        let record = &seats.get(&server)?.record;
        let provenance = match &record.place {
            ServerPlace::Here(program) => command_line(&program.command, &program.args),
            ServerPlace::Address(endpoint) => origin_of(&endpoint.url),
        };
        Some(ServerFace {
            id: server,
            name: record.name.clone(),
            provenance,
        })
    }

    /// The log from a line on.
    pub(crate) fn log(&self, server: ServerId, after: u64) -> Option<LogPage> {
        self.seats().get(&server).map(|seat| seat.log.after(after))
    }

    /// The traffic that is new since a change.
    pub(crate) fn traffic(&self, server: ServerId, after: u64) -> Option<TrafficPage> {
        let traffic = self.seats().get(&server)?.traffic.clone();
        Some(traffic.after(after))
    }

    /// Why nothing can be sent to a server whose tools are still on offer, because it is being opened again.
    pub(crate) fn is_away(&self, server: ServerId) -> Option<Problem> {
        let seats = self.seats();
        let seat = seats.get(&server).filter(|seat| seat.is_coming_back())?;
        Some(Problem::Server(ServerProblem::ServerReopening {
            server: seat.record.name.clone(),
        }))
    }

    /// The rules for a server's tools changed.
    pub(crate) fn rules_changed(&self, server: ServerId) {
        self.0.events.tell(HostEvent::Tools { server });
    }

    /// Is cancelled when everything ends.
    pub(crate) fn closing(&self) -> CancellationToken {
        self.0.closing.clone()
    }

    /// What sampling is done with.
    pub(crate) fn sampling(&self) -> sampling::SamplingContext {
        sampling::SamplingContext {
            store: self.0.store.clone(),
            models: Models {
                store: self.0.store.clone(),
                secrets: self.0.secrets.clone(),
                proxies: self.0.proxies.clone(),
            },
        }
    }

    /// The folder a server on this computer runs in.
    pub(crate) fn working_folder(&self, server: ServerId) -> Option<PathBuf> {
        match self.record(server)?.place {
            ServerPlace::Here(program) => Some(working_folder(&program)),
            ServerPlace::Address(_) => None,
        }
    }

    /// The folders of the person.
    pub(crate) fn folders(&self) -> &Folders {
        &self.0.folders
    }

    /// Says in a server's log why it was refused something.
    pub(crate) fn note_refusal(&self, server: ServerId, text: &str) {
        self.note(server, LogSource::Host, Some("warning".into()), text);
        self.0.events.tell(HostEvent::Log { server });
    }

    /// Tells a server that knows of folders that they are others now.
    pub(crate) async fn roots_changed(&self, server: ServerId) {
        let session = self.seats().get(&server).and_then(|seat| seat.session.clone());
        if let Some(session) = session
            && let Err(error) = session.notify_roots_changed().await
        {
            tracing::debug!(%server, %error, "failed to notify a server about changed roots; it has ended");
        }
    }

    /// Stops everything and waits until it has stopped. What servers still wait for is answered before that.
    pub(crate) async fn close(&self) {
        self.0.inbound.close().await;
        self.0.closing.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
        let checks: Vec<_> = self.seats().values().map(|seat| seat.checks.clone()).collect();
        for checks in checks {
            checks.end().await;
        }
        // It ends with its last handle, whoever still holds a clone of the host.
        self.0.guard.lock().await.take();
    }

    /// Changes a seat and tells of it as one step. Nothing happens where the server is gone.
    fn change(&self, server: ServerId, change: impl FnOnce(&mut Seat)) {
        self.0.events.tell_after(|| {
            let mut seats = self.seats();
            let seat = seats.get_mut(&server)?;
            change(seat);
            Some(HostEvent::Server { server: seat.view() })
        });
    }

    /// Adds a line to a server's log, without telling: the run tells a few times a second.
    fn note(&self, server: ServerId, source: LogSource, level: Option<String>, text: &str) {
        if let Some(seat) = self.seats().get_mut(&server) {
            seat.log.add(source, level, text);
        }
    }

    /// The guard of child processes; started with the first server, since most people open chats first.
    async fn guard(&self) -> Result<GuardHandle, SpawnError> {
        let mut held = self.0.guard.lock().await;
        if let Some(guard) = &*held {
            return Ok(guard.clone());
        }
        let GuardProgram {
            program,
            leading_args,
        } = self.0.guard_program.clone();
        let guard = GuardHandle::start(program, leading_args).await?;
        *held = Some(guard.clone());
        Ok(guard)
    }

    /// Where programs are looked for.
    async fn search_path(&self) -> &OsString {
        self.0.search_path.get_or_init(login_shell_path).await
    }

    fn seats(&self) -> MutexGuard<'_, BTreeMap<ServerId, Seat>> {
        // No code inside a critical section can leave a seat half changed, so a panic elsewhere is no reason to
        // lose all servers.
        self.0.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The person has no such server.
pub(crate) fn gone() -> Problem {
    Problem::Input(InputProblem::Gone)
}
