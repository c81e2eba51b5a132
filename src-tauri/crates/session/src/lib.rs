//! A conversation with one server: opening it, matching answers to questions, cancelling, progress, timeouts,
//! and what the server asks of us. One task owns the connection and everything that waits for it; a
//! [`SessionHandle`] is a cheap way to talk to that task. Nothing here decides what a server may do and
//! nothing here asks a person: requests of the server are handed on as [`SessionEvent`]s.

mod engine;
mod error;
mod event;
mod handle;
mod open;
mod options;
mod tools;

pub use error::{CallError, OpenError};
pub use event::{Responder, ServerRequest, SessionEvent};
pub use handle::{CallOptions, ClockHold, SessionHandle, SessionInfo};
pub use open::open;
pub use options::{Limits, SessionOptions};
pub use tools::{DroppedTool, ToolList};
pub use vestibule_transport::{CloseCause, CloseReason};
