//! Workspaces as the main window shows them, and what a server may spend of the user's models.

use serde::{Deserialize, Serialize};
use vestibule_protocol::{ServerId, WorkspaceId};

use super::FolderTrouble;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct WorkspaceView {
    /// Our name for it.
    pub id: WorkspaceId,
    /// The user's name for it; empty for the one every chat begins in.
    pub name: String,
    /// Its folders, in the order they were added.
    pub folders: Vec<FolderView>,
}

/// A folder of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct FolderView {
    pub path: String,
    /// Why it cannot be used now.
    pub trouble: Option<FolderTrouble>,
    /// Who may know of it.
    pub shares: Vec<ShareView>,
}

/// A server that may know of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ShareView {
    pub server: ServerId,
    /// When it was shared, in milliseconds since 1970.
    #[ts(type = "number")]
    pub shared_ms: i64,
    /// When the server was last told; `None` while it has not asked.
    #[ts(type = "number | null")]
    pub told_ms: Option<i64>,
}

/// What a server may spend of the user's models. Costs are in millionths of the currency of the prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Tokens in any hour; 0 refuses every request.
    pub tokens_hour: u32,
    /// Tokens in any day.
    pub tokens_day: u32,
    /// Cost in any hour.
    pub cost_hour: Option<u32>,
    /// Cost in any day.
    pub cost_day: Option<u32>,
}

/// A budget and what was spent of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct BudgetView {
    /// What may be spent.
    pub budget: Budget,
    /// Tokens spent in the last hour.
    #[ts(type = "number")]
    pub spent_hour: u64,
    /// Tokens spent in the last day.
    #[ts(type = "number")]
    pub spent_day: u64,
    /// Cost of the last hour.
    #[ts(type = "number")]
    pub cost_spent_hour: u64,
    /// Cost of the last day.
    #[ts(type = "number")]
    pub cost_spent_day: u64,
}
