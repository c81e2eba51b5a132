//! A transport without a wire, for tests: what one end sends, the other end reads, frame by frame. The other
//! end can also pretend to be a wire in trouble by handing over any [`Incoming`], and the pair can pretend to
//! be any kind of wire; what only some wires get, such as a cancelled request, the other end can read.

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::mpsc;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RequestId;

use crate::{CloseCause, CloseReason, Incoming, Outgoing, SendError, Transport, Wire};

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
        wire: Wire::Stream,
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

pub struct MemoryTransport {
    outgoing: Option<mpsc::Sender<Sent>>,
    incoming: mpsc::Receiver<Incoming>,
    wire: Wire,
    closed: Option<CloseReason>,
}

/// The end that plays the server. Dropping it ends the connection.
pub struct MemoryPeer {
    outgoing: mpsc::Sender<Incoming>,
    incoming: mpsc::Receiver<Sent>,
}

/// What our end did.
#[derive(Clone, Debug)]
pub enum Sent {
    /// It sent a frame.
    Frame(Outgoing),
    /// It told its wire what the handshake agreed on.
    Agreed(Revision),
    /// It gave up a request without a message. Only where the wire is HTTP.
    Abandoned(RequestId),
}

impl MemoryTransport {
    /// The same, claiming to be this kind of wire. Where it is HTTP, giving up a request is enough for the
    /// server to know, as in the modern shape.
    #[must_use]
    pub fn with_wire(self, wire: Wire) -> Self {
        Self { wire, ..self }
    }

    fn end(&mut self, reason: CloseReason) -> CloseReason {
        self.outgoing = None;
        self.closed.get_or_insert(reason).clone()
    }

    fn tell(&self, sent: Sent) {
        if let Some(outgoing) = &self.outgoing {
            // A peer that has gone or reads nothing does not care either.
            let _ = outgoing.try_send(sent);
        }
    }
}

#[async_trait]
impl Transport for MemoryTransport {
    fn send(&mut self, outgoing: Outgoing) -> Result<(), SendError> {
        let sender = self.outgoing.as_ref().ok_or(SendError::Closed)?;
        sender
            .try_send(Sent::Frame(outgoing))
            .map_err(|error| match error {
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

    fn agreed(&mut self, revision: Revision) {
        self.tell(Sent::Agreed(revision));
    }

    fn abandon(&mut self, id: &RequestId) -> bool {
        let enough = self.wire == Wire::Http;
        if enough {
            self.tell(Sent::Abandoned(id.clone()));
        }
        enough
    }

    fn wire(&self) -> Wire {
        self.wire
    }
}

impl MemoryPeer {
    /// The next frame our end sent, whatever else it did before; `None` once it closed.
    pub async fn read(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Sent::Frame(outgoing) = self.incoming.recv().await? {
                return Some(outgoing.frame);
            }
        }
    }

    /// The next thing our end did; `None` once it closed.
    pub async fn read_sent(&mut self) -> Option<Sent> {
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
