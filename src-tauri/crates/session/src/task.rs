//! A task of a server: asked for again and again, at the server's pace within our bounds, until something came of
//! it. The two forms of tasks differ in how a result and a request for input travel; a holder of a [`TaskHandle`]
//! need not know. A task is only ever cancelled as a task. Nothing here keeps anything: a record can be kept by
//! the caller, and followed in a later session.

mod input;
mod poll;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::mpsc;
use tracing::Instrument;
use vestibule_protocol::jsonrpc::INVALID_PARAMS;
use vestibule_protocol::mcp::CallToolResult;
use vestibule_protocol::task::{Task, TaskId, TaskRecord};

use crate::ask::{CallAnswer, RequestSpec, TaskMode};
use crate::error::CallError;
use crate::handle::SessionHandle;
use crate::link::{Link, read_result_as};
use crate::message::SessionSignal;

/// What a call of a tool came to.
#[derive(Debug)]
pub enum Called {
    Done(CallToolResult),
    /// Work that goes on.
    Task(TaskHandle),
}

/// A task of a server. Dropping it leaves the task alone.
pub struct TaskHandle {
    session: SessionHandle,
    record: TaskRecord,
    /// As the server said last, if it has said anything in this session.
    begun: Option<Task>,
    immediate: Option<String>,
    /// Keeps reports of progress coming.
    reporting: Option<Reporting>,
    /// Where to tell what the server says while it is followed.
    told: Option<mpsc::Sender<Task>>,
}

/// Lets reports of progress come after an answer, while it lives.
pub(crate) struct Reporting {
    link: Arc<Link>,
    id: i64,
}

impl Reporting {
    pub(crate) fn new(link: &Arc<Link>, id: i64) -> Self {
        Self {
            link: Arc::clone(link),
            id,
        }
    }
}

impl Drop for Reporting {
    fn drop(&mut self) {
        let _ = self.link.signals.send(SessionSignal::Forget(self.id));
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ById<'a> {
    task_id: &'a TaskId,
}

impl TaskHandle {
    pub(crate) fn new(session: &SessionHandle, tool: &str, task: Task) -> Self {
        let record = TaskRecord {
            id: task.id.clone(),
            tool: tool.to_owned(),
            revision: session.info().revision,
        };
        Self {
            begun: Some(task),
            ..Self::earlier(session, record)
        }
    }

    /// Follows a task that was begun earlier.
    pub(crate) fn earlier(session: &SessionHandle, record: TaskRecord) -> Self {
        Self {
            session: session.clone(),
            record,
            begun: None,
            immediate: None,
            reporting: None,
            told: None,
        }
    }

    pub(crate) fn with(mut self, reporting: Reporting, immediate: Option<String>) -> Self {
        self.reporting = Some(reporting);
        self.immediate = immediate;
        self
    }

    /// Tells what the server says of the task each time it is asked. Reports are left out when the channel is full.
    #[must_use]
    pub fn telling(mut self, told: mpsc::Sender<Task>) -> Self {
        self.told = Some(told);
        self
    }

    /// What has to be kept to follow this task later.
    #[must_use]
    pub fn record(&self) -> &TaskRecord {
        &self.record
    }

    /// What the server said of the task when it began; `None` for one that was begun in an earlier session.
    #[must_use]
    pub fn begun(&self) -> Option<&Task> {
        self.begun.as_ref()
    }

    /// What the server wants a model told meanwhile. Untrusted text.
    #[must_use]
    pub fn immediate(&self) -> Option<&str> {
        self.immediate.as_deref()
    }

    /// Asks how far it is, once.
    ///
    /// # Errors
    /// [`CallError::TaskGone`] when the server does not know it; otherwise as any request.
    pub async fn status(&self) -> Result<Task, CallError> {
        read_result_as(&self.get().await?.result)
    }

    /// Wants it given up. It may come to something all the same.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no cancelling of tasks; [`CallError::TaskGone`] when
    /// it does not know it or it is over; otherwise as any request.
    pub async fn cancel(&self) -> Result<(), CallError> {
        if !self.is_modern() && !self.session.info().declares_of_tasks("cancel") {
            return Err(CallError::NotSupported);
        }
        let params = ById {
            task_id: &self.record.id,
        };
        self.ask("tasks/cancel", &params).await.map(drop)
    }

    fn is_modern(&self) -> bool {
        self.record.revision.is_modern()
    }

    fn link(&self) -> &Arc<Link> {
        &self.session.link
    }

    async fn get(&self) -> Result<CallAnswer, CallError> {
        let params = ById {
            task_id: &self.record.id,
        };
        self.ask("tasks/get", &params).await
    }

    /// Asks something about this task. HTTP repeats its name in a header.
    async fn ask(&self, method: &'static str, params: &impl Serialize) -> Result<CallAnswer, CallError> {
        let ask = RequestSpec {
            name: Some(self.record.id.reveal()),
            task_mode: TaskMode::ExistingTask,
            ..RequestSpec::plain(method)
        };
        let answer = self.link().ask(&ask, Some(params)).await;
        answer.map_err(|error| match error {
            CallError::Rpc(error) if error.code == INVALID_PARAMS => CallError::TaskGone,
            other => other,
        })
    }

    /// Waits for the result; dropping that cancels the task.
    pub(crate) async fn or_cancelled(self) -> Result<CallToolResult, CallError> {
        let mut guard = TaskGuard(Some(self));
        let outcome = match &guard.0 {
            Some(task) => task.follow().await,
            None => return Err(CallError::TaskCancelled),
        };
        // A task that could not be followed to its end is not wanted either.
        if !matches!(
            outcome,
            Err(CallError::TimedOut { .. } | CallError::NotContinued(_))
        ) {
            guard.0 = None;
        }
        outcome
    }
}

/// Cancels a task when its caller is dropped.
struct TaskGuard(Option<TaskHandle>);

impl Drop for TaskGuard {
    fn drop(&mut self) {
        // Without a runtime there is no session either.
        if let (Some(task), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            let cancel = async move {
                if let Err(error) = task.cancel().await {
                    tracing::debug!(%error, "failed to cancel an abandoned task");
                }
            };
            runtime.spawn(cancel.in_current_span());
        }
    }
}

impl fmt::Debug for TaskHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskHandle")
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}
