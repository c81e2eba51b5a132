//! What gives a server occasion to ask: a call it is working on. Over a wire that does not say which call a request
//! belongs to, it is the only one under way; among several it stays open, and is not guessed.

use std::collections::BTreeMap;

use tokio_util::sync::{CancellationToken, DropGuard};
use vestibule_consent::Cause;

/// A call under way.
#[derive(Clone)]
pub(crate) struct Occasion {
    /// The place in a chat it comes from.
    pub(crate) cause: Option<Cause>,
    over: CancellationToken,
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
    /// Takes a call in. It is over when what is given back is dropped.
    pub(crate) fn begin(&mut self, cause: Option<Cause>) -> DropGuard {
        let over = CancellationToken::new();
        self.under_way.retain(|_, occasion| !occasion.over.is_cancelled());
        self.last += 1;
        let occasion = Occasion {
            cause,
            over: over.clone(),
        };
        self.under_way.insert(self.last, occasion);
        over.drop_guard()
    }

    /// The only call under way.
    pub(crate) fn only(&self) -> Option<Occasion> {
        let mut under_way = self.under_way.values().filter(|one| !one.over.is_cancelled());
        match (under_way.next(), under_way.next()) {
            (Some(one), None) => Some(one.clone()),
            _ => None,
        }
    }
}
