//! How long and how much a server may take over HTTP.

use std::time::Duration;

use crate::MAX_FRAME_BYTES;

/// Guards against a broken or hostile server. How long a user's request may take is the session's business
/// and shorter than most of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Until a message that needs no work is answered. Default 30 seconds.
    pub head: Duration,
    /// Until the answer to a request begins, and between two events of its stream. Default 1 hour: the
    /// user may be asked something meanwhile. Over HTTP+SSE, until its POST is answered.
    pub answer: Duration,
    /// For the whole of one answer or event that has begun. Default 2 minutes.
    pub body: Duration,
    /// Between two events of the GET event stream. Default 1 hour.
    pub quiet: Duration,
    /// How long the first requests wait until the server has answered the GET request for the event stream. Default 1
    /// second.
    pub listening: Duration,
    /// For the DELETE that ends the session. Default 3 seconds.
    pub close: Duration,
    /// For the rest of the answer to a cancelled request; over HTTP+SSE, for the answer to the POST of a request whose
    /// answer came on the stream. Default 10 seconds.
    pub last_words: Duration,
    /// Before a stream is taken up for the first time, unless the server says otherwise; doubled after each
    /// failure, to at most 30 seconds. Default 1 second.
    pub first_pause: Duration,
    /// How many attempts in a row to resume a stream may fail. Default 6.
    pub attempts: u32,
    /// One answer that is no stream, in bytes. Default 8 MiB.
    pub frame: usize,
    /// One line of an event, in bytes. Default 8 MiB.
    pub line: usize,
    /// One event, in bytes. Default 16 MiB.
    pub event: usize,
    /// Everything that is held at the same time, in bytes; at least the largest of these. Default 64 MiB.
    pub held: usize,
}

impl HttpLimits {
    /// Answers and events of at most this many bytes, two of them at the same time.
    #[must_use]
    pub fn with_frames_of(self, bytes: usize) -> Self {
        Self {
            frame: bytes,
            line: bytes,
            event: bytes,
            held: bytes.saturating_mul(2),
            ..self
        }
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(30),
            answer: Duration::from_secs(3600),
            body: Duration::from_secs(120),
            quiet: Duration::from_secs(3600),
            listening: Duration::from_secs(1),
            close: Duration::from_secs(3),
            last_words: Duration::from_secs(10),
            first_pause: Duration::from_secs(1),
            attempts: 6,
            frame: MAX_FRAME_BYTES,
            line: MAX_FRAME_BYTES,
            event: 2 * MAX_FRAME_BYTES,
            held: 8 * MAX_FRAME_BYTES,
        }
    }
}
