//! The call that a request of a server belongs to. Where a request names the task the call goes on as, it is that one.
//! A modern server needs input for one request of ours, so only a call of that tool fits. In the older revisions a
//! request does not say which call it belongs to, so it is the only one under way; among several it stays open, and is
//! not guessed.

use std::collections::BTreeMap;

use tokio_util::sync::{CancellationToken, DropGuard};
use vestibule_consent::Cause;
use vestibule_protocol::task::TaskRecord;
use vestibule_session::{Origin, OriginalCall};

/// A call under way.
#[derive(Clone)]
pub struct CallContext {
    /// The place in a chat it comes from.
    pub cause: Option<Cause>,
    /// The tool by the server's name for it.
    tool: String,
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

    /// Whether what asked for input may be this call.
    fn is(&self, original: &OriginalCall) -> bool {
        original.method == "tools/call" && original.name == self.tool
    }
}

/// The calls a server is working on.
#[derive(Default)]
pub(crate) struct InFlightCalls {
    last: u64,
    calls: BTreeMap<u64, CallContext>,
}

impl InFlightCalls {
    /// Adds a call of this tool that is being sent.
    pub(crate) fn begin(&mut self, tool: &str, cause: Option<Cause>) -> InFlightGuard {
        let over = CancellationToken::new();
        self.calls.retain(|_, call| !call.over.is_cancelled());
        self.last += 1;
        let call = CallContext {
            cause,
            tool: tool.to_owned(),
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

    /// The call that a request belongs to: the one that goes on as the task it names, or else the only one that fits.
    pub(crate) fn context_of(&self, origin: &Origin) -> Option<CallContext> {
        let named = origin.task.as_deref().and_then(|task| self.of_task(task));
        named.or_else(|| match &origin.call {
            Some(original) => self.only(|call| call.task.is_none() && call.is(original)),
            // A call that goes on as another task than the one that is named is not the one.
            None => self
                .only(|_| true)
                .filter(|call| origin.task.is_none() || call.task.is_none()),
        })
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

    /// The call in flight that fits, where no other does.
    fn only(&self, fits: impl Fn(&CallContext) -> bool) -> Option<CallContext> {
        let mut open = self
            .calls
            .values()
            .filter(|call| !call.over.is_cancelled() && fits(call));
        match (open.next(), open.next()) {
            (Some(call), None) => Some(call.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(method: &'static str, name: &str) -> Origin {
        Origin {
            call: Some(OriginalCall {
                method,
                name: name.to_owned(),
            }),
            task: None,
        }
    }

    fn tool_of(found: Option<CallContext>) -> Option<String> {
        found.map(|call| call.tool)
    }

    /// EF-021: the input that one request needs does not belong to another that is under way.
    #[test]
    fn input_for_one_request_belongs_to_no_other_call() {
        let mut calls = InFlightCalls::default();
        let deploy = calls.begin("deploy", None);
        for other in [of("resources/read", "deploy"), of("tools/call", "build")] {
            assert_eq!(tool_of(calls.context_of(&other)), None, "{other:?}");
        }
        let _build = calls.begin("build", None);
        let asked = of("tools/call", "deploy");
        assert_eq!(tool_of(calls.context_of(&asked)).as_deref(), Some("deploy"));
        drop(deploy);
        assert_eq!(tool_of(calls.context_of(&asked)), None);
    }

    /// HO-020: two calls of one tool, and calls of servers that do not say what they ask for, are told apart where they can.
    #[test]
    fn a_request_that_fits_several_calls_belongs_to_none_of_them() {
        let mut calls = InFlightCalls::default();
        let first = calls.begin("deploy", None);
        assert_eq!(
            tool_of(calls.context_of(&Origin::default())).as_deref(),
            Some("deploy")
        );
        let _second = calls.begin("deploy", None);
        for origin in [of("tools/call", "deploy"), Origin::default()] {
            assert_eq!(tool_of(calls.context_of(&origin)), None, "{origin:?}");
        }
        drop(first);
        assert_eq!(
            tool_of(calls.context_of(&of("tools/call", "deploy"))).as_deref(),
            Some("deploy")
        );
    }
}
