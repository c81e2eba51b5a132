//! How a record is sealed: SHA-256 over a fixed prefix and the record's canonical JSON, its own hash left out and
//! the hash before it included. The two JSON columns go into it as the text that is stored, so that checking
//! never depends on how a number is parsed and written again.

use jiff::Timestamp;
use rusqlite::Row;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use super::{LedgerKind, LedgerRecord};
use crate::StoreError;
use vestibule_policy::write_string;

/// What the first record has as the hash before it.
pub(crate) const GENESIS: [u8; 32] = [0; 32];

/// Keeps these hashes apart from every other use of SHA-256.
const DOMAIN: &[u8] = b"vestibule/v1/ledger\0";

/// The columns [`Sealed::from_row`] reads, in its order.
pub(crate) const COLUMNS: &str =
    "seq, prev, at, kind, server, chat, action, object, decision, because, body, hash";

/// A row of the ledger as it stands in the file.
#[derive(Clone, Debug)]
pub(crate) struct Sealed {
    pub(crate) seq: i64,
    pub(crate) prev: [u8; 32],
    pub(crate) at: i64,
    pub(crate) kind: String,
    pub(crate) server: Option<String>,
    pub(crate) chat: Option<String>,
    pub(crate) action: String,
    pub(crate) object: String,
    pub(crate) decision: Option<String>,
    pub(crate) because: String,
    pub(crate) body: String,
    pub(crate) hash: [u8; 32],
}

impl Sealed {
    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get(0)?,
            prev: row.get(1)?,
            at: row.get(2)?,
            kind: row.get(3)?,
            server: row.get(4)?,
            chat: row.get(5)?,
            action: row.get(6)?,
            object: row.get(7)?,
            decision: row.get(8)?,
            because: row.get(9)?,
            body: row.get(10)?,
            hash: row.get(11)?,
        })
    }

    /// The hash this record has, or would have under another number.
    pub(crate) fn sealed_as(&self, seq: i64) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(DOMAIN);
        digest.update(self.canonical(seq));
        digest.finalize().into()
    }

    /// Whether its own hash holds under the number `seq`. The JSON columns must each be one whole value:
    /// otherwise text could move from one to the other without changing the hash.
    pub(crate) fn intact_as(&self, seq: i64) -> bool {
        self.hash == self.sealed_as(seq) && is_json(&self.because) && is_json(&self.body)
    }

    /// The record's canonical JSON without its own hash. Keys in order; `v` is the version of this layout.
    fn canonical(&self, seq: i64) -> String {
        let mut out = String::with_capacity(self.text_length());
        out.push_str("{\"action\":");
        write_string(&self.action, &mut out);
        out.push_str(",\"at\":");
        out.push_str(&self.at.to_string());
        out.push_str(",\"because\":");
        out.push_str(&self.because);
        out.push_str(",\"body\":");
        out.push_str(&self.body);
        out.push_str(",\"chat\":");
        write_optional(self.chat.as_deref(), &mut out);
        out.push_str(",\"decision\":");
        write_optional(self.decision.as_deref(), &mut out);
        out.push_str(",\"kind\":");
        write_string(&self.kind, &mut out);
        out.push_str(",\"object\":");
        write_string(&self.object, &mut out);
        out.push_str(",\"prev\":\"");
        write_hex(&self.prev, &mut out);
        out.push_str("\",\"seq\":");
        out.push_str(&seq.to_string());
        out.push_str(",\"server\":");
        write_optional(self.server.as_deref(), &mut out);
        out.push_str(",\"v\":1}");
        out
    }

    /// About how many bytes its hash covers.
    pub(crate) fn text_length(&self) -> usize {
        400 + self.because.len() + self.body.len()
    }

    /// The record in our own types.
    pub(crate) fn open(self) -> Result<LedgerRecord, StoreError> {
        let seq = self.seq;
        let unreadable = |column: &str| StoreError::corrupt(format!("ledger record {seq}, column {column}"));
        Ok(LedgerRecord {
            seq,
            at: Timestamp::from_millisecond(self.at).map_err(|_| unreadable("at"))?,
            kind: LedgerKind::from_word(&self.kind).ok_or_else(|| unreadable("kind"))?,
            server: self
                .server
                .map(|id| id.parse())
                .transpose()
                .map_err(|_| unreadable("server"))?,
            chat: self
                .chat
                .map(|id| id.parse())
                .transpose()
                .map_err(|_| unreadable("chat"))?,
            action: self.action,
            object: self.object,
            decision: self.decision,
            because: serde_json::from_str(&self.because).map_err(|_| unreadable("because"))?,
            body: serde_json::from_str(&self.body).map_err(|_| unreadable("body"))?,
            prev: self.prev,
            hash: self.hash,
        })
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn write_optional(text: Option<&str>, out: &mut String) {
    match text {
        Some(text) => write_string(text, out),
        None => out.push_str("null"),
    }
}

fn write_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}
