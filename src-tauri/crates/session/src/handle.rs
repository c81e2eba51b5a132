//! The way to talk to a session. A handle is cheap to copy and holds no lock: a request is written to bytes
//! here, in the caller's task, handed to the session's task, and its answer is read here again. Dropping the
//! future of a request withdraws it. When the last handle is gone the session ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot, watch};
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{RequestId, encode_notification, encode_request};
use vestibule_protocol::mcp::{CallToolResult, Implementation, LogLevel, Progress, ServerCapabilities};
use vestibule_transport::{CloseCause, CloseReason, Outgoing};

use crate::engine::{Call, Command, Note};
use crate::error::CallError;
use crate::options::SessionOptions;
use crate::tools::{self, ToolList};

/// What was agreed when the session opened.
#[derive(Clone, Debug)]
pub struct SessionInfo {
    /// The revision both sides speak.
    pub revision: Revision,
    /// What the server calls itself. Never proof of who it is.
    pub server: Implementation,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// The server's hint for the model, cut to a limit. Untrusted text.
    pub instructions: Option<String>,
}

/// How to make one call.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Where to report progress. Reports are left out when the channel is full.
    pub progress: Option<mpsc::Sender<Progress>>,
    /// Instead of the session's timeout for a call without progress.
    pub timeout: Option<Duration>,
}

/// A session with one server.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    info: Arc<SessionInfo>,
    pub(crate) link: Arc<Link>,
}

/// The ends of the channels to the session's task, before and after the session is open.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) notes: mpsc::UnboundedSender<Note>,
    pub(crate) ended: watch::Receiver<Option<CloseReason>>,
    pub(crate) options: SessionOptions,
    /// Ids are never given twice, so a late answer can not be taken for another.
    pub(crate) next_id: AtomicI64,
}

#[derive(Serialize)]
struct CallParams<'a> {
    name: &'a str,
    arguments: &'a Map<String, Value>,
    _meta: CallMeta,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallMeta {
    progress_token: i64,
}

impl SessionHandle {
    pub(crate) fn new(info: SessionInfo, link: Link) -> Self {
        Self {
            info: Arc::new(info),
            link: Arc::new(link),
        }
    }

    /// What was agreed when the session opened.
    #[must_use]
    pub fn info(&self) -> &SessionInfo {
        &self.info
    }

    /// Every tool the server lists, page by page, in its order, within the session's limits.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no tools; otherwise as any request.
    pub async fn list_tools(&self) -> Result<ToolList, CallError> {
        self.require(self.info.capabilities.tools.is_some())?;
        tools::list(&self.link).await
    }

    /// Calls a tool. Dropping the future withdraws the call and tells the server.
    ///
    /// # Errors
    /// See [`CallError`]. A tool that ran and failed is a good answer with `is_error` set.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        options: CallOptions,
    ) -> Result<CallToolResult, CallError> {
        self.require(self.info.capabilities.tools.is_some())?;
        let id = self.link.fresh_id();
        let params = CallParams {
            name,
            arguments: &arguments,
            _meta: CallMeta { progress_token: id },
        };
        let timeout = options.timeout.unwrap_or(self.link.options.call_timeout);
        let request = Request {
            id,
            method: "tools/call",
            timeout,
            progress: options.progress,
            opening: false,
        };
        read(&self.link.request(request, Some(&params)).await?)
    }

    /// Asks whether the server is still there.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn ping(&self) -> Result<(), CallError> {
        self.link.ask("ping", None::<&Value>).await.map(drop)
    }

    /// Tells the server that the roots changed, if we declared that we would.
    ///
    /// # Errors
    /// [`CallError::Closed`] when the session has ended.
    pub async fn notify_roots_changed(&self) -> Result<(), CallError> {
        if self.link.options.capabilities["roots"]["listChanged"] != true {
            return Ok(());
        }
        self.link.notify("notifications/roots/list_changed").await
    }

    /// Asks the server to log from this level up.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no logging; otherwise as any request.
    pub async fn set_log_level(&self, level: LogLevel) -> Result<(), CallError> {
        self.require(self.info.capabilities.logging)?;
        let params = serde_json::json!({ "level": level });
        self.link.ask("logging/setLevel", Some(&params)).await.map(drop)
    }

    /// Stops the clocks of all calls of this session until the hold is dropped: a person is being asked
    /// something, and the time that takes is not the server's.
    #[must_use]
    pub fn hold_clock(&self) -> ClockHold {
        // Without a session there are no clocks.
        let _ = self.link.notes.send(Note::Hold);
        ClockHold {
            notes: self.link.notes.clone(),
        }
    }

    /// Ends the session in the politest way that works and says how it ended. Calls in flight fail at once.
    pub async fn close(&self) -> CloseReason {
        self.link.close().await
    }

    fn require(&self, declared: bool) -> Result<(), CallError> {
        if declared {
            Ok(())
        } else {
            Err(CallError::NotSupported)
        }
    }
}

/// Stops the clocks of a session's calls while it lives.
#[derive(Debug)]
pub struct ClockHold {
    notes: mpsc::UnboundedSender<Note>,
}

impl Drop for ClockHold {
    fn drop(&mut self) {
        let _ = self.notes.send(Note::Release);
    }
}

/// How to send one request.
pub(crate) struct Request<'a> {
    pub(crate) id: i64,
    pub(crate) method: &'a str,
    pub(crate) timeout: Duration,
    pub(crate) progress: Option<mpsc::Sender<Progress>>,
    /// The opening request is never withdrawn from the server's sight.
    pub(crate) opening: bool,
}

impl Link {
    pub(crate) fn fresh_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// A request with the usual timeout.
    pub(crate) async fn ask(
        &self,
        method: &str,
        params: Option<&(impl Serialize + ?Sized)>,
    ) -> Result<Box<RawValue>, CallError> {
        let timeout = self.options.call_timeout;
        let request = Request {
            id: self.fresh_id(),
            method,
            timeout,
            progress: None,
            opening: false,
        };
        self.request(request, params).await
    }

    pub(crate) async fn request(
        &self,
        request: Request<'_>,
        params: Option<&(impl Serialize + ?Sized)>,
    ) -> Result<Box<RawValue>, CallError> {
        let id = request.id;
        let frame = encode_request(&RequestId::Number(id), request.method, params)
            .map_err(|error| CallError::Malformed(error.to_string()))?;
        let (reply, answer) = oneshot::channel();
        let number = RequestId::Number(id);
        let method = request.method.to_owned();
        let outgoing = if request.opening {
            Outgoing::opening(frame, number, method)
        } else {
            Outgoing::request(frame, number, method)
        };
        let call = Call {
            id,
            outgoing,
            timeout: request.timeout,
            hard_timeout: request.timeout.max(self.options.hard_timeout),
            progress: request.progress,
            opening: request.opening,
            reply,
        };
        if self.commands.send(Command::Call(call)).await.is_err() {
            return Err(CallError::Closed(self.end().await));
        }
        let mut withdrawal = Withdrawal {
            id,
            notes: Some(&self.notes),
        };
        let outcome = answer.await;
        withdrawal.notes = None;
        match outcome {
            Ok(outcome) => outcome,
            Err(_) => Err(CallError::Closed(self.end().await)),
        }
    }

    pub(crate) async fn notify(&self, method: &str) -> Result<(), CallError> {
        let frame = encode_notification(method, None::<&Value>)
            .map_err(|error| CallError::Malformed(error.to_string()))?;
        let outgoing = Outgoing::notification(frame, method.to_owned());
        if self.commands.send(Command::Notify(outgoing)).await.is_err() {
            return Err(CallError::Closed(self.end().await));
        }
        Ok(())
    }

    pub(crate) async fn close(&self) -> CloseReason {
        // Fails only when the session has ended, which is what was asked for.
        let _ = self.notes.send(Note::Close);
        self.end().await
    }

    /// How the session ended, once it has.
    async fn end(&self) -> CloseReason {
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

/// Tells the session's task that nobody waits any more, when the future of a request is dropped.
struct Withdrawal<'a> {
    id: i64,
    notes: Option<&'a mpsc::UnboundedSender<Note>>,
}

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        if let Some(notes) = self.notes {
            let _ = notes.send(Note::Withdraw(self.id));
        }
    }
}

/// An answer as what it should be.
pub(crate) fn read<T: serde::de::DeserializeOwned>(raw: &RawValue) -> Result<T, CallError> {
    serde_json::from_str(raw.get()).map_err(|error| CallError::Malformed(error.to_string()))
}
