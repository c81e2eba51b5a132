//! Visits to pages that a server named by an elicitation id. The server may report the end of a visit, so that the user
//! need not. Only the server that named a visit can end it; other reports are ignored.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use vestibule_protocol::ServerId;

/// The visits that a request waits for.
#[derive(Default)]
pub(crate) struct Visits(Mutex<HashMap<(ServerId, String), CancellationToken>>);

/// A visit that a request waits for, or is about to. Dropping it removes it.
pub(crate) struct Expected<'a> {
    visits: &'a Visits,
    /// `None` where the server gave the visit no name.
    named: Option<((ServerId, String), CancellationToken)>,
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
        if let Some((key, _)) = &self.named {
            self.visits.all().remove(key);
        }
    }
}

impl Visits {
    /// Adds a visit before its page is opened, because the server may report its end before the user does.
    pub(crate) fn expect(&self, server: ServerId, visit: Option<&str>) -> Expected<'_> {
        let named = visit.map(|visit| ((server, visit.to_owned()), CancellationToken::new()));
        if let Some((key, over)) = &named {
            self.all().insert(key.clone(), over.clone());
        }
        Expected { visits: self, named }
    }

    /// The server says that a visit is over.
    pub(crate) fn complete(&self, server: ServerId, visit: &str) {
        if let Some(over) = self.all().get(&(server, visit.to_owned())) {
            over.cancel();
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<(ServerId, String), CancellationToken>> {
        // Every change is a single insert or remove.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
