//! The place of one server in the registry: everything that is known of it while the application runs. What may
//! happen to it, and in which order, is in the other files of this folder.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use vestibule_protocol::ServerId;
use vestibule_protocol::mcp::LogLevel;
use vestibule_session::SessionHandle;
use vestibule_store::{ServerPlace, ServerRecord};

use super::Registry;
use super::offers::{Offers, Watched};
use super::pulse::Noticed;
use super::sign_in::Seal;
use crate::catalog::CatalogTool;
use crate::connection::{self, origin_of};
use crate::inbound::Occasions;
use crate::logs::Log;
use crate::schema_checks::SchemaChecks;
use crate::traffic::Traffic;
use crate::variables;
use crate::view::{HostEvent, PlaceView, ServerState, ServerView};

/// The place of one server.
pub(super) struct Seat {
    pub(super) record: ServerRecord,
    /// The proxy in between, where there is one.
    pub(super) proxy: Option<String>,
    pub(super) missing: Vec<String>,
    pub(super) state: ServerState,
    pub(super) session: Option<SessionHandle>,
    /// Is cancelled when the session that is on has ended.
    pub(super) session_over: CancellationToken,
    /// How many sessions there have been.
    pub(super) sessions: u64,
    /// What it offers besides tools.
    pub(super) offers: Arc<Offers>,
    /// What is watched for changes, and by what; watched again in the next session.
    pub(super) watched: Watched,
    /// From which level up it was asked to log.
    pub(super) log_level: Option<LogLevel>,
    pub(super) tools: Vec<CatalogTool>,
    /// Checks against the schemas of its tools.
    pub(super) checks: SchemaChecks,
    /// The tools whose change the person is looking at.
    pub(super) reviewing: BTreeSet<String>,
    /// The calls it is working on.
    pub(super) occasions: Occasions,
    pub(super) log: Log,
    pub(super) traffic: Arc<Traffic>,
    /// Ends the run that is on; `None` while nothing runs.
    pub(super) run: Option<CancellationToken>,
    /// Opens the server again without waiting any longer.
    pub(super) hurry: Arc<Notify>,
    /// Asks at once whether the server is still there.
    pub(super) doubt: Arc<Notify>,
    /// Where to tell what a call noticed about the session.
    pub(super) noticed: Option<mpsc::Sender<Noticed>>,
    /// Signing in, where the server is at an address.
    pub(super) seal: Option<Seal>,
    pub(super) call_timeout: Duration,
}

impl Registry {
    /// Takes a server in. Nothing is started.
    pub(crate) async fn seat(&self, record: ServerRecord, call_timeout: Duration) {
        let missing = variables::missing(&record, &*self.0.secrets).await;
        let id = record.id;
        let seal = self.seal(id, &record.place).await;
        let proxy = match &record.place {
            ServerPlace::Here(_) => None,
            ServerPlace::Address(endpoint) => connection::proxy(&endpoint.url, &self.0.proxies),
        };
        let seat = Seat {
            record,
            proxy,
            missing,
            state: ServerState::Stopped,
            session: None,
            session_over: CancellationToken::new(),
            sessions: 0,
            offers: Arc::default(),
            watched: Watched::default(),
            log_level: None,
            tools: vec![],
            checks: SchemaChecks::new(&self.0.guard_program),
            reviewing: BTreeSet::new(),
            occasions: Occasions::default(),
            log: Log::default(),
            traffic: Arc::default(),
            run: None,
            hurry: Arc::default(),
            doubt: Arc::default(),
            noticed: None,
            seal,
            call_timeout,
        };
        self.0.events.tell_after(|| {
            let view = seat.view();
            self.seats().insert(id, seat);
            Some(HostEvent::Server { server: view })
        });
        // In a task of its own, because a keychain may ask the person to unlock it.
        let registry = self.clone();
        self.0
            .tasks
            .spawn(async move { registry.look_for_sign_in(id).await });
    }

    /// Forgets a server, after it has stopped.
    pub(crate) fn unseat(&self, server: ServerId) {
        self.0.events.tell_after(|| {
            self.seats().remove(&server)?;
            Some(HostEvent::ServerGone { server })
        });
    }
}

impl Seat {
    /// The server as windows see it.
    pub(super) fn view(&self) -> ServerView {
        let held = self.tools.iter().filter(|tool| tool.held.is_some()).count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        ServerView {
            id: self.record.id,
            name: self.record.name.clone(),
            place: place(&self.record.place, self.proxy.clone()),
            era: self.record.era,
            missing: self.missing.clone(),
            sign_in: self.sign_in_view(),
            state: self.state.clone(),
            tool_count: count(self.tools.len() - held),
            held_count: count(held),
        }
    }

    /// Whether it was connected in this run and is to be again.
    pub(super) fn is_coming_back(&self) -> bool {
        self.session.is_none()
            && !self.tools.is_empty()
            && self.run.as_ref().is_some_and(|run| !run.is_cancelled())
    }
}

fn place(place: &ServerPlace, proxy: Option<String>) -> PlaceView {
    match place.clone() {
        ServerPlace::Here(program) => PlaceView::Here {
            command: program.command,
            args: program.args,
            variables: program.env,
            folder: program.cwd,
        },
        ServerPlace::Address(endpoint) => PlaceView::Address {
            origin: origin_of(&endpoint.url),
            url: endpoint.url,
            transport: endpoint.transport,
            headers: endpoint.headers,
            proxy,
        },
    }
}
