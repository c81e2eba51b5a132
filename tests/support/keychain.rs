//! A keychain that lasts as long as the test, and can be away.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use secrecy::SecretString;
use vestibule_host::view::SecretsState;
use vestibule_host::{MemorySecrets, SecretName, Secrets, SecretsError};

/// How the keychain behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeychainMood {
    /// It keeps and gives back.
    #[default]
    Answers,
    /// It is there and refuses every request, as a locked one does.
    Refuses,
    /// There is none: secrets last as long as the run.
    Away,
}

/// A keychain in memory.
pub struct TestKeychain {
    held: MemorySecrets,
    mood: Mutex<KeychainMood>,
}

impl Default for TestKeychain {
    fn default() -> Self {
        Self {
            held: MemorySecrets::new("a test"),
            mood: Mutex::default(),
        }
    }
}

impl TestKeychain {
    /// Behaves like this from now on.
    pub fn turn(&self, mood: KeychainMood) {
        *self.mood.lock().unwrap_or_else(PoisonError::into_inner) = mood;
    }

    fn mood(&self) -> KeychainMood {
        *self.mood.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answers(&self) -> Result<(), SecretsError> {
        match self.mood() {
            KeychainMood::Refuses => Err(SecretsError("the keychain is locked".to_owned())),
            KeychainMood::Answers | KeychainMood::Away => Ok(()),
        }
    }
}

#[async_trait]
impl Secrets for TestKeychain {
    async fn get(&self, name: &SecretName) -> Result<Option<SecretString>, SecretsError> {
        self.answers()?;
        self.held.get(name).await
    }

    async fn set(&self, name: &SecretName, secret: &SecretString) -> Result<(), SecretsError> {
        self.answers()?;
        self.held.set(name, secret).await
    }

    async fn remove(&self, name: &SecretName) -> Result<(), SecretsError> {
        self.answers()?;
        self.held.remove(name).await
    }

    fn state(&self) -> SecretsState {
        match self.mood() {
            KeychainMood::Answers | KeychainMood::Refuses => SecretsState::Keychain,
            KeychainMood::Away => self.held.state(),
        }
    }
}
