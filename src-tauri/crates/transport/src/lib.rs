//! How frames reach a server and come back: a child process, any pair of byte streams, or memory in tests.
//! A transport moves bytes and knows how a connection ends; it does not read messages, match answers or
//! decide anything. It also starts the programs of servers: without a shell, in a cleared environment, and under a guard process
//! that outlives even a killed application. [`path`] asks the user's login shell for its `PATH`.

#![allow(
    clippy::disallowed_methods,
    reason = "this crate is the one that starts programs"
)]

pub mod browser;
mod close;
#[cfg(unix)]
mod diagnostics;
mod failure;
#[cfg(unix)]
pub mod guard;
pub mod http;
mod lines;
mod memory;
mod outgoing;
mod oversized;
pub mod path;
mod pipe;
#[cfg(unix)]
pub mod stdio;
mod stream;
mod tap;
pub mod worker;

use async_trait::async_trait;
use bytes::Bytes;
use thiserror::Error;
use vestibule_protocol::Revision;
pub use vestibule_protocol::Wire;
use vestibule_protocol::jsonrpc::RequestId;

pub use close::{CloseCause, CloseReason, Exit, SpawnError};
pub use failure::{Challenge, Redirect, RequestFailure};
pub use lines::{Line, LineFramer, Oversized};
pub use memory::{MemoryPeer, MemoryTransport, Sent, pair};
pub use outgoing::{Outgoing, OutgoingKind};
pub use oversized::response_id;
pub use pipe::{MAX_ENDLESS_BYTES, MAX_FRAME_BYTES, MAX_QUEUED_BYTES};
pub use stream::StreamTransport;
pub use tap::{Tap, Tapped};

/// A connection to one server.
///
/// To bring your own: a frame is one JSON-RPC message (or one array of them) as UTF-8 without line breaks.
/// Order is kept in each direction. One task owns the transport and calls it; between two frames it always
/// comes back to [`receive`](Transport::receive), so work that has to go on, such as writing what did not fit
/// at once, may be driven from there.
#[async_trait]
pub trait Transport: Send {
    /// Takes one frame for writing and returns at once. The frame carries no newline.
    ///
    /// # Errors
    /// [`SendError::Full`] when the other side reads too slowly; nothing was taken and the caller may try
    /// again later. [`SendError::Closed`] when nothing can be written any more; `receive` will say why.
    fn send(&mut self, outgoing: Outgoing) -> Result<(), SendError>;

    /// What was read already and can be had without waiting. `None` says nothing of what [`receive`](Self::receive) has.
    fn next_received(&mut self) -> Option<Incoming> {
        None
    }

    /// Waits for what happens next. May be dropped at any time without losing anything. After
    /// [`Incoming::Closed`] it keeps answering the same.
    async fn receive(&mut self) -> Incoming;

    /// Ends the connection in the politest way that works, and says how it ended. Frames that still arrive
    /// are thrown away. May be dropped; the transport then ends the connection the hard way when it is
    /// dropped itself.
    async fn close(&mut self) -> CloseReason;

    /// The handshake agreed on this revision. Legacy HTTP names it in every later exchange and may begin to
    /// listen for what the server says unasked, once `notifications/initialized` was taken.
    fn agreed(&mut self, _revision: Revision) {}

    /// Gives up a request. True when the wire itself tells the server, so that no cancellation is to be sent.
    /// Its answer may still arrive.
    fn abandon(&mut self, _id: &RequestId) -> bool {
        false
    }

    /// What kind of wire this is.
    fn wire(&self) -> Wire;
}

/// What came out of a transport.
#[derive(Clone, Debug)]
pub enum Incoming {
    /// One frame, not yet read: not necessarily JSON, not necessarily UTF-8.
    Frame(Bytes),
    /// Something that cannot be a frame and was passed over.
    Junk {
        /// Why, in our words.
        reason: String,
        /// Its beginning, made printable.
        sample: String,
    },
    /// A line the server wrote beside the protocol. Not a sign of failure.
    Diagnostic(String),
    /// Something about the wire that does no harm, in our words; for the server's log.
    Oddity(String),
    /// This request gets no answer, but the session goes on.
    RequestFailed { id: RequestId, failure: RequestFailure },
    /// The server refused this answer to its request with a demand to sign in. It does not come back a second time.
    AnswerRefused {
        /// The id the server gave.
        id: RequestId,
        frame: Vec<u8>,
        challenge: Challenge,
    },
    /// The server no longer knows the session; a new one has to be opened. Requests in flight get no answer.
    SessionLost,
    /// The connection is over.
    Closed(CloseReason),
}

/// How much of the body of a failed HTTP answer is kept, in bytes.
pub const MAX_FAILURE_BYTES: usize = 64 * 1024;

/// Why a frame was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SendError {
    /// Too much waits to be read by the other side.
    #[error("the server reads too slowly")]
    Full,
    /// The way to the server is closed.
    #[error("the way to the server is closed")]
    Closed,
}
