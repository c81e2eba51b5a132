//! JSON-RPC and MCP messages as data, and our own ids. Nothing here does IO, waits or decides: bytes become
//! typed messages or a reason why not, and typed messages become bytes. Everything tolerates members it does
//! not know, because the protocol's objects are open, and nothing here trusts what it reads.

mod cache;
pub mod capability;
mod choice;
mod completion;
mod content;
pub mod elicitation;
pub mod header;
mod ids;
mod invisible;
pub mod json;
mod json_length;
pub mod jsonrpc;
mod lenient;
pub mod mcp;
pub mod modern;
mod prompt;
mod resource;
mod revision;
pub mod task;
mod tool;
mod wire;

pub use choice::{EraChoice, NotAChoice, TransportChoice};
pub use ids::{
    AttachmentId, ChatId, ConnectionId, EntryId, ModelId, QuestionId, RuleId, ServerId, WorkspaceId,
};
pub use invisible::is_invisible;
pub use json_length::{is_json_longer, json_length};
pub use revision::{Revision, UnknownRevision};
pub use wire::Wire;
