//! The call that a request of a server belongs to. Where a request names the task the call goes on as, it is that one.
//! Over a transport that does not say which call a request belongs to, it is the only one under way; among several it
//! stays open, and is not guessed.

use std::collections::BTreeMap;

use tokio_util::sync::{CancellationToken, DropGuard};
use vestibule_consent::Cause;
use vestibule_protocol::task::TaskRecord;

/// A call under way.
#[derive(Clone)]
pub struct CallContext {
    /// The place in a chat it comes from.
    pub cause: Option<Cause>,
    /// What the call goes on as.
    task: Option<TaskRecord>,
    over: CancellationToken,
}

/// Keeps a call among those in flight. The call is over when this is dropped.
pub(crate) struct InFlightGuard {
    number: u64,
    _over: DropGuard,
}

impl CallContext {
    /// Resolves when the call is over, however it ended.
    pub async fn over(&self) {
        self.over.cancelled().await;
    }
}

/// The calls a server is working on.
#[derive(Default)]
pub(crate) struct InFlightCalls {
    last: u64,
    calls: BTreeMap<u64, CallContext>,
}

impl InFlightCalls {
    /// Adds a call that is being sent.
    pub(crate) fn begin(&mut self, cause: Option<Cause>) -> InFlightGuard {
        let over = CancellationToken::new();
        self.calls.retain(|_, call| !call.over.is_cancelled());
        self.last += 1;
        let call = CallContext {
            cause,
            task: None,
            over: over.clone(),
        };
        self.calls.insert(self.last, call);
        InFlightGuard {
            number: self.last,
            _over: over.drop_guard(),
        }
    }

    /// From now on a call goes on as a task.
    pub(crate) fn continue_as(&mut self, call: &InFlightGuard, task: &TaskRecord) {
        if let Some(call) = self.calls.get_mut(&call.number) {
            call.task = Some(task.clone());
        }
    }

    /// The call that a request belongs to: the one that goes on as the task it names, or else the only one in flight.
    pub(crate) fn context_of(&self, task: Option<&str>) -> Option<CallContext> {
        task.and_then(|task| self.of_task(task)).or_else(|| self.only())
    }

    fn of_task(&self, name: &str) -> Option<CallContext> {
        let is_it = |task: &TaskRecord| task.id.reveal() == name;
        let mut found = self
            .calls
            .values()
            .find(|call| call.task.as_ref().is_some_and(is_it))?
            .clone();
        let tool = found.task.as_ref().map(|task| task.tool.clone());
        found.cause = found.cause.map(|cause| Cause {
            task_of: tool,
            ..cause
        });
        Some(found)
    }

    fn only(&self) -> Option<CallContext> {
        let mut open = self.calls.values().filter(|call| !call.over.is_cancelled());
        match (open.next(), open.next()) {
            (Some(call), None) => Some(call.clone()),
            _ => None,
        }
    }
}
