//! The way to talk to a session. A handle is cheap to copy: a request is written to bytes here, in the
//! caller's task, handed to the session's task, and its answer is read here again. Dropping the future of a
//! request withdraws it. When the last handle is gone the session ends. A holder of a handle does not need to
//! know the era of the server: where the eras differ, the same request takes another way.

mod features;
mod tools;

pub use features::Cached;

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use vestibule_protocol::EraChoice;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::{CacheHint, Implementation, LogLevel, ServerCapabilities};
use vestibule_transport::{CloseReason, Wire};

use crate::ask::RequestSpec;
use crate::error::CallError;
use crate::link::Link;
use crate::message::SessionSignal;

/// What was agreed when the session opened.
#[derive(Clone, Debug)]
pub struct SessionInfo {
    /// The revision both sides speak.
    pub revision: Revision,
    /// What the wire turned out to be.
    pub wire: Wire,
    /// What the server calls itself; empty when it does not say. Never proof of who it is.
    pub server: Implementation,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// The server's hint for the model, cut to a limit. Untrusted text.
    pub instructions: Option<String>,
    /// How long this may be kept and for whom.
    pub cache: CacheHint,
}

impl SessionInfo {
    /// The era of the server: legacy or modern, never [`EraChoice::Auto`]. Worth keeping with the server, so that it
    /// need not be found out again.
    #[must_use]
    pub fn era(&self) -> EraChoice {
        if self.revision.is_modern() {
            EraChoice::Modern
        } else {
            EraChoice::Legacy
        }
    }

    pub(crate) fn declares_tasks(&self) -> bool {
        self.capabilities.raw.get("tasks").is_some()
    }

    pub(crate) fn declares_of_tasks(&self, what: &str) -> bool {
        self.capabilities.raw["tasks"].get(what).is_some()
    }

    /// The server takes calls of tools as tasks.
    fn takes_tasks(&self) -> bool {
        let tasks = &self.capabilities.raw["tasks"];
        self.revision == Revision::V2025_11_25 && tasks["requests"]["tools"].get("call").is_some()
    }
}

/// A session with one server.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    info: Arc<SessionInfo>,
    pub(crate) link: Arc<Link>,
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

    /// Whether arguments that a tool's schema marks are repeated in headers of the request.
    #[must_use]
    pub fn sends_argument_headers(&self) -> bool {
        self.link.has_headers()
    }

    /// Asks whether the server is still there.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn ping(&self) -> Result<(), CallError> {
        // The modern era has no request for this alone.
        let method = match self.era() {
            EraChoice::Modern => "server/discover",
            EraChoice::Auto | EraChoice::Legacy => "ping",
        };
        self.link
            .ask(&RequestSpec::plain(method), None::<&Value>)
            .await
            .map(drop)
    }

    /// Tells a legacy server that the roots changed, if we declared that we would. A modern server asks again
    /// each time.
    ///
    /// # Errors
    /// [`CallError::Closed`] when the session has ended.
    pub async fn notify_roots_changed(&self) -> Result<(), CallError> {
        let declared = self.link.options.capabilities["roots"]["listChanged"] == true;
        if !declared || self.era() == EraChoice::Modern {
            return Ok(());
        }
        self.link.notify("notifications/roots/list_changed").await
    }

    /// Asks the server to log from this level up: a legacy server at once, a modern one with every later
    /// request.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no logging; otherwise as any request.
    pub async fn set_log_level(&self, level: LogLevel) -> Result<(), CallError> {
        self.require(self.info.capabilities.logging)?;
        if self.era() == EraChoice::Modern {
            self.link.log_level.send_replace(Some(level));
            return Ok(());
        }
        let params = serde_json::json!({ "level": level });
        self.link
            .ask(&RequestSpec::plain("logging/setLevel"), Some(&params))
            .await
            .map(drop)
    }

    /// Stops the clocks of all calls of this session until the hold is dropped: a user is being asked
    /// something, and the time that takes is not the server's.
    #[must_use]
    pub fn pause_timeouts(&self) -> TimeoutPause {
        // Without a session there are no clocks.
        let _ = self.link.signals.send(SessionSignal::PauseTimeouts);
        TimeoutPause {
            signals: self.link.signals.clone(),
        }
    }

    /// Ends the session in the politest way that works and says how it ended. Calls in flight fail at once.
    pub async fn close(&self) -> CloseReason {
        self.link.close().await
    }

    fn era(&self) -> EraChoice {
        self.info.era()
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
pub struct TimeoutPause {
    signals: mpsc::UnboundedSender<SessionSignal>,
}

impl Drop for TimeoutPause {
    fn drop(&mut self) {
        let _ = self.signals.send(SessionSignal::ResumeTimeouts);
    }
}
