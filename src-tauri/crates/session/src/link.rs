//! The ends of the channels to a session's task, and one exchange over them: a request out, its answer back.
//! What all requests of a session share is here too: ids that are never given twice, what was agreed, and what
//! later requests have to repeat.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use vestibule_protocol::Revision;
use vestibule_protocol::header::ParamHeader;
use vestibule_protocol::json::RawJson;
use vestibule_protocol::jsonrpc::{RequestId, RpcResultBuf, encode_notification};
use vestibule_protocol::mcp::{CallToolResult, LogLevel, Progress};
use vestibule_protocol::task::TaskSupport;
use vestibule_transport::{CloseCause, CloseReason, Outgoing, OutgoingKind, Wire};

use crate::capabilities::Declaration;
use crate::engine::Ends;
use crate::error::CallError;
use crate::message::{CallReply, OutgoingCall, SessionCommand, SessionSignal};
use crate::options::SessionOptions;

/// Headers with their values, encoded.
pub(crate) type Headers = Vec<(String, String)>;
/// The arguments of each tool that are repeated in headers.
pub(crate) type ToolHeaders = HashMap<String, Vec<ParamHeader>>;

/// The requests that are answered with what a tool returned.
const RESULT_METHODS: [&str; 3] = ["tools/call", "tasks/get", "tasks/result"];

/// The ends of the channels to the session's task, before and after the session is open.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) commands: mpsc::Sender<SessionCommand>,
    pub(crate) signals: mpsc::UnboundedSender<SessionSignal>,
    pub(crate) ended: watch::Receiver<Option<CloseReason>>,
    pub(crate) options: SessionOptions,
    /// Before anything was agreed; a legacy wire may turn out to be another.
    pub(crate) wire: Wire,
    /// Set once the session is open.
    pub(crate) agreed: OnceLock<Revision>,
    /// What requests to a modern server say of this client; set by the first one.
    pub(crate) declaration: OnceLock<Arc<Declaration>>,
    /// From which level on servers without `logging/setLevel` are asked to log.
    pub(crate) log_level: watch::Sender<Option<LogLevel>>,
    /// From the tools as they were listed last.
    pub(crate) tool_headers: watch::Sender<ToolHeaders>,
    /// How each tool may be called as a task, as they were listed last.
    pub(crate) task_support: watch::Sender<HashMap<String, TaskSupport>>,
    /// What calls may need from the user at once.
    pub(crate) inputs: Arc<Semaphore>,
    /// Ids are never given twice, so a late answer cannot be taken for another.
    next_id: Arc<AtomicI64>,
}

/// How to send one request.
pub(crate) struct RequestExchange {
    pub(crate) id: i64,
    pub(crate) method: &'static str,
    pub(crate) frame: Vec<u8>,
    pub(crate) headers: Headers,
    pub(crate) timeout: Duration,
    pub(crate) progress: Option<mpsc::Sender<Progress>>,
    /// The opening request is never withdrawn from the server's sight.
    pub(crate) opening: bool,
    /// Reports of progress may come after the answer as well.
    pub(crate) keeps_progress: bool,
}

impl RequestExchange {
    fn into_call(self, hard_timeout: Duration, reply: CallReply) -> OutgoingCall {
        let kind = OutgoingKind::Request {
            id: RequestId::Number(self.id),
            method: self.method.into(),
            opening: self.opening,
            headers: self.headers,
        };
        let frame = self.frame;
        OutgoingCall {
            id: self.id,
            outgoing: Some(Outgoing { frame, kind }),
            timeout: self.timeout,
            hard_timeout: self.timeout.max(hard_timeout),
            progress: self.progress,
            opening: self.opening,
            keeps_progress: self.keeps_progress,
            is_for_result: RESULT_METHODS.contains(&self.method),
            reply,
        }
    }
}

impl Link {
    pub(crate) fn new(ends: Ends, options: SessionOptions, wire: Wire, next_id: Arc<AtomicI64>) -> Self {
        Self {
            commands: ends.commands,
            signals: ends.signals,
            ended: ends.ended,
            wire,
            agreed: OnceLock::new(),
            declaration: OnceLock::new(),
            log_level: watch::Sender::new(None),
            tool_headers: watch::Sender::new(ToolHeaders::new()),
            task_support: watch::Sender::new(HashMap::new()),
            inputs: Arc::new(Semaphore::new(options.limits.server_requests)),
            options,
            next_id,
        }
    }

    pub(crate) fn fresh_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends one request and waits for its answer. Dropping the future withdraws the request.
    pub(crate) async fn exchange(&self, exchange: RequestExchange) -> Result<RpcResultBuf, CallError> {
        let id = exchange.id;
        let (reply, answer) = oneshot::channel();
        let call = exchange.into_call(self.options.hard_timeout, reply);
        if self
            .commands
            .send(SessionCommand::Call(Box::new(call)))
            .await
            .is_err()
        {
            return Err(CallError::Closed(self.closed().await));
        }
        let mut withdrawal = Withdrawal {
            id,
            signals: Some(&self.signals),
        };
        let outcome = answer.await;
        withdrawal.signals = None;
        match outcome {
            Ok(outcome) => outcome,
            Err(_) => Err(CallError::Closed(self.closed().await)),
        }
    }

    pub(crate) async fn notify(&self, method: &'static str) -> Result<(), CallError> {
        let frame = encode_notification(method, None::<&Value>)
            .map_err(|error| CallError::NotSendable(error.to_string()))?;
        let outgoing = Outgoing::notification(frame, method);
        if self
            .commands
            .send(SessionCommand::Notify(Box::new(outgoing)))
            .await
            .is_err()
        {
            return Err(CallError::Closed(self.closed().await));
        }
        Ok(())
    }

    pub(crate) async fn close(&self) -> CloseReason {
        // Fails only when the session has ended, which is what was asked for.
        let _ = self.signals.send(SessionSignal::Close);
        self.closed().await
    }

    /// How the session ended, once it has.
    pub(crate) async fn closed(&self) -> CloseReason {
        let mut ended = self.ended.clone();
        let reason = ended
            .wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|reason| reason.clone());
        // The task only goes without a word when the whole runtime goes.
        reason.unwrap_or_else(|| CloseReason::new(CloseCause::Failed("the app is shutting down".into())))
    }
}

/// Notifies the session's task when the future of a request is dropped.
struct Withdrawal<'a> {
    id: i64,
    signals: Option<&'a mpsc::UnboundedSender<SessionSignal>>,
}

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        if let Some(signals) = self.signals {
            let _ = signals.send(SessionSignal::Withdraw(self.id));
        }
    }
}

/// An answer as what it should be. Where a string names half of a character, U+FFFD is read in its place.
pub(crate) fn read_result_as<T: serde::de::DeserializeOwned>(result: &RpcResultBuf) -> Result<T, CallError> {
    let read = result.raw().read_whole_characters(|raw| raw.read());
    read.map_err(|error| CallError::Malformed(error.to_string()))
}

/// What a call came to.
pub(crate) fn read_result(raw: RawJson<'_>) -> Result<CallToolResult, CallError> {
    CallToolResult::read(raw).map_err(|error| CallError::Malformed(error.0))
}
