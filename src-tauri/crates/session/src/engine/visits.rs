//! Visits to pages that the server of this session asked for, so that it can say of those, and only of those,
//! that they are over.

use std::collections::VecDeque;

use vestibule_protocol::jsonrpc::RpcError;

use crate::url_elicitation::required_pages;

/// How many visits are remembered; of more, the oldest are forgotten.
const REMEMBERED: usize = 256;

#[derive(Default)]
pub(super) struct AwaitedVisits(VecDeque<String>);

impl AwaitedVisits {
    pub(super) fn asked_for(&mut self, elicitation_id: &str) {
        if self.0.iter().any(|known| known == elicitation_id) {
            return;
        }
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(elicitation_id.to_owned());
    }

    pub(super) fn asked_for_by(&mut self, error: &RpcError) {
        for page in required_pages(error).into_iter().flatten() {
            self.asked_for(&page.elicitation_id);
        }
    }

    /// True the first time a visit that was asked for is over.
    pub(super) fn is_over(&mut self, elicitation_id: &str) -> bool {
        let at = self.0.iter().position(|known| known == elicitation_id);
        at.is_some_and(|at| self.0.remove(at).is_some())
    }
}
