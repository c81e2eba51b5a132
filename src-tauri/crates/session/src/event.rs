//! What a server does of its own accord, as the host sees it. A request comes with the means to answer it;
//! whatever happens to that, the server gets exactly one answer, unless it said itself that it no longer
//! wants one. What a modern server needs to go on with a call arrives as the same kind of request, and only
//! the way back differs.

use std::fmt;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
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

/// The means to answer one request. Dropping it answers with an internal error. A refusal of something that a
/// modern server needs for a call gives up that call, because its wire has no refusals; a person who declines
/// or cancels an elicitation is an answer and not a refusal (MR-014).
pub struct Responder {
    /// `None` once answered.
    way: Option<Way>,
    cancelled: CancellationToken,
}

/// Where an answer goes.
enum Way {
    /// To the server, under the id of its request.
    Wire {
        id: RequestId,
        notes: mpsc::UnboundedSender<Note>,
    },
    /// To the call that can not go on without it.
    Call {
        name: String,
        answers: mpsc::UnboundedSender<InputAnswer>,
    },
}

/// What came of one thing a call needs, by name.
pub(crate) type InputAnswer = (String, Result<Box<RawValue>, RpcError>);

impl Responder {
    pub(crate) fn on_the_wire(
        id: RequestId,
        notes: mpsc::UnboundedSender<Note>,
        cancelled: CancellationToken,
    ) -> Self {
        Self {
            way: Some(Way::Wire { id, notes }),
            cancelled,
        }
    }

    pub(crate) fn for_call(
        name: String,
        answers: mpsc::UnboundedSender<InputAnswer>,
        cancelled: CancellationToken,
    ) -> Self {
        Self {
            way: Some(Way::Call { name, answers }),
            cancelled,
        }
    }

    /// Answers. `result` must serialise to an object; when it can not be written as JSON, the server is told
    /// of an internal error.
    pub fn reply(mut self, result: &(impl Serialize + ?Sized)) {
        let answer = to_raw_value(result).map_err(|error| RpcError::new(INTERNAL_ERROR, error.to_string()));
        self.answer(answer);
    }

    /// Refuses, with a code the protocol gives a meaning to and a sentence the server may show.
    pub fn refuse(mut self, code: i64, message: impl Into<String>) {
        self.answer(Err(RpcError::new(code, message)));
    }

    /// Resolves when an answer is no longer wanted: the server withdrew the request, nobody waits for the call
    /// that needs it, or the session ended.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }

    /// Whether an answer is no longer wanted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Without a session or a call there is nobody to answer.
    fn answer(&mut self, answer: Result<Box<RawValue>, RpcError>) {
        match self.way.take() {
            Some(Way::Wire { id, notes }) => {
                let frame = match &answer {
                    Ok(result) => encode_result(&id, result),
                    Err(error) => encode_error(&id, error),
                };
                match frame {
                    Ok(frame) => drop(notes.send(Note::Answer { id, frame })),
                    Err(error) => tracing::error!(%error, "an answer could not be written"),
                }
            }
            Some(Way::Call { name, answers }) => drop(answers.send((name, answer))),
            None => {}
        }
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        self.answer(Err(RpcError::new(
            INTERNAL_ERROR,
            "the app could not deal with the request",
        )));
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked: &dyn fmt::Debug = match &self.way {
            Some(Way::Wire { id, .. }) => id,
            Some(Way::Call { name, .. }) => name,
            None => &"answered",
        };
        f.debug_struct("Responder")
            .field("asked", asked)
            .finish_non_exhaustive()
    }
}
