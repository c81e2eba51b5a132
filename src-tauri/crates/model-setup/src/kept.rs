//! What is kept of connections for the length of a run: their keys and headers, so that the keychain is read once, and
//! the ways to their endpoints, so that a message does not begin with another handshake.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use secrecy::SecretString;
use vestibule_models::{ModelProvider, RemoteModel};
use vestibule_protocol::{ConnectionId, ModelId};
use vestibule_servers::config::secrets::{SecretName, Secrets, SecretsError};
use vestibule_store::{ConnectionRecord, ModelRecord};

/// The values of a connection's headers, by name, and the names for which there is one.
type Headers = Vec<(String, SecretString)>;

/// What a provider was made for.
type MadeFor = (ModelRecord, ConnectionRecord);

#[derive(Default)]
struct Kept {
    /// The way to each endpoint, and the record it was made for.
    endpoints: HashMap<ConnectionId, (ConnectionRecord, RemoteModel)>,
    providers: HashMap<ModelId, (MadeFor, Arc<dyn ModelProvider>)>,
    /// How often something was forgotten.
    generation: u64,
}

#[derive(Default)]
struct KeptSecrets {
    keys: HashMap<ConnectionId, Option<SecretString>>,
    headers: HashMap<ConnectionId, Headers>,
}

/// The keys, headers and providers of this run.
#[derive(Clone, Default)]
pub struct KeptModels {
    /// Held while the keychain is read, so that it is asked once however many ask here.
    secrets: Arc<tokio::sync::Mutex<KeptSecrets>>,
    kept: Arc<Mutex<Kept>>,
}

impl KeptModels {
    /// The key of a connection.
    ///
    /// # Errors
    /// When the keychain does not answer; it is then asked again the next time.
    pub async fn key(
        &self,
        secrets: &dyn Secrets,
        connection: ConnectionId,
    ) -> Result<Option<SecretString>, SecretsError> {
        let mut kept = self.secrets.lock().await;
        if let Some(key) = kept.keys.get(&connection) {
            return Ok(key.clone());
        }
        let key = secrets.get(&SecretName::ConnectionKey(connection)).await?;
        kept.keys.insert(connection, key.clone());
        Ok(key)
    }

    /// Keeps a key that was made for this run.
    pub async fn keep_key(&self, connection: ConnectionId, key: SecretString) {
        self.secrets.lock().await.keys.insert(connection, Some(key));
    }

    /// Whether anyone holds a provider of a connection now, such as a chat that waits for a reply.
    pub(crate) fn is_used(&self, connection: ConnectionId) -> bool {
        let kept = self.kept();
        let mut own = kept.providers.values();
        // One of them is kept here.
        own.any(|((model, _), provider)| {
            model.connection == Some(connection) && Arc::strong_count(provider) > 1
        })
    }

    /// The headers of a connection that have a value.
    ///
    /// # Errors
    /// When the keychain does not answer; it is then asked again the next time.
    pub async fn headers(
        &self,
        secrets: &dyn Secrets,
        connection: &ConnectionRecord,
    ) -> Result<Headers, SecretsError> {
        let mut kept = self.secrets.lock().await;
        if let Some(headers) = kept.headers.get(&connection.id) {
            return Ok(headers.clone());
        }
        let mut headers = vec![];
        for name in &connection.headers {
            let place = SecretName::ConnectionHeader {
                connection: connection.id,
                name: name.clone(),
            };
            if let Some(value) = secrets.get(&place).await? {
                headers.push((name.clone(), value));
            }
        }
        kept.headers.insert(connection.id, headers.clone());
        Ok(headers)
    }

    /// Forgets what is kept of a connection, because its key or headers changed or it is gone.
    pub async fn forget(&self, connection: ConnectionId) {
        let mut secrets = self.secrets.lock().await;
        secrets.keys.remove(&connection);
        secrets.headers.remove(&connection);
        let mut kept = self.kept();
        kept.generation += 1;
        kept.endpoints.remove(&connection);
        kept.providers
            .retain(|_, ((model, _), _)| model.connection != Some(connection));
    }

    /// Forgets a model that is gone.
    pub fn forget_model(&self, model: ModelId) {
        self.kept().providers.remove(&model);
    }

    /// Changes with each connection that is forgotten. A caller takes it before it reads a key or header: what is made with
    /// one that the user replaced meanwhile is then not kept.
    pub(crate) fn generation(&self) -> u64 {
        self.kept().generation
    }

    /// The way to the endpoint of exactly this connection.
    pub fn endpoint(&self, record: &ConnectionRecord) -> Option<RemoteModel> {
        let kept = self.kept();
        let (made_for, endpoint) = kept.endpoints.get(&record.id)?;
        (made_for == record).then(|| endpoint.clone())
    }

    pub(crate) fn keep_endpoint(&self, generation: u64, record: ConnectionRecord, endpoint: RemoteModel) {
        let mut kept = self.kept();
        if kept.generation == generation {
            kept.endpoints.insert(record.id, (record, endpoint));
        }
    }

    /// The provider made for exactly these records.
    pub fn provider(
        &self,
        model: &ModelRecord,
        connection: &ConnectionRecord,
    ) -> Option<Arc<dyn ModelProvider>> {
        let kept = self.kept();
        let ((of_model, of_connection), provider) = kept.providers.get(&model.id)?;
        (of_model == model && of_connection == connection).then(|| provider.clone())
    }

    pub(crate) fn keep_provider(
        &self,
        generation: u64,
        model: ModelRecord,
        connection: ConnectionRecord,
        provider: Arc<dyn ModelProvider>,
    ) {
        let mut kept = self.kept();
        if kept.generation == generation {
            kept.providers.insert(model.id, ((model, connection), provider));
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Each change is one insert or remove, so a panic elsewhere leaves the maps whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
