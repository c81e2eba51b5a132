//! The means to answer one request of a server. Whatever happens to it, the server gets exactly one answer,
//! unless it said itself that it no longer wants one.

use std::fmt;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vestibule_protocol::jsonrpc::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RequestId, RpcError, encode_error,
    encode_result,
};

use crate::message::SessionSignal;

const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// What of ours a request of a server belongs to, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The call that cannot go on without it; modern servers only, an older one does not say.
    pub call: Option<OriginalCall>,
    /// The task the server says it belongs to. It may work like a password: not for logs or models.
    pub task: Option<String>,
}

/// A call of ours by what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalCall {
    /// The method, such as `tools/call`.
    pub method: &'static str,
    /// The name or address of what was called.
    pub name: String,
}

/// The means to answer one request. Dropping it answers with an internal error. A refusal of something that a
/// modern server needs for a call gives up that call, because its wire has no refusals; a user who declines
/// or cancels an elicitation is an answer and not a refusal.
pub struct Responder {
    way: Option<ReplyRoute>,
    cancelled: CancellationToken,
    origin: Origin,
}

/// Where an answer goes.
enum ReplyRoute {
    /// To the server, under the id of its request.
    Wire {
        id: RequestId,
        signals: mpsc::UnboundedSender<SessionSignal>,
    },
    /// To the call that cannot go on without it.
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
        signals: mpsc::UnboundedSender<SessionSignal>,
        cancelled: CancellationToken,
        task: Option<String>,
    ) -> Self {
        Self {
            way: Some(ReplyRoute::Wire { id, signals }),
            cancelled,
            origin: Origin { call: None, task },
        }
    }

    pub(crate) fn for_call(
        name: String,
        answers: mpsc::UnboundedSender<InputAnswer>,
        cancelled: CancellationToken,
        origin: Origin,
    ) -> Self {
        Self {
            way: Some(ReplyRoute::Call { name, answers }),
            cancelled,
            origin,
        }
    }

    /// What of ours the request belongs to.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Answers. `result` must serialise to an object; when it cannot be written as JSON, the server gets
    /// an internal error.
    pub fn reply(mut self, result: &(impl Serialize + ?Sized)) {
        let answer = self
            .written(result)
            .map_err(|error| RpcError::new(INTERNAL_ERROR, error.to_string()));
        self.answer(answer);
    }

    /// Refuses, with a code the protocol gives a meaning to, or one of our own outside its range, and a sentence
    /// the server may show. A code that is reserved and not ours to send becomes an internal error.
    pub fn refuse(mut self, code: i64, message: impl Into<String>) {
        let is_ours = !(-32768..=-32000).contains(&code)
            || matches!(
                code,
                INVALID_REQUEST | METHOD_NOT_FOUND | INVALID_PARAMS | INTERNAL_ERROR
            );
        let code = if is_ours { code } else { INTERNAL_ERROR };
        self.answer(Err(RpcError::new(code, message)));
    }

    /// Resolves when an answer is no longer wanted: the server withdrew the request, the call
    /// that needs it was dropped, or the session ended.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }

    /// Whether an answer is no longer wanted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// A token that is cancelled when an answer is no longer wanted, for code that does not hold the responder.
    #[must_use]
    pub fn cancellation(&self) -> CancellationToken {
        self.cancelled.child_token()
    }

    /// An answer that belongs to a task says so.
    fn written(&self, result: &(impl Serialize + ?Sized)) -> serde_json::Result<Box<RawValue>> {
        let (Some(task), Some(ReplyRoute::Wire { .. })) = (&self.origin.task, &self.way) else {
            return to_raw_value(result);
        };
        let mut result = serde_json::to_value(result)?;
        if let Value::Object(members) = &mut result {
            let meta = members.entry("_meta").or_insert_with(|| json!({}));
            if let Value::Object(meta) = meta {
                meta.insert(RELATED_TASK.to_owned(), json!({ "taskId": task }));
            }
        }
        to_raw_value(&result)
    }

    /// Without a session or a call there is no receiver.
    fn answer(&mut self, answer: Result<Box<RawValue>, RpcError>) {
        match self.way.take() {
            Some(ReplyRoute::Wire { id, signals }) => {
                let frame = match &answer {
                    Ok(result) => encode_result(&id, result),
                    Err(error) => encode_error(&id, error),
                };
                match frame {
                    Ok(frame) => drop(signals.send(SessionSignal::Answer { id, frame })),
                    Err(error) => tracing::error!(%error, "failed to encode a response"),
                }
            }
            Some(ReplyRoute::Call { name, answers }) => drop(answers.send((name, answer))),
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
            Some(ReplyRoute::Wire { id, .. }) => id,
            Some(ReplyRoute::Call { name, .. }) => name,
            None => &"answered",
        };
        f.debug_struct("Responder")
            .field("asked", asked)
            .finish_non_exhaustive()
    }
}
