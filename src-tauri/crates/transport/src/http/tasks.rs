//! The tasks of one server's transport: what each of them is, how much of ours it carries, and how it is given
//! up. None of them outlives the transport, because dropping the set ends them all.

use std::collections::HashMap;
use std::time::Duration;

use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_protocol::jsonrpc::RequestId;

use super::classify::{FrameKind, classify};

/// The tasks that run.
#[derive(Default)]
pub(super) struct ExchangeTasks {
    tasks: JoinSet<()>,
    known: HashMap<Id, ExchangeTask>,
}

pub(super) struct ExchangeTask {
    pub(super) kind: ExchangeKind,
    /// Bytes of ours that it carries.
    pub(super) bytes: usize,
}

pub(super) enum ExchangeKind {
    Request {
        id: RequestId,
        modern: bool,
        withdrawn: CancellationToken,
        handle: AbortHandle,
    },
    Notification {
        initialized: bool,
    },
    /// The GET event stream, on which a legacy server sends unrequested messages.
    Listening,
    /// An answer of ours, or the one stream of an old server.
    Other,
}

impl ExchangeTasks {
    pub(super) fn spawn(
        &mut self,
        task: impl Future<Output = ()> + Send + 'static,
        kind: ExchangeKind,
        bytes: usize,
    ) {
        let id = self.tasks.spawn(task.in_current_span()).id();
        self.known.insert(id, ExchangeTask { kind, bytes });
    }

    /// Runs the task of a request to its end, or until `grace` after the request is withdrawn.
    pub(super) fn spawn_request(
        &mut self,
        task: impl Future<Output = ()> + Send + 'static,
        id: RequestId,
        modern: bool,
        grace: Duration,
        bytes: usize,
    ) {
        let withdrawn = CancellationToken::new();
        let token = withdrawn.clone();
        let bounded = async move {
            tokio::select! {
                () = task => {}
                () = async { token.cancelled().await; sleep(grace).await } => {}
            }
        };
        let handle = self.tasks.spawn(bounded.in_current_span());
        let key = handle.id();
        let kind = ExchangeKind::Request {
            id,
            modern,
            withdrawn,
            handle,
        };
        self.known.insert(key, ExchangeTask { kind, bytes });
    }

    /// The next task that ended, to be handed to [`done`](Self::done).
    pub(super) async fn next_done(&mut self) -> Option<Result<(Id, ()), JoinError>> {
        self.tasks.join_next_with_id().await
    }

    /// What it was, unless everything was ended meanwhile, and whether it broke inside this app.
    pub(super) fn done(&mut self, done: Result<(Id, ()), JoinError>) -> Option<(ExchangeTask, bool)> {
        let (id, panicked) = match done {
            Ok((id, ())) => (id, false),
            Err(error) => (error.id(), error.is_panic()),
        };
        self.known.remove(&id).map(|task| (task, panicked))
    }

    /// Takes note of what came on the one stream of an old server. The exchange of a request that is answered there ends
    /// after the grace of a withdrawn one: a server that never answers it would otherwise keep it for an hour.
    pub(super) fn answered(&self, frame: &[u8]) {
        let FrameKind::Answers(answered) = classify(frame) else {
            return;
        };
        for task in self.known.values() {
            if let ExchangeKind::Request { id, withdrawn, .. } = &task.kind
                && answered.contains(id)
            {
                withdrawn.cancel();
            }
        }
    }

    /// Gives up a request. True when the wire tells the server; `None` when there is no such request.
    pub(super) fn abandon(&self, abandoned: &RequestId) -> Option<bool> {
        self.known.values().find_map(|task| match &task.kind {
            ExchangeKind::Request {
                id,
                modern,
                withdrawn,
                handle,
            } if id == abandoned => {
                if *modern {
                    handle.abort();
                } else {
                    withdrawn.cancel();
                }
                Some(*modern)
            }
            _ => None,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether a notification is on its way.
    pub(super) fn has_notification(&self) -> bool {
        self.known
            .values()
            .any(|task| matches!(task.kind, ExchangeKind::Notification { .. }))
    }

    /// Whether the one that everything else follows is on its way.
    pub(super) fn has_initialized(&self) -> bool {
        self.known
            .values()
            .any(|task| matches!(task.kind, ExchangeKind::Notification { initialized: true }))
    }

    pub(super) fn end(&mut self) {
        self.tasks.abort_all();
        self.known.clear();
    }
}
