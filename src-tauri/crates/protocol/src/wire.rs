//! What carries a session.

use serde::Serialize;

/// The kinds of wires, as far as they differ for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub enum Wire {
    /// One stream of frames in each direction, whose end is the session's end: pipes, sockets, memory.
    #[serde(rename = "stdio")]
    Stream,
    /// HTTP with an exchange for each request.
    #[serde(rename = "streamable")]
    Http,
    /// HTTP with one event stream for all answers, as in the first revision. Deprecated.
    #[serde(rename = "sse")]
    HttpSse,
}
