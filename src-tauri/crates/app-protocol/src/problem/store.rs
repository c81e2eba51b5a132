//! What can go wrong with Vestibule's own data: the database, the keychain and exported files.

use serde::{Deserialize, Serialize};

/// Vestibule's own data could not be read or written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum StoreProblem {
    #[error("the data was written by a newer version (format {found}, this version knows up to {known})")]
    DataNewer { found: u32, known: u32 },
    #[error("another instance of Vestibule uses {folder}")]
    DataInUse { folder: String },
    #[error("the data cannot be read: {detail}")]
    DataUnreadable { detail: String },
    #[error("the folder {folder} cannot be used: {detail}")]
    FolderUnusable { folder: String, detail: String },
    #[error("the disk is full")]
    DiskFull,
    #[error("the data folder cannot be written to")]
    ReadOnly,
    #[error("the data could not be written: {detail}")]
    StoreFailed { detail: String },
    #[error("keychain error: {detail}")]
    KeychainFailed { detail: String },
    #[error("{path} could not be written: {detail}")]
    NotExported { path: String, detail: String },
}
