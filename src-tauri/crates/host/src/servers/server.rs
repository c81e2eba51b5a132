//! One server: the task that owns it, the handle by which everybody else reaches it, and what the task does from the
//! start of a session to its end.

mod api;
pub(in crate::servers) mod backoff;
pub(in crate::servers) mod connected;
pub(in crate::servers) mod events;
pub(in crate::servers) mod handle;
pub(in crate::servers) mod liveness;
pub(in crate::servers) mod log;
pub(in crate::servers) mod state;
pub(in crate::servers) mod task;
pub(in crate::servers) mod traffic;
