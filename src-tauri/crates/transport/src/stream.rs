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

    async fn receive(&mut self) -> Incoming {
        poll_fn(|cx| self.poll(cx)).await
    }

    async fn close(&mut self) -> CloseReason {
        self.end(CloseCause::Asked)
    }
}
