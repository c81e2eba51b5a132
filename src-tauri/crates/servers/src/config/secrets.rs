//! Where secrets are kept. The application gives the operating system's keychain; where none answers, secrets
//! live in memory until the end of the run and the user is informed. Secrets are never written to a file.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::PoisonError;

use async_trait::async_trait;
use secrecy::SecretString;
use vestibule_protocol::{ConnectionId, ServerId};

use vestibule_app_protocol::SecretsState;

/// What a secret belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SecretName {
    /// A variable of a server.
    Variable { server: ServerId, name: String },
    /// A header of a server at an address.
    Header { server: ServerId, name: String },
    /// The key of a connection to models.
    ConnectionKey(ConnectionId),
    /// An extra header of a connection to models.
    ConnectionHeader { connection: ConnectionId, name: String },
    /// Something of a sign-in: tokens, registrations, client secrets.
    SignIn(String),
    /// The key that fingerprints of variables and headers are made with, so that they tell nothing by themselves.
    FingerprintKey,
    /// Where the ledger ended: its last number and hash.
    LedgerHead,
    /// The key that checkpoints of the ledger are signed with.
    CheckpointKey,
    /// The key that rows of the database are signed with. While it is there, a row without a signature is not genuine.
    RowKey,
    /// The newest generation of the signed list of rows.
    RowGeneration,
}

impl std::fmt::Display for SecretName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Variable { server, name } => write!(f, "server/{server}/{name}"),
            Self::Header { server, name } => write!(f, "header/{server}/{name}"),
            // Keys once belonged to models, and a connection of that time has the id of its model.
            Self::ConnectionKey(connection) => write!(f, "model/{connection}"),
            Self::ConnectionHeader { connection, name } => write!(f, "model-header/{connection}/{name}"),
            Self::SignIn(name) => write!(f, "sign-in/{name}"),
            Self::FingerprintKey => f.write_str("fingerprint"),
            Self::LedgerHead => f.write_str("ledger-head"),
            Self::CheckpointKey => f.write_str("ledger-key"),
            Self::RowKey => f.write_str("row-key"),
            Self::RowGeneration => f.write_str("row-generation"),
        }
    }
}

/// The keychain did not do what was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SecretsError(pub String);

/// A place for secrets.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The secret, or `None` where there is none.
    ///
    /// # Errors
    /// When the place does not answer; that is not the same as having no secret.
    async fn get(&self, name: &SecretName) -> Result<Option<SecretString>, SecretsError>;

    /// Keeps a secret.
    ///
    /// # Errors
    /// When it was not kept.
    async fn set(&self, name: &SecretName, secret: &SecretString) -> Result<(), SecretsError>;

    /// Removes a secret; removing one that is not there is fine.
    ///
    /// # Errors
    /// When it may still be there.
    async fn remove(&self, name: &SecretName) -> Result<(), SecretsError>;

    /// What to tell the user.
    fn state(&self) -> SecretsState;
}

/// Secrets in memory, gone at the end of the run.
pub struct MemorySecrets {
    held: Mutex<HashMap<SecretName, SecretString>>,
    detail: String,
}

impl MemorySecrets {
    /// An empty place; `detail` says why no keychain is used.
    #[must_use]
    pub fn new(detail: impl Into<String>) -> Self {
        Self {
            held: Mutex::default(),
            detail: detail.into(),
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<SecretName, SecretString>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Secrets for MemorySecrets {
    async fn get(&self, name: &SecretName) -> Result<Option<SecretString>, SecretsError> {
        Ok(self.held().get(name).cloned())
    }

    async fn set(&self, name: &SecretName, secret: &SecretString) -> Result<(), SecretsError> {
        self.held().insert(name.clone(), secret.clone());
        Ok(())
    }

    async fn remove(&self, name: &SecretName) -> Result<(), SecretsError> {
        self.held().remove(name);
        Ok(())
    }

    fn state(&self) -> SecretsState {
        SecretsState::MemoryOnly {
            detail: self.detail.clone(),
        }
    }
}
