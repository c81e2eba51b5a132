//! How many requests of one server are handled at a time. The inbox protects the user who reads the cards; this protects
//! memory, of which every request under way takes some.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use vestibule_protocol::ServerId;

/// The most requests of one server at once: more than can wait for the user, so that no request is turned away before
/// the inbox is full.
pub const MAX_REQUESTS: usize = 256;
/// The most bytes of them, in the form in which they came. One alone is dealt with whatever its size.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The requests under way.
#[derive(Clone, Default)]
pub(crate) struct RequestLimiter(Arc<Mutex<HashMap<ServerId, OpenRequests>>>);

#[derive(Default)]
struct OpenRequests {
    requests: usize,
    bytes: usize,
}

/// One request under way; the next one may come when it is dropped.
pub(crate) struct RequestSlot {
    limiter: RequestLimiter,
    server: ServerId,
    bytes: usize,
}

impl RequestLimiter {
    /// A slot for one more request of `bytes`, where there is one.
    pub(crate) fn take(&self, server: ServerId, bytes: usize) -> Option<RequestSlot> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(server).or_default();
        if count.requests >= MAX_REQUESTS || count.requests > 0 && count.bytes + bytes > MAX_BYTES {
            return None;
        }
        count.requests += 1;
        count.bytes += bytes;
        let limiter = self.clone();
        Some(RequestSlot {
            limiter,
            server,
            bytes,
        })
    }
}

impl Drop for RequestSlot {
    fn drop(&mut self) {
        let mut counts = self.limiter.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        let (limiter, noisy, quiet) = (RequestLimiter::default(), ServerId::new(), ServerId::new());
        let mut taken: Vec<_> = (0..2 * MAX_REQUESTS)
            .filter_map(|_| limiter.take(noisy, 1))
            .collect();
        assert_eq!(taken.len(), MAX_REQUESTS);
        assert!(limiter.take(quiet, 1).is_some());
        taken.pop();
        assert!(limiter.take(noisy, 1).is_some());
        drop(taken);
        assert!(limiter.0.lock().unwrap().is_empty());
    }

    #[test]
    fn large_requests_are_fewer_and_the_largest_comes_alone() {
        let (limiter, server) = (RequestLimiter::default(), ServerId::new());
        let first = limiter.take(server, 2 * MAX_BYTES);
        assert!(first.is_some());
        assert!(limiter.take(server, 1).is_none());
        drop(first);
        let taken: Vec<_> = (0..9)
            .filter_map(|_| limiter.take(server, MAX_BYTES / 4))
            .collect();
        assert_eq!(taken.len(), 4);
    }
}
