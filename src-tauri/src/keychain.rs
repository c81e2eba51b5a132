//! The operating system's keychain. That it can be opened does not mean that it keeps anything (a locked keyring
//! opens and then refuses), so it is tried with a throw-away entry before it is relied on; where that fails,
//! secrets stay in memory for this run and the user is informed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use keyring::Entry;
use secrecy::{ExposeSecret, SecretString};
use vestibule_host::view::SecretsState;
use vestibule_host::{MemorySecrets, SecretName, Secrets, SecretsError};

/// The name entries stand under.
const SERVICE: &str = "app.vestibule.desktop";
/// How long the keychain may take, a prompt to unlock it included.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it may take to show that it works at all, before the window waits for it no longer.
const TRIAL: Duration = Duration::from_secs(5);

struct OsKeychain {
    /// Keeps the entries of two data folders apart.
    profile: String,
}

/// What the entries of a data folder stand under.
pub(crate) fn profile(data_folder: &Path) -> String {
    let folder = data_folder
        .canonicalize()
        .unwrap_or_else(|_| data_folder.to_owned());
    folder.display().to_string()
}

/// The keychain where it works, else memory. `profile` keeps the secrets of different data folders apart.
pub(crate) async fn open(profile: String) -> Arc<dyn Secrets> {
    let trial = Entry::new(SERVICE, &format!("{profile}/trial"));
    let tried = tokio::time::timeout(
        TRIAL,
        off_the_runtime(move || {
            let entry = trial?;
            entry.set_password("trial")?;
            let kept = entry.get_password()?;
            entry.delete_credential()?;
            Ok(kept == "trial")
        }),
    );
    let detail = match tried.await {
        Ok(Ok(true)) => return Arc::new(OsKeychain { profile }),
        Ok(Ok(false)) => "the keychain gave back something else than it was given".to_owned(),
        Ok(Err(error)) => error.0,
        Err(_) => format!("the keychain did not answer within {} seconds", TRIAL.as_secs()),
    };
    tracing::warn!(
        detail,
        "no keychain available; keeping secrets in memory for this run"
    );
    Arc::new(MemorySecrets::new(detail))
}

impl OsKeychain {
    fn entry(&self, name: &SecretName) -> keyring::Result<Entry> {
        Entry::new(SERVICE, &format!("{}/{name}", self.profile))
    }
}

#[async_trait]
impl Secrets for OsKeychain {
    async fn get(&self, name: &SecretName) -> Result<Option<SecretString>, SecretsError> {
        let entry = self.entry(name);
        patiently(move || match entry?.get_password() {
            Ok(secret) => Ok(Some(SecretString::from(secret))),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(error),
        })
        .await
    }

    async fn set(&self, name: &SecretName, secret: &SecretString) -> Result<(), SecretsError> {
        let entry = self.entry(name);
        let secret = secret.clone();
        patiently(move || entry?.set_password(secret.expose_secret())).await
    }

    async fn remove(&self, name: &SecretName) -> Result<(), SecretsError> {
        let entry = self.entry(name);
        patiently(move || match entry?.delete_credential() {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        })
        .await
    }

    fn state(&self) -> SecretsState {
        SecretsState::Keychain
    }
}

async fn patiently<T: Send + 'static>(
    work: impl FnOnce() -> keyring::Result<T> + Send + 'static,
) -> Result<T, SecretsError> {
    match tokio::time::timeout(PATIENCE, off_the_runtime(work)).await {
        Ok(done) => done,
        Err(_) => Err(SecretsError(format!(
            "the keychain did not answer within {} seconds",
            PATIENCE.as_secs()
        ))),
    }
}

/// The keychain's calls block, and may wait for a user.
async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> keyring::Result<T> + Send + 'static,
) -> Result<T, SecretsError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| SecretsError(error.to_string())),
        Err(error) => Err(SecretsError(error.to_string())),
    }
}
