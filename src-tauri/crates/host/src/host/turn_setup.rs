//! What a turn gets from the host: the model of its chat, the settings as they are, and the way to all it uses.

use std::sync::Arc;

use vestibule_consent::Cause;
use vestibule_model_setup::settings_of;
use vestibule_protocol::ChatId;

use super::Host;
use crate::turn::{PictureSettings, ShowRetry, Turn};
use crate::view::Problem;

impl Host {
    /// What the next turn of a chat needs. A local model is started first where it does not run.
    pub(super) async fn turn_of(&self, chat: ChatId) -> Result<Turn, Problem> {
        let over_budget = self.0.models.over_budget.take(chat);
        let record = self.chat_record(chat).await?;
        let settings = self.settings();
        let id = record.model.unwrap_or(settings.default_model);
        let cause = Cause {
            chat,
            chat_title: record.title.clone(),
            entry: None,
            task_of: None,
        };
        let model = self.0.models.for_chat(id, cause).await?;
        let of_chat = settings_of(&record);
        Ok(Turn {
            chat,
            settings: of_chat,
            large_results: of_chat.large_results.unwrap_or(settings.large_results),
            result_choices: self.0.result_choices.clone(),
            prepared: self.0.prepared.clone(),
            chat_title: record.title,
            workspace: record.workspace,
            models: self.0.models.clone(),
            model,
            store: self.0.store.clone(),
            servers: self.0.servers.clone(),
            folders: self.0.folders.clone(),
            gate: self.0.gate.clone(),
            transcript: self.0.transcript.clone(),
            tasks: self.0.followed.clone(),
            stops: self.0.calls.clone(),
            off: self.switched_off(chat),
            discovery: settings.tool_discovery,
            compact_at: settings.compact.then_some(settings.compact_at),
            most_rounds: settings.max_rounds,
            pictures: self.0.pictures.clone(),
            picture_settings: PictureSettings::from(&settings),
            show_retry: self.show_retry(chat),
            over_budget,
        })
    }

    /// Shows beside a chat that its model is asked again, and when.
    fn show_retry(&self, chat: ChatId) -> ShowRetry {
        let host = self.clone();
        Arc::new(move |retry| {
            let host = host.clone();
            Box::pin(async move {
                if let Some(turn) = host.turns().get_mut(&chat) {
                    turn.retry = retry;
                }
                if let Err(problem) = host.tell_of_chat(chat).await {
                    tracing::debug!(%problem, "chat deleted during a turn");
                }
            })
        })
    }
}
