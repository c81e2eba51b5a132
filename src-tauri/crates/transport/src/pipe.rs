//! Frames over a pair of byte streams, one to a line. The first frame after a wait is written at once; those
//! that follow it leave together when the owner waits again, in one system call. Whatever does not fit is
//! queued and written while reading goes on, so a peer that does not read can neither block the caller nor
//! stop us from reading, and two full pipes cannot dead-lock. There is no task here: the owner's wait drives
//! both directions.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::time::{Sleep, sleep};

use crate::lines::{Line, LineFramer, Oversized, printable};
use crate::{CloseCause, Incoming, RequestFailure, SendError, failure, oversized};

/// The longest frame that is read unless a transport is set otherwise, in bytes.
pub const MAX_FRAME_BYTES: usize = 8 * 1024 * 1024;
/// How much of a line that does not end is passed over before the connection ends; twice the longest frame, if
/// that is more.
pub const MAX_ENDLESS_BYTES: usize = 64 * 1024 * 1024;
/// How much may wait to be read by the peer, in bytes.
pub const MAX_QUEUED_BYTES: usize = 32 * 1024 * 1024;
/// Frames are put together for writing up to this many bytes.
const TOGETHER_BYTES: usize = 64 * 1024;

/// What a pipe reports.
pub(crate) enum PipeEvent {
    Incoming(Incoming),
    /// The connection has to end for this reason.
    End(CloseCause),
}

pub(crate) struct Pipe<R, W> {
    /// Gone once the peer closed its end.
    reader: Option<R>,
    lines: LineFramer,
    frame_limit: usize,
    /// Gone once it broke or was closed from this side.
    writer: Option<W>,
    /// Whole frames, small ones together.
    queue: VecDeque<Vec<u8>>,
    /// How much of the first of them is written.
    written: usize,
    /// Whether a frame was written since the owner last waited.
    wrote: bool,
    queued_bytes: usize,
    write_limit: Duration,
    /// Runs while frames wait; restarts with every byte the peer takes.
    stall: Option<Pin<Box<Sleep>>>,
    /// Set by a failed write, told by the next poll.
    broken: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Pipe<R, W> {
    pub(crate) fn new(reader: R, writer: W, write_limit: Duration) -> Self {
        Self {
            reader: Some(reader),
            lines: LineFramer::new(MAX_FRAME_BYTES),
            frame_limit: MAX_FRAME_BYTES,
            writer: Some(writer),
            queue: VecDeque::new(),
            written: 0,
            wrote: false,
            queued_bytes: 0,
            write_limit,
            stall: None,
            broken: false,
        }
    }

    /// Reads frames of at most this many bytes.
    pub(crate) fn limit_frames(&mut self, bytes: usize) {
        self.frame_limit = bytes;
        self.lines.set_limit(bytes);
    }

    /// Queues the frame, and writes it now if it is the first since the owner waited.
    pub(crate) fn send(&mut self, frame: Vec<u8>) -> Result<(), SendError> {
        if self.writer.is_none() {
            return Err(SendError::Closed);
        }
        if self.queued_bytes + frame.len() > MAX_QUEUED_BYTES {
            return Err(SendError::Full);
        }
        self.queue_line(frame);
        if !std::mem::replace(&mut self.wrote, true) {
            self.write_what_fits();
        }
        if self.writer.is_some() {
            Ok(())
        } else {
            Err(SendError::Closed)
        }
    }

    /// Queues a frame as a line. Small ones are put together, to be written at once.
    fn queue_line(&mut self, mut frame: Vec<u8>) {
        frame.push(b'\n');
        self.queued_bytes += frame.len();
        match self.queue.back_mut() {
            Some(last) if last.len() + frame.len() <= TOGETHER_BYTES => last.append(&mut frame),
            _ => self.queue.push_back(frame),
        }
    }

    /// This attempt wakes no task; what stays queued is registered by the next poll.
    fn write_what_fits(&mut self) {
        let _ = self.poll_write(&mut Context::from_waker(Waker::noop()));
    }

    /// No more will be written; the peer reads an end of file. What is queued and does not fit now is lost.
    pub(crate) fn close_input(&mut self) {
        self.write_what_fits();
        self.stop_writing();
    }

    fn stop_writing(&mut self) {
        self.writer = None;
        self.queue.clear();
        self.queued_bytes = 0;
        self.stall = None;
    }

    /// Whether the peer has closed its end and everything it wrote was handed out.
    pub(crate) fn is_read_out(&self) -> bool {
        self.reader.is_none()
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<PipeEvent> {
        self.wrote = false;
        if self.poll_write(cx).is_ready() {
            return Poll::Ready(PipeEvent::End(CloseCause::NotReading(self.write_limit)));
        }
        let read = self.poll_read(cx);
        if read.is_pending() && std::mem::take(&mut self.broken) {
            // The peer closed its input. What it had written before is read by now; no answer can come.
            return Poll::Ready(PipeEvent::End(CloseCause::Ended));
        }
        read
    }

    /// Ready when the peer has not taken a byte for too long.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let (Some(writer), Some(frame)) = (&mut self.writer, self.queue.front()) {
            match Pin::new(writer).poll_write(cx, &frame[self.written..]) {
                Poll::Ready(Ok(count)) if count > 0 => self.count_written(count),
                Poll::Ready(_) => {
                    self.stop_writing();
                    self.broken = true;
                }
                Poll::Pending => return self.poll_stall(cx),
            }
        }
        Poll::Pending
    }

    /// Takes this many bytes off the first frame of the queue.
    fn count_written(&mut self, count: usize) {
        self.stall = None;
        self.written += count;
        if self
            .queue
            .front()
            .is_some_and(|frame| self.written == frame.len())
        {
            self.queued_bytes -= self.written;
            self.written = 0;
            self.queue.pop_front();
        }
    }

    /// Ready when the writer has taken nothing for as long as it may.
    fn poll_stall(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let limit = self.write_limit;
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(limit)));
        stall.as_mut().poll(cx)
    }

    /// The next frame of what was read already.
    pub(crate) fn next_read(&mut self) -> Option<Incoming> {
        let line = self.lines.next_line()?;
        Some(self.incoming(line))
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<PipeEvent> {
        loop {
            if let Some(incoming) = self.next_read() {
                return Poll::Ready(PipeEvent::Incoming(incoming));
            }
            if self.reader.is_some() && self.lines.skipped() > self.endless() {
                self.reader = None;
                return Poll::Ready(PipeEvent::End(CloseCause::EndlessLine(self.endless())));
            }
            let Some(reader) = &mut self.reader else {
                return Poll::Pending;
            };
            let read = pin!(reader.read_buf(self.lines.space())).poll(cx);
            let cause = match ready!(read) {
                Ok(0) => CloseCause::Ended,
                Ok(_) => continue,
                Err(error) => CloseCause::Failed(error.to_string()),
            };
            return Poll::Ready(self.read_end(cause));
        }
    }

    /// A last line without a newline is still handed out; the end is reported when reading finds it again.
    fn read_end(&mut self, cause: CloseCause) -> PipeEvent {
        match self.lines.finish() {
            Some(line) => PipeEvent::Incoming(self.incoming(line)),
            None => {
                self.reader = None;
                PipeEvent::End(cause)
            }
        }
    }
    fn endless(&self) -> usize {
        MAX_ENDLESS_BYTES.max(self.frame_limit.saturating_mul(2))
    }

    fn incoming(&self, line: Line) -> Incoming {
        match line {
            Line::Whole(frame) => Incoming::Frame(frame),
            Line::Oversized(line) => too_long(&line, self.frame_limit),
        }
    }
}

/// The request whose answer is in a line that is too long fails at once.
fn too_long(line: &Oversized, limit: usize) -> Incoming {
    match oversized::read_response_id(&line.beginning, &line.end) {
        Some(id) => Incoming::RequestFailed {
            id,
            failure: RequestFailure::too_large(limit),
        },
        None => Incoming::Junk {
            reason: format!(
                "a line of {} bytes, at most {} are read",
                line.bytes,
                failure::amount(limit)
            ),
            sample: printable(&line.beginning),
        },
    }
}
