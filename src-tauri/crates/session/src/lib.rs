//! A conversation with one server: finding out its era, opening it, matching answers to questions, cancelling,
//! progress, timeouts, and what the server asks of us. One task owns the connection and everything that waits
//! for it; a [`SessionHandle`] is a cheap way to talk to that task and the same for every era. Nothing here
//! decides what a server may do and nothing here asks a person: what a server wants is handed on as
//! [`SessionEvent`]s.

mod admit;
mod ask;
mod engine;
mod error;
mod event;
mod handle;
mod input;
mod link;
mod open;
mod options;
mod pages;
mod pages_to_visit;
mod refusal;
mod responder;
mod shape;
mod task;

pub use ask::CallOptions;
pub use error::{CallError, OpenError};
pub use event::{RequestKind, ServerRequest, SessionEvent};
pub use handle::{Cached, ClockHold, SessionHandle, SessionInfo};
pub use open::open;
pub use options::{HealthCheck, Limits, SessionOptions};
pub use pages::{Dropped, Listing};
pub use pages_to_visit::RequiredPage;
pub use responder::{Origin, OriginalCall, Responder};
pub use task::{Called, TaskHandle};
pub use vestibule_protocol::EraChoice;
pub use vestibule_transport::{Challenge, CloseCause, CloseReason, RequestFailure, Wire};
