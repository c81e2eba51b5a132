//! Visits to pages that a server named by an elicitation id. The server may report the end of a visit, so that the user
//! need not. Only the server that named a visit can end it; other reports are ignored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use vestibule_protocol::ServerId;

/// A server and its name for a visit. Several requests can wait for the same one: two calls that need one sign-in.
type VisitName = (ServerId, String);

/// The visits that requests wait for.
#[derive(Default)]
pub(crate) struct Visits(Mutex<HashMap<VisitName, Vec<Arc<CancellationToken>>>>);

/// A visit that a request waits for, or is about to. Dropping it removes it.
pub(crate) struct Expected<'a> {
    visits: &'a Visits,
    /// `None` where the server gave the visit no name.
    named: Option<(VisitName, Arc<CancellationToken>)>,
}

impl Expected<'_> {
    /// Resolves when the server says that the visit is over; never for one without a name.
    pub(crate) async fn over(&self) {
        match &self.named {
            Some((_, over)) => over.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        let Some((name, own)) = &self.named else { return };
        let mut all = self.visits.all();
        if let Some(waiting) = all.get_mut(name) {
            waiting.retain(|over| !Arc::ptr_eq(over, own));
            if waiting.is_empty() {
                all.remove(name);
            }
        }
    }
}

impl Visits {
    /// Adds a visit before its page is opened, because the server may report its end before the user does.
    pub(crate) fn expect(&self, server: ServerId, visit: Option<&str>) -> Expected<'_> {
        let named = visit.map(|visit| ((server, visit.to_owned()), Arc::<CancellationToken>::default()));
        if let Some((name, over)) = &named {
            self.all().entry(name.clone()).or_default().push(over.clone());
        }
        Expected { visits: self, named }
    }

    /// The server says that a visit is over.
    pub(crate) fn complete(&self, server: ServerId, visit: &str) {
        let waiting = self.all().get(&(server, visit.to_owned())).cloned();
        waiting.iter().flatten().for_each(|over| over.cancel());
    }

    fn all(&self) -> MutexGuard<'_, HashMap<VisitName, Vec<Arc<CancellationToken>>>> {
        // Each change leaves the map whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn is_over(visit: &Expected<'_>) -> bool {
        visit.over().now_or_never().is_some()
    }

    #[test]
    fn requests_that_wait_for_one_visit_are_all_told_of_its_end() {
        let (visits, server) = (Visits::default(), ServerId::new());
        let expect = |name| visits.expect(server, Some(name));
        let (first, second, other) = (expect("sign-in"), expect("sign-in"), expect("other"));
        drop(expect("sign-in"));
        visits.complete(ServerId::new(), "sign-in");
        assert!(!is_over(&first) && !is_over(&second));
        visits.complete(server, "sign-in");
        assert!(is_over(&first) && is_over(&second));
        assert!(!is_over(&other));
        assert!(!is_over(&expect("sign-in")), "a later visit is another one");
        drop((first, second, other));
        assert!(visits.all().is_empty());
    }
}
