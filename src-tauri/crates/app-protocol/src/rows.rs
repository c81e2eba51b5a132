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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct RowRef {
    pub table: RowTable,
    pub id: String,
}

/// A table whose rows are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "as in the store, where each is described")]
pub enum RowTable {
    Rule,
    Server,
    Tool,
}

/// A row that does not count.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct RowFinding {
    pub row: RowRef,
    /// What is wrong with it.
    pub fault: RowFaultKind,
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

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "as in the store, where each is described")]
pub enum RowFaultKind {
    Changed,
    Unsigned,
    Missing,
    Stale,
    Unreadable,
    Unchecked,
}
