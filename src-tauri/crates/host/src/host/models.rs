//! Models: set up, tried, removed.

use jiff::Timestamp;
use secrecy::SecretString;
use vestibule_consent::{WidenRequest, Widening};
use vestibule_models::{ModelProvider, Wire, detect_local};
use vestibule_policy::inspect::UrlVerdict;
use vestibule_protocol::{ChatId, ModelId};
use vestibule_store::ModelRecord;

use super::Host;
use crate::model_setup::{address, chosen_wire, rehearsal_id, wire_view};
use crate::view::{
    ChangeOutcome, HostEvent, InputProblem, LocalModels, ModelDraft, ModelSaved, ModelWire, Problem,
    SettingsChange, StoreProblem,
};
use vestibule_client_features::model_problem;
use vestibule_servers::config::connection::inspected;
use vestibule_servers::config::secrets::{SecretName, SecretsError};

/// A model as it would be kept.
struct ModelPlan {
    record: ModelRecord,
    /// Whether it was at another address before.
    moved: bool,
    /// What has to be asked first.
    widening: Option<Widening>,
}

impl Host {
    /// Keeps a model. Where everything said in chats with it would go to an address that nothing went to before, the
    /// consent window asks first, and until then neither the model nor its key is kept.
    ///
    /// # Errors
    /// When the address or name cannot be used, or something could not be kept.
    pub async fn model_save(&self, draft: ModelDraft) -> Result<ModelSaved, Problem> {
        let model = draft.id.unwrap_or_else(ModelId::new);
        let plan = self.plan_model(model, &draft).await?;
        let change = match plan.widening.clone() {
            None => {
                self.keep_model(plan, draft.key).await?;
                ChangeOutcome::Done
            }
            Some(widening) => {
                let request = WidenRequest {
                    server: None,
                    chat: None,
                    widening,
                };
                self.widen(request, move |host, shown| async move {
                    let plan = host.plan_model(model, &draft).await?;
                    if plan.widening.as_ref() != Some(&shown) {
                        return Ok(false);
                    }
                    host.keep_model(plan, draft.key).await?;
                    Ok(true)
                })
                .await?
            }
        };
        Ok(ModelSaved { model, change })
    }

    /// What saving the draft as `id` would do. Nothing is kept yet.
    async fn plan_model(&self, id: ModelId, draft: &ModelDraft) -> Result<ModelPlan, Problem> {
        let base_url = address(&draft.base_url)?;
        // As it was written, because reading it makes some of what deceives invisible.
        let written = inspected(draft.base_url.trim());
        if written.verdict == UrlVerdict::Block {
            return Err(Problem::Input(InputProblem::AddressDeceives {
                origin: base_url.origin().ascii_serialization(),
                warnings: written.warnings,
            }));
        }
        let model = draft.model.trim().to_owned();
        if model.is_empty() || id == rehearsal_id() {
            return Err(Problem::Input(InputProblem::NameMissing));
        }
        let known = self.0.store.models().await?;
        let before = known.iter().find(|record| record.id == id).cloned();
        if draft.id.is_some() && before.is_none() {
            return Err(Problem::Input(InputProblem::Gone));
        }
        let is_here = |record: &ModelRecord| record.base_url.as_deref() == Some(base_url.as_str());
        let moved = before.as_ref().is_some_and(|record| !is_here(record));
        let new = before.is_none() && !known.iter().any(is_here);
        let is_keyed = draft.key.as_ref().is_some_and(|key| !key.is_empty());
        if is_keyed {
            self.0.models.check_key(&base_url)?;
        }
        let wire = match (draft.wire, &before) {
            (Some(wire), _) => chosen_wire(wire).name().to_owned(),
            (None, Some(before)) => before.kind.clone(),
            (None, None) => Wire::for_address(&base_url).name().to_owned(),
        };
        let label = draft.label.trim();
        let host = base_url.host_str().unwrap_or_default();
        let record = ModelRecord {
            id,
            label: if label.is_empty() {
                format!("{model} · {host}")
            } else {
                label.to_owned()
            },
            kind: wire,
            base_url: Some(base_url.to_string()),
            model,
            price_in: draft.price_in,
            price_out: draft.price_out,
            price_cached: draft.price_cached,
            context: draft.context,
            created: before
                .as_ref()
                .map_or_else(Timestamp::now, |record| record.created),
        };
        let widening = (moved || new).then(|| Widening::SaveModel {
            model: self.0.models.face(&record, base_url.as_str()),
            before: before.and_then(|record| record.base_url),
            key: is_keyed,
        });
        Ok(ModelPlan {
            record,
            moved,
            widening,
        })
    }

    /// Keeps a model; its key goes to the keychain first, so that no model is shown with a key that was lost.
    async fn keep_model(&self, plan: ModelPlan, key: Option<String>) -> Result<(), Problem> {
        let name = SecretName::ModelKey(plan.record.id);
        match key {
            Some(secret) if !secret.is_empty() => {
                let secret = SecretString::from(secret);
                self.0.secrets.set(&name, &secret).await.map_err(keychain)?;
            }
            Some(_) => self.0.secrets.remove(&name).await.map_err(keychain)?,
            // A key given for one address is never sent to another one.
            None if plan.moved => self.0.secrets.remove(&name).await.map_err(keychain)?,
            None => {}
        }
        self.0.models.kept.forget(plan.record.id).await;
        self.0.store.put_model(&plan.record).await?;
        self.tell_of_models().await
    }

    /// Lets a chat talk to another model from its next message on. Where everything said in it so far would go to
    /// another address, the consent window asks first.
    ///
    /// # Errors
    /// When the chat is gone or the choice could not be kept.
    pub async fn chat_model(&self, chat: ChatId, model: Option<ModelId>) -> Result<ChangeOutcome, Problem> {
        let Some(widening) = self.chat_model_widens(chat, model).await? else {
            self.set_chat_model(chat, model).await?;
            return Ok(ChangeOutcome::Done);
        };
        let request = WidenRequest {
            server: None,
            chat: Some(chat),
            widening,
        };
        self.widen(request, move |host, shown| async move {
            if host.chat_model_widens(chat, model).await? != Some(shown) {
                return Ok(false);
            }
            host.set_chat_model(chat, model).await?;
            Ok(true)
        })
        .await
    }

    async fn set_chat_model(&self, chat: ChatId, model: Option<ModelId>) -> Result<(), Problem> {
        self.0.store.set_chat_model(chat, model).await?;
        self.tell_of_chat(chat).await
    }

    async fn chat_model_widens(
        &self,
        chat: ChatId,
        model: Option<ModelId>,
    ) -> Result<Option<Widening>, Problem> {
        let record = self.chat_record(chat).await?;
        let default = self.settings().default_model;
        let known = self.0.store.models().await?;
        let face = |id: ModelId| {
            let record = known.iter().find(|record| record.id == id)?;
            Some(self.0.models.face(record, record.base_url.as_deref()?))
        };
        let from = face(record.model.unwrap_or(default));
        let Some(to) = face(model.unwrap_or(default)) else {
            return Ok(None);
        };
        let same = from
            .as_ref()
            .is_some_and(|from| from.address.canonical == to.address.canonical);
        if same || self.0.store.entries(chat).await?.is_empty() {
            return Ok(None);
        }
        Ok(Some(Widening::ChatModel {
            chat: record.title,
            from,
            to,
        }))
    }

    /// Keeps what was said in chats from going to another address because the default model changes from `old` to
    /// `new`: chats that follow the default, and in which something was said, stay with the old one.
    pub(super) async fn pin_chats(&self, old: ModelId, new: ModelId) -> Result<(), Problem> {
        if !self.moves(old, new).await? {
            return Ok(());
        }
        for chat in self.0.store.chats().await? {
            if chat.model.is_none() && !self.0.store.entries(chat.id).await?.is_empty() {
                self.set_chat_model(chat.id, Some(old)).await?;
            }
        }
        Ok(())
    }

    /// Whether what goes to one model would go to another address with the other.
    async fn moves(&self, old: ModelId, new: ModelId) -> Result<bool, Problem> {
        let known = self.0.store.models().await?;
        let address = |id| {
            let record = known.iter().find(|record| record.id == id);
            record.and_then(|record| record.base_url.as_deref())
        };
        Ok(address(new).is_some_and(|new| address(old) != Some(new)))
    }

    /// Removes a model and its key. Chats that used it fall back to the default; those in which something was said that
    /// would so go to another address, to the rehearsal.
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
        self.0.models.kept.forget(model).await;
        if self.moves(model, self.settings().default_model).await? {
            for chat in self.0.store.chats().await? {
                if chat.model == Some(model) && !self.0.store.entries(chat.id).await?.is_empty() {
                    self.0.store.set_chat_model(chat.id, Some(rehearsal_id())).await?;
                }
            }
        }
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
        wire: Option<ModelWire>,
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
                    Some(_) => {
                        let models = &self.0.models;
                        models.kept.key(&*models.secrets, model).await.map_err(keychain)?
                    }
                    None => None,
                }
            }
            (None, None) => None,
        };
        let wire = wire.map_or_else(|| Wire::for_address(&base_url), chosen_wire);
        let remote = self.0.models.remote(wire, base_url, key, String::new())?;
        remote.models().await.map_err(model_problem)
    }

    /// The proxy between this computer and an address, so that it can be shown before anything is sent there.
    #[must_use]
    pub fn model_proxy(&self, base_url: &str) -> Option<String> {
        self.0.models.proxy(base_url)
    }

    /// Looks for model servers on this computer. Only when the user asks for it.
    pub async fn model_detect(&self) -> Vec<LocalModels> {
        let found = detect_local().await.into_iter().map(|endpoint| LocalModels {
            name: endpoint.name,
            wire: wire_view(endpoint.wire),
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
    Problem::Store(StoreProblem::KeychainFailed { detail: error.0 })
}
