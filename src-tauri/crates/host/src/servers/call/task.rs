//! A task of a server: work that goes on after the call that began it. It is followed while its server is connected, and
//! found again in a later session by its record. Only the user cancels it: when the application closes, the task goes on
//! at the server.

use tokio::sync::mpsc;
use tracing::Instrument;
use vestibule_consent::{Cause, Receipt};
use vestibule_policy::Digest;
use vestibule_protocol::mcp::CallToolResult;
use vestibule_protocol::task::{Task, TaskRecord};
use vestibule_session::{CallError, TaskHandle};

use super::context::InFlightGuard;
use super::tool::call_problem;
use crate::results;
use crate::servers::effect::{EffectWriter, RunningEffect};
use crate::servers::server::handle::ServerHandle;
use crate::servers::server::state::ActiveSession;
use crate::view::{CallProblem, Problem, ResultView};

/// A task of a server that is connected.
pub(crate) struct TaskFollower {
    server: ServerHandle,
    task: TaskHandle,
    /// The number of the session it is followed in.
    pub(crate) session: u64,
    /// Requests of the server belong to this call while it is followed.
    _in_flight: InFlightGuard,
}

/// Why following a task ended without a result.
pub(crate) enum TaskNotFollowed {
    /// The session ended; the task may go on.
    Away,
    /// The server cancelled the task.
    Cancelled,
    Failed(Problem),
}

/// Following a task, in the ledger.
pub(crate) struct TaskEffect(RunningEffect);

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
    pub(crate) fn record(&self) -> &TaskRecord {
        self.task.record()
    }

    /// The first state that the server reported.
    pub(crate) fn begun(&self) -> Option<&Task> {
        self.task.begun()
    }

    /// Waits for the result. Dropping the future leaves the task alone.
    pub(crate) async fn result(
        self,
        reports: mpsc::Sender<Task>,
        effect: &mut TaskEffect,
    ) -> Result<ResultView, TaskNotFollowed> {
        let Self {
            server,
            task,
            _in_flight,
            ..
        } = self;
        let tool = task.record().tool.clone();
        match task.telling(reports).result().await {
            Ok(result) => {
                effect.answered(&result).await;
                let tool = server.tool(&tool);
                results::checked_view(result, tool.as_ref())
                    .await
                    .map_err(|error| {
                        TaskNotFollowed::Failed(Problem::Call(CallProblem::MalformedReply {
                            detail: error.to_string(),
                        }))
                    })
            }
            Err(CallError::Closed(_)) => Err(TaskNotFollowed::Away),
            Err(CallError::TaskCancelled) => {
                effect.cancelled().await;
                Err(TaskNotFollowed::Cancelled)
            }
            Err(CallError::TaskGone) => {
                effect.0.end("gone", None, 0).await;
                Err(TaskNotFollowed::Failed(Problem::Call(CallProblem::TaskGone)))
            }
            Err(error) => {
                effect.failed().await;
                Err(TaskNotFollowed::Failed(call_problem(&server, error)))
            }
        }
    }
}

impl TaskEffect {
    /// Unless another end is written, the task was left to its server.
    pub(crate) fn new(effects: &EffectWriter, receipt: Receipt) -> Self {
        Self(effects.begin(receipt, "left running"))
    }

    async fn answered(&mut self, result: &CallToolResult) {
        let raw = serde_json::to_value(result).unwrap_or_default();
        let ended = if result.is_error { "failed" } else { "answered" };
        let (digest, bytes) = (Digest::of_result(&raw), raw.to_string().len());
        self.0.end(ended, Some(digest), bytes).await;
    }

    /// The user or the server cancelled the task.
    pub(crate) async fn cancelled(&mut self) {
        self.0.end("cancelled", None, 0).await;
    }

    /// There will be no result.
    pub(crate) async fn failed(&mut self) {
        self.0.end("failed", None, 0).await;
    }
}

/// Waits until a server is connected and follows a task there that was begun in an earlier session. `ended` is the number
/// of a session that is over, though the snapshot may still show it.
pub(in crate::servers) async fn find(
    server: &ServerHandle,
    record: &TaskRecord,
    cause: Cause,
    ended: Option<u64>,
) -> Result<TaskFollower, Problem> {
    let active = tokio::select! {
        active = next_session(server, ended) => active,
        () = server.removed().cancelled() => return Err(Problem::Call(CallProblem::TaskGone)),
    };
    let in_flight = server.calls().begin(Some(cause));
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
pub(in crate::servers) fn cancel(server: &ServerHandle, record: TaskRecord) {
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
