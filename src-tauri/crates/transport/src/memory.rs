//! A transport without a wire, for tests: what one end sends, the other end reads, frame by frame. The other
//! end can also pretend to be a wire in trouble by handing over any [`Incoming`].

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::mpsc;

use crate::{CloseCause, CloseReason, Incoming, SendError, Transport};

/// How many frames fit into one direction.
const CAPACITY: usize = 256;

/// Two connected ends: ours, and the one that plays the server.
#[must_use]
pub fn pair() -> (MemoryTransport, MemoryPeer) {
    let (to_peer, from_transport) = mpsc::channel(CAPACITY);
    let (to_transport, from_peer) = mpsc::channel(CAPACITY);
    let ours = MemoryTransport {
        outgoing: Some(to_peer),
        incoming: from_peer,
        closed: None,
    };
    (
        ours,
        MemoryPeer {
            outgoing: to_transport,
            incoming: from_transport,
        },
    )
}

/// Our end.
pub struct MemoryTransport {
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    incoming: mpsc::Receiver<Incoming>,
    closed: Option<CloseReason>,
}

/// The end that plays the server. Dropping it ends the connection.
pub struct MemoryPeer {
    outgoing: mpsc::Sender<Incoming>,
    incoming: mpsc::Receiver<Vec<u8>>,
}

impl MemoryTransport {
    fn end(&mut self, reason: CloseReason) -> CloseReason {
        self.outgoing = None;
        self.closed.get_or_insert(reason).clone()
    }
}

#[async_trait]
impl Transport for MemoryTransport {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), SendError> {
        let outgoing = self.outgoing.as_ref().ok_or(SendError::Closed)?;
        outgoing.try_send(frame).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => SendError::Full,
            mpsc::error::TrySendError::Closed(_) => SendError::Closed,
        })
    }

    async fn receive(&mut self) -> Incoming {
        if let Some(reason) = &self.closed {
            return Incoming::Closed(reason.clone());
        }
        match self.incoming.recv().await {
            Some(Incoming::Closed(reason)) => Incoming::Closed(self.end(reason)),
            Some(incoming) => incoming,
            None => Incoming::Closed(self.end(CloseReason::new(CloseCause::Ended))),
        }
    }

    async fn close(&mut self) -> CloseReason {
        self.end(CloseReason::new(CloseCause::Asked))
    }
}

impl MemoryPeer {
    /// The next frame our end sent; `None` once it closed.
    pub async fn read(&mut self) -> Option<Vec<u8>> {
        self.incoming.recv().await
    }

    /// Sends a frame. Waits while our end has no room; false once it closed.
    pub async fn write(&self, frame: impl Into<Bytes>) -> bool {
        self.hand_over(Incoming::Frame(frame.into())).await
    }

    /// Hands over anything a wire can report.
    pub async fn hand_over(&self, incoming: Incoming) -> bool {
        self.outgoing.send(incoming).await.is_ok()
    }
}
