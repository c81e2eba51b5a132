//! Following a task to its end.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use vestibule_protocol::mcp::CallToolResult;
use vestibule_protocol::task::{DetailedTask, Task, TaskStatus};

use super::{ById, TaskHandle};
use crate::ask::{CallOptions, RequestSpec};
use crate::error::CallError;
use crate::link::read_result;

/// How many polls, or requests for the result, may get no answer of the protocol in a row.
const PATIENCE: u32 = 5;

impl TaskHandle {
    /// Waits until something came of it. What it needs of the user arrives as
    /// [`SessionEvent::Request`](crate::SessionEvent::Request). Dropping the future leaves the task alone.
    ///
    /// # Errors
    /// What the call would have failed with; [`CallError::TaskCancelled`]; [`CallError::TaskGone`];
    /// [`CallError::TimedOut`] when the session's limit for tasks is over.
    pub async fn result(&self) -> Result<CallToolResult, CallError> {
        self.follow().await
    }

    pub(super) async fn follow(&self) -> Result<CallToolResult, CallError> {
        let after = self.link().options.limits.task_wait;
        match timeout(after, self.poll()).await {
            Ok(outcome) => outcome,
            Err(_) => Err(CallError::TimedOut { after }),
        }
    }

    async fn poll(&self) -> Result<CallToolResult, CallError> {
        // What was answered once is not asked again, however often the server repeats it.
        let mut answered = HashSet::new();
        let mut failures = 0;
        let mut lost_results = 0;
        let mut known = self.begun.clone();
        loop {
            self.pause_while_working(known.take()).await?;
            let Some(detailed) = self.get_patiently(&mut failures).await? else {
                continue;
            };
            match detailed.task.status {
                TaskStatus::Working => lost_results = 0,
                TaskStatus::Cancelled => return Err(CallError::TaskCancelled),
                _ if !self.is_modern() => {
                    if let Some(result) = self.fetch_patiently(&detailed.task, &mut lost_results).await? {
                        return Ok(result);
                    }
                    continue;
                }
                TaskStatus::InputRequired => self.give_input(&detailed, &mut answered).await?,
                TaskStatus::Completed => return result_of(&detailed),
                TaskStatus::Failed => return Err(error_of(detailed)),
            }
            known = Some(detailed.task);
        }
    }

    /// Waits before the task is asked about again, if it is known and can go on by itself.
    async fn pause_while_working(&self, known: Option<Task>) -> Result<(), CallError> {
        match known {
            Some(task) if !(task.status.is_final() || self.needs_input_now(&task)) => self.pause(&task).await,
            _ => Ok(()),
        }
    }

    /// Asks about the task, and tells who watches it. `None` after a failure that may pass, and a pause.
    async fn get_patiently(&self, failures: &mut u32) -> Result<Option<DetailedTask>, CallError> {
        let answer = match self.get().await {
            Ok(answer) => answer,
            Err(error) => return self.pause_after(error, failures).await.map(|()| None),
        };
        *failures = 0;
        let detailed = DetailedTask::read(answer.result.raw())
            .map_err(|error| CallError::Malformed(error.to_string()))?;
        if let Some(told) = &self.told {
            let _ = told.try_send(detailed.task.clone());
        }
        Ok(Some(detailed))
    }

    /// Asks for the result. `None` after a failure that may pass, as a stream that broke: the task goes on without it.
    async fn fetch_patiently(
        &self,
        task: &Task,
        failures: &mut u32,
    ) -> Result<Option<CallToolResult>, CallError> {
        let asked = Instant::now();
        let error = match self.fetch().await {
            Ok(result) => return Ok(Some(result)),
            Err(error) => error,
        };
        // A proxy may cut the stream each minute while a user answers what the task needs.
        if !task.status.is_final() && asked.elapsed() >= self.link().options.limits.task_poll_most {
            *failures = 0;
        }
        self.pause_after(error, failures).await.map(|()| None)
    }

    /// Waits after a failure that may pass, longer each time. Any other is given back, and so is one too many in a row.
    pub(super) async fn pause_after(&self, error: CallError, failures: &mut u32) -> Result<(), CallError> {
        if !is_passing(&error) || *failures >= PATIENCE {
            return Err(error);
        }
        *failures += 1;
        let pause = self.link().options.limits.task_poll_usual;
        self.sleep_or_end(pause * *failures).await
    }

    /// A legacy server that needs something is asked for the result at once, and asks in turn.
    fn needs_input_now(&self, task: &Task) -> bool {
        !self.is_modern() && task.status == TaskStatus::InputRequired
    }

    async fn pause(&self, task: &Task) -> Result<(), CallError> {
        let limits = &self.link().options.limits;
        let pause = task.pause(
            limits.task_poll_least,
            limits.task_poll_usual,
            limits.task_poll_most,
        );
        self.sleep_or_end(pause).await
    }

    pub(super) async fn sleep_or_end(&self, pause: Duration) -> Result<(), CallError> {
        tokio::select! {
            biased;
            reason = self.link().closed() => Err(CallError::Closed(reason)),
            () = sleep(pause) => Ok(()),
        }
    }

    /// What came of it, which the server says once it knows. There is no haste. The request names its task once: with
    /// the mark of related messages, some servers keep their answer for a task's messages and never send it.
    async fn fetch(&self) -> Result<CallToolResult, CallError> {
        let params = ById {
            task_id: &self.record.id,
        };
        let ask = RequestSpec {
            options: CallOptions {
                timeout: Some(self.link().options.limits.task_wait),
                repeatable: true,
                ..CallOptions::default()
            },
            ..RequestSpec::plain("tasks/result")
        };
        let answer = self.link().ask(&ask, Some(&params)).await?;
        read_result(answer.result.raw())
    }
}

/// Whether the next poll may get an answer all the same. An answer that was too large would be so again.
fn is_passing(error: &CallError) -> bool {
    match error {
        CallError::NotAnswered(failure) => !failure.too_large,
        CallError::TimedOut { .. } | CallError::Busy => true,
        _ => false,
    }
}

fn result_of(detailed: &DetailedTask) -> Result<CallToolResult, CallError> {
    match &detailed.result {
        Some(result) => read_result(result.as_ref().into()),
        None => Err(CallError::Malformed("a completed task without a result".into())),
    }
}

fn error_of(detailed: DetailedTask) -> CallError {
    match detailed.error {
        Some(error) => CallError::Rpc(error),
        None => CallError::Malformed("a failed task without an error".into()),
    }
}
