//! The ledger as its screen shows it: records, what checking it found, and whether the file is the newest there was.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vestibule_policy::{Because, Mention};
use vestibule_protocol::{ChatId, ServerId};

/// Which records to show.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct LedgerQuery {
    /// Only records before this one.
    #[ts(type = "number | null")]
    pub before: Option<i64>,
    /// Only of this server.
    pub server: Option<ServerId>,
    /// Only of this object, for example a tool.
    pub object: Option<String>,
    /// Only of these kinds (`intent`, `outcome`, `decision`, `grant`, `revoke`, `config`); none means all.
    pub kinds: Vec<String>,
    /// Only what says each of these words somewhere, or is of a server with the word in its name.
    pub words: String,
    /// Only what names this file, or one below it: an absolute path.
    pub file: Option<String>,
    /// Only what names this host or one of its subdomains; an address is taken for its host.
    pub host: Option<String>,
    /// Only what was written at this time or later, in milliseconds since 1970.
    #[serde(default)]
    #[ts(type = "number | null")]
    pub since_ms: Option<i64>,
    /// Only what was written before this time, in milliseconds since 1970.
    #[serde(default)]
    #[ts(type = "number | null")]
    pub until_ms: Option<i64>,
}

/// Some records, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct LedgerPage {
    pub records: Vec<LedgerView>,
    /// Whether there may be older ones.
    pub more: bool,
    /// The newest number of all.
    #[ts(type = "number")]
    pub newest: i64,
    /// Whether the file is the newest there was.
    pub head: HeadState,
    /// Every removed server that records speak of, the last removed first.
    pub removed: Vec<RemovedServerView>,
}

/// A removed server, as far as the ledger still knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct RemovedServerView {
    /// Its id, as its records have it.
    pub id: ServerId,
    /// Its name when it was removed; empty for one removed before names were kept.
    pub name: String,
    /// When it was removed, in milliseconds since 1970; for one without a name, when its last record was written.
    #[ts(type = "number")]
    pub removed_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct LedgerView {
    #[ts(type = "number")]
    pub seq: i64,
    /// When it was written, in milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
    /// What kind of thing it speaks of.
    pub kind: String,
    /// The server, which may be gone.
    pub server: Option<ServerId>,
    /// The chat, which may be gone.
    pub chat: Option<ChatId>,
    /// What was done (`tool.call`).
    pub action: String,
    /// What it was done to.
    pub object: String,
    pub decision: Option<String>,
    pub because: Vec<Because>,
    /// The files and hosts it names, until they are deleted with its chat or server.
    pub names: Vec<Mention>,
    /// Digests and sizes; never the values.
    pub body: Value,
    /// Its hash, which stands for every record before it too.
    pub hash: String,
}

/// What checking the ledger found.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "found", rename_all = "snake_case")]
pub enum LedgerCheck {
    /// Every record is as it was written.
    Intact {
        /// How many there are.
        #[ts(type = "number")]
        records: i64,
        /// How long that took, in milliseconds.
        #[ts(type = "number")]
        took_ms: u64,
        /// How far it is signed.
        signed: LedgerSigned,
    },
    /// It is not as it was written.
    Broken {
        /// The first record at which it shows.
        #[ts(type = "number")]
        seq: i64,
        /// What was done there.
        what: LedgerBreak,
    },
}

/// How far a ledger is signed with the key in this computer's keychain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct LedgerSigned {
    /// How many checkpoints hold.
    pub checkpoints: u32,
    /// The last record they cover, through all before it.
    #[ts(type = "number | null")]
    pub through: Option<i64>,
    /// How many were signed with keys that are not here.
    pub of_other_keys: u32,
}

/// What was done to the ledger. The number of the record is certain; where someone did several things at once, the kind
/// is the simplest explanation of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum LedgerBreak {
    /// The record's content or hash was changed.
    Altered,
    /// The record is gone, and later ones are there.
    Missing,
    /// The record was never written by Vestibule.
    Inserted,
    /// Another record, itself unchanged, stands in its place.
    Reordered,
    /// This record and all after it are gone.
    Truncated,
    /// The files and hosts beside the record, or the salt of its digests, are not those it was sealed with, or are
    /// gone though no record says that the user deleted them.
    Words,
    /// The checkpoint was not signed for the records before it. The chain alone does not show this.
    Forged,
    /// The note of the newest record is gone, so that a cut at the end would not show.
    HeadMissing,
}

/// Whether the file is the newest there was, as the keychain remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HeadState {
    /// It goes on from what was remembered.
    Continues,
    /// There was nothing to compare with yet.
    First,
    /// The keychain did not answer, or keeps nothing beyond this run.
    Unknown,
    /// The file ends before what was remembered: an older copy was put in its place, or its end was cut off.
    Older {
        /// The last record there was.
        #[ts(type = "number")]
        remembered: i64,
        /// The last record there is.
        #[ts(type = "number")]
        found: i64,
    },
    /// The remembered record is another today: the file was rewritten.
    Rewritten {
        #[ts(type = "number")]
        seq: i64,
    },
}

/// A file or host that a server's records name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct NameSeen {
    pub named: Mention,
    /// How many records name it.
    #[ts(type = "number")]
    pub records: i64,
}

/// What one server received or was asked about, as far as the ledger still has the words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct SeenByServer {
    /// Folders that are shared with it now, or that it received.
    pub folders: Vec<String>,
    /// What its calls, pages and sign-ins named, the latest first.
    pub names: Vec<NameSeen>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ExportedFile {
    pub path: String,
    /// How many things are in it.
    #[ts(type = "number")]
    pub count: u64,
}
