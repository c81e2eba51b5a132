//! What the vault keeps of one server's sign-ins: its tokens, the issuer of its last sign-in, and the clients that were
//! registered with issuers. A record that cannot be read is as good as none.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{AuthError, Reason, Step};
use crate::random::fingerprint;
use crate::stored::{Registration, StoredTokens};
use crate::vault::{Chunked, ReadError, Vault, VaultError};

pub(super) struct AuthRecords {
    vault: Chunked,
    /// What the secrets of the server are kept under.
    name: String,
}

impl AuthRecords {
    pub(super) fn new(vault: Arc<dyn Vault>, name: &str) -> Self {
        Self {
            vault: Chunked(vault),
            name: name.to_owned(),
        }
    }

    pub(super) async fn tokens(&self) -> Result<Option<StoredTokens>, AuthError> {
        self.get(&self.tokens_name()).await
    }

    pub(super) async fn put_tokens(&self, tokens: &StoredTokens) -> Result<(), AuthError> {
        self.put(&self.tokens_name(), tokens).await
    }

    pub(super) async fn delete_tokens(&self) -> Result<(), AuthError> {
        self.delete(&self.tokens_name()).await
    }

    /// The issuer of the last sign-in. It outlives the tokens, so that a change can be shown.
    pub(super) async fn last_issuer(&self) -> Result<Option<String>, AuthError> {
        self.get(&self.issuer_name()).await
    }

    pub(super) async fn put_last_issuer(&self, issuer: &str) -> Result<(), AuthError> {
        self.put(&self.issuer_name(), &issuer).await
    }

    pub(super) async fn registration(&self, issuer: &str) -> Result<Option<Registration>, AuthError> {
        self.get(&registration_name(issuer)).await
    }

    pub(super) async fn put_registration(
        &self,
        issuer: &str,
        registration: &Registration,
    ) -> Result<(), AuthError> {
        self.put(&registration_name(issuer), registration).await
    }

    /// Forgets a registration here alone.
    pub(super) async fn delete_registration(&self, issuer: &str) -> Result<(), AuthError> {
        self.delete(&registration_name(issuer)).await
    }

    fn tokens_name(&self) -> String {
        format!("tokens/{}", self.name)
    }

    fn issuer_name(&self) -> String {
        format!("issuer/{}", self.name)
    }

    async fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, AuthError> {
        let found = match self.vault.get(name).await {
            Ok(found) => found,
            Err(ReadError::Vault(error)) => return Err(vault_failed(&error)),
            Err(ReadError::Damaged) => {
                tracing::warn!(name, "ignoring a damaged entry of the keychain");
                None
            }
        };
        let read = |text: SecretString| serde_json::from_str(text.expose_secret());
        // What an older or newer version wrote is as good as nothing: the user signs in again.
        Ok(found.and_then(|text| read(text).ok()))
    }

    async fn put<T: Serialize>(&self, name: &str, what: &T) -> Result<(), AuthError> {
        let text = serde_json::to_string(what).expect("records are plain data");
        self.vault
            .put(name, &text.into())
            .await
            .map_err(|error| vault_failed(&error))
    }

    async fn delete(&self, name: &str) -> Result<(), AuthError> {
        self.vault
            .delete(name)
            .await
            .map_err(|error| vault_failed(&error))
    }
}

fn registration_name(issuer: &str) -> String {
    format!("client/{}", fingerprint(issuer.as_bytes()))
}

fn vault_failed(error: &VaultError) -> AuthError {
    AuthError::new(
        Step::Vault,
        Reason::Vault(format!("the keychain did not do it ({error})")),
    )
}
