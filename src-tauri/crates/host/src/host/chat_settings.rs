//! What a chat asks of its model: how long it thinks, how freely it writes, how long an answer may be.

use vestibule_model_setup::settings_of;
use vestibule_models::{Effort, ModelRequest};
use vestibule_protocol::ChatId;

use super::Host;
use crate::view::{ChatEffort, ChatSettings, Problem};

/// The most freedom that vendors take, in hundredths.
const FREEST: u8 = 200;

impl Host {
    /// Sets what a chat asks of its model from the next message on.
    ///
    /// # Errors
    /// When the chat is gone or the settings could not be kept.
    pub async fn chat_settings(&self, chat: ChatId, settings: ChatSettings) -> Result<(), Problem> {
        let change = |before: ChatSettings| {
            Some(ChatSettings {
                temperature: settings.temperature.map(|hundredths| hundredths.min(FREEST)),
                longest: settings.longest.filter(|tokens| *tokens > 0),
                budget: before.budget,
                ..settings
            })
        };
        self.change_chat_settings(chat, change).await?;
        Ok(())
    }

    /// Changes the settings of a chat; `false` where `change` wants nothing changed.
    pub(super) async fn change_chat_settings(
        &self,
        chat: ChatId,
        change: impl FnOnce(ChatSettings) -> Option<ChatSettings>,
    ) -> Result<bool, Problem> {
        let _one_at_a_time = self.0.saving_settings.lock().await;
        let record = self.chat_record(chat).await?;
        let Some(settings) = change(settings_of(&record)) else {
            return Ok(false);
        };
        let kept = (settings != ChatSettings::default()).then(|| serde_json::json!(settings));
        self.0.store.set_chat_settings(chat, kept.as_ref()).await?;
        self.tell_of_chat(chat).await?;
        Ok(true)
    }
}

/// A request with what its chat asks.
pub(crate) fn asked(request: ModelRequest, settings: ChatSettings) -> ModelRequest {
    let effort = settings.effort.map(|effort| match effort {
        ChatEffort::Low => Effort::Low,
        ChatEffort::Medium => Effort::Medium,
        ChatEffort::High => Effort::High,
    });
    ModelRequest {
        effort,
        temperature: settings
            .temperature
            .map(|hundredths| f64::from(hundredths) / 100.0),
        max_tokens: settings.longest,
        ..request
    }
}
