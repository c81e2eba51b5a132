//! Servers, their tools and logs, and what can be pasted to add them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vestibule_consent::Claims;
use vestibule_protocol::{QuestionId, ServerId};

use super::Problem;

/// A server in the list.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ServerView {
    /// Our name for it.
    pub id: ServerId,
    /// The person's name for it.
    pub name: String,
    /// The command as it was written.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The names of its variables.
    pub variables: Vec<String>,
    /// The variables whose value is not there.
    pub missing: Vec<String>,
    /// The folder it starts in, where one was given.
    pub folder: Option<String>,
    /// How it is.
    pub state: ServerState,
    /// How many of its tools the model may hear of.
    pub tool_count: u32,
    /// How many of its tools changed and wait to be accepted.
    pub held_count: u32,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ServerState {
    /// Not running.
    Stopped,
    /// Waits for the person's yes to start.
    Asking {
        /// The question.
        question: Option<QuestionId>,
    },
    /// On its way.
    Starting,
    /// Connected.
    Ready {
        /// The protocol revision in use.
        revision: String,
        /// The transport in use ("stdio").
        transport: String,
        /// What it calls itself.
        claimed_name: String,
        /// The version it claims.
        claimed_version: String,
        /// What it says to models that use it.
        instructions: Option<String>,
        /// The capabilities it declared.
        capabilities: Vec<String>,
    },
    /// On its way down.
    Stopping,
    /// It ended or never came up.
    Failed {
        /// Why.
        problem: Problem,
    },
}

/// What the person wants of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolRule {
    /// Ask each time.
    Ask,
    /// Let it through.
    Allow,
    /// Never.
    Never,
}

/// A tool of a server.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ToolView {
    /// Its exact name.
    pub name: String,
    /// The title it claims.
    pub title: Option<String>,
    /// What it says it does.
    pub description: Option<String>,
    /// What it claims about its effects.
    pub claims: Claims,
    /// Its arguments' schema.
    #[ts(type = "unknown")]
    pub input_schema: Value,
    /// What the person decided.
    pub rule: ToolRule,
    /// Whether it changed and is held back until it is accepted.
    pub held: bool,
    /// About how many tokens its definition costs the model.
    pub tokens: u32,
}

/// A new server as a person writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ServerDraft {
    /// The name to give it.
    pub name: String,
    /// The command.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its variables with their values.
    pub env: Vec<EnvPair>,
    /// The folder to start in.
    pub folder: Option<String>,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct EnvPair {
    /// Its name.
    pub name: String,
    /// Its value: goes to the keychain and is never sent back.
    pub value: String,
}

impl std::fmt::Debug for EnvPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EnvPair({}=…)", self.name)
    }
}

/// What a pasted configuration holds.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ParsedServers {
    /// What can be added.
    pub servers: Vec<ServerDraft>,
    /// What can not, and why.
    pub skipped: Vec<SkippedServer>,
}

/// An entry of a pasted configuration that can not be added.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct SkippedServer {
    /// Its name there.
    pub name: String,
    /// Why not.
    pub problem: Problem,
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
    /// The lines.
    pub lines: Vec<LogLine>,
    /// How many older lines were dropped since the server was added.
    #[ts(type = "number")]
    pub dropped: u64,
}
