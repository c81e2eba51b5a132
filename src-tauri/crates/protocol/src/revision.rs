//! The revisions of MCP this app speaks. A revision is a date, so the order of the dates is the order of the
//! enum and "at least 2025-06-18" is a plain comparison. Up to 2025-11-25 a session opens with a handshake;
//! from 2026-07-28 on there is none, every request stands for itself, and no handshake can agree on it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A protocol revision, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
pub enum Revision {
    /// The first published revision.
    #[serde(rename = "2024-11-05")]
    V2024_11_05,
    /// Brought batches, audio and tool annotations.
    #[serde(rename = "2025-03-26")]
    V2025_03_26,
    /// Brought elicitation, structured results and resource links; removed batches.
    #[serde(rename = "2025-06-18")]
    V2025_06_18,
    /// Brought icons, URL elicitation and tools in sampling; the last with a handshake.
    #[serde(rename = "2025-11-25")]
    V2025_11_25,
    /// The first without a handshake: each request says everything about itself.
    #[serde(rename = "2026-07-28")]
    V2026_07_28,
}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// Those a handshake can agree on, oldest first.
    pub const HANDSHAKES: [Self; 4] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
    ];

    /// The newest revision a handshake can agree on: what a client offers first in one.
    pub const NEWEST_HANDSHAKE: Self = Self::V2025_11_25;

    /// The newest revision of all: what a client tries first.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// The text that travels as `protocolVersion`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether every request stands for itself, without a handshake before it.
    #[must_use]
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    /// Whether messages may arrive several to an array.
    #[must_use]
    pub const fn has_batches(self) -> bool {
        matches!(self, Self::V2025_03_26)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no revision this app speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a protocol revision this app speaks")]
pub struct UnknownRevision;

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str() == text)
            .ok_or(UnknownRevision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_reads_back_from_its_own_text_and_sorts_by_date() {
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(revision));
            assert_eq!(serde_json::to_value(revision).unwrap(), revision.to_string());
        }
        assert!(Revision::ALL.is_sorted());
        assert!(Revision::ALL.map(Revision::as_str).is_sorted());
        assert!(Revision::HANDSHAKES.iter().all(|revision| !revision.is_modern()));
        assert!(Revision::NEWEST.is_modern() && !Revision::NEWEST_HANDSHAKE.is_modern());
        assert_eq!("2025-06-19".parse::<Revision>(), Err(UnknownRevision));
    }
}
