//! A conversation with one server: finding out its era, opening it, matching answers to requests, cancelling,
//! progress, timeouts, and what the server asks of us. One task owns the connection and everything that waits
//! for it; a [`SessionHandle`] is a cheap way to talk to that task and the same for every era. Nothing here
//! decides what a server may do and nothing here asks a user: what a server wants is handed on as
//! [`SessionEvent`]s.

mod ask;
mod capabilities;
mod demand;
mod engine;
mod error;
mod error_map;
mod event;
mod handle;
mod input;
mod link;
mod message;
mod open;
mod options;
mod pages;
mod responder;
mod task;
mod url_elicitation;
mod validate_request;

pub use ask::CallOptions;
pub use demand::SignInDemand;
pub use error::{CallError, OpenError};
pub use event::{PASSED_OVER, ServerRequest, ServerRequestKind, SessionEvent};
pub use handle::{Cached, SessionHandle, SessionInfo, TimeoutPause};
pub use open::open;
pub use options::{HealthCheck, MAX_RESULT_BYTES, SessionLimits, SessionOptions};
pub use pages::{Dropped, Listing};
pub use responder::{Origin, OriginalCall, Responder};
pub use task::{Called, TaskHandle};
pub use url_elicitation::RequiredPage;
pub use vestibule_protocol::EraChoice;
pub use vestibule_transport::{Challenge, CloseCause, CloseReason, RequestFailure, Wire};
