//! How many requests of one server are dealt with at once. Whoever reads cards is protected by the inbox; this
//! protects memory, which every request under way takes some of.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use vestibule_protocol::ServerId;

/// The most requests of one server at once: more than can wait for a person, so that nobody is turned away before
/// the inbox is full.
pub(crate) const MOST: usize = 256;
/// The most bytes of them, in the form in which they came. One alone is dealt with whatever its size.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// The requests under way.
#[derive(Clone, Default)]
pub(super) struct Load(Arc<Mutex<HashMap<ServerId, Counts>>>);

#[derive(Default)]
struct Counts {
    requests: usize,
    bytes: usize,
}

/// One request under way; the next one may come when it is dropped.
pub(super) struct Place {
    load: Load,
    server: ServerId,
    bytes: usize,
}

impl Load {
    /// A place for one more request of so many bytes, where there is one.
    pub(super) fn take(&self, server: ServerId, bytes: usize) -> Option<Place> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(server).or_default();
        if count.requests >= MOST || count.requests > 0 && count.bytes + bytes > MOST_BYTES {
            return None;
        }
        count.requests += 1;
        count.bytes += bytes;
        let load = self.clone();
        Some(Place { load, server, bytes })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.load.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.server) {
            count.requests -= 1;
            count.bytes -= self.bytes;
            if count.requests == 0 {
                counts.remove(&self.server);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_can_take_only_so_many_places_and_no_other_notices() {
        let (load, noisy, quiet) = (Load::default(), ServerId::new(), ServerId::new());
        let mut taken: Vec<_> = (0..2 * MOST).filter_map(|_| load.take(noisy, 1)).collect();
        assert_eq!(taken.len(), MOST);
        assert!(load.take(quiet, 1).is_some());
        taken.pop();
        assert!(load.take(noisy, 1).is_some());
        drop(taken);
        assert!(load.0.lock().unwrap().is_empty());
    }

    #[test]
    fn large_requests_are_fewer_and_the_largest_comes_alone() {
        let (load, server) = (Load::default(), ServerId::new());
        let first = load.take(server, 2 * MOST_BYTES);
        assert!(first.is_some());
        assert!(load.take(server, 1).is_none());
        drop(first);
        let taken: Vec<_> = (0..9).filter_map(|_| load.take(server, MOST_BYTES / 4)).collect();
        assert_eq!(taken.len(), 4);
    }
}
