//! Settings and models.

use serde::{Deserialize, Serialize};
use vestibule_protocol::{ModelId, ServerId};

use crate::{CostBudget, Currency};

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
    /// How large the pages of both windows are drawn, in percent: 50 to 200.
    #[serde(default = "unzoomed")]
    pub zoom: u16,
    /// How the model gets to know the tools of its chat.
    #[serde(default)]
    pub tool_discovery: ToolDiscovery,
    /// What is done with results that are too long to be given whole without asking.
    #[serde(default)]
    pub large_results: LargeResults,
    /// Whether the older part of a chat that becomes longer than its model reads is summarized.
    #[serde(default = "yes")]
    pub compact: bool,
    /// How much of what its model reads a chat may fill before that, in percent: 50 to 95.
    #[serde(default = "compacted_at")]
    pub compact_at: u8,
    /// Whether the model of a new chat is asked for its title after the first answer.
    #[serde(default)]
    pub title_chats: bool,
    /// What the user's models may cost in a month; `None` where the user set nothing. A command of its own changes it.
    #[serde(default)]
    pub budget: Option<CostBudget>,
    /// What the user's models may cost in a day, from midnight to midnight where the user is.
    #[serde(default)]
    pub day_budget: Option<CostBudget>,
    /// The currency of the prices that the user entered; costs of before keep theirs. A command of its own changes it.
    #[serde(default)]
    pub currency: Currency,
    /// The order of the servers in lists. Those that are not in it come last, in the order in which they were added.
    #[serde(default)]
    pub server_order: Vec<ServerId>,
    /// The longest edge of a picture in a request to a model, in pixels: 256 to 4096.
    #[serde(default = "usual_picture_edge")]
    pub picture_edge: u32,
    /// How many pictures of a chat are sent again with each request, the newest: 1 to 16.
    #[serde(default = "usual_pictures_sent")]
    pub pictures_sent: u32,
    /// The address of the registry that the gallery asks, once the user searches there.
    #[serde(default = "official_registry")]
    pub gallery_address: String,
}

/// The longest edge of a picture unless the user says otherwise, in pixels: vendors make larger ones smaller themselves.
pub const USUAL_PICTURE_EDGE: u32 = 1568;
/// How many pictures are sent again unless the user says otherwise.
pub const USUAL_PICTURES_SENT: u32 = 4;

fn usual_picture_edge() -> u32 {
    USUAL_PICTURE_EDGE
}

fn usual_pictures_sent() -> u32 {
    USUAL_PICTURES_SENT
}

/// The address of the official registry of MCP servers.
pub const OFFICIAL_REGISTRY: &str = "https://registry.modelcontextprotocol.io";
/// The most servers whose order is kept.
const MOST_ORDERED: usize = 1000;

/// Settings of before there was a choice.
fn yes() -> bool {
    true
}

/// Settings of before chats were compacted.
fn compacted_at() -> u8 {
    80
}

/// Settings of before pages could be zoomed.
fn unzoomed() -> u16 {
    100
}

/// The official registry of MCP servers.
fn official_registry() -> String {
    OFFICIAL_REGISTRY.to_owned()
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
    /// How large pages are drawn, in percent.
    pub zoom: Option<u16>,
    /// The order of the servers in lists.
    pub server_order: Option<Vec<ServerId>>,
    /// How the model gets to know the tools of its chat.
    pub tool_discovery: Option<ToolDiscovery>,
    /// What is done with long results.
    pub large_results: Option<LargeResults>,
    /// Whether the older part of a chat that becomes too long is summarized.
    pub compact: Option<bool>,
    /// How much of what its model reads a chat may fill before that, in percent.
    pub compact_at: Option<u8>,
    /// Whether the model of a new chat is asked for its title.
    pub title_chats: Option<bool>,
    /// The longest edge of a picture in a request, in pixels.
    pub picture_edge: Option<u32>,
    /// How many pictures of a chat are sent again.
    pub pictures_sent: Option<u32>,
    /// The address of the registry that the gallery asks; empty for the official one.
    pub gallery_address: Option<String>,
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
            zoom: change.zoom.unwrap_or(self.zoom),
            tool_discovery: change.tool_discovery.unwrap_or(self.tool_discovery),
            large_results: change.large_results.unwrap_or(self.large_results),
            compact: change.compact.unwrap_or(self.compact),
            compact_at: change.compact_at.unwrap_or(self.compact_at),
            title_chats: change.title_chats.unwrap_or(self.title_chats),
            budget: self.budget,
            day_budget: self.day_budget,
            currency: self.currency,
            picture_edge: change.picture_edge.unwrap_or(self.picture_edge),
            pictures_sent: change.pictures_sent.unwrap_or(self.pictures_sent),
            server_order: change.server_order.map_or(self.server_order, |mut order| {
                order.truncate(MOST_ORDERED);
                order
            }),
            gallery_address: change.gallery_address.unwrap_or(self.gallery_address),
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

/// How a model gets to know the tools of its chat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolDiscovery {
    /// All definitions, unless there are many or they fill much of what the model reads.
    #[default]
    Automatic,
    /// All definitions, as far as a request takes them.
    All,
    /// None but those that it finds.
    Find,
}

/// What is done with a result that is too long to be given whole without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum LargeResults {
    /// The model is given the beginning and the end, and reads the rest in parts.
    #[default]
    Part,
    /// The user chooses before the model reads.
    Ask,
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
