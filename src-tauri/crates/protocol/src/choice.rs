//! What a user may choose about how a server is spoken to. These are choices, not findings: "auto" means that it
//! is found out each time, and the session reports what was found.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which era of the protocol to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum EraChoice {
    #[default]
    Auto,
    /// Open with a handshake, as the revisions up to 2025-11-25 do.
    Legacy,
    /// Each request stands for itself, as from 2026-07-28 on.
    Modern,
}

/// Which of the transports over HTTP to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum TransportChoice {
    /// Streamable HTTP, and the older one where the server speaks only that.
    #[default]
    Auto,
    Streamable,
    /// HTTP with one stream of events, as in 2024-11-05.
    Sse,
}

/// The text names no choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a choice")]
pub struct NotAChoice(String);

impl EraChoice {
    /// Its name, as it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

impl TransportChoice {
    /// Its name, as it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Streamable => "streamable",
            Self::Sse => "sse",
        }
    }
}

impl FromStr for EraChoice {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Self, NotAChoice> {
        let all = [Self::Auto, Self::Legacy, Self::Modern];
        let found = all.into_iter().find(|choice| choice.as_str() == text);
        found.ok_or_else(|| NotAChoice(text.to_owned()))
    }
}

impl FromStr for TransportChoice {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Self, NotAChoice> {
        let all = [Self::Auto, Self::Streamable, Self::Sse];
        let found = all.into_iter().find(|choice| choice.as_str() == text);
        found.ok_or_else(|| NotAChoice(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_reads_back_from_its_name_and_nothing_else_is_one() {
        for era in [EraChoice::Auto, EraChoice::Legacy, EraChoice::Modern] {
            assert_eq!(era.as_str().parse(), Ok(era));
            assert_eq!(serde_json::to_value(era).unwrap(), era.as_str());
        }
        for transport in [
            TransportChoice::Auto,
            TransportChoice::Streamable,
            TransportChoice::Sse,
        ] {
            assert_eq!(transport.as_str().parse(), Ok(transport));
            assert_eq!(serde_json::to_value(transport).unwrap(), transport.as_str());
        }
        assert!("Legacy".parse::<EraChoice>().is_err());
        assert!("http".parse::<TransportChoice>().is_err());
    }
}
