//! What a server does of its own accord, as the host sees it. A request comes with the means to answer it;
//! whatever happens to that, the server gets exactly one answer, unless it said itself that it no longer
//! wants one.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vestibule_protocol::jsonrpc::{INTERNAL_ERROR, RequestId, RpcError, encode_error, encode_result};
use vestibule_protocol::mcp::LogMessage;
use vestibule_transport::CloseReason;

use crate::engine::Note;

/// Something a server did.
#[derive(Debug)]
pub enum SessionEvent {
    /// It wants something.
    Request {
        /// What.
        request: ServerRequest,
        /// Where the answer goes.
        reply: Responder,
    },
    /// Its tools are no longer the listed ones.
    ToolsChanged,
    /// Its resources are no longer the listed ones.
    ResourcesChanged,
    /// Its prompts are no longer the listed ones.
    PromptsChanged,
    /// A watched resource changed.
    ResourceUpdated {
        /// Which, as the server wrote it.
        uri: String,
    },
    /// A line of its log.
    Log(LogMessage),
    /// A line it wrote beside the protocol.
    Diagnostic(String),
    /// Something out of order that does no harm, in our words; for the server's log.
    Oddity(String),
    /// The session has ended. Always the last event, also when opening failed.
    Closed(CloseReason),
}

/// What a server can want. Requests it may not make are refused before they come this far.
#[derive(Debug)]
pub enum ServerRequest {
    /// The folders it may know of; answer with a `ListRootsResult`.
    ListRoots,
    /// A model's answer; the parameters as they came.
    CreateMessage(Box<RawValue>),
    /// Something from the person; the parameters as they came.
    Elicit(Box<RawValue>),
}

/// The means to answer one request. Dropping it answers with an internal error.
pub struct Responder {
    id: RequestId,
    /// `None` once answered.
    notes: Option<mpsc::UnboundedSender<Note>>,
    cancelled: CancellationToken,
}

impl Responder {
    pub(crate) fn new(
        id: RequestId,
        notes: mpsc::UnboundedSender<Note>,
        cancelled: CancellationToken,
    ) -> Self {
        Self {
            id,
            notes: Some(notes),
            cancelled,
        }
    }

    /// Answers. `result` must serialise to an object; when it can not be written as JSON, the server is told
    /// of an internal error.
    pub fn reply(mut self, result: &(impl Serialize + ?Sized)) {
        match encode_result(&self.id, result) {
            Ok(frame) => self.answer(frame),
            Err(error) => self.send_error(&RpcError::new(INTERNAL_ERROR, error.to_string())),
        }
    }

    /// Refuses, with a code the protocol gives a meaning to and a sentence the server may show.
    pub fn refuse(mut self, code: i64, message: impl Into<String>) {
        self.send_error(&RpcError::new(code, message));
    }

    /// Resolves when an answer is no longer wanted: the server withdrew the request, or the session ended.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }

    /// Whether an answer is no longer wanted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    fn send_error(&mut self, error: &RpcError) {
        match encode_error(&self.id, error) {
            Ok(frame) => self.answer(frame),
            Err(error) => tracing::error!(%error, "a refusal could not be written"),
        }
    }

    fn answer(&mut self, frame: Vec<u8>) {
        if let Some(notes) = self.notes.take() {
            // Without a session there is nobody to answer.
            let _ = notes.send(Note::Answer {
                id: self.id.clone(),
                frame,
            });
        }
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        if self.notes.is_some() {
            self.send_error(&RpcError::new(
                INTERNAL_ERROR,
                "the app could not deal with the request",
            ));
        }
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
