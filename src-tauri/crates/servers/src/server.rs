//! One server: the task that owns it, the handle by which everybody else reaches it, and what the task does from the
//! start of a session to its end.

mod api;
pub(crate) mod backoff;
pub(crate) mod connected;
mod entered;
pub(crate) mod events;
pub(crate) mod handle;
pub(crate) mod liveness;
pub(crate) mod log;
pub(crate) mod state;
pub(crate) mod task;
pub(crate) mod traffic;
mod unavailable;
mod view;
