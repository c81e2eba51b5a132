//! The one stream of events the main window follows. Each event has a number one higher than the last, so a window
//! that loads a snapshot knows which events are already in it, and one that misses an event knows that too.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;

use crate::{Envelope, HostEvent};

/// How many events a slow window may lag behind before it has to load a new snapshot.
const BACKLOG: usize = 4096;

/// The stream. Cheap to clone; all clones are one stream.
#[derive(Clone)]
pub struct EventStream {
    last: Arc<Mutex<u64>>,
    stream: broadcast::Sender<Envelope>,
}

impl Default for EventStream {
    fn default() -> Self {
        Self {
            last: Arc::default(),
            stream: broadcast::channel(BACKLOG).0,
        }
    }
}

impl EventStream {
    /// Says that something happened.
    pub fn tell(&self, event: HostEvent) {
        self.tell_after(|| Some(event));
    }

    /// Makes a change and tells of it as one step, so that a reader of the state together with [`Self::seq`]
    /// sees both or neither.
    pub fn tell_after(&self, change: impl FnOnce() -> Option<HostEvent>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(event) = change() else { return };
        *last += 1;
        // There is no receiver while no window is open; the next one starts from a snapshot.
        let _ = self.stream.send(Envelope { seq: *last, event });
    }

    /// Reads the state together with the number of the last event in it.
    pub fn at_once<T>(&self, read: impl FnOnce() -> T) -> (u64, T) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        (*last, read())
    }

    /// Events from now on.
    pub fn follow(&self) -> broadcast::Receiver<Envelope> {
        self.stream.subscribe()
    }
}
