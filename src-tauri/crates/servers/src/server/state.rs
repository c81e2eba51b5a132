//! The state of one server, and the snapshot of it that everybody may read. Only the server's task moves it from one
//! state to the next; what exists in one state alone is in the variant of that state.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use vestibule_protocol::QuestionId;
use vestibule_protocol::mcp::LogLevel;
use vestibule_session::{Dropped, SessionHandle};
use vestibule_store::{ServerPlace, ServerRecord};

use crate::catalog::features::ServerFeatures;
use crate::catalog::instructions::Instructions;
use crate::catalog::refresh::RefreshRequests;
use crate::catalog::tools::CatalogTool;
use crate::config::connection::origin_of;
use crate::packages::DownloadProgress;
use vestibule_app_protocol::{PackageView, PlaceView, Problem, ReadyView, ServerState, StartRefusal};

/// What a server is doing. The view that crosses to the windows is [`ServerState`].
#[derive(Clone)]
pub(crate) enum Lifecycle {
    Stopped,
    /// A start was refused without a question.
    NotStarted(StartRefusal),
    /// Waits for an approval to start or connect.
    AwaitingApproval {
        question: Option<QuestionId>,
    },
    /// The package that it starts from is downloaded.
    Downloading(DownloadProgress),
    Starting {
        /// Whether its program may first download what it runs.
        may_download: bool,
    },
    Connected(Box<ActiveSession>),
    /// The session ended by itself, and what is left of it is being closed.
    Lost(Box<ReadyView>),
    /// Waits for the next attempt to open a session.
    Reconnecting {
        /// 1-based number of the next attempt.
        attempt: u32,
        /// When it comes, in milliseconds since 1970.
        at_ms: i64,
        problem: Problem,
    },
    SignInRequired {
        problem: Problem,
    },
    SigningIn,
    Stopping,
    Failed {
        problem: Problem,
    },
}

/// The session of a connected server.
#[derive(Clone)]
pub(crate) struct ActiveSession {
    pub(crate) session: SessionHandle,
    /// Cancelled when the session has ended.
    pub(crate) over: CancellationToken,
    /// Counts the sessions of this server up by one.
    pub(crate) number: u64,
    pub(crate) ready: ReadyView,
    /// Has its tools and features listed again.
    pub(crate) refresh: RefreshRequests,
}

impl ActiveSession {
    pub(crate) fn new(
        session: SessionHandle,
        over: CancellationToken,
        number: u64,
        our_capabilities: &Value,
        refresh: RefreshRequests,
    ) -> Self {
        let ready = ready(&session, our_capabilities);
        Self {
            session,
            over,
            number,
            ready,
            refresh,
        }
    }
}

impl Lifecycle {
    /// The session, while the server is connected.
    pub(crate) fn active(&self) -> Option<&ActiveSession> {
        match self {
            Self::Connected(active) => Some(active),
            _ => None,
        }
    }

    fn view(&self) -> ServerState {
        match self.clone() {
            Self::Stopped => ServerState::Stopped,
            Self::NotStarted(why) => ServerState::NotStarted { why },
            Self::AwaitingApproval { question } => ServerState::Asking { question },
            Self::Downloading(DownloadProgress { arrived, total }) => {
                ServerState::Downloading { arrived, total }
            }
            Self::Starting { may_download } => ServerState::Starting { may_download },
            Self::Connected(active) => ServerState::Ready(Box::new(active.ready)),
            Self::Lost(ready) => ServerState::Ready(ready),
            Self::Reconnecting {
                attempt,
                at_ms,
                problem,
            } => ServerState::Reopening {
                attempt,
                at_ms,
                problem,
            },
            Self::SignInRequired { problem } => ServerState::SignInNeeded { problem },
            Self::SigningIn => ServerState::SigningIn,
            Self::Stopping => ServerState::Stopping,
            Self::Failed { problem } => ServerState::Failed { problem },
        }
    }
}

/// What is known of a server at one moment.
#[derive(Clone)]
pub(crate) struct ServerSnapshot {
    pub(crate) record: ServerRecord,
    /// The variables or headers whose value is missing.
    pub(crate) missing: Vec<String>,
    pub(crate) state: Lifecycle,
    pub(crate) tools: Vec<CatalogTool>,
    /// Those whose definitions could not be read.
    pub(crate) dropped_tools: Vec<Dropped>,
    /// Why the tools could not be listed the last time that was tried.
    pub(crate) listing_problem: Option<Problem>,
    pub(crate) instructions: Instructions,
    /// Whether it is this very program, which the user started already.
    pub(crate) is_own_program: bool,
    /// The downloaded package that it starts from.
    pub(crate) package: Option<PackageView>,
    pub(crate) features: Arc<ServerFeatures>,
    /// The lowest level that the server was asked to log.
    pub(crate) log_level: Option<LogLevel>,
}

impl ServerSnapshot {
    /// A server that is stopped.
    pub(crate) fn new(record: ServerRecord, missing: Vec<String>) -> Self {
        Self {
            record,
            missing,
            state: Lifecycle::Stopped,
            tools: vec![],
            dropped_tools: vec![],
            listing_problem: None,
            instructions: Instructions::None,
            is_own_program: false,
            package: None,
            features: Arc::default(),
            log_level: None,
        }
    }

    /// Why something that it offers could not be listed.
    pub(crate) fn listing_problem(&self) -> Option<&Problem> {
        let features = self.state.active().and(self.features.sign_in_problem.as_ref());
        self.listing_problem.as_ref().or(features)
    }

    /// Whether it is down and does not come back by itself.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(
            self.state,
            Lifecycle::Stopped | Lifecycle::NotStarted(_) | Lifecycle::Stopping | Lifecycle::Failed { .. }
        )
    }

    /// Whether it was connected in this run and another session is about to be opened.
    pub(crate) fn is_reconnecting(&self) -> bool {
        let opens = match self.state {
            Lifecycle::AwaitingApproval { .. }
            | Lifecycle::Downloading(_)
            | Lifecycle::Starting { .. }
            | Lifecycle::Lost(_)
            | Lifecycle::Reconnecting { .. } => true,
            Lifecycle::Stopped
            | Lifecycle::NotStarted(_)
            | Lifecycle::Connected(_)
            | Lifecycle::SignInRequired { .. }
            | Lifecycle::SigningIn
            | Lifecycle::Stopping
            | Lifecycle::Failed { .. } => false,
        };
        opens && !self.tools.is_empty()
    }

    /// The tools that were not held back.
    pub(crate) fn accepted_tools(&self) -> impl Iterator<Item = &CatalogTool> {
        self.tools.iter().filter(|tool| tool.held.is_none())
    }

    /// How many tools the model may use, and how many are held back.
    pub(crate) fn tool_counts(&self) -> (u32, u32) {
        let accepted = self.accepted_tools().count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (count(accepted), count(self.tools.len() - accepted))
    }

    pub(crate) fn state_view(&self) -> ServerState {
        self.state.view()
    }

    /// Scheme, host and port of a remote server; empty for a local one.
    pub(crate) fn origin(&self) -> String {
        match &self.record.place {
            ServerPlace::Address(endpoint) => origin_of(&endpoint.url),
            ServerPlace::Here(_) => String::new(),
        }
    }
}

/// Where a server is, as windows show it.
pub(crate) fn place_view(place: &ServerPlace, proxy: Option<String>) -> PlaceView {
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

fn ready(session: &SessionHandle, our_capabilities: &Value) -> ReadyView {
    let info = session.info();
    ReadyView {
        revision: info.revision.to_string(),
        era: info.era(),
        transport: info.wire,
        claimed_name: info
            .server
            .title
            .clone()
            .unwrap_or_else(|| info.server.name.clone()),
        claimed_version: info.server.version.clone(),
        instructions: info.instructions.clone(),
        capabilities: member_names(&info.capabilities.raw),
        our_capabilities: member_names(our_capabilities),
        since_ms: Timestamp::now().as_millisecond(),
    }
}

fn member_names(value: &Value) -> Vec<String> {
    let members = value.as_object();
    members
        .map(|all| all.keys().cloned().collect())
        .unwrap_or_default()
}
