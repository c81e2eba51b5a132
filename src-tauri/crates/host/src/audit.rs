//! What is found when a ledger is held against everything known of it: its own chain, the signatures of its
//! checkpoints, and where the keychain remembers that it ended. The same for the Ledger screen and for the command.

use std::path::Path;
use std::time::{Duration, Instant};

use secrecy::ExposeSecret;
use vestibule_store::{Checkpoint, LedgerFile, StoreError, Verification};

use crate::host::checkpoints::{CheckpointKey, judge};
use crate::view::{HeadState, LedgerBreak, LedgerCheck, SecretsState};
use vestibule_servers::config::secrets::{SecretName, Secrets};
use vestibule_servers::config::variables::hex;

/// Checks the ledger of a file that need not be open here, with what the keychain knows.
///
/// # Errors
/// When there is no ledger to read.
pub async fn check_ledger_file(
    path: &Path,
    secrets: &dyn Secrets,
) -> Result<(LedgerCheck, HeadState), StoreError> {
    let remembered = Remembered::load(secrets).await;
    // Without an answer the signatures are of keys that are not here, and the report says so.
    let key = CheckpointKey::load(secrets).await.unwrap_or_default();
    let began = Instant::now();
    let file = LedgerFile::open(path)?;
    let check = checked(
        file.verify()?,
        &file.checkpoints()?,
        key.as_ref(),
        began.elapsed(),
    );
    let hash = match &remembered {
        Remembered::End { seq, .. } => file.hash_of(*seq)?,
        Remembered::Nothing | Remembered::Unknown => None,
    };
    let found = file.head().ok().flatten().map_or(0, |head| head.seq);
    Ok((check, remembered.judge(found, hash)))
}

/// Where the ledger ended, as the keychain remembers it.
pub(crate) enum Remembered {
    End {
        seq: i64,
        hash: String,
    },
    /// A keychain that lasts, and nothing in it yet.
    Nothing,
    /// No keychain, or no answer.
    Unknown,
}

impl Remembered {
    pub(crate) async fn load(secrets: &dyn Secrets) -> Self {
        match secrets.get(&SecretName::LedgerHead).await {
            Ok(Some(text)) => Self::parse(text.expose_secret()),
            Ok(None) if matches!(secrets.state(), SecretsState::Keychain) => Self::Nothing,
            Ok(None) | Err(_) => Self::Unknown,
        }
    }

    fn parse(text: &str) -> Self {
        let parts = text.split_once(':');
        match parts.and_then(|(seq, hash)| Some((seq.parse().ok()?, hash.to_owned()))) {
            Some((seq, hash)) => Self::End { seq, hash },
            None => Self::Unknown,
        }
    }

    /// Holds a ledger that ends with the record `found` against it; `hash` is the hash that the remembered record has
    /// in it.
    pub(crate) fn judge(&self, found: i64, hash: Option<[u8; 32]>) -> HeadState {
        match self {
            Self::Nothing => HeadState::First,
            Self::Unknown => HeadState::Unknown,
            Self::End { seq, .. } if found < *seq => HeadState::Older {
                remembered: *seq,
                found,
            },
            Self::End { seq: 0, .. } => HeadState::Continues,
            Self::End { seq, hash: was } if hash.is_none_or(|is| hex(&is) != *was) => {
                HeadState::Rewritten { seq: *seq }
            }
            Self::End { .. } => HeadState::Continues,
        }
    }
}

/// What checking came to, the signatures included.
pub(crate) fn checked(
    found: Verification,
    checkpoints: &[Checkpoint],
    key: Option<&CheckpointKey>,
    took: Duration,
) -> LedgerCheck {
    let records = match found {
        Verification::Intact { records, .. } => records,
        Verification::Broken { seq, what } => {
            return LedgerCheck::Broken { seq, what };
        }
    };
    match judge(checkpoints, key) {
        Ok(signed) => LedgerCheck::Intact {
            records,
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            signed,
        },
        Err(seq) => LedgerCheck::Broken {
            seq,
            what: LedgerBreak::Forged,
        },
    }
}
