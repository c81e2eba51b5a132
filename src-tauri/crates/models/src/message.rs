//! What goes to a model and what comes back, as plain data.
//!
//! The types are independent of any provider's wire and of MCP. They are not serialised here: the host decides what
//! it keeps. A call whose arguments were cut or garbled is a different variant, so that it cannot be run by mistake.

use serde_json::{Map, Value};

use crate::NativeReply;

/// Everything a model receives for one reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelRequest {
    /// Instructions that stand before the conversation.
    pub system: Option<String>,
    /// The conversation so far, oldest first.
    pub messages: Vec<ModelMessage>,
    /// The tools the model may call.
    pub tools: Vec<ToolSpec>,
    /// Whether the model may, must or must not call them.
    pub tool_use: ToolUse,
    /// The most tokens the reply may have; `None` leaves it to the provider.
    pub max_tokens: Option<u32>,
    /// How freely the model chooses its words; `None` leaves it to the provider.
    pub temperature: Option<f64>,
    /// How long the model thinks before it answers; `None` leaves it to the provider.
    pub effort: Option<Effort>,
    /// Texts at which the model stops writing; providers take at most four.
    pub stop: Vec<String>,
}

/// How long a model should think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Low,
    Medium,
    High,
}

impl Effort {
    /// The vendors' word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Whether a model calls tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolUse {
    #[default]
    Auto,
    Required,
    Never,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The flattened name, unique in the request.
    pub name: String,
    /// What the tool is for.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelMessage {
    /// What the user wrote.
    User { text: String },
    /// What was given in several pieces, images among them.
    UserParts {
        /// The pieces, in order.
        parts: Vec<ResultPart>,
    },
    /// What the model said and asked for.
    Assistant {
        /// The text; may be empty when there are calls.
        text: String,
        /// The calls, in the order the model made them.
        calls: Vec<ModelCall>,
        /// The same in the vendor's form. Only for the model it came from; it then counts instead of the text and of
        /// the calls' arguments.
        native: Option<NativeReply>,
    },
    /// What came of one call.
    ToolResult {
        /// The id of the [`ModelCall`] this answers.
        call: String,
        /// The name the model called.
        name: String,
        parts: Vec<ResultPart>,
        /// Whether the call failed, was denied or never ran; the content then says why.
        failed: bool,
    },
}

/// One piece of a tool result or of what was given.
#[derive(Debug, Clone, PartialEq)]
pub enum ResultPart {
    Text(String),
    Image {
        /// The media type, for example `image/png`.
        mime: String,
        /// The bytes in base64.
        base64: String,
    },
}

/// A tool call a model asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// The provider's id, or one made here when it sent none. Unique within a reply.
    pub id: String,
    /// The flattened tool name. May be one that was never offered: the host decides.
    pub name: String,
    pub arguments: CallArguments,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallArguments {
    /// A complete JSON object. Not yet checked against the tool's schema.
    Parsed(Map<String, Value>),
    /// Cut off or not a JSON object. Never run it; tell the model instead.
    Invalid {
        /// What arrived, at most 64 KiB of it.
        raw: String,
        /// Why it cannot be used.
        reason: String,
    },
}

/// One event of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// A piece of the answer.
    Text(String),
    /// A piece of shown reasoning; not part of the answer.
    Reasoning(String),
    /// A call, once it is complete (or known to be unusable).
    Call(ModelCall),
    /// The reply as its vendor wrote it; at most once, after the calls. Keep it, never show it, and hand it back
    /// to this model.
    Native(Box<NativeReply>),
    /// Tokens used; at most once, before [`ModelEvent::Finished`].
    Usage(Usage),
    /// The reply is whole. Always the last event of a reply that did not fail.
    Finished(FinishReason),
}

/// What a reply took, as its server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// All tokens read, cached ones among them.
    pub input: u64,
    /// All tokens written, reasoning among them.
    pub output: u64,
    /// The part of `input` read from the vendor's cache.
    pub cached: u64,
    /// The part of `input` written to the vendor's cache, which some vendors charge more for.
    pub cache_written: u64,
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// The model had said what it wanted to say.
    Stop,
    /// The model waits for tool results.
    ToolCalls,
    /// The token limit was reached; text and calls may be cut.
    Length,
    /// The provider's content filter or the model's own refusal ended it; what came before may be cut.
    Filtered,
    /// Something else, in the provider's own word: what came before may be cut, and its calls are not to be run.
    Other(String),
}
