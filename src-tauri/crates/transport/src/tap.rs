//! Looks at what passes through a transport without touching it. What is shown to a tap are the frames alone: headers
//! and everything else of the wire, which is where credentials travel, never come this far.

use std::sync::Arc;

use async_trait::async_trait;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RequestId;

use crate::{CloseReason, Incoming, Outgoing, OutgoingKind, RequestFailure, SendError, Transport, Wire};

/// Sees what passes. Called by the session's own task for every frame, so it has to be quick.
pub trait Tap: Send + Sync {
    /// A frame of ours is about to be sent.
    fn sent(&self, kind: &OutgoingKind, frame: &[u8]);

    /// The frame that was reported last as sent was not accepted.
    fn not_taken(&self);

    /// A frame of the server arrived, not yet read.
    fn received(&self, frame: &[u8]);

    /// A request of ours gets no answer.
    fn unanswered(&self, id: &RequestId, failure: &RequestFailure);
}

/// A transport that is looked at.
pub struct Tapped {
    inner: Box<dyn Transport>,
    tap: Arc<dyn Tap>,
}

impl Tapped {
    /// Lets `tap` see what passes through `inner` from now on.
    #[must_use]
    pub fn new(inner: Box<dyn Transport>, tap: Arc<dyn Tap>) -> Self {
        Self { inner, tap }
    }

    fn show(&self, incoming: &Incoming) {
        match incoming {
            Incoming::Frame(frame) => self.tap.received(frame),
            Incoming::RequestFailed { id, failure } => self.tap.unanswered(id, failure),
            Incoming::Junk { .. }
            | Incoming::AnswerRefused { .. }
            | Incoming::Diagnostic(_)
            | Incoming::Oddity(_)
            | Incoming::SessionLost
            | Incoming::Closed(_) => {}
        }
    }
}

#[async_trait]
impl Transport for Tapped {
    fn send(&mut self, outgoing: Outgoing) -> Result<(), SendError> {
        self.tap.sent(&outgoing.kind, &outgoing.frame);
        self.inner.send(outgoing).inspect_err(|_| self.tap.not_taken())
    }

    fn next_received(&mut self) -> Option<Incoming> {
        self.inner.next_received().inspect(|incoming| self.show(incoming))
    }

    async fn receive(&mut self) -> Incoming {
        let incoming = self.inner.receive().await;
        self.show(&incoming);
        incoming
    }

    async fn close(&mut self) -> CloseReason {
        self.inner.close().await
    }

    fn agreed(&mut self, revision: Revision) {
        self.inner.agreed(revision);
    }

    fn abandon(&mut self, id: &RequestId) -> bool {
        self.inner.abandon(id)
    }

    fn wire(&self) -> Wire {
        self.inner.wire()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Seen(Mutex<Vec<String>>);

    impl Tap for Seen {
        fn sent(&self, _: &OutgoingKind, frame: &[u8]) {
            self.note("out", frame);
        }

        fn not_taken(&self) {
            self.note("back", b"");
        }

        fn received(&self, frame: &[u8]) {
            self.note("in", frame);
        }

        fn unanswered(&self, id: &RequestId, _: &RequestFailure) {
            self.note("none", format!("{id:?}").as_bytes());
        }
    }

    impl Seen {
        fn note(&self, way: &str, frame: &[u8]) {
            let text = String::from_utf8_lossy(frame);
            self.0.lock().unwrap().push(format!("{way} {text}"));
        }
    }

    #[tokio::test]
    async fn both_directions_are_seen_and_nothing_is_changed() {
        let seen = Arc::new(Seen::default());
        let (inner, mut peer) = crate::pair();
        let mut tapped = Tapped::new(Box::new(inner), seen.clone());
        let frame = b"{\"method\":\"x\"}".to_vec();
        tapped.send(Outgoing::notification(frame, "x")).unwrap();
        assert_eq!(peer.read().await.unwrap(), b"{\"method\":\"x\"}");
        assert!(peer.write("{\"result\":1}").await);
        assert!(matches!(tapped.receive().await, Incoming::Frame(frame) if &frame[..] == b"{\"result\":1}"));
        assert_eq!(
            *seen.0.lock().unwrap(),
            ["out {\"method\":\"x\"}", "in {\"result\":1}"]
        );
        assert_eq!(tapped.wire(), Wire::Stream);
        drop(peer);
        tapped.receive().await;
        let late = Outgoing::notification(b"{}".to_vec(), "x");
        assert!(tapped.send(late).is_err());
        assert_eq!(seen.0.lock().unwrap().last().unwrap(), "back ");
    }
}
