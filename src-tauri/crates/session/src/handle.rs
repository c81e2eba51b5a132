//! The way to talk to a session. A handle is cheap to copy: a request is written to bytes here, in the
//! caller's task, handed to the session's task, and its answer is read here again. Dropping the future of a
//! request withdraws it. When the last handle is gone the session ends. Nobody who holds a handle needs to
//! know the era of the server: where the eras differ, the same wish takes another way.

mod features;

pub use features::Cached;

use std::borrow::Borrow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use vestibule_protocol::Revision;
use vestibule_protocol::header::param_headers;
use vestibule_protocol::jsonrpc::HEADER_MISMATCH;
use vestibule_protocol::mcp::{
    CacheHint, CallToolResult, Implementation, LogLevel, ServerCapabilities, Tool,
};
use vestibule_transport::{CloseReason, Wire};

use crate::ask::{Ask, CallOptions};
use crate::engine::Note;
use crate::error::CallError;
use crate::link::{Link, ToolHeaders, read};
use crate::options::Era;
use crate::pages::{self, Dropped, Listing};

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
    /// The era of the server: legacy or modern, never [`Era::Auto`]. Worth keeping with the server, so that it
    /// need not be found out again. NEG-004.
    #[must_use]
    pub fn era(&self) -> Era {
        if self.revision.is_modern() {
            Era::Modern
        } else {
            Era::Legacy
        }
    }
}

/// A session with one server.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    info: Arc<SessionInfo>,
    pub(crate) link: Arc<Link>,
}

#[derive(Serialize)]
struct CallParams<'a> {
    name: &'a str,
    arguments: &'a Map<String, Value>,
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

    /// Every tool the server lists, page by page, in its order, within the session's limits. Over modern HTTP
    /// a tool whose schema marks its arguments wrongly for headers can not be used. TR-106, TR-107.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no tools; otherwise as any request.
    pub async fn list_tools(&self) -> Result<Listing<Tool>, CallError> {
        self.require(self.info.capabilities.tools.is_some())?;
        let mut listing = pages::list::<Tool>(&self.link).await?;
        if self.link.has_headers() {
            let mut known = ToolHeaders::new();
            let tools = std::mem::take(&mut listing.items);
            for tool in tools {
                match param_headers(&tool.input_schema) {
                    Ok(headers) => {
                        known.insert(tool.name.clone(), headers);
                        listing.items.push(tool);
                    }
                    Err(error) => listing.dropped.push(Dropped::new(&tool.name, error.0)),
                }
            }
            self.link.tool_headers.send_replace(known);
        }
        Ok(listing)
    }

    /// Calls a tool. Dropping the future withdraws the call and tells the server. What a modern server needs
    /// first arrives as [`SessionEvent::Request`](crate::SessionEvent::Request), as from a legacy one.
    ///
    /// # Errors
    /// See [`CallError`]. A tool that ran and failed is a good answer with `is_error` set.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: impl Borrow<Map<String, Value>> + Send,
        options: CallOptions,
    ) -> Result<CallToolResult, CallError> {
        let arguments = arguments.borrow();
        self.require(self.info.capabilities.tools.is_some())?;
        let ask = Ask {
            method: "tools/call",
            name: Some(name),
            arguments: Some(arguments),
            options,
            is_call: true,
        };
        let params = CallParams { name, arguments };
        let answer = match self.link.ask(&ask, Some(&params)).await {
            // The server reads the headers by another schema than we wrote them by: nothing was done. TR-112.
            Err(CallError::Rpc(error)) if error.code == HEADER_MISMATCH && self.link.has_headers() => {
                self.list_tools().await?;
                let _ = self.link.notes.send(Note::ToolsChanged);
                self.link.ask(&ask, Some(&params)).await?
            }
            outcome => outcome?,
        };
        read(&answer.raw)
    }

    /// Asks whether the server is still there.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn ping(&self) -> Result<(), CallError> {
        // PI-003: the modern era has no question for this alone.
        let method = match self.era() {
            Era::Modern => "server/discover",
            Era::Auto | Era::Legacy => "ping",
        };
        self.link.ask(&Ask::plain(method), None::<&Value>).await.map(drop)
    }

    /// Tells a legacy server that the roots changed, if we declared that we would. A modern server asks anew
    /// each time. RO-004, RO-005.
    ///
    /// # Errors
    /// [`CallError::Closed`] when the session has ended.
    pub async fn notify_roots_changed(&self) -> Result<(), CallError> {
        let declared = self.link.options.capabilities["roots"]["listChanged"] == true;
        if !declared || self.era() == Era::Modern {
            return Ok(());
        }
        self.link.notify("notifications/roots/list_changed").await
    }

    /// Asks the server to log from this level up: a legacy server at once, a modern one with every later
    /// request. LG-002, LG-003.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no logging; otherwise as any request.
    pub async fn set_log_level(&self, level: LogLevel) -> Result<(), CallError> {
        self.require(self.info.capabilities.logging)?;
        if self.era() == Era::Modern {
            self.link.log_level.send_replace(Some(level));
            return Ok(());
        }
        let params = serde_json::json!({ "level": level });
        self.link
            .ask(&Ask::plain("logging/setLevel"), Some(&params))
            .await
            .map(drop)
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

    fn era(&self) -> Era {
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
pub struct ClockHold {
    notes: mpsc::UnboundedSender<Note>,
}

impl Drop for ClockHold {
    fn drop(&mut self) {
        let _ = self.notes.send(Note::Release);
    }
}
