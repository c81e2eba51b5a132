//! Why one request came to nothing although the session goes on. Only wires where each request is an exchange
//! of its own have such failures. They are data, so that the session can decide what era a server
//! belongs to, whether a request may be sent again, and whether the user has to sign in.

use std::time::Duration;

use bytes::Bytes;

/// Why a request got no JSON-RPC answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFailure {
    /// What happened and what may help, in our words.
    pub reason: String,
    /// The HTTP status, when there was an answer at all.
    pub status: Option<u16>,
    /// The beginning of the answer's body, at most [`MAX_FAILURE_BYTES`](crate::MAX_FAILURE_BYTES). Untrusted.
    /// A JSON-RPC error without an id stands here; one with the request's id arrives as a frame instead.
    pub body: Option<Bytes>,
    /// What the server demands before it answers, with status 401 or 403.
    pub challenge: Option<Challenge>,
    /// Where the server wants the request to be sent instead. It was not.
    pub moved: Option<Redirect>,
    /// How long the server wants no request (`Retry-After`).
    pub retry_after: Option<Duration>,
    /// Certainly nothing of the request reached the server, so it is safe to send again.
    pub unsent: bool,
    /// The answer began and broke off. The server may have acted.
    pub cut: bool,
    /// The answer came and is larger than what is read. The server may have acted, and asked again it would say
    /// the same.
    pub too_large: bool,
}

/// A server's demand for authorization, unread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    pub status: u16,
    /// Every `WWW-Authenticate` header in order, at most 16 of at most 4 KiB. Untrusted; may be empty.
    pub www_authenticate: Vec<String>,
}

/// A redirect that was not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The address, resolved and without control characters, at most 2 KiB. Untrusted.
    pub to: String,
    /// Whether it has the origin of the configured address.
    pub same_origin: bool,
}

impl RequestFailure {
    /// A failure with nothing but a reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            ..Self::default()
        }
    }

    /// The failure of a request whose answer has more than `limit` bytes.
    #[must_use]
    pub fn too_large(limit: usize) -> Self {
        Self {
            too_large: true,
            ..Self::new(format!("the answer was larger than {}", amount(limit)))
        }
    }
}

/// A number of bytes, for reading.
pub(crate) fn amount(bytes: usize) -> String {
    match (bytes >> 20, bytes >> 10) {
        (0, 0) => format!("{bytes} bytes"),
        (0, kib) => format!("{kib} KiB"),
        (mib, _) => format!("{mib} MiB"),
    }
}
