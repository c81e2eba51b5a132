//! A task of a server: work that goes on after the call that began it. It is followed while its server is connected, and
//! found again in a later session by its record. Only the user cancels it: when the application closes, the task goes on
//! at the server.

use tokio::sync::mpsc;
use tracing::Instrument;
use vestibule_consent::{Cause, Effect, EffectEnd};
use vestibule_protocol::mcp::CallToolResult;
use vestibule_protocol::task::{Task, TaskRecord};
use vestibule_session::{CallError, TaskHandle};

use super::context::InFlightGuard;
use super::result::{checked_view, finish_with_result};
use super::tool::{call_problem, end_of, lost_with};
use crate::server::handle::ServerHandle;
use crate::server::state::ActiveSession;
use vestibule_app_protocol::{CallProblem, Problem, ResultView, ServerProblem};

/// A task of a server that is connected.
pub struct TaskFollower {
    server: ServerHandle,
    task: TaskHandle,
    /// The number of the session it is followed in.
    pub session: u64,
    /// Requests of the server belong to this call while it is followed.
    _in_flight: InFlightGuard,
}

/// Why following a task ended without a result.
pub enum TaskNotFollowed {
    /// The session ended; the task may go on.
    Away,
    /// The server cancelled the task.
    Cancelled,
    Failed(Problem),
}

/// Following a task, in the ledger.
pub struct TaskEffect(Option<Effect>);

/// Records how a task without a result ended.
async fn not_followed(server: &ServerHandle, effect: &mut TaskEffect, error: CallError) -> TaskNotFollowed {
    match error {
        CallError::Closed(_) => TaskNotFollowed::Away,
        CallError::TaskCancelled => {
            effect.cancelled().await;
            TaskNotFollowed::Cancelled
        }
        CallError::TaskGone => {
            effect.finish(EffectEnd::Gone).await;
            TaskNotFollowed::Failed(Problem::Call(CallProblem::TaskGone))
        }
        error => {
            effect.failed().await;
            TaskNotFollowed::Failed(following_problem(call_problem(server, error)))
        }
    }
}

/// The problem of a task that could not be followed. The call that began it was sent, whatever became of the last request
/// about it.
fn following_problem(problem: Problem) -> Problem {
    match problem {
        Problem::Call(CallProblem::CallNotSent { detail }) => lost_with(detail, None),
        Problem::Server(ServerProblem::ServerRefused { detail, said, .. }) => lost_with(detail, said),
        other => other,
    }
}

fn malformed(error: &tokio::task::JoinError) -> TaskNotFollowed {
    TaskNotFollowed::Failed(Problem::Call(CallProblem::MalformedReply {
        detail: error.to_string(),
    }))
}

impl TaskFollower {
    pub(super) fn new(
        server: &ServerHandle,
        session: u64,
        task: TaskHandle,
        in_flight: InFlightGuard,
    ) -> Self {
        server.calls().continue_as(&in_flight, task.record());
        Self {
            server: server.clone(),
            session,
            task,
            _in_flight: in_flight,
        }
    }

    /// What has to be kept to find the task again.
    pub fn record(&self) -> &TaskRecord {
        self.task.record()
    }

    /// The first state that the server reported.
    pub fn begun(&self) -> Option<&Task> {
        self.task.begun()
    }

    /// Waits for the result. Dropping the future leaves the task alone.
    pub async fn result(
        self,
        reports: mpsc::Sender<Task>,
        effect: &mut TaskEffect,
    ) -> Result<ResultView, TaskNotFollowed> {
        let tool = self.task.record().tool.clone();
        match self.task.telling(reports).result().await {
            Ok(result) => {
                effect.answered(&result).await;
                let tool = self.server.tool(&tool);
                let view = checked_view(result, tool.as_ref()).await;
                view.map_err(|error| malformed(&error))
            }
            Err(error) => Err(not_followed(&self.server, effect, error).await),
        }
    }
}

impl TaskEffect {
    /// Unless another end is written, the task was left to its server.
    pub fn new(effect: Effect) -> Self {
        Self(Some(effect.if_dropped(EffectEnd::LeftRunning)))
    }

    async fn answered(&mut self, result: &CallToolResult) {
        let raw = serde_json::to_value(result).unwrap_or_default();
        if let Some(effect) = self.0.take() {
            finish_with_result(effect, end_of(result), raw).await;
        }
    }

    /// The user or the server cancelled the task.
    pub async fn cancelled(&mut self) {
        self.finish(EffectEnd::Cancelled).await;
    }

    /// There will be no result.
    pub async fn failed(&mut self) {
        self.finish(EffectEnd::Failed).await;
    }

    async fn finish(&mut self, end: EffectEnd) {
        if let Some(effect) = self.0.take() {
            effect.finish(end).await;
        }
    }
}

/// Waits until a server is connected and follows a task there that was begun in an earlier session. `ended` is the number
/// of a session that is over, though the snapshot may still show it.
pub(crate) async fn find(
    server: &ServerHandle,
    record: &TaskRecord,
    cause: Cause,
    ended: Option<u64>,
) -> Result<TaskFollower, Problem> {
    let active = tokio::select! {
        active = next_session(server, ended) => active,
        () = server.removed().cancelled() => return Err(Problem::Call(CallProblem::TaskGone)),
    };
    let in_flight = server.calls().begin(&record.tool, Some(cause));
    match active.session.task(record.clone()) {
        Ok(task) => Ok(TaskFollower::new(server, active.number, task, in_flight)),
        // It speaks another revision now, or does not support tasks any more.
        Err(_) => Err(Problem::Call(CallProblem::TaskGone)),
    }
}

async fn next_session(server: &ServerHandle, ended: Option<u64>) -> ActiveSession {
    let mut snapshots = server.follow();
    loop {
        let active = snapshots.borrow_and_update().state.active().cloned();
        if let Some(active) = active.filter(|active| ended != Some(active.number)) {
            return active;
        }
        if snapshots.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Asks a connected server to cancel a task. It may have a result all the same.
pub(crate) fn cancel(server: &ServerHandle, record: TaskRecord) {
    let Some(active) = server.active() else { return };
    server.context().tasks.spawn(
        async move {
            let Ok(task) = active.session.task(record) else {
                return;
            };
            if let Err(error) = task.cancel().await {
                tracing::debug!(%error, "failed to cancel a task");
            }
        }
        .in_current_span(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Nothing happened" would have the user begin the same work once more.
    #[test]
    fn a_task_that_cannot_be_asked_about_is_not_told_as_not_sent() {
        let detail = || "the server is not reading what it is sent".to_owned();
        let unsent = Problem::Call(CallProblem::CallNotSent { detail: detail() });
        let lost = Problem::Call(CallProblem::CallLost {
            detail: detail(),
            stderr: vec![],
        });
        assert_eq!(following_problem(unsent), lost);
        let refused = Problem::Server(ServerProblem::ServerRefused {
            origin: "https://notes.example".into(),
            status: 429,
            detail: detail(),
            moved: None,
            said: None,
            retry_after: None,
        });
        assert_eq!(following_problem(refused), lost);
        let other = Problem::Call(CallProblem::CallNotCompleted { detail: detail() });
        assert_eq!(following_problem(other.clone()), other);
    }
}
