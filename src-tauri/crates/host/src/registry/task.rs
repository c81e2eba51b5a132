//! Work of a server that goes on after the call that began it. It is followed while its server is connected, and
//! found again in a later session by its record. Nobody but the person gives it up: when the application closes, the
//! task goes on at the server.

use tokio::sync::mpsc;
use tracing::Instrument;
use vestibule_consent::{Cause, Receipt};
use vestibule_policy::Digest;
use vestibule_protocol::ServerId;
use vestibule_protocol::mcp::CallToolResult;
use vestibule_protocol::task::{Task, TaskRecord};
use vestibule_session::{CallError, TaskHandle};

use super::Registry;
use super::under_way::UnderWay;
use crate::inbound;
use crate::results;
use crate::view::{CallProblem, Envelope, HostEvent, Problem, ResultView};

/// A task of a server that is connected.
pub(crate) struct Following {
    registry: Registry,
    server: ServerId,
    task: TaskHandle,
    /// The session it is followed in.
    pub(crate) session: u64,
    /// What the server asks meanwhile is asked because of this call.
    _occasion: inbound::UnderWay,
}

/// Why following a task ended without a result.
pub(crate) enum Unfollowed {
    /// The session ended; the task may go on.
    Away,
    /// The server gave the task up.
    Cancelled,
    /// It came to nothing.
    Failed(Problem),
}

/// The ledger's account of following a task.
pub(crate) struct FollowedOnPaper(UnderWay);

impl Following {
    pub(super) fn new(
        registry: &Registry,
        server: ServerId,
        session: u64,
        task: TaskHandle,
        occasion: inbound::UnderWay,
    ) -> Self {
        if let Some(seat) = registry.seats().get_mut(&server) {
            seat.occasions.goes_on(&occasion, task.record());
        }
        Self {
            registry: registry.clone(),
            server,
            session,
            task,
            _occasion: occasion,
        }
    }

    /// What has to be kept to find the task again.
    pub(crate) fn record(&self) -> &TaskRecord {
        self.task.record()
    }

    /// What the server said of it at first.
    pub(crate) fn begun(&self) -> Option<&Task> {
        self.task.begun()
    }

    /// Waits until something came of it. Dropping the future leaves the task alone.
    pub(crate) async fn result(
        self,
        told: mpsc::Sender<Task>,
        paper: &mut FollowedOnPaper,
    ) -> Result<ResultView, Unfollowed> {
        let Self {
            registry,
            server,
            task,
            _occasion,
            ..
        } = self;
        let tool = task.record().tool.clone();
        match task.telling(told).result().await {
            Ok(result) => {
                paper.answered(&result).await;
                let listed = registry.tool(server, &tool);
                results::checked_view(result, listed.as_ref())
                    .await
                    .map_err(|error| {
                        Unfollowed::Failed(Problem::Call(CallProblem::MalformedReply {
                            detail: error.to_string(),
                        }))
                    })
            }
            Err(CallError::Closed(_)) => Err(Unfollowed::Away),
            Err(CallError::TaskCancelled) => {
                paper.0.end("cancelled", None, 0).await;
                Err(Unfollowed::Cancelled)
            }
            Err(CallError::TaskGone) => {
                paper.0.end("gone", None, 0).await;
                Err(Unfollowed::Failed(Problem::Call(CallProblem::TaskGone)))
            }
            Err(error) => {
                paper.0.end("failed", None, 0).await;
                Err(Unfollowed::Failed(registry.told(server, error)))
            }
        }
    }
}

impl FollowedOnPaper {
    async fn answered(&mut self, result: &CallToolResult) {
        let raw = serde_json::to_value(result).unwrap_or_default();
        let ended = if result.is_error { "failed" } else { "answered" };
        let (digest, bytes) = (Digest::of_result(&raw), raw.to_string().len());
        self.0.end(ended, Some(digest), bytes).await;
    }

    /// The person gave it up.
    pub(crate) async fn cancelled(&mut self) {
        self.0.end("cancelled", None, 0).await;
    }

    /// Nothing will come of it any more.
    pub(crate) async fn failed(&mut self) {
        self.0.end("failed", None, 0).await;
    }
}

impl Registry {
    /// The ledger's account of following a task; unless it is told otherwise, the task was left to its server.
    pub(crate) fn on_paper(&self, receipt: Receipt) -> FollowedOnPaper {
        FollowedOnPaper(UnderWay::new(receipt, self, "left running"))
    }

    /// Waits until a server is connected and follows a task there that was begun in an earlier session. `ended` is a
    /// session that is over, though its seat may not have heard of it.
    pub(crate) async fn find_task(
        &self,
        server: ServerId,
        record: &TaskRecord,
        cause: Cause,
        ended: Option<u64>,
    ) -> Result<Following, Problem> {
        let mut events = self.0.events.follow();
        loop {
            let session = {
                let mut seats = self.seats();
                let Some(seat) = seats.get_mut(&server) else {
                    return Err(Problem::Call(CallProblem::TaskGone));
                };
                let session = seat.session.clone();
                let number = seat.sessions;
                let session = session.filter(|_| ended != Some(number));
                session.map(|session| (number, session, seat.occasions.begin(Some(cause.clone()))))
            };
            if let Some((number, session, occasion)) = session {
                return match session.task(record.clone()) {
                    Ok(task) => Ok(Following::new(self, server, number, task, occasion)),
                    // It speaks another revision now, or no longer knows of tasks.
                    Err(_) => Err(Problem::Call(CallProblem::TaskGone)),
                };
            }
            loop {
                match events.recv().await {
                    Ok(Envelope {
                        event: HostEvent::Server { server: view },
                        ..
                    }) if view.id == server => break,
                    Ok(Envelope {
                        event: HostEvent::ServerGone { server: gone },
                        ..
                    }) if gone == server => break,
                    Ok(_) => {}
                    Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => break,
                    Err(tokio::sync::broadcast::error::RecvError::Closed) => {
                        return Err(Problem::Call(CallProblem::TaskGone));
                    }
                }
            }
        }
    }

    /// Wants a task given up, where its server is connected. It may come to something all the same.
    pub(crate) fn give_up_task(&self, server: ServerId, record: TaskRecord) {
        let session = self.seats().get(&server).and_then(|seat| seat.session.clone());
        let Some(session) = session else { return };
        self.0.tasks.spawn(
            async move {
                let Ok(task) = session.task(record) else { return };
                if let Err(error) = task.cancel().await {
                    tracing::debug!(%error, "failed to cancel a task");
                }
            }
            .in_current_span(),
        );
    }
}
