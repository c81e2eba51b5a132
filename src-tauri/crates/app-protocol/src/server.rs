//! Servers, their tools and logs, and what the user writes to add them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vestibule_protocol::{EraChoice, QuestionId, ServerId, TransportChoice, Wire};
use vestibule_schema::Unchecked;

use super::{Claims, Diagnosis, Problem, RuleView, SignInView};

/// A server in the list.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ServerView {
    /// Our name for it.
    pub id: ServerId,
    /// The user's name for it.
    pub name: String,
    pub place: PlaceView,
    /// Which era of the protocol to speak with it.
    pub era: EraChoice,
    /// The variables or headers whose value is not there.
    pub missing: Vec<String>,
    /// Its sign-in, where one is possible.
    pub sign_in: Option<SignInView>,
    pub state: ServerState,
    /// Why it does not work and what to do, where that is recognised.
    pub diagnosis: Option<Diagnosis>,
    /// How many of its tools are offered to the model.
    pub tool_count: u32,
    /// How many of its tools are new or changed and wait to be accepted.
    pub held_count: u32,
    /// Why its tools, or some of what it offers, could not be listed, while it is connected.
    pub listing_problem: Option<Problem>,
    /// Whether its instructions wait to be accepted.
    pub instructions_held: bool,
    /// The downloaded package that it starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub package: Option<PackageView>,
}

/// The downloaded package that a server starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct PackageView {
    pub name: String,
    /// The exact version that was fetched.
    pub version: String,
    /// How far the download of another version is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub update: Option<UpdateProgress>,
}

/// How far the download of another version of a package is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct UpdateProgress {
    /// How many packages have arrived.
    pub arrived: u32,
    /// How many there are; 0 while that is not known.
    pub total: u32,
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum PlaceView {
    /// On this computer: it is started.
    Here {
        /// The command as it was written.
        command: String,
        args: Vec<String>,
        /// The names of its variables.
        variables: Vec<String>,
        /// The folder it starts in, where one was given.
        folder: Option<String>,
    },
    /// At an address: it is connected to.
    Address {
        url: String,
        /// Scheme, host and port.
        origin: String,
        /// Which transport to speak.
        transport: TransportChoice,
        /// The names of the headers it is sent.
        headers: Vec<String>,
        /// The proxy everything goes through, where there is one: scheme, host and port.
        proxy: Option<String>,
    },
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ServerState {
    Stopped,
    /// It was to start or connect and did not, and no card said why.
    NotStarted {
        why: StartRefusal,
    },
    /// Waits for the user's yes to start or connect.
    Asking {
        question: Option<QuestionId>,
    },
    /// The package that it starts from is downloaded.
    Downloading {
        /// How many packages have arrived.
        arrived: u32,
        /// How many there are; 0 while that is not known.
        total: u32,
    },
    Starting {
        /// Whether its program may first download what it runs, as npx and docker do.
        may_download: bool,
    },
    Ready(Box<ReadyView>),
    /// The connection ended by itself and is opened again in a while.
    Reopening {
        /// 1-based number of the next attempt.
        attempt: u32,
        /// When it comes, in milliseconds since 1970.
        #[ts(type = "number")]
        at_ms: i64,
        /// Why it is needed.
        problem: Problem,
    },
    /// The server wants the user to sign in first.
    SignInNeeded {
        problem: Problem,
    },
    /// The user is signing in; the server's `sign_in` says how far that is.
    SigningIn,
    /// On its way down.
    Stopping,
    /// It ended or never came up.
    Failed {
        problem: Problem,
    },
}

/// Why a server did not start or connect although the user was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum StartRefusal {
    /// A rule of the user denies it.
    ByRule,
    /// The user muted such requests of the server.
    Muted,
    /// Too many requests of the server are waiting.
    TooManyWaiting,
}

/// What was agreed with a connected server, and what it says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ReadyView {
    /// The protocol revision in use.
    pub revision: String,
    /// The era it belongs to.
    pub era: EraChoice,
    /// The transport in use.
    pub transport: Wire,
    /// What it calls itself.
    pub claimed_name: String,
    /// The version it claims.
    pub claimed_version: String,
    /// What it says to models that use it.
    pub instructions: Option<String>,
    /// The capabilities it declared.
    pub capabilities: Vec<String>,
    /// The capabilities Vestibule declared to it.
    pub our_capabilities: Vec<String>,
    /// Since when, in milliseconds since 1970.
    #[ts(type = "number")]
    pub since_ms: i64,
}

/// What the user wants of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolRule {
    Ask,
    Allow,
    Never,
}

/// A tool of a server.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ToolView {
    pub name: String,
    /// The title it claims.
    pub title: Option<String>,
    /// What it says it does.
    pub description: Option<String>,
    /// What it claims about its effects.
    pub claims: Claims,
    #[ts(type = "unknown")]
    pub input_schema: Value,
    /// What the user decided.
    pub rule: ToolRule,
    /// Whether it is new or changed and is held back until it is accepted.
    pub held: bool,
    /// Whether it is held back because the server did not have it before.
    pub is_new: bool,
    /// About how many tokens its definition costs the model.
    pub tokens: u32,
    /// Why its arguments are not checked, where they are not.
    pub unchecked_arguments: Option<Unchecked>,
    /// Why its structured results are not checked, where it declares what they are and they are not.
    pub unchecked_results: Option<Unchecked>,
}

/// The tools of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ts_rs::TS)]
pub struct ToolList {
    pub tools: Vec<ToolView>,
    /// When the server listed them, in milliseconds since 1970, where it is not connected now.
    #[ts(type = "number | null")]
    pub listed_ms: Option<i64>,
}

/// A server as a user writes it. Where a server is changed, a name without a value keeps the value that it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ServerDraft {
    /// The name to give it.
    pub name: String,
    pub place: PlaceDraft,
    /// Which era of the protocol to speak with it.
    pub era: EraChoice,
}

/// What saving a draft in place of a server would change and end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ts_rs::TS)]
pub struct ServerEditEffects {
    /// Whether saving it changes anything.
    pub changes: bool,
    /// Whether a running server stops.
    pub restarts: bool,
    /// Whether its next start or connection is another one, which is asked about again.
    pub reviewed: bool,
    /// Whether it is another program or another address.
    pub moves: bool,
    /// The permissions that end.
    pub ends: Vec<RuleView>,
    /// The permissions and denials that stay.
    pub stays: Vec<RuleView>,
    /// The folders that are not shared with it any more.
    pub unshared: Vec<String>,
    /// Whether its sign-in ends.
    pub signs_out: bool,
    /// The headers that lose their value, because it was given for another site.
    pub lost: Vec<String>,
}

/// Where a new server is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "at", rename_all = "snake_case", deny_unknown_fields)]
pub enum PlaceDraft {
    Here(ProgramDraft),
    Address(EndpointDraft),
}

/// How a new server on this computer is started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ProgramDraft {
    pub command: String,
    pub args: Vec<String>,
    /// Its variables with their values.
    pub env: Vec<EnvPair>,
    /// The folder to start in.
    pub folder: Option<String>,
}

/// How a new server at an address is reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct EndpointDraft {
    pub url: String,
    /// Which transport to speak.
    pub transport: TransportChoice,
    /// The headers it is sent, with their values.
    pub headers: Vec<EnvPair>,
}

impl ServerDraft {
    /// A server on this computer, its era to be found out.
    #[must_use]
    pub fn here(name: impl Into<String>, program: ProgramDraft) -> Self {
        Self {
            name: name.into(),
            place: PlaceDraft::Here(program),
            era: EraChoice::Auto,
        }
    }

    /// A server at an address, its era to be found out.
    #[must_use]
    pub fn at(name: impl Into<String>, endpoint: EndpointDraft) -> Self {
        Self {
            name: name.into(),
            place: PlaceDraft::Address(endpoint),
            era: EraChoice::Auto,
        }
    }
}

/// A variable or a header.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct EnvPair {
    pub name: String,
    /// Its value. It goes to the keychain.
    pub value: String,
    /// Whether the value came with a pasted configuration. A value that the user typed is never shown again.
    #[serde(default)]
    pub pasted: bool,
    /// Takes the value from the proxy and certificate settings of this computer, which no window gets whole.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub from_computer: bool,
}

impl std::fmt::Debug for EnvPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EnvPair({}=…)", self.name)
    }
}

/// One line of a server's log.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct LogLine {
    /// Counts up by one a line.
    #[ts(type = "number")]
    pub number: u64,
    /// When, in milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
    /// Whose words these are.
    pub source: LogSource,
    /// The level a log message names ("info", "error").
    pub level: Option<String>,
    /// The line; control characters made visible.
    pub text: String,
}

/// Whose words a log line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum LogSource {
    /// The program's error output.
    Stderr,
    /// A log message of the protocol.
    Message,
    /// Vestibule's own note about this server.
    Host,
}

/// The log from some line on.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct LogPage {
    pub lines: Vec<LogLine>,
    /// How many older lines were dropped since the server was added.
    #[ts(type = "number")]
    pub dropped: u64,
}
