//! The way to stop one call of a turn while the turn goes on: the model reads that the call was stopped.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use vestibule_protocol::EntryId;

/// The calls under way, each with the token that stops it.
#[derive(Clone, Default)]
pub(crate) struct CallStops(Arc<Mutex<HashMap<EntryId, CancellationToken>>>);

/// A call under way. Dropping it takes it out of the list.
pub(super) struct StoppableCall {
    stops: CallStops,
    entry: EntryId,
    stop: CancellationToken,
}

impl CallStops {
    /// Lists a call, which is also stopped with its turn.
    pub(super) fn begin(&self, entry: EntryId, turn: &CancellationToken) -> StoppableCall {
        let stop = turn.child_token();
        self.calls().insert(entry, stop.clone());
        StoppableCall {
            stops: self.clone(),
            entry,
            stop,
        }
    }

    /// Stops a call; false where it is not under way.
    pub(crate) fn stop(&self, entry: EntryId) -> bool {
        let stop = self.calls().get(&entry).cloned();
        stop.inspect(CancellationToken::cancel).is_some()
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<EntryId, CancellationToken>> {
        // Each change is one insert or remove, so a panic elsewhere leaves the map whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for StoppableCall {
    type Target = CancellationToken;

    fn deref(&self) -> &CancellationToken {
        &self.stop
    }
}

impl Drop for StoppableCall {
    fn drop(&mut self) {
        self.stops.calls().remove(&self.entry);
    }
}
