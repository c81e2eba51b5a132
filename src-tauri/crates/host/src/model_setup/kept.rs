//! What is kept of models for the length of a run: their keys, so that the keychain is read once, and the providers
//! with their connections, so that a message does not begin with another handshake.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use secrecy::SecretString;
use vestibule_models::ModelProvider;
use vestibule_protocol::ModelId;
use vestibule_store::ModelRecord;

use vestibule_servers::config::secrets::{SecretName, Secrets, SecretsError};

/// Each provider, and the record it was made for.
type Providers = HashMap<ModelId, (ModelRecord, Arc<dyn ModelProvider>)>;

/// The keys and providers of this run.
#[derive(Clone, Default)]
pub(crate) struct KeptModels {
    /// Held while the keychain is read, so that it is asked once however many ask here.
    keys: Arc<tokio::sync::Mutex<HashMap<ModelId, Option<SecretString>>>>,
    providers: Arc<Mutex<Providers>>,
}

impl KeptModels {
    /// The key of a model.
    ///
    /// # Errors
    /// When the keychain does not answer; it is then asked again the next time.
    pub(crate) async fn key(
        &self,
        secrets: &dyn Secrets,
        model: ModelId,
    ) -> Result<Option<SecretString>, SecretsError> {
        let mut keys = self.keys.lock().await;
        if let Some(key) = keys.get(&model) {
            return Ok(key.clone());
        }
        let key = secrets.get(&SecretName::ModelKey(model)).await?;
        keys.insert(model, key.clone());
        Ok(key)
    }

    /// Forgets what is kept of a model, because its key changed or it is gone.
    pub(crate) async fn forget(&self, model: ModelId) {
        self.keys.lock().await.remove(&model);
        self.providers().remove(&model);
    }

    /// The provider made for exactly this record.
    pub(crate) fn provider(&self, record: &ModelRecord) -> Option<Arc<dyn ModelProvider>> {
        let providers = self.providers();
        let (made_for, provider) = providers.get(&record.id)?;
        (made_for == record).then(|| provider.clone())
    }

    pub(crate) fn keep(&self, record: ModelRecord, provider: Arc<dyn ModelProvider>) {
        self.providers().insert(record.id, (record, provider));
    }

    fn providers(&self) -> MutexGuard<'_, Providers> {
        // Each change is one insert or remove, so a panic elsewhere leaves the map whole.
        self.providers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
