//! Frames over any reader and writer, one to a line, as on a child's pipes but without a child: sockets,
//! in-process streams, a server linked into a test.

use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::pipe::{Pipe, PipeEvent};
use crate::{CloseCause, CloseReason, Incoming, Outgoing, SendError, Transport, Wire};

/// A transport over a reader and a writer.
pub struct StreamTransport<R, W> {
    pipe: Pipe<R, W>,
    closed: Option<CloseReason>,
}

impl<R, W> StreamTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    /// A transport that gives up when the peer takes nothing for `write_limit`.
    pub fn new(reader: R, writer: W, write_limit: Duration) -> Self {
        Self {
            pipe: Pipe::new(reader, writer, write_limit),
            closed: None,
        }
    }

    /// Reads frames of at most this many bytes; else [`MAX_FRAME_BYTES`](crate::MAX_FRAME_BYTES).
    pub fn limit_frames(&mut self, bytes: usize) {
        self.pipe.limit_frames(bytes);
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        if let Some(reason) = &self.closed {
            return Poll::Ready(Incoming::Closed(reason.clone()));
        }
        self.pipe.poll(cx).map(|event| match event {
            PipeEvent::Incoming(incoming) => incoming,
            PipeEvent::End(cause) => Incoming::Closed(self.end(cause)),
        })
    }

    fn end(&mut self, cause: CloseCause) -> CloseReason {
        self.pipe.close_input();
        self.closed.get_or_insert_with(|| CloseReason::new(cause)).clone()
    }
}

#[async_trait]
impl<R, W> Transport for StreamTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    fn wire(&self) -> Wire {
        Wire::Stream
    }

    fn send(&mut self, outgoing: Outgoing) -> Result<(), SendError> {
        if self.closed.is_some() {
            Err(SendError::Closed)
        } else {
            self.pipe.send(outgoing.frame)
        }
    }

    fn next_received(&mut self) -> Option<Incoming> {
        match self.closed {
            Some(_) => None,
            None => self.pipe.next_read(),
        }
    }

    async fn receive(&mut self) -> Incoming {
        poll_fn(|cx| self.poll(cx)).await
    }

    async fn close(&mut self) -> CloseReason {
        self.end(CloseCause::Asked)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    fn text(incoming: Incoming) -> String {
        match incoming {
            Incoming::Frame(frame) => String::from_utf8_lossy(&frame).into_owned(),
            other => panic!("{other:?} is no frame"),
        }
    }

    #[tokio::test]
    async fn what_was_read_with_a_frame_is_had_without_waiting() {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        let (reader, writer) = tokio::io::split(ours);
        let mut transport = StreamTransport::new(reader, writer, Duration::from_secs(60));
        assert!(transport.next_received().is_none());
        theirs.write_all(b"1\n\n 2 \n3").await.unwrap();
        assert_eq!(text(transport.receive().await), "1");
        assert_eq!(transport.next_received().map(text).as_deref(), Some("2"));
        assert!(transport.next_received().is_none());
        theirs.write_all(b"\n4\n").await.unwrap();
        assert_eq!(text(transport.receive().await), "3");
        transport.close().await;
        assert!(transport.next_received().is_none());
    }
}
