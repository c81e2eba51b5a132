//! A file the ledger was exported to, checked by itself: each line against its own hash and, where no record was left
//! out, against the line before. What only the database and the keychain can show is not checked: whether a record is
//! missing at the end or by the filters, the signatures, and the names beside a record.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::seal::{GENESIS, Sealed};
use crate::StoreError;
use crate::depth::canonical_json;

/// How a database begins.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// Bytes of one line that are read: a record of 1 MiB, escaped, with its names.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// What checking an exported file found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportCheck {
    /// Records read, up to the first that does not hold.
    pub records: u64,
    /// Number of the first record; 0 where there is none.
    pub first: i64,
    /// Number of the last record that holds.
    pub last: i64,
    /// Places between two records where numbers are left out.
    pub gaps: u64,
    /// The first line that does not hold, from 1, and why.
    pub broken: Option<(u64, ExportBreak)>,
}

/// Why a line of an exported file does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportBreak {
    /// It is not an exported record.
    Unreadable,
    /// Its content or its hash was changed.
    Altered,
    /// Its number is not larger than the one before.
    Order,
    /// It does not continue the record before, though its number is the next.
    Link,
}

/// Whether a file looks like an export rather than a database: text that begins with a JSON object.
///
/// # Errors
/// [`StoreError::Io`] if the file cannot be read.
pub fn is_export(path: &Path) -> Result<bool, StoreError> {
    let failed = |error| StoreError::from_io("read", path, &error);
    let mut start = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(DATABASE.len() as u64)
        .read_to_end(&mut start)
        .map_err(failed)?;
    Ok(start != DATABASE && start.trim_ascii_start().first() == Some(&b'{'))
}

/// Checks an exported file line by line, up to the first line that does not hold.
///
/// # Errors
/// [`StoreError::Io`] if the file cannot be read.
pub fn verify_export(path: &Path) -> Result<ExportCheck, StoreError> {
    let failed = |error| StoreError::from_io("read", path, &error);
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let mut found = ExportCheck::default();
    let mut before = GENESIS;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = file.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.map_err(failed)? == 0 {
            break;
        }
        match check(&line, found.last, before) {
            Ok(record) => {
                let is_gap = found.records > 0 && record.seq > found.last + 1;
                found.gaps += u64::from(is_gap);
                found.first = if found.records == 0 {
                    record.seq
                } else {
                    found.first
                };
                found.records += 1;
                found.last = record.seq;
                before = record.hash;
            }
            Err(what) => {
                found.broken = Some((number, what));
                break;
            }
        }
    }
    Ok(found)
}

/// The record of a line that follows the record `last`, whose hash is `before`.
fn check(line: &[u8], last: i64, before: [u8; 32]) -> Result<Sealed, ExportBreak> {
    let record = serde_json::from_slice::<ExportedLine>(line)
        .ok()
        .and_then(ExportedLine::sealed)
        .ok_or(ExportBreak::Unreadable)?;
    if record.seq <= last {
        return Err(ExportBreak::Order);
    }
    if !record.intact_as(record.seq) {
        return Err(ExportBreak::Altered);
    }
    if record.seq == last + 1 && record.prev != before {
        return Err(ExportBreak::Link);
    }
    Ok(record)
}

/// The sealed part of a line. Names beside it are not sealed into its hash and are skipped.
#[derive(Deserialize)]
struct ExportedLine {
    seq: i64,
    at: String,
    kind: String,
    server: Option<String>,
    chat: Option<String>,
    action: String,
    object: String,
    decision: Option<String>,
    because: Value,
    body: Value,
    prev: String,
    hash: String,
}

impl ExportedLine {
    fn sealed(self) -> Option<Sealed> {
        Some(Sealed {
            seq: self.seq,
            prev: hash(&self.prev)?,
            at: self.at.parse::<Timestamp>().ok()?.as_millisecond(),
            kind: self.kind,
            server: self.server,
            chat: self.chat,
            action: self.action,
            object: self.object,
            decision: self.decision,
            because: canonical_json(&self.because).ok()?,
            body: canonical_json(&self.body).ok()?,
            hash: hash(&self.hash)?,
        })
    }
}

/// 64 hexadecimal digits as 32 bytes.
fn hash(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 2 * bytes.len() || !text.is_ascii() {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}
