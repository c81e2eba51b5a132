//! What a record of the ledger says, as its writers and readers see it.

use std::fmt;

use jiff::Timestamp;
use serde_json::Value;
use vestibule_protocol::{ChatId, ServerId};

/// What kind of thing a record speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LedgerKind {
    /// Something is about to happen. Written before it does.
    Intent,
    Outcome,
    /// A question was answered, by the user or by a rule.
    Decision,
    /// A standing permission was given.
    Grant,
    /// A standing permission was taken back.
    Revoke,
    /// A server, model or setting was changed.
    Config,
    /// Where the ledger stood, signed.
    Checkpoint,
}

impl LedgerKind {
    pub const ALL: [Self; 7] = [
        Self::Intent,
        Self::Outcome,
        Self::Decision,
        Self::Grant,
        Self::Revoke,
        Self::Config,
        Self::Checkpoint,
    ];

    /// The word the file uses for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Intent => "intent",
            Self::Outcome => "outcome",
            Self::Decision => "decision",
            Self::Grant => "grant",
            Self::Revoke => "revoke",
            Self::Config => "config",
            Self::Checkpoint => "checkpoint",
        }
    }

    /// The kind a word of the file stands for.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for LedgerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A record before it has a number, a time and a hash. Redact before drafting: what is in here is kept for good.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerDraft {
    /// The kind of thing it speaks of.
    pub kind: LedgerKind,
    pub server: Option<ServerId>,
    pub chat: Option<ChatId>,
    /// What is done, for example `tool.call`.
    pub action: String,
    /// What it is done to, for example the tool's name.
    pub object: String,
    /// What was decided, where something was.
    pub decision: Option<String>,
    /// Why: the rules that matched, or that the user said so.
    pub because: Value,
    /// Redacted arguments, digests, sizes.
    pub body: Value,
}

/// A record's place in the chain. Holding one means that the record is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerReceipt {
    /// Its number, from 1, without gaps.
    pub seq: i64,
    /// SHA-256 over the record and, through it, over every record before.
    pub hash: [u8; 32],
}

/// A record as it stands in the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerRecord {
    /// Its number, from 1, without gaps.
    pub seq: i64,
    /// The wall clock when it was written, to the millisecond. The clock may have been set back in between;
    /// `seq` tells the order.
    pub at: Timestamp,
    /// The kind of thing it speaks of.
    pub kind: LedgerKind,
    /// The server concerned, which may be gone.
    pub server: Option<ServerId>,
    /// The chat concerned, which may be gone.
    pub chat: Option<ChatId>,
    pub action: String,
    /// What it was done to.
    pub object: String,
    /// What was decided, where something was.
    pub decision: Option<String>,
    pub because: Value,
    /// Redacted arguments, digests, sizes.
    pub body: Value,
    /// The hash of the record before; zeros for the first.
    pub prev: [u8; 32],
    pub hash: [u8; 32],
}

/// Which records to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFilter {
    /// Only records with a smaller number: the last `seq` of the page before.
    pub before: Option<i64>,
    /// Only records with a larger number, and then the oldest first: the last `seq` of the page before.
    pub after: Option<i64>,
    /// How many at most; more than 1000 counts as 1000.
    pub limit: u32,
    /// Only records of this server.
    pub server: Option<ServerId>,
    /// Only records of this chat.
    pub chat: Option<ChatId>,
    /// Only records of this action, for example `tool.call`.
    pub action: Option<String>,
    /// Only records of exactly this object, for example a tool's name.
    pub object: Option<String>,
    /// Only records of one of these kinds; none means all.
    pub kinds: Vec<LedgerKind>,
    /// Only records that say each of these somewhere: in the action, object, decision, reasons or body, or in
    /// the name of its server. Letters of ASCII count the same in both cases.
    pub words: Vec<String>,
    /// Only records that name this file, or one below it, and their outcomes. An absolute path.
    pub file: Option<String>,
    /// Only records that name this host, or one of its subdomains, and their outcomes. In ASCII and small letters.
    pub host: Option<String>,
    /// Only records that were written at this time or later.
    pub since: Option<Timestamp>,
    /// Only records that were written before this time.
    pub until: Option<Timestamp>,
}

impl Default for LedgerFilter {
    fn default() -> Self {
        Self {
            before: None,
            after: None,
            limit: 100,
            server: None,
            chat: None,
            action: None,
            object: None,
            kinds: vec![],
            words: vec![],
            file: None,
            host: None,
            since: None,
            until: None,
        }
    }
}
