//! Requests that a legacy server took with 202 and without an answer. The answer can only come on the event stream, so they
//! fail where that stream is lost. Which of them was answered is read from the frames of the server. How long a caller waits
//! is decided by the session, which also passes over the failure of a request that was answered before its 202 arrived.

use std::collections::VecDeque;

use vestibule_protocol::jsonrpc::RequestId;

use super::classify::{FrameKind, classify};
use crate::RequestFailure;

/// How many may wait for their answers. Above that, the oldest fails.
const MAX_ACCEPTED: usize = 512;

/// Requests that wait for their answers, oldest first.
#[derive(Default)]
pub(super) struct AcceptedRequests(VecDeque<RequestId>);

impl AcceptedRequests {
    pub(super) fn add(&mut self, id: RequestId) {
        self.0.push_back(id);
    }

    /// Takes note of what the server said, which may be an answer.
    pub(super) fn answered(&mut self, frame: &[u8]) {
        if !self.0.is_empty()
            && let FrameKind::Answers(ids) = classify(frame)
        {
            self.0.retain(|accepted| !ids.contains(accepted));
        }
    }

    /// The caller of this one is gone.
    pub(super) fn forget(&mut self, id: &RequestId) {
        self.0.retain(|accepted| accepted != id);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// A request whose answer will not come, and why.
    pub(super) fn broken(&mut self, listened: bool) -> Option<(RequestId, RequestFailure)> {
        let reason = match (listened, self.0.len()) {
            (true, ..=MAX_ACCEPTED) => return None,
            (true, _) => "the server took more requests than are waited for and answered none of them",
            (false, _) => {
                "the server took the request and was to answer on its other stream, which is not there any more"
            }
        };
        let failure = RequestFailure {
            status: Some(202),
            cut: true,
            ..RequestFailure::new(reason)
        };
        self.0.pop_front().map(|id| (id, failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_answered_or_given_up_is_not_broken_any_more() {
        let mut accepted = AcceptedRequests::default();
        for id in 1..=4 {
            accepted.add(RequestId::Number(id));
        }
        accepted.answered(br#"{"jsonrpc":"2.0","method":"notifications/message"}"#);
        accepted.answered(br#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
        accepted.answered(br#"[{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":""}}]"#);
        accepted.forget(&RequestId::Number(1));
        let (id, failure) = accepted.broken(false).expect("one is left");
        assert_eq!((id, failure.status), (RequestId::Number(3), Some(202)));
        assert!(accepted.broken(false).is_none());
    }

    #[test]
    fn more_promises_than_are_waited_for_break_the_oldest() {
        let mut accepted = AcceptedRequests::default();
        for id in 0..=MAX_ACCEPTED {
            assert!(accepted.broken(true).is_none(), "{id}");
            accepted.add(RequestId::Number(i64::try_from(id).unwrap()));
        }
        let (id, failure) = accepted.broken(true).expect("one too many");
        assert_eq!((id, failure.cut), (RequestId::Number(0), true));
        assert!(accepted.broken(true).is_none());
    }
}
