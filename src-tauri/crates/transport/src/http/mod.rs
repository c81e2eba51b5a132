//! A server over HTTP. Every message of ours is an exchange of its own, run by a task of its own; what comes
//! back from all of them meets in one inbox. In the handshake revisions the transport keeps what holds a
//! session together: its id, the agreed revision, a stream for what the server says unasked, and streams that
//! are taken up again. A request of the stateless revisions gets none of that. A server that speaks only the
//! first revision's transport is recognised when the session opens.
//!
//! Nothing here decides which era a server belongs to, retries a request, follows a redirect or signs in; what
//! the session needs for that is handed up as data.

mod accepted;
mod authorization;
mod batch;
mod classify;
mod context;
mod events;
mod exchange;
mod http_sse;
mod limits;
mod listen;
mod mode;
mod notification;
mod options;
mod refusal;
mod resume;
mod tasks;
mod transport;

pub use authorization::{Authorization, Signer};
pub use limits::HttpLimits;
pub use options::{HttpOptions, HttpVariant};
pub use transport::HttpTransport;

/// Whether a server that answers `initialize` with this status may speak the transport of the first revision.
/// The revisions differ between 400, 404 and 405 and every 4xx; asking once more with GET does no harm, so
/// only those are left out that say something else: who asks, how much, how often.
#[must_use]
pub fn takes_back(status: u16) -> bool {
    (400..500).contains(&status) && !matches!(status, 401..=403 | 407 | 408 | 413 | 429 | 431)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SSE-004, SSE-005.
    #[test]
    fn a_demand_for_authorization_or_patience_is_no_sign_of_an_old_server() {
        for status in [400, 404, 405, 406, 415, 422] {
            assert!(takes_back(status), "{status}");
        }
        for status in [200, 302, 401, 403, 429, 431, 500, 503] {
            assert!(!takes_back(status), "{status}");
        }
    }
}
