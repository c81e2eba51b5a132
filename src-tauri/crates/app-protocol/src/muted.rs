//! Muted questions, as both windows show them.

use serde::Serialize;
pub use vestibule_policy::RequestKind;
use vestibule_protocol::ServerId;

/// Questions of one kind that a server asks and that are not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct MutedView {
    pub server: ServerId,
    /// The user's name for it.
    pub name: String,
    pub asking: RequestKind,
    /// Until when, in milliseconds since 1970; `None` until they are taken back.
    #[ts(type = "number | null")]
    pub until_ms: Option<i64>,
}
