//! Models: set up, tried, removed.

use jiff::Timestamp;
use secrecy::SecretString;
use vestibule_models::{ModelProvider, detect_local};
use vestibule_protocol::ModelId;
use vestibule_store::ModelRecord;

use super::Host;
use crate::model_setup::{OPEN_AI_COMPATIBLE, address, rehearsal_id};
use crate::secrets::{SecretName, SecretsError};
use crate::view::{HostEvent, LocalModels, ModelDraft, Problem, SettingsChange};

impl Host {
    /// Keeps a model; its key goes to the keychain first, so that no model is shown with a key that was lost.
    ///
    /// # Errors
    /// When the address or name can not be used, or something could not be kept.
    pub async fn model_save(&self, draft: ModelDraft) -> Result<ModelId, Problem> {
        let base_url = address(&draft.base_url)?;
        let model = draft.model.trim().to_owned();
        if model.is_empty() || draft.id == Some(rehearsal_id()) {
            return Err(Problem::NameMissing);
        }
        let known = self.0.store.models().await?;
        let before = draft.id.map(|id| {
            known
                .into_iter()
                .find(|record| record.id == id)
                .ok_or(Problem::Gone)
        });
        let before = before.transpose()?;
        let id = before.as_ref().map_or_else(ModelId::new, |record| record.id);
        // A key given for one address is never sent to another one.
        let moved = before
            .as_ref()
            .is_some_and(|record| record.base_url.as_deref() != Some(base_url.as_str()));
        let key = SecretName::ModelKey(id);
        match draft.key {
            Some(secret) if !secret.is_empty() => {
                self.0
                    .secrets
                    .set(&key, &SecretString::from(secret))
                    .await
                    .map_err(keychain)?;
            }
            Some(_) => self.0.secrets.remove(&key).await.map_err(keychain)?,
            None if moved => self.0.secrets.remove(&key).await.map_err(keychain)?,
            None => {}
        }
        let label = draft.label.trim();
        let host = base_url.host_str().unwrap_or_default();
        let record = ModelRecord {
            id,
            label: if label.is_empty() {
                format!("{model} · {host}")
            } else {
                label.to_owned()
            },
            kind: OPEN_AI_COMPATIBLE.to_owned(),
            base_url: Some(base_url.to_string()),
            model,
            price_in: draft.price_in,
            price_out: draft.price_out,
            created: before.map_or_else(Timestamp::now, |record| record.created),
        };
        self.0.store.put_model(&record).await?;
        self.tell_of_models().await?;
        Ok(id)
    }

    /// Removes a model and its key. Chats that used it fall back to the default.
    ///
    /// # Errors
    /// When it could not be removed.
    pub async fn model_remove(&self, model: ModelId) -> Result<(), Problem> {
        if model == rehearsal_id() {
            return Ok(());
        }
        self.0
            .secrets
            .remove(&SecretName::ModelKey(model))
            .await
            .map_err(keychain)?;
        self.0.store.remove_model(model).await?;
        if self.settings().default_model == model {
            let change = SettingsChange {
                default_model: Some(rehearsal_id()),
                ..SettingsChange::default()
            };
            self.settings_save(change).await?;
        }
        self.tell_of_models().await?;
        for chat in self.chat_views().await? {
            self.0.events.tell(HostEvent::Chat { chat });
        }
        Ok(())
    }

    /// The models an address offers. With `model` and no `key`, the key that is kept for it is used, if the address
    /// is still the one it was given for.
    ///
    /// # Errors
    /// When nothing answers there, or not as it should.
    pub async fn model_list(
        &self,
        base_url: &str,
        key: Option<String>,
        model: Option<ModelId>,
    ) -> Result<Vec<String>, Problem> {
        let base_url = address(base_url)?;
        let key = match (key.filter(|key| !key.is_empty()), model) {
            (Some(key), _) => Some(SecretString::from(key)),
            (None, Some(model)) => {
                let known = self.0.store.models().await?;
                let same = |record: &&ModelRecord| {
                    record.id == model && record.base_url.as_deref() == Some(base_url.as_str())
                };
                match known.iter().find(same) {
                    Some(_) => self
                        .0
                        .secrets
                        .get(&SecretName::ModelKey(model))
                        .await
                        .map_err(keychain)?,
                    None => None,
                }
            }
            (None, None) => None,
        };
        let remote = self.0.models.remote(base_url, key, String::new())?;
        Ok(remote.models().await?)
    }

    /// The proxy between this computer and an address, so that it can be shown before anything is sent there.
    #[must_use]
    pub fn model_proxy(&self, base_url: &str) -> Option<String> {
        self.0.models.proxy(base_url)
    }

    /// Looks for model servers on this computer. Only when the person asks for it.
    pub async fn model_detect(&self) -> Vec<LocalModels> {
        let found = detect_local().await.into_iter().map(|endpoint| LocalModels {
            name: endpoint.name,
            base_url: endpoint.base_url.to_string(),
            models: endpoint.models,
        });
        found.collect()
    }

    async fn tell_of_models(&self) -> Result<(), Problem> {
        let models = self.0.models.views().await?;
        self.0.events.tell(HostEvent::Models { models });
        Ok(())
    }
}

fn keychain(error: SecretsError) -> Problem {
    Problem::KeychainFailed { detail: error.0 }
}
