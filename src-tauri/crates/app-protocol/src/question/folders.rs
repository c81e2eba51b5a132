//! What the card about sharing folders shows: each folder with what is in it, as far as it was looked into.

use serde::{Deserialize, Serialize};

/// Which folders a server may know of.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ShareFolders {
    /// The folders on offer.
    pub folders: Vec<FolderFacts>,
    /// Whether the server asked; otherwise the user began it.
    pub asked: bool,
}

/// A folder and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct FolderFacts {
    pub path: String,
    /// The address the server would be given.
    pub uri: String,
    /// The name of its workspace; empty for the one every chat begins in.
    pub workspace: String,
    /// How many files are in it and below, as far as was counted.
    pub files: u32,
    /// Their size in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Whether everything was counted; otherwise there is more.
    pub whole: bool,
    /// Whether it holds a Git repository.
    pub repository: bool,
    /// Files in it whose names are those of secrets, by their path inside it.
    pub secrets: Vec<String>,
    /// How many more of them there are.
    pub more_secrets: u32,
    /// Whether it is very wide.
    pub reach: FolderReach,
    /// Why it cannot be shared now.
    pub trouble: Option<FolderTrouble>,
    /// Whether this server knows it already.
    pub shared: bool,
    /// The names of other servers that know it.
    pub others: Vec<String>,
    /// Whether it is picked when the card appears.
    pub picked: bool,
}

/// How much a folder spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum FolderReach {
    Folder,
    /// Everything of this person.
    Home,
    /// Everything on this computer.
    Disk,
}

/// Why a folder is not what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum FolderTrouble {
    /// Nothing is there any more.
    Gone,
    /// It cannot be read.
    Unreadable,
    /// Its place is taken by a link or by something that is no folder.
    Replaced,
}

/// What the user picked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct FolderPick {
    /// The paths of the folders the server may know of, from those on offer.
    pub folders: Vec<String>,
}
