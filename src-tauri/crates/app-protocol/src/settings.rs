//! Settings and models.

use serde::{Deserialize, Serialize};
use vestibule_protocol::ModelId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Light, dark or as the system says.
    pub appearance: Appearance,
    /// The language of the interface.
    pub language: Language,
    /// The model new chats talk to.
    pub default_model: ModelId,
    /// How often a model may go on after tool results before it must stop, in one turn.
    pub max_rounds: u32,
    /// Timeout of a tool call without progress, in seconds.
    pub call_timeout_s: u32,
    /// Whether the operating system says that a question waits while Vestibule is not in front.
    #[serde(default = "yes")]
    pub notify: bool,
}

/// Settings of before there was a choice.
fn yes() -> bool {
    true
}

/// What the user changed in the settings; what is left out stays as it is. Two changes in quick succession can so
/// not undo each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields, default)]
#[ts(optional_fields)]
pub struct SettingsChange {
    /// Light, dark or as the system says.
    pub appearance: Option<Appearance>,
    /// The language of the interface.
    pub language: Option<Language>,
    /// The model new chats talk to.
    pub default_model: Option<ModelId>,
    /// How often a model may go on after tool results, in one turn.
    pub max_rounds: Option<u32>,
    /// Timeout of a tool call without progress, in seconds.
    pub call_timeout_s: Option<u32>,
    /// Whether the operating system says that a question waits.
    pub notify: Option<bool>,
}

impl Settings {
    /// These settings with a change made.
    #[must_use]
    pub fn with(self, change: SettingsChange) -> Self {
        Self {
            appearance: change.appearance.unwrap_or(self.appearance),
            language: change.language.unwrap_or(self.language),
            default_model: change.default_model.unwrap_or(self.default_model),
            max_rounds: change.max_rounds.unwrap_or(self.max_rounds),
            call_timeout_s: change.call_timeout_s.unwrap_or(self.call_timeout_s),
            notify: change.notify.unwrap_or(self.notify),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Appearance {
    /// As the system says.
    #[default]
    System,
    Light,
    Dark,
}

/// A language of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub enum Language {
    /// As the system says.
    #[default]
    #[serde(rename = "system")]
    System,
    #[serde(rename = "en")]
    English,
    #[serde(rename = "zh-CN")]
    Chinese,
}

/// A model the user can pick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ModelView {
    /// Our name for it.
    pub id: ModelId,
    /// What to call it.
    pub label: String,
    pub kind: ModelKind,
    /// Whether a key for it is in the keychain (or in memory).
    pub has_key: bool,
    /// What a million tokens read cost, in millionths of the user's currency.
    pub price_in: Option<u32>,
    /// What a million tokens written cost.
    pub price_out: Option<u32>,
    /// What a million tokens read from the vendor's cache cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub price_cached: Option<u32>,
    /// The most tokens it may be made to read, as the user set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context: Option<u32>,
}

/// What a model is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelKind {
    /// The script that plays a model, so that everything can be tried without one.
    Rehearsal,
    /// A model at an address.
    #[serde(rename = "open_ai_compatible")]
    Remote {
        /// How it is spoken to.
        wire: ModelWire,
        /// Its address; for OpenAI's interfaces up to and with `/v1`.
        base_url: String,
        /// The model's name there.
        model: String,
        /// The proxy everything goes through, where there is one: scheme, host and port.
        proxy: Option<String>,
    },
}

/// The vendors' interfaces a model can be spoken to over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelWire {
    ChatCompletions,
    Responses,
    Anthropic,
    Gemini,
    Ollama,
    Azure,
}

/// A model as a user writes it.
#[derive(Clone, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ModelDraft {
    /// The one to change; `None` makes a new one.
    pub id: Option<ModelId>,
    /// What to call it; empty takes the model's own name.
    pub label: String,
    /// How to speak to it; `None` leaves a model that is there as it is, and lets the address decide for a new one.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub wire: Option<ModelWire>,
    /// The address; for OpenAI's interfaces up to and with `/v1`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// A key to keep in the keychain; `None` leaves the one that is there, empty takes it away.
    pub key: Option<String>,
    /// What a million tokens read cost, in millionths of the user's currency.
    pub price_in: Option<u32>,
    /// What a million tokens written cost.
    pub price_out: Option<u32>,
    /// What a million tokens read from the vendor's cache cost.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub price_cached: Option<u32>,
    /// The most tokens it may be made to read; `None` leaves it to Vestibule.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub context: Option<u32>,
}

/// A model server found on this computer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct LocalModels {
    pub name: String,
    /// How to speak to it.
    pub wire: ModelWire,
    pub base_url: String,
    /// The models it offers.
    pub models: Vec<String>,
}

/// Where secrets are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SecretsState {
    /// In the keychain of the operating system.
    Keychain,
    /// In memory until Vestibule is closed, because no keychain answers.
    MemoryOnly {
        /// What the keychain said.
        detail: String,
    },
}
