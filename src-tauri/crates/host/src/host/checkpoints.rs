//! Checkpoints: records of the ledger that sign where it stood, with a key that only the keychain holds. A program that
//! rewrites the file and all its hashes cannot sign it again; with a copy of the file on another computer one can check
//! the chain, but not the signatures. Where no keychain answers there is no key that lasts, and nothing is signed.

use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use vestibule_store::{Checkpoint, LedgerDraft, LedgerKind, LedgerReceipt, Store};

use super::Host;
use crate::view::{LedgerSigned, Problem, SecretsState};
use vestibule_servers::config::secrets::{SecretName, Secrets, SecretsError};
use vestibule_servers::config::variables::hex;

/// Records after which the ledger is signed again, however soon that is.
pub(super) const EVERY: i64 = 256;
/// Keeps these signatures apart from every other use of the key.
const DOMAIN: &str = "vestibule/v1/checkpoint";

/// The key that checkpoints are signed with.
pub(crate) struct CheckpointKey(SecretString);

impl CheckpointKey {
    /// The key of this computer, if it has one.
    ///
    /// # Errors
    /// When the keychain does not answer.
    pub(crate) async fn load(secrets: &dyn Secrets) -> Result<Option<Self>, SecretsError> {
        Ok(secrets.get(&SecretName::CheckpointKey).await?.map(Self))
    }

    async fn load_or_create(secrets: &dyn Secrets) -> Result<Self, SecretsError> {
        if let Some(key) = Self::load(secrets).await? {
            return Ok(key);
        }
        let key = SecretString::from(format!("{}{}", uuid::Uuid::new_v4(), uuid::Uuid::new_v4()));
        secrets.set(&SecretName::CheckpointKey, &key).await?;
        Ok(Self(key))
    }

    /// Tells this key from others and says nothing about it.
    fn name(&self) -> String {
        let digest = Sha256::digest(format!("{DOMAIN}/key\0{}", self.0.expose_secret()));
        hex(&digest[..8])
    }

    fn mac(&self, of: i64, hash: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret().as_bytes())
            .expect("this code accepts a key of any length");
        mac.update(format!("{DOMAIN}\0{of}\0{hash}").as_bytes());
        mac
    }

    fn sign(&self, head: LedgerReceipt) -> LedgerDraft {
        let hash = hex(&head.hash);
        let signature = hex(&self.mac(head.seq, &hash).finalize().into_bytes());
        LedgerDraft {
            kind: LedgerKind::Checkpoint,
            server: None,
            chat: None,
            action: "ledger.checkpoint".into(),
            object: String::new(),
            decision: None,
            because: Value::Null,
            body: json!({ "of": head.seq, "hash": hash, "key": self.name(), "signature": signature }),
        }
    }

    /// Whether a checkpoint was signed with this key, and for the record that is there.
    fn signed(&self, checkpoint: &Checkpoint) -> bool {
        let there = checkpoint
            .there
            .is_some_and(|there| hex(&there) == checkpoint.hash);
        let expected = self.mac(checkpoint.of, &checkpoint.hash);
        there && bytes(&checkpoint.signature).is_some_and(|given| expected.verify_slice(&given).is_ok())
    }
}

/// How far a ledger is signed by this computer's key; the number of a checkpoint that is not what it was, otherwise.
///
/// # Errors
/// The number of the first checkpoint that claims this key and does not hold.
pub(crate) fn judge(checkpoints: &[Checkpoint], key: Option<&CheckpointKey>) -> Result<LedgerSigned, i64> {
    let mut signed = LedgerSigned::default();
    let name = key.map(CheckpointKey::name);
    for checkpoint in checkpoints {
        match key {
            Some(key) if name.as_deref() == Some(&checkpoint.key) => {
                if !key.signed(checkpoint) {
                    return Err(checkpoint.seq);
                }
                signed.checkpoints += 1;
                signed.through = Some(checkpoint.of);
            }
            _ => signed.of_other_keys += 1,
        }
    }
    Ok(signed)
}

impl Host {
    /// Signs where the ledger stands, where something was written since it was signed last and a keychain keeps the
    /// key.
    ///
    /// # Errors
    /// When it could not be signed or written.
    pub(super) async fn sign_ledger(&self) -> Result<(), Problem> {
        if self.0.secrets.state() != SecretsState::Keychain {
            return Ok(());
        }
        let _one_at_a_time = self.0.signing.lock().await;
        let head = self.0.store.ledger_head().await?;
        if head.seq == 0 || is_checkpoint(&self.0.store, head).await? {
            return Ok(());
        }
        let key = CheckpointKey::load_or_create(&*self.0.secrets).await?;
        self.0.store.append(key.sign(head)).await?;
        Ok(())
    }
}

async fn is_checkpoint(store: &Store, head: LedgerReceipt) -> Result<bool, Problem> {
    let newest = vestibule_store::LedgerFilter {
        before: Some(head.seq + 1),
        limit: 1,
        ..Default::default()
    };
    let newest = store.ledger(newest).await?;
    Ok(newest.iter().any(|record| record.kind == LedgerKind::Checkpoint))
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let whole = digits.len().is_multiple_of(2);
    whole
        .then(|| digits.chunks_exact(2).map(pair).collect())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> CheckpointKey {
        CheckpointKey(SecretString::from(text))
    }

    /// What the ledger would give back for a checkpoint `key` wrote.
    fn written(key: &CheckpointKey, of: i64, hash: [u8; 32]) -> Checkpoint {
        let body = key.sign(LedgerReceipt { seq: of, hash }).body;
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        Checkpoint {
            seq: of + 1,
            of,
            hash: text("hash"),
            key: text("key"),
            signature: text("signature"),
            there: Some(hash),
        }
    }

    #[test]
    fn a_ledger_is_signed_up_to_its_last_checkpoint() {
        let own = key("own");
        let all = [
            written(&own, 4, [1; 32]),
            written(&key("other"), 9, [2; 32]),
            written(&own, 14, [3; 32]),
        ];
        let signed = judge(&all, Some(&own)).unwrap();
        assert_eq!(
            (signed.checkpoints, signed.through, signed.of_other_keys),
            (2, Some(14), 1)
        );
        let signed = judge(&all, None).unwrap();
        assert_eq!(
            (signed.checkpoints, signed.through, signed.of_other_keys),
            (0, None, 3)
        );
    }

    /// A program that rewrites records and hashes has to rewrite the checkpoint as well, and cannot.
    #[test]
    fn a_rewritten_ledger_can_not_be_signed_again_without_the_key() {
        let own = key("own");
        let honest = written(&own, 4, [1; 32]);
        let forged = |change: &dyn Fn(&mut Checkpoint)| {
            let mut checkpoint = honest.clone();
            change(&mut checkpoint);
            assert_eq!(judge(&[checkpoint.clone()], Some(&own)), Err(5), "{checkpoint:?}");
        };
        forged(&|checkpoint| checkpoint.there = Some([9; 32]));
        forged(&|checkpoint| checkpoint.there = None);
        forged(&|checkpoint| {
            checkpoint.there = Some([9; 32]);
            checkpoint.hash = hex(&[9; 32]);
        });
        forged(&|checkpoint| checkpoint.of = 3);
        forged(&|checkpoint| checkpoint.signature.clear());
        forged(&|checkpoint| checkpoint.signature = "zz".into());
        forged(&|checkpoint| {
            let by_other = written(&key("other"), 4, [1; 32]);
            checkpoint.signature = by_other.signature;
        });
    }
}
