//! What gives a server occasion to ask: a call it is working on. Where a request names the task the call goes on as, it
//! is that one. Over a wire that does not say which call a request belongs to, it is the only one under way; among
//! several it stays open, and is not guessed.

use std::collections::BTreeMap;

use tokio_util::sync::{CancellationToken, DropGuard};
use vestibule_consent::Cause;
use vestibule_protocol::task::TaskRecord;

/// A call under way.
#[derive(Clone)]
pub(crate) struct Occasion {
    /// The place in a chat it comes from.
    pub(crate) cause: Option<Cause>,
    /// What the call goes on as.
    task: Option<TaskRecord>,
    over: CancellationToken,
}

/// A call that was taken in. It is over when this is dropped.
pub(crate) struct UnderWay {
    number: u64,
    _over: DropGuard,
}

impl Occasion {
    /// Resolves when the call is over, however it ended.
    pub(crate) async fn over(&self) {
        self.over.cancelled().await;
    }
}

/// The calls a server is working on.
#[derive(Default)]
pub(crate) struct Occasions {
    last: u64,
    under_way: BTreeMap<u64, Occasion>,
}

impl Occasions {
    /// Takes a call in.
    pub(crate) fn begin(&mut self, cause: Option<Cause>) -> UnderWay {
        let over = CancellationToken::new();
        self.under_way.retain(|_, occasion| !occasion.over.is_cancelled());
        self.last += 1;
        let occasion = Occasion {
            cause,
            task: None,
            over: over.clone(),
        };
        self.under_way.insert(self.last, occasion);
        UnderWay {
            number: self.last,
            _over: over.drop_guard(),
        }
    }

    /// From now on a call goes on as a task.
    pub(crate) fn goes_on(&mut self, call: &UnderWay, task: &TaskRecord) {
        if let Some(occasion) = self.under_way.get_mut(&call.number) {
            occasion.task = Some(task.clone());
        }
    }

    /// What a server asks because of: the call that goes on as the task it names, or else the only one under way.
    pub(crate) fn because_of(&self, task: Option<&str>) -> Option<Occasion> {
        task.and_then(|task| self.of_task(task)).or_else(|| self.only())
    }

    fn of_task(&self, name: &str) -> Option<Occasion> {
        let is_it = |task: &TaskRecord| task.id.reveal() == name;
        let mut found = self
            .under_way
            .values()
            .find(|one| one.task.as_ref().is_some_and(is_it))?
            .clone();
        let tool = found.task.as_ref().map(|task| task.tool.clone());
        found.cause = found.cause.map(|cause| Cause {
            task_of: tool,
            ..cause
        });
        Some(found)
    }

    /// The only call under way.
    fn only(&self) -> Option<Occasion> {
        let mut under_way = self.under_way.values().filter(|one| !one.over.is_cancelled());
        match (under_way.next(), under_way.next()) {
            (Some(one), None) => Some(one.clone()),
            _ => None,
        }
    }
}
