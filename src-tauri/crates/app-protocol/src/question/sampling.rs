//! What the two cards of sampling show: what a server wants to tell one of the user's models, and what the model
//! said. Both can be changed on the card. The words in them are the server's or the model's, never ours.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestibule_protocol::ModelId;
use vestibule_protocol::mcp::Role;

use crate::Currency;

/// What a server wants to ask a model.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct SamplePrompt {
    /// The instructions before the conversation.
    pub system: Option<String>,
    pub messages: Vec<SampleMessage>,
    /// Tools of the server that the model may ask for. Vestibule never calls them.
    pub tools: Vec<SampleTool>,
    /// Whether the model may, must or must not use them.
    pub tool_use: SampleToolUse,
    /// The user's models, to choose from.
    pub models: Vec<SampleModel>,
    /// The one that was picked.
    pub picked: ModelId,
    pub reason: PickReason,
    /// The model preferences of the server, in its own words.
    pub hints: Vec<String>,
    /// The most tokens the reply may have: what was asked for, or what the budget leaves.
    pub max_tokens: u32,
    /// The most tokens the server asked for.
    pub asked_tokens: u32,
    /// About how many tokens the model will read.
    pub input_tokens: u32,
    /// What the server may still spend.
    pub budget: BudgetLeft,
    /// How often in this conversation the model has asked for tools already.
    pub round: u32,
    /// How often it may.
    pub most_rounds: u32,
    /// The context of other conversations the server asked for. None is ever given.
    pub context_asked: Option<String>,
    /// How freely the model is to choose its words.
    pub temperature: Option<f64>,
    /// Texts at which the model is to stop writing.
    pub stop: Vec<String>,
}

/// One turn of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct SampleMessage {
    /// Whose words these are said to be.
    pub role: Role,
    pub blocks: Vec<SampleBlock>,
}

/// One piece of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "block", rename_all = "snake_case", deny_unknown_fields)]
pub enum SampleBlock {
    Text {
        text: String,
    },
    Image {
        /// What it claims to be.
        mime: String,
        base64: String,
    },
    Audio {
        /// What it claims to be.
        mime: String,
        base64: String,
    },
    /// The model asked for a tool.
    ToolUse {
        /// Its name for this use.
        id: String,
        name: String,
        #[ts(type = "Record<string, unknown>")]
        input: Map<String, Value>,
    },
    /// What came of it.
    ToolResult {
        id: String,
        /// Words, pictures and sounds.
        blocks: Vec<SampleBlock>,
        /// The same as data, where the server gives it.
        structured: Option<Value>,
        failed: bool,
    },
}

impl SampleBlock {
    /// The words, where it is words.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }
}

/// A tool the server brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct SampleTool {
    pub name: String,
    /// What the server says of it.
    pub description: Option<String>,
    pub input_schema: Value,
}

/// Whether the model uses tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum SampleToolUse {
    #[default]
    Auto,
    Required,
    None,
}

/// A model to choose.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct SampleModel {
    /// Our name for it.
    pub id: ModelId,
    /// The user's name for it.
    pub label: String,
    /// Where what is sent to it goes; `None` for the script.
    pub at: Option<String>,
    /// What a million tokens read cost, in millionths of the currency.
    pub price_in: Option<u32>,
    /// What a million tokens written cost.
    pub price_out: Option<u32>,
    /// The currency of both prices.
    pub currency: Currency,
}

/// Why a model was picked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum PickReason {
    /// The server's hint is part of its name.
    Hint { hint: String },
    /// It fits best what the server finds important.
    Priority {
        /// What that is first of all.
        first: SamplePriority,
    },
    /// It is the user's usual one.
    Usual,
    /// There is no other.
    Only,
}

/// What a server can find important in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum SamplePriority {
    /// That it costs little.
    Cost,
    /// That it is quick.
    Speed,
    /// That it is capable.
    Intelligence,
}

/// What a server may still spend, before this request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct BudgetLeft {
    /// Tokens in this hour.
    pub tokens_hour: u32,
    pub of_tokens_hour: u32,
    pub tokens_day: u32,
    pub of_tokens_day: u32,
    /// Cost in this hour, in millionths of the currency, where there is a limit.
    pub cost_hour: Option<u32>,
    pub cost_day: Option<u32>,
    /// The currency of the limits. Costs in another one do not count.
    pub currency: Currency,
}

/// What a model said, before the server hears it.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct SampleReply {
    pub model: String,
    /// Whether its words come from a script.
    pub scripted: bool,
    /// What it said and which tools of the server it asks for.
    pub blocks: Vec<SampleBlock>,
    /// Why it ended, in the protocol's word.
    pub stop_reason: String,
    pub input_tokens: u32,
    pub output_tokens: u32,
    /// Whether these numbers are ours and not the model's.
    pub estimated: bool,
    /// What it cost, in millionths of the currency, where prices are known.
    pub cost: Option<u32>,
    /// The currency of the cost.
    pub currency: Currency,
}

/// What the user may change before a model is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct PromptEdit {
    pub system: Option<String>,
    pub messages: Vec<SampleMessage>,
    pub model: ModelId,
    /// The ceiling; lower than what was shown, or the same.
    pub max_tokens: u32,
}

/// What the user may change before the server hears a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ReplyEdit {
    pub blocks: Vec<SampleBlock>,
}
