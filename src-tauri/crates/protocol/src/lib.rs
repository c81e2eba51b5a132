//! JSON-RPC and MCP messages as data, and our own ids. Nothing here does IO, waits or decides.

mod ids;

pub use ids::{ChatId, EntryId, ModelId, QuestionId, RuleId, ServerId, WorkspaceId};
