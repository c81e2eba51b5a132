//! Connections and their models: what the user sets up, what is known of a model and who says so.

use serde::{Deserialize, Serialize};
use vestibule_protocol::{ConnectionId, ModelId};

use super::{CostBudget, LargeResults, Problem};

/// A way to models: one address and one key.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ConnectionView {
    pub id: ConnectionId,
    /// The user's name for it, or else the host of its address.
    pub label: String,
    /// How its models are spoken to.
    pub wire: ModelWire,
    /// Its address; for OpenAI's interfaces up to and with `/v1`.
    pub base_url: String,
    /// The proxy everything goes through, where there is one: scheme, host and port.
    pub proxy: Option<String>,
    /// Whether a key for it is in the keychain (or in memory).
    pub has_key: bool,
    /// The names of extra headers. Their values are never sent to a window.
    pub headers: Vec<String>,
    /// The program that Vestibule starts for it, where it is one on this computer.
    pub local: Option<LocalModelView>,
}

/// A model file and the user's own program that serves it.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct LocalModelView {
    /// The program, as the user gave it.
    pub program: String,
    /// The path of the model file.
    pub file: String,
    pub state: LocalModelState,
}

/// How a program that serves a model is.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum LocalModelState {
    /// It does not run; `problem` says why, where that was not wanted.
    Stopped {
        problem: Option<Problem>,
    },
    /// Its start is asked about, or it loads the model.
    Starting,
    Running,
}

/// A local model as a user sets it up.
#[derive(Clone, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct LocalModelDraft {
    /// The whole path of a GGUF file.
    pub file: String,
    /// The program that serves it; empty looks for `llama-server` where programs are.
    pub program: String,
}

/// A connection as a user writes it.
#[derive(Clone, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ConnectionDraft {
    /// The one to change; `None` makes a new one.
    pub id: Option<ConnectionId>,
    /// What to call it; empty takes the host of its address.
    pub label: String,
    /// How to speak to it; `None` leaves a connection that is there as it is, and lets the address decide for a new
    /// one.
    pub wire: Option<ModelWire>,
    /// The address; for OpenAI's interfaces up to and with `/v1`.
    pub base_url: String,
    /// A key to keep in the keychain; `None` leaves the one that is there, empty takes it away.
    pub key: Option<String>,
    /// All extra headers; one that is left out is removed.
    pub headers: Vec<HeaderDraft>,
    /// Models to add with it, by their names there.
    pub models: Vec<String>,
}

/// An extra header as a user writes it.
#[derive(Clone, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct HeaderDraft {
    pub name: String,
    /// `None` leaves the value that is kept.
    pub value: Option<String>,
}

/// A model the user can pick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ModelView {
    /// Our name for it.
    pub id: ModelId,
    /// What to call it.
    pub label: String,
    pub kind: ModelKind,
    /// Whether it stands before the others.
    pub favourite: bool,
    pub facts: FactsView,
}

/// What a model is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelKind {
    /// The script that plays a model, so that everything can be tried without one.
    Rehearsal,
    /// A model at an address.
    Remote {
        connection: ConnectionId,
        /// The address of its connection.
        base_url: String,
        /// The model's name there.
        model: String,
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

/// Who says a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum FactSource {
    /// The user, who is believed before all others.
    User,
    /// The server that runs the model, asked by the user.
    Server,
    /// The catalogue that comes with this program.
    Catalogue,
}

/// What is known of a model; what is left out is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct FactsView {
    /// How many tokens it reads, or may be made to read where the user says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context: Option<NumberFact>,
    /// Whether it calls tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tools: Option<SwitchFact>,
    /// Whether it sees images.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub images: Option<SwitchFact>,
    /// Whether it thinks before it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thinking: Option<SwitchFact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub prices: Option<PricesFact>,
}

/// A number with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct NumberFact {
    pub value: u32,
    pub source: FactSource,
}

/// A yes or no with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct SwitchFact {
    pub value: bool,
    pub source: FactSource,
}

/// What a million tokens cost, in millionths: of the currency of the user's prices where the user says so, else of a US dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct PricesFact {
    pub input: Option<u32>,
    pub output: Option<u32>,
    /// Read from the vendor's cache.
    pub cached: Option<u32>,
    /// Written to the vendor's cache. Costs are computed with it; no window shows it.
    #[serde(skip)]
    #[ts(skip)]
    pub cache_write: Option<u32>,
    pub source: FactSource,
}

/// A model as a user describes it. What is `None` is left to its server and the catalogue.
#[derive(Clone, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ModelDraft {
    pub id: ModelId,
    /// What to call it; empty takes the model's own name.
    pub label: String,
    /// The model's name at its connection.
    pub model: String,
    /// What a million tokens read cost, in millionths of the user's currency.
    pub price_in: Option<u32>,
    /// What a million tokens written cost.
    pub price_out: Option<u32>,
    /// What a million tokens read from the vendor's cache cost.
    pub price_cached: Option<u32>,
    /// The most tokens it may be made to read.
    pub context: Option<u32>,
    pub tools: Option<bool>,
    pub images: Option<bool>,
    pub thinking: Option<bool>,
}

/// The models a connection offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ModelListingView {
    pub models: Vec<ListedModelView>,
    /// Whether there are more than are shown.
    pub cut: bool,
    /// How long the answer took, in milliseconds.
    pub took_ms: u32,
}

/// A model of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ListedModelView {
    /// Its name at the connection, in the words of its server.
    pub name: String,
    pub facts: FactsView,
}

/// What a chat asks of its model; what is left out is left to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields, default)]
#[ts(optional_fields)]
pub struct ChatSettings {
    /// How long it thinks before it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<ChatEffort>,
    /// How freely it chooses its words, in hundredths from 0 to 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<u8>,
    /// The most tokens of one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<u32>,
    /// What its rounds may cost together. A command of its own changes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<CostBudget>,
    /// What is done with long results; as the settings say where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large_results: Option<LargeResults>,
}

/// How long a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ChatEffort {
    Low,
    Medium,
    High,
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

/// A step of the way to a model, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum TrialStep {
    /// The name of the address is looked up.
    Name,
    Connection,
    /// The connection is encrypted, and the server proves who it is.
    Encryption,
    Key,
    Model,
    Reply,
}

/// How far one short message to a model came.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct TrialView {
    /// The steps of this way, in order.
    pub steps: Vec<TrialStep>,
    /// Where it ended; the steps after that were not reached.
    pub failed: Option<TrialFailure>,
    /// Until the first words or the failure, in milliseconds.
    pub took_ms: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct TrialFailure {
    pub step: TrialStep,
    pub problem: Problem,
}
