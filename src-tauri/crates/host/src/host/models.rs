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
        let Some(widening) = self.model_save_widens(&draft).await? else {
            self.keep_draft(draft).await?;
            return Ok(ChangeOutcome::Done);
        };
        let request = WidenRequest::new(widening);
        self.widen(request, move |host, shown| async move {
            if host.model_save_widens(&draft).await? != Some(shown) {
                return Ok(false);
            }
            host.keep_draft(draft).await?;
            Ok(true)
        })
        .await
    }

    /// What has to be asked before the draft is kept.
    async fn model_save_widens(&self, draft: &ModelDraft) -> Result<Option<Widening>, Problem> {
        let before = self.own_model(draft.id).await?;
        if draft.model.trim().is_empty() {
            return Err(Problem::Input(InputProblem::NameMissing));
        }
        let mut after = before.clone();
        apply_draft(draft, &mut after);
        self.0.models.record_widens(&before, &after).await
    }

    async fn keep_draft(&self, draft: ModelDraft) -> Result<(), Problem> {
        self.change_model(draft.id, move |model| apply_draft(&draft, model))
            .await
    }

    async fn change_model(
        &self,
        model: ModelId,
        change: impl FnOnce(&mut ModelRecord) + Send + 'static,
    ) -> Result<(), Problem> {
        if !self.0.store.change_model(model, change).await? {
            return Err(Problem::Input(InputProblem::Gone));
        }
        self.tell_of_models().await
    }

    /// Notes as the user's word that a model uses no tools.
    pub(super) async fn say_without_tools(&self, model: ModelId) -> Result<(), Problem> {
        self.own_model(model).await?;
        self.change_model(model, |model| model.tools = Some(false)).await
    }

    /// Puts a model before the others, or back among them.
    ///
    /// # Errors
    /// When the model is gone or the choice could not be kept.
    pub async fn model_favourite(&self, model: ModelId, favourite: bool) -> Result<(), Problem> {
        self.change_model(model, move |model| model.favourite = favourite)
            .await
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

/// Writes what the user says of a model into its record.
fn apply_draft(draft: &ModelDraft, record: &mut ModelRecord) {
    let (model, label) = (draft.model.trim(), draft.label.trim());
    if record.model != model {
        // What was said of one model says nothing of another.
        record.reported = None;
    }
    record.model = model.to_owned();
    record.label = if label.is_empty() { model } else { label }.to_owned();
    record.price_in = draft.price_in;
    record.price_out = draft.price_out;
    record.price_cached = draft.price_cached;
    record.context = draft.context;
    record.tools = draft.tools;
    record.images = draft.images;
    record.thinking = draft.thinking;
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
