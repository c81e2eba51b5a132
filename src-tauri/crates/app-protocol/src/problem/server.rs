//! What can go wrong with starting, reaching and signing in to a server.

use serde::{Deserialize, Serialize};

use crate::SignInFailure;

/// A server could not be started or reached, or is not signed in to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum ServerProblem {
    #[error("the command {command} was not found; looked in {}", looked_in.join(", "))]
    CommandNotFound {
        command: String,
        looked_in: Vec<String>,
        /// A program of that name in a folder that is not searched.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        elsewhere: Option<String>,
    },
    #[error("the file {path} is there but may not be executed")]
    CommandNotExecutable { path: String },
    #[error("{program} could not be started: {detail}")]
    NotStarted { program: String, detail: String },
    #[error("{package} could not be downloaded: {detail}")]
    NotDownloaded {
        package: String,
        detail: String,
        /// The last lines of npm or uv.
        stderr: Vec<String>,
    },
    #[error("the server did not answer within {seconds} seconds after it was started")]
    StartTimedOut { seconds: u32, stderr: Vec<String> },
    #[error("the server ended{}", exit.as_ref().map(|e| format!(" ({e})")).unwrap_or_default())]
    ServerEnded {
        exit: Option<String>,
        stderr: Vec<String>,
    },
    #[error("{origin} could not be reached: {detail}")]
    ServerUnreachable { origin: String, detail: String },
    #[error("{origin} requires signing in ({status})")]
    SignInNeeded { origin: String, status: u16 },
    #[error("signing in to {origin} was declined")]
    SignInDeclined { origin: String },
    #[error("signing in to {origin} failed: {detail}")]
    SignInFailed {
        origin: String,
        /// What kind of failure it is.
        why: SignInFailure,
        detail: String,
    },
    /// Tokens, or the registration of this application.
    #[error(
        "the authorization server may still accept the access that signing in to {origin} gave: {detail}"
    )]
    NotWithdrawn { origin: String, detail: String },
    #[error("{origin} answered with status {status}: {detail}")]
    ServerRefused {
        origin: String,
        status: u16,
        detail: String,
        /// Where it wants the request to be sent instead, at most 2048 characters. It was not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        moved: Option<String>,
        /// The beginning of what it answered, at most 2000 characters. Untrusted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        said: Option<String>,
        /// The seconds it asks to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        retry_after: Option<u32>,
    },
    #[error("the connection to the server {server} was lost and is being reopened; the call was not sent")]
    ServerReopening { server: String },
    #[error("the server speaks protocol revision {answered}, which is not supported")]
    UnsupportedRevision { answered: String },
    #[error("the server is connected, but its tools could not be listed: {detail}")]
    ToolsNotListed { detail: String },
    #[error("not all tools that the server lists are here, only {kept}")]
    ToolsLeftOut { kept: u32 },
    #[error("the server {server} is not running")]
    ServerNotRunning { server: String },
}

impl ServerProblem {
    /// Fills in the program or the origin where it is empty.
    pub(super) fn name(&mut self, name: &str) {
        match self {
            Self::NotStarted { program: blank, .. }
            | Self::ServerUnreachable { origin: blank, .. }
            | Self::ServerRefused { origin: blank, .. }
            | Self::SignInNeeded { origin: blank, .. }
                if blank.is_empty() =>
            {
                name.clone_into(blank);
            }
            _ => {}
        }
    }
}
