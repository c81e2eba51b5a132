//! What a task of the extension needs of the user: asked like what a call needs, each thing once, and answered to
//! the task. While a user is asked the task is watched: when it no longer waits, neither does the question.

use std::collections::HashSet;

use serde::Serialize;
use vestibule_protocol::modern::InputRequests;
use vestibule_protocol::task::{DetailedTask, TaskId, TaskStatus};

use super::TaskHandle;
use crate::capabilities::capabilities_for;
use crate::error::CallError;
use crate::input::{InputResponses, collect_input};
use crate::link::read_result_as;
use crate::responder::{Origin, OriginalCall};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    task_id: &'a TaskId,
    input_responses: InputResponses,
}

impl TaskHandle {
    /// Asks for what is new in what the task needs, and hands the answers over.
    pub(super) async fn give_input(
        &self,
        detailed: &DetailedTask,
        answered: &mut HashSet<String>,
    ) -> Result<(), CallError> {
        let fresh = take_fresh(detailed, answered);
        if fresh.0.is_empty() {
            return Ok(());
        }
        let declared = capabilities_for(self.record.revision, &self.link().options.capabilities);
        let responses = tokio::select! {
            responses = collect_input(self.link(), fresh, &declared, self.origin()) => responses?,
            gone = self.waits_no_longer(detailed) => return gone,
        };
        let update = Update {
            task_id: &self.record.id,
            input_responses: responses,
        };
        self.hand_over(&update).await
    }

    /// Hands answers over, again after each failure that may pass: the user gave them once.
    async fn hand_over(&self, update: &Update<'_>) -> Result<(), CallError> {
        let mut failures = 0;
        loop {
            match self.ask("tasks/update", update).await {
                Ok(_) => return Ok(()),
                // The update that failed before may have arrived all the same; whether it did shows in the task.
                Err(CallError::Rpc(_) | CallError::TaskGone) if failures > 0 => return Ok(()),
                Err(error) => self.pause_after(error, &mut failures).await?,
            }
        }
    }

    /// What the task's questions to the user say of where they come from.
    fn origin(&self) -> Origin {
        Origin {
            call: Some(OriginalCall {
                method: "tools/call",
                name: self.record.tool.clone(),
            }),
            task: Some(self.record.id.reveal().to_owned()),
        }
    }

    /// Resolves when the task no longer needs input.
    async fn waits_no_longer(&self, detailed: &DetailedTask) -> Result<(), CallError> {
        let limits = &self.link().options.limits;
        let least = limits.task_poll_usual.max(limits.task_poll_least);
        let pause = detailed.task.pause(least, least, limits.task_poll_most);
        loop {
            self.sleep_or_end(pause).await?;
            match self.get().await {
                Ok(answer) => {
                    let task: vestibule_protocol::task::Task = read_result_as(&answer.result)?;
                    if task.status != TaskStatus::InputRequired {
                        return Ok(());
                    }
                }
                Err(CallError::TaskGone) => return Err(CallError::TaskGone),
                // Whether it is still there shows when the answers are handed over.
                Err(error) => tracing::debug!(%error, "failed to poll a task"),
            }
        }
    }
}

/// What of the task's needs was not asked for yet. It counts as asked for from now on.
fn take_fresh(detailed: &DetailedTask, answered: &mut HashSet<String>) -> InputRequests {
    let needed = detailed.input_requests.clone().unwrap_or_default().0;
    let fresh: Vec<_> = needed
        .into_iter()
        .filter(|(name, _)| !answered.contains(name))
        .collect();
    answered.extend(fresh.iter().map(|(name, _)| name.clone()));
    InputRequests(fresh)
}
