//! Language models behind one streaming trait.
//!
//! A host asks a [`ModelProvider`] to continue a conversation and reads [`ModelEvent`]s until
//! [`ModelEvent::Finished`]; dropping the stream ends the request. The crate speaks the OpenAI-compatible
//! Chat Completions dialect (which local model servers share), finds such servers on this computer when asked,
//! and carries the scripted rehearsal model. It deliberately knows nothing of MCP, consent or storage: it never
//! runs a tool, and it uses none of the project's other crates, so that what a model may cause is decided elsewhere.

mod chat;
mod detect;
mod egress;
mod error;
mod message;
mod provider;
mod rehearsal;

pub use chat::{OpenAiCompatible, open_ai_compatible};
pub use detect::{LocalEndpoint, detect_local};
pub use egress::ModelLimits;
pub use error::ModelError;
pub use message::{
    CallArguments, FinishReason, ModelCall, ModelEvent, ModelMessage, ModelRequest, ResultPart, ToolSpec,
    ToolUse,
};
pub use provider::{ModelProvider, ModelStream};
pub use rehearsal::{Rehearsal, rehearsal, rehearsal_without_pauses};
