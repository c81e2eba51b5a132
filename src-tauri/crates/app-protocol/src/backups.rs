//! A backup of the database as one file, and what restoring one would replace.

use serde::Serialize;

/// How much a database holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct DataCounts {
    pub chats: u32,
    /// Messages of the user and of models.
    pub messages: u32,
    pub servers: u32,
    pub rules: u32,
    /// Records of the ledger.
    pub records: u32,
    /// When the last record of the ledger was written, in milliseconds since 1970; `None` without one.
    #[ts(type = "number | null")]
    pub newest_ms: Option<i64>,
}

/// A backup that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct BackupWritten {
    pub path: String,
    #[ts(type = "number")]
    pub bytes: u64,
}

/// A backup that the user chose, and what restoring it would replace. Nothing is replaced before the next start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct BackupView {
    /// Its name without the folder.
    pub file: String,
    #[ts(type = "number")]
    pub bytes: u64,
    pub holds: DataCounts,
    pub replaces: DataCounts,
    /// Whether each record of its ledger continues the one before and has the hash of its content.
    pub ledger_intact: bool,
    /// The folder to which the current data is moved.
    pub kept_in: String,
    /// Whether the user confirmed that it is restored at the next start.
    pub confirmed: bool,
}
