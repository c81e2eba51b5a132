//! What can go wrong when the gallery asks a registry, and with what the registry lists.

use serde::{Deserialize, Serialize};

use crate::PackageFault;

/// The registry did not answer as its schema says, or lists something that cannot be added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum GalleryProblem {
    #[error("the registry at {host} could not be reached: {detail}")]
    RegistryUnreachable { host: String, detail: String },
    #[error("the registry at {host} did not answer within {seconds} seconds")]
    RegistrySlow { host: String, seconds: u32 },
    #[error("the registry at {host} answered with more than {limit_mb} MB")]
    RegistryTooLarge { host: String, limit_mb: u32 },
    #[error("the registry at {host} wants to be asked at {to}")]
    RegistryMoved { host: String, to: String },
    #[error("the registry at {host} refused with status {status}: {detail}")]
    RegistryRefused {
        host: String,
        status: u16,
        detail: String,
    },
    #[error("the answer of {host} is not that of a registry: {detail}")]
    RegistryUnreadable { host: String, detail: String },
    #[error("the package {package} cannot be added: {fault:?}")]
    PackageUnfit { package: String, fault: PackageFault },
}
