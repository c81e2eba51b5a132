//! MCP bundles (`.mcpb`, formerly `.dxt`): what an archive says of the server in it before anything is unpacked, the values
//! that the user enters for it, and why an archive is refused. Every text of a manifest was written by its author.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vestibule_policy::VariableEffect;

use crate::EnvPair;

/// A bundle that was read and waits to be added. Nothing of it is unpacked.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct BundleView {
    /// The name of its file, or the address it was downloaded from.
    pub source: String,
    /// SHA-256 of the archive in hexadecimal digits.
    pub sha256: String,
    /// The archive, in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// All its files together, in bytes.
    #[ts(type = "number")]
    pub unpacked_bytes: u64,
    /// How many files it has.
    pub files: u32,
    pub manifest: BundleManifest,
    /// What it would start. `${user_config.key}` stands for a value of `settings`.
    pub launch: BundleLaunch,
    pub settings: Vec<BundleSetting>,
    /// The folder that it would be unpacked into.
    pub folder: String,
    /// Whether it carries a signature. Signatures are not checked.
    pub has_signature: bool,
}

/// What the author of a bundle says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct BundleManifest {
    pub name: String,
    /// The name for people; `name` where there is none.
    pub title: String,
    pub version: String,
    pub description: String,
    pub author: String,
    pub license: Option<String>,
    pub homepage: Option<String>,
    pub repository: Option<String>,
    pub kind: BundleKind,
    /// The names of the tools it says it has.
    pub tools: Vec<String>,
    /// Whether it says that there are more while it runs.
    pub more_tools: bool,
    /// The systems it is made for; empty where it does not say.
    pub platforms: Vec<String>,
    /// Whether this computer has one of these systems.
    pub fits: bool,
    /// What it needs to run, such as Node.js.
    pub runtimes: Vec<BundleRuntime>,
}

/// What runs the server of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum BundleKind {
    Node,
    Python,
    /// A program in the archive.
    Binary,
    /// uv, which fetches what the server depends on at its first start.
    Uv,
}

/// A runtime that a bundle needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct BundleRuntime {
    pub name: String,
    /// The versions that fit, as its author writes them.
    pub versions: String,
}

/// What the server of a bundle is started with.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct BundleLaunch {
    pub command: String,
    pub args: Vec<String>,
    pub env: Vec<EnvPair>,
    /// The variables among `env` that decide what runs, by name.
    pub effects: BTreeMap<String, VariableEffect>,
}

/// A value that a bundle asks the user for.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct BundleSetting {
    /// Unique within its bundle.
    pub key: String,
    pub title: String,
    pub description: String,
    pub kind: BundleSettingKind,
    pub required: bool,
    /// Whether it is not shown while it is typed.
    pub sensitive: bool,
    /// Whether it may have several values.
    pub multiple: bool,
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// What the author proposes.
    pub proposed: Vec<String>,
    /// Whether it becomes part of the command line, which every program of the user can read.
    pub on_command_line: bool,
}

/// The type of a value that a bundle asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum BundleSettingKind {
    Text,
    Number,
    /// Either `true` or `false`.
    Boolean,
    Folder,
    File,
}

/// What the user entered for a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct BundleDraft {
    /// The archive that was shown.
    pub sha256: String,
    /// The name of the server.
    pub name: String,
    /// The values by key. One that is not here has what its author proposes.
    pub values: BTreeMap<String, Vec<String>>,
}

/// Why an archive is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "fault", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum BundleFault {
    #[error("it is no ZIP archive")]
    NotAnArchive,
    #[error("the archive is damaged: {detail}")]
    Damaged { detail: String },
    #[error("the archive has more than {limit_mb} MB")]
    TooLarge { limit_mb: u32 },
    #[error("the archive has more than {limit} entries")]
    TooMany { limit: u32 },
    #[error("its files would have more than {limit_mb} MB")]
    Expands { limit_mb: u32 },
    #[error("its files would be more than {ratio} times as large as the archive")]
    Inflates { ratio: u32 },
    #[error("the path {path} leads out of the archive, is too long or has characters that are not allowed")]
    Path { path: String },
    #[error("{path} is neither a file nor a folder")]
    Kind { path: String },
    #[error("{path} has the place of another entry")]
    Twice { path: String },
    #[error("{path} is encrypted")]
    Encrypted { path: String },
    #[error("{path} is packed in a way that is not read")]
    Packed { path: String },
    #[error("it has no manifest.json")]
    NoManifest,
    #[error("its manifest.json is no JSON, or longer than {limit_kb} kB: {detail}")]
    ManifestUnreadable { limit_kb: u32, detail: String },
    #[error("its manifest has the version {found}")]
    ManifestVersion { found: String },
    #[error("the member {member} of its manifest is missing or wrong")]
    Manifest { member: String },
    #[error("the file that it starts, {path}, is not in the archive")]
    EntryPoint { path: String },
    #[error("its SHA-256 is {found}, not {expected}")]
    Digest { expected: String, found: String },
}

/// Why a value does not fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum BundleValueFault {
    Missing,
    NotANumber,
    TooSmall { min: f64 },
    TooLarge { max: f64 },
    NotABoolean,
    OneOnly,
    NoFolder,
    NoFile,
}
