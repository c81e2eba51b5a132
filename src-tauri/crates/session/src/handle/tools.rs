//! Tools: listing them, and calling one. What a call comes to may be a task that goes on after its answer; a caller that
//! only wants the result need not know.

use std::borrow::Borrow;

use serde::Serialize;
use serde_json::{Map, Value};
use vestibule_protocol::capability::TASKS_EXTENSION;
use vestibule_protocol::header::param_headers;
use vestibule_protocol::jsonrpc::HEADER_MISMATCH;
use vestibule_protocol::mcp::{CallToolResult, Tool};
use vestibule_protocol::task::{CreateTaskResult, Task, TaskRecord, TaskSupport};
use vestibule_protocol::{EraChoice, Revision};

use super::SessionHandle;
use crate::ask::{CallAnswer, CallOptions, RequestSpec, TaskMode};
use crate::error::CallError;
use crate::link::{ToolHeaders, read_result, read_result_as};
use crate::message::SessionSignal;
use crate::pages::{self, Dropped, Listing};
use crate::task::{Called, Reporting, TaskHandle};

#[derive(Serialize)]
struct CallParams<'a> {
    name: &'a str,
    arguments: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<TaskParams>,
}

/// The request that a call be a task.
#[derive(Serialize)]
struct TaskParams {
    ttl: u64,
}

/// The headers that repeat arguments, by tool. A tool that marks its arguments wrongly leaves the list.
fn take_headers(listing: &mut Listing<Tool>) -> ToolHeaders {
    let mut known = ToolHeaders::new();
    let tools = std::mem::take(&mut listing.items);
    for tool in tools {
        let marked = match tool.may_hold("x-mcp-header") {
            true => param_headers(tool.input_schema()),
            false => Ok(Vec::new()),
        };
        match marked {
            Ok(headers) => {
                known.insert(tool.name.clone(), headers);
                listing.items.push(tool);
            }
            Err(error) => listing.dropped.push(Dropped::new(&tool.name, error.0)),
        }
    }
    known
}

impl SessionHandle {
    /// Every tool the server lists, page by page, in its order, within the session's limits. Over modern HTTP
    /// a tool whose schema marks its arguments wrongly for headers cannot be used.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no tools; otherwise as any request.
    pub async fn list_tools(&self) -> Result<Listing<Tool>, CallError> {
        self.require(self.info.capabilities.tools.is_some())?;
        let mut listing = pages::list::<Tool>(&self.link).await?;
        let support = listing
            .items
            .iter()
            .filter(|tool| tool.may_hold("taskSupport"))
            .map(|tool| (tool.name.clone(), TaskSupport::from_definition(tool.definition())))
            .filter(|(_, support)| *support != TaskSupport::Forbidden);
        self.link.task_support.send_replace(support.collect());
        if self.link.has_headers() {
            let known = take_headers(&mut listing);
            self.link.tool_headers.send_replace(known);
        }
        Ok(listing)
    }

    /// Calls a tool and waits for what comes of it, also where that is a task. Dropping the future withdraws the
    /// call, or cancels the task, and tells the server. What a server needs first arrives as
    /// [`SessionEvent::Request`](crate::SessionEvent::Request) in either era.
    ///
    /// # Errors
    /// See [`CallError`]. A tool that ran and failed is a good answer with `is_error` set.
    #[expect(
        clippy::disallowed_methods,
        reason = "the same call, under the same rule for every caller"
    )]
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: impl Borrow<Map<String, Value>> + Send,
        options: CallOptions,
    ) -> Result<CallToolResult, CallError> {
        match self.start_tool(name, arguments, options).await? {
            Called::Done(result) => Ok(result),
            Called::Task(task) => task.or_cancelled().await,
        }
    }

    /// Calls a tool. Where that comes to a task, the task is not waited for: its record can be kept and the task
    /// asked for later, in another session too. Dropping the handle of a task leaves the task alone.
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool).
    pub async fn start_tool(
        &self,
        name: &str,
        arguments: impl Borrow<Map<String, Value>> + Send,
        options: CallOptions,
    ) -> Result<Called, CallError> {
        let arguments = arguments.borrow();
        self.require(self.info.capabilities.tools.is_some())?;
        let task_mode = self.task_mode(name, &options);
        let ask = RequestSpec::tool_call(name, arguments, options, task_mode);
        let ttl = self.link.options.limits.task_wait.as_millis();
        let params = CallParams {
            name,
            arguments,
            task: (task_mode == TaskMode::Asked).then(|| TaskParams {
                ttl: u64::try_from(ttl).unwrap_or(u64::MAX),
            }),
        };
        let answer = self.ask_for_call(&ask, &params).await?;
        self.read_call_result(name, task_mode, &answer)
    }

    /// Follows a task that was begun earlier, perhaps in another session with the same server. Nothing is sent
    /// yet.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the session speaks another revision than the one the task was begun in,
    /// or when one side did not declare tasks.
    pub fn task(&self, record: TaskRecord) -> Result<TaskHandle, CallError> {
        let declared = match record.revision {
            Revision::V2025_11_25 => self.info.declares_tasks(),
            _ => self.has_task_extension(None),
        };
        self.require(declared && record.revision == self.info.revision)?;
        Ok(TaskHandle::earlier(self, record))
    }

    /// Every task the server lists, within the session's limits (2025-11-25).
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no such list; otherwise as any request.
    pub async fn list_tasks(&self) -> Result<Listing<Task>, CallError> {
        let is_known = self.info.revision == Revision::V2025_11_25;
        self.require(is_known && self.info.declares_of_tasks("list"))?;
        pages::list(&self.link).await
    }

    /// Sends a call, and once more where the server reads the headers by another schema.
    async fn ask_for_call(
        &self,
        ask: &RequestSpec<'_>,
        params: &CallParams<'_>,
    ) -> Result<CallAnswer, CallError> {
        match self.link.ask(ask, Some(params)).await {
            // The server reads the headers by another schema than we wrote them by: nothing was done.
            Err(CallError::Rpc(error)) if error.code == HEADER_MISMATCH && self.link.has_headers() => {
                self.list_tools().await?;
                let _ = self.link.signals.send(SessionSignal::ToolsChanged);
                self.link.ask(ask, Some(params)).await
            }
            outcome => outcome,
        }
    }

    fn read_call_result(
        &self,
        tool: &str,
        task_mode: TaskMode,
        answer: &CallAnswer,
    ) -> Result<Called, CallError> {
        if answer.is_task {
            let task: Task = read_result_as(&answer.result)?;
            return Ok(Called::Task(TaskHandle::new(self, tool, task)));
        }
        if task_mode == TaskMode::Asked {
            let reporting = Reporting::new(&self.link, answer.id);
            // A server that ignores it just answers.
            if let Ok(created) = read_result_as::<CreateTaskResult>(&answer.result) {
                let immediate = created.immediate().map(str::to_owned);
                let task = TaskHandle::new(self, tool, created.task);
                return Ok(Called::Task(task.with(reporting, immediate)));
            }
        }
        read_result(answer.result.raw()).map(Called::Done)
    }

    /// Whether a call of this tool may come to a task, and who decides it.
    fn task_mode(&self, tool: &str, options: &CallOptions) -> TaskMode {
        let declared = options.capabilities.as_ref();
        match self.era() {
            EraChoice::Modern if self.has_task_extension(declared) => TaskMode::Offered,
            EraChoice::Legacy | EraChoice::Auto if self.info.takes_tasks() => {
                match self.link.task_support.borrow().get(tool) {
                    Some(TaskSupport::Required) => TaskMode::Asked,
                    Some(TaskSupport::Optional) if options.as_task => TaskMode::Asked,
                    _ => TaskMode::No,
                }
            }
            _ => TaskMode::No,
        }
    }

    /// Both sides declared the extension.
    fn has_task_extension(&self, declared: Option<&Value>) -> bool {
        let ours = declared.unwrap_or(&self.link.options.capabilities);
        let theirs = &self.info.capabilities.raw;
        [ours, theirs]
            .iter()
            .all(|side| side["extensions"].get(TASKS_EXTENSION).is_some())
    }
}
