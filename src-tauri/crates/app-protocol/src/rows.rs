//! Rules, servers and accepted tools that were changed outside Vestibule.

use serde::{Deserialize, Serialize};
use vestibule_protocol::ServerId;

use super::RuleView;

/// What is known about changes from outside.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RowsView {
    /// Whether such changes can be noticed.
    pub protection: RowsProtection,
    /// Accepted tools that were signed at this start although the ledger does not say when they were accepted.
    pub unproven_tools: u32,
    /// The list of signatures itself was changed or put back, so that a row may have been deleted unseen.
    pub list_changed: bool,
    pub findings: Vec<RowFinding>,
}

/// Whether changes from outside can be noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RowsProtection {
    /// Each row is signed with a key in the keychain.
    Signed,
    /// There is no keychain, so that they cannot.
    Off {
        /// What the keychain said.
        detail: String,
    },
    /// The rows are signed, and the keychain does not answer in this run. No stored permission counts.
    Unchecked {
        /// What the keychain said.
        detail: String,
    },
}

/// A row of the database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct RowRef {
    pub table: RowTable,
    /// Its key there; for a tool the id of its server and its name, with a slash between them.
    pub id: String,
}

/// A table whose rows are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum RowTable {
    /// A permission or refusal.
    Rule,
    /// A server, and whether it should run.
    Server,
    /// An accepted tool definition.
    Tool,
}

/// A row that does not count.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RowFinding {
    pub row: RowRef,
    /// What is wrong with it.
    pub fault: RowFault,
    /// The server it is about, where that is known.
    pub server: Option<ServerId>,
    /// The user's name for the server; empty where it is not known.
    pub server_name: String,
    /// The tool, where it is an accepted definition.
    pub tool: Option<String>,
    /// The rule as the file has it.
    pub rule: Option<RuleView>,
    /// The rule as it was signed.
    pub kept: Option<RuleView>,
    /// Whether it can be taken into force again.
    pub can_keep: bool,
    /// Whether it can be removed from here.
    pub can_remove: bool,
}

/// Why a row does not count as written by Vestibule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum RowFault {
    /// It is not what was signed.
    Changed,
    /// It was never signed.
    Unsigned,
    /// It was signed and is no longer there.
    Missing,
    /// The whole list is older than the keychain remembers; the row may have been taken back since.
    Stale,
    /// It cannot be read.
    Unreadable,
    /// The key does not answer in this run.
    Unchecked,
}

impl RowTable {
    pub const ALL: [Self; 3] = [Self::Rule, Self::Server, Self::Tool];

    /// The word that the file and the ledger use for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Server => "server",
            Self::Tool => "tool",
        }
    }
}

impl RowRef {
    pub fn new(table: RowTable, id: impl ToString) -> Self {
        Self {
            table,
            id: id.to_string(),
        }
    }

    /// A tool of a server.
    #[must_use]
    pub fn tool(server: ServerId, name: &str) -> Self {
        Self::new(RowTable::Tool, format!("{server}/{name}"))
    }

    /// The id of the server and the name, where this is a tool.
    #[must_use]
    pub fn as_tool(&self) -> Option<(&str, &str)> {
        (self.table == RowTable::Tool)
            .then(|| self.id.split_once('/'))
            .flatten()
    }
}

impl RowFault {
    /// The word that the ledger uses for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Unsigned => "unsigned",
            Self::Missing => "missing",
            Self::Stale => "stale",
            Self::Unreadable => "unreadable",
            Self::Unchecked => "unchecked",
        }
    }
}
