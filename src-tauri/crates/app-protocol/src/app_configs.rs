//! The configurations of other applications that were found on this computer, and how their servers differ from those
//! that are added already.

use serde::Serialize;
use vestibule_protocol::ServerId;

use super::{ParsedServers, Problem};

/// What was found when the user had this computer looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ts_rs::TS)]
pub struct AppConfigs {
    /// The files that are there, by application.
    pub files: Vec<AppConfigFile>,
    /// The applications whose files were looked for, by their own names.
    pub apps: Vec<String>,
}

/// A configuration file of another application.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct AppConfigFile {
    /// The application, by its own name.
    pub app: String,
    pub path: String,
    pub content: AppConfigContent,
}

/// What a configuration file holds.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "content", rename_all = "snake_case")]
pub enum AppConfigContent {
    Servers {
        parsed: ParsedServers,
        /// One for each of the servers that can be added, in their order.
        comparisons: Vec<DraftComparison>,
    },
    NoServers,
    /// It could not be read or parsed, or holds more than a user could review.
    Unreadable {
        problem: Problem,
    },
}

/// How a found server compares with those that are added, and with those found before it. Values of variables and
/// headers are not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "comparison", rename_all = "snake_case")]
pub enum DraftComparison {
    /// No other server has its name, or starts or connects as it does.
    New,
    /// A server that is added has its name, or starts or connects as it does.
    Added {
        server: ServerId,
        name: String,
        /// What differs; empty where the two are the same.
        differences: Vec<DraftPart>,
    },
    /// The same server stands in the configuration of another application, or further up in this one.
    Repeated { app: String },
}

/// A part of a server in which two drafts can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum DraftPart {
    /// One is a program, the other an address.
    Place,
    Command,
    Arguments,
    /// The names of its variables.
    Variables,
    Folder,
    Address,
    Transport,
    /// The names of its headers.
    Headers,
}
