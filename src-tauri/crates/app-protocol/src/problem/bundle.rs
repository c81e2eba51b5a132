//! What can go wrong with an MCP bundle before it is a server.

use serde::{Deserialize, Serialize};

use crate::{BundleFault, BundleValueFault};

/// A bundle was not read, not downloaded or not added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum BundleProblem {
    #[error("the bundle {bundle} is refused: {fault}")]
    BundleRefused { bundle: String, fault: BundleFault },
    #[error("the file {bundle} could not be read: {detail}")]
    BundleUnreadable { bundle: String, detail: String },
    #[error("drop one bundle at a time: a file whose name ends in .mcpb or .dxt")]
    BundleOnly,
    #[error("the bundle could not be downloaded from {host}: {detail}")]
    BundleNotDownloaded { host: String, detail: String },
    #[error("the value {title} does not fit: {fault:?}")]
    BundleValue { title: String, fault: BundleValueFault },
    #[error("the bundle could not be unpacked into {folder}: {detail}")]
    BundleNotUnpacked { folder: String, detail: String },
}
