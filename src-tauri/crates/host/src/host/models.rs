//! Models: described, tried, removed, and chosen for a chat.

use vestibule_consent::{WidenRequest, Widening};
use vestibule_model_setup::rehearsal_id;
use vestibule_models::TrialStep as Step;
use vestibule_protocol::{ChatId, ModelId};
use vestibule_store::ModelRecord;

use super::Host;
use crate::view::{
    ChangeOutcome, InputProblem, ModelDraft, Problem, SettingsChange, TrialFailure, TrialStep, TrialView,
};
use vestibule_client_features::model_problem;

impl Host {
    /// Keeps what the user says of a model. Where it is does not change by this. Before its cost counts for less in a
    /// budget that stops, the consent window asks.
    ///
    /// # Errors
    /// When the model is gone, its name is missing, or it could not be kept.
    pub async fn model_save(&self, draft: ModelDraft) -> Result<ChangeOutcome, Problem> {
        let (record, widening) = self.plan_model(&draft).await?;
        let Some(widening) = widening else {
            self.keep_model(&record).await?;
            return Ok(ChangeOutcome::Done);
        };
        let request = WidenRequest::new(widening);
        self.widen(request, move |host, shown| async move {
            let (record, widening) = host.plan_model(&draft).await?;
            if widening.as_ref() != Some(&shown) {
                return Ok(false);
            }
            host.keep_model(&record).await?;
            Ok(true)
        })
        .await
    }

    /// The record that saving the draft would keep, and what has to be asked first.
    async fn plan_model(&self, draft: &ModelDraft) -> Result<(ModelRecord, Option<Widening>), Problem> {
        let before = self.own_model(draft.id).await?;
        let model = draft.model.trim().to_owned();
        if model.is_empty() {
            return Err(Problem::Input(InputProblem::NameMissing));
        }
        let label = draft.label.trim();
        // What was said of one model says nothing of another.
        let reported = before.reported.clone().filter(|_| before.model == model);
        let after = ModelRecord {
            label: if label.is_empty() {
                model.clone()
            } else {
                label.to_owned()
            },
            model,
            price_in: draft.price_in,
            price_out: draft.price_out,
            price_cached: draft.price_cached,
            context: draft.context,
            tools: draft.tools,
            images: draft.images,
            thinking: draft.thinking,
            reported,
            ..before.clone()
        };
        let widening = self.0.models.record_widens(&before, &after).await?;
        Ok((after, widening))
    }

    async fn keep_model(&self, record: &ModelRecord) -> Result<(), Problem> {
        self.0.store.put_model(record).await?;
        self.tell_of_models().await
    }

    /// Notes as the user's word that a model uses no tools.
    pub(super) async fn say_without_tools(&self, model: ModelId) -> Result<(), Problem> {
        let record = self.own_model(model).await?;
        let record = ModelRecord {
            tools: Some(false),
            ..record
        };
        self.keep_model(&record).await
    }

    /// Puts a model before the others, or back among them.
    ///
    /// # Errors
    /// When the model is gone or the choice could not be kept.
    pub async fn model_favourite(&self, model: ModelId, favourite: bool) -> Result<(), Problem> {
        let (record, _) = self.0.models.records(model).await?;
        let record = ModelRecord { favourite, ..record };
        self.keep_model(&record).await
    }

    /// Sends one short message to a model and says how far it came. Only when the user asks for it.
    ///
    /// # Errors
    /// When the model is gone or cannot be asked at all.
    pub async fn model_try(&self, model: ModelId) -> Result<TrialView, Problem> {
        let (record, connection) = self.0.models.records(model).await?;
        let Some(connection) = connection else {
            return Ok(TrialView {
                steps: vec![TrialStep::Reply],
                failed: None,
                took_ms: 0,
            });
        };
        let trial = self.0.models.remote_of(&record, &connection).await?.trial().await;
        Ok(TrialView {
            steps: trial.steps.into_iter().map(step).collect(),
            failed: trial.failed.map(|(failed, error)| TrialFailure {
                step: step(failed),
                problem: model_problem(error),
            }),
            took_ms: u32::try_from(trial.took.as_millis()).unwrap_or(u32::MAX),
        })
    }

    /// The record of a model that the user set up; the rehearsal is none.
    async fn own_model(&self, model: ModelId) -> Result<ModelRecord, Problem> {
        let known = self.0.store.models().await?;
        let own = known
            .into_iter()
            .find(|record| record.id == model && record.connection.is_some());
        own.ok_or(Problem::Input(InputProblem::Gone))
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
        let connections = self.0.store.connections().await?;
        let face = |id: ModelId| {
            let record = known.iter().find(|record| record.id == id)?;
            let connection = connections.iter().find(|one| Some(one.id) == record.connection)?;
            Some(self.0.models.face(record, connection))
        };
        let from = face(record.model.unwrap_or(default));
        let Some(to) = face(model.unwrap_or(default)) else {
            return Ok(None);
        };
        let same = from
            .as_ref()
            .is_some_and(|from| from.address.canonical == to.address.canonical);
        if same || !self.0.store.has_entries(chat).await? {
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
            if chat.model.is_none() && self.0.store.has_entries(chat.id).await? {
                self.set_chat_model(chat.id, Some(old)).await?;
            }
        }
        Ok(())
    }

    /// Whether what goes to one model would go to another address with the other.
    async fn moves(&self, old: ModelId, new: ModelId) -> Result<bool, Problem> {
        let known = self.0.store.models().await?;
        let connections = self.0.store.connections().await?;
        let address = |id| {
            let record = known.iter().find(|record| record.id == id)?;
            let connection = connections.iter().find(|one| Some(one.id) == record.connection)?;
            Some(connection.base_url.as_str())
        };
        Ok(address(new).is_some_and(|new| address(old) != Some(new)))
    }

    /// Removes a model. Chats that used it fall back to the default; those in which something was said that
    /// would so go to another address, to the rehearsal.
    ///
    /// # Errors
    /// When it could not be removed.
    pub async fn model_remove(&self, model: ModelId) -> Result<(), Problem> {
        if model == rehearsal_id() {
            return Ok(());
        }
        self.leave_model(model).await?;
        self.0.models.kept.forget_model(model);
        self.0.store.remove_model(model).await?;
        self.tell_of_models().await?;
        self.tell_of_all_chats().await
    }

    /// Takes chats and the default away from a model that is about to be removed.
    pub(super) async fn leave_model(&self, model: ModelId) -> Result<(), Problem> {
        let default = self.settings().default_model;
        if default == model {
            let change = SettingsChange {
                default_model: Some(rehearsal_id()),
                ..SettingsChange::default()
            };
            self.settings_save(change).await?;
        } else if self.moves(model, default).await? {
            self.rehearse_chats(model).await?;
        }
        Ok(())
    }

    async fn rehearse_chats(&self, model: ModelId) -> Result<(), Problem> {
        for chat in self.0.store.chats().await? {
            if chat.model == Some(model) && self.0.store.has_entries(chat.id).await? {
                self.0.store.set_chat_model(chat.id, Some(rehearsal_id())).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn tell_of_models(&self) -> Result<(), Problem> {
        self.0.models.tell_of_models().await
    }
}

/// A step as windows name it.
fn step(step: Step) -> TrialStep {
    match step {
        Step::Name => TrialStep::Name,
        Step::Connection => TrialStep::Connection,
        Step::Encryption => TrialStep::Encryption,
        Step::Key => TrialStep::Key,
        Step::Model => TrialStep::Model,
        Step::Reply => TrialStep::Reply,
    }
}
