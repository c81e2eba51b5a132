//! Language models behind one streaming trait.
//!
//! A host asks a [`ModelProvider`] to continue a conversation and reads [`ModelEvent`]s until
//! [`ModelEvent::Finished`]; dropping the stream ends the request. The crate speaks the vendors' interfaces ([`Wire`]),
//! finds model servers on this computer when asked, and carries the scripted rehearsal model. It deliberately knows
//! nothing of MCP, consent or storage: it never runs a tool, and of the project's other crates it uses the HTTP client
//! alone, so that what a model may cause is decided elsewhere.

mod catalogue;
mod detect;
mod egress;
mod error;
mod facts;
mod gguf;
mod listing;
mod message;
mod native;
mod nesting;
mod provider;
mod rehearsal;
mod remote;
mod wire;

pub use catalogue::{catalogue_facts, load_catalogue};
pub use detect::{LocalEndpoint, detect_local};
pub use egress::{ModelLimits, is_free_header, is_header_value};
pub use error::ModelError;
pub use facts::KnownFacts;
pub use gguf::{GgufError, GgufHeader, read_gguf};
pub use listing::{ListedModel, ModelListing};
pub use message::{
    CallArguments, Effort, FinishReason, ModelCall, ModelEvent, ModelMessage, ModelRequest, ResultPart,
    ToolSpec, ToolUse, Usage,
};
pub use native::NativeReply;
pub use provider::{ModelFacts, ModelProvider, ModelStream};
pub use rehearsal::{REHEARSAL, Rehearsal, rehearsal, rehearsal_without_pauses};
pub use remote::{RemoteModel, Trial, TrialStep, ollama_context, open_ai_compatible, remote_model};
pub use wire::Wire;
