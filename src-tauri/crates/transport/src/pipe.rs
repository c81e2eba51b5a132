//! Frames over a pair of byte streams, one to a line. Writing is tried at once and whatever does not fit is
//! queued and written while reading goes on, so a peer that does not read can neither block the caller nor
//! stop us from reading, and two full pipes can not dead-lock. There is no task here: the owner's wait drives
//! both directions.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::time::{Sleep, sleep};

use crate::lines::{Line, LineFramer, printable};
use crate::{CloseCause, Incoming, SendError};

/// The longest frame that is read unless another limit is set, in bytes.
pub const MAX_FRAME_BYTES: usize = 8 * 1024 * 1024;
/// How much of a line that does not end is passed over before the connection ends.
pub const MAX_ENDLESS_BYTES: usize = 64 * 1024 * 1024;
/// How much may wait to be read by the peer, in bytes.
pub const MAX_QUEUED_BYTES: usize = 32 * 1024 * 1024;
const MAX_QUEUED_FRAMES: usize = 1024;

/// What a pipe reports.
pub(crate) enum Event {
    /// Something arrived.
    Incoming(Incoming),
    /// The connection has to end for this reason.
    End(CloseCause),
}

pub(crate) struct Pipe<R, W> {
    /// Gone once the peer closed its end.
    reader: Option<R>,
    lines: LineFramer,
    /// Gone once it broke or was closed from this side.
    writer: Option<W>,
    queue: VecDeque<Vec<u8>>,
    /// How much of the first queued frame is written.
    written: usize,
    queued_bytes: usize,
    write_limit: Duration,
    /// Runs while frames wait; starts anew with every byte the peer takes.
    stall: Option<Pin<Box<Sleep>>>,
    /// Set by a failed write, told by the next poll.
    broken: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Pipe<R, W> {
    pub(crate) fn new(reader: R, writer: W, write_limit: Duration) -> Self {
        Self {
            reader: Some(reader),
            lines: LineFramer::new(MAX_FRAME_BYTES),
            writer: Some(writer),
            queue: VecDeque::new(),
            written: 0,
            queued_bytes: 0,
            write_limit,
            stall: None,
            broken: false,
        }
    }

    /// Reads frames of at most this many bytes.
    pub(crate) fn limit_frames(&mut self, bytes: usize) {
        self.lines.set_limit(bytes);
    }

    /// Writes the frame now if the peer has room, else queues it.
    pub(crate) fn send(&mut self, mut frame: Vec<u8>) -> Result<(), SendError> {
        if self.writer.is_none() {
            return Err(SendError::Closed);
        }
        if self.queue.len() >= MAX_QUEUED_FRAMES || self.queued_bytes + frame.len() > MAX_QUEUED_BYTES {
            return Err(SendError::Full);
        }
        frame.push(b'\n');
        self.queued_bytes += frame.len();
        self.queue.push_back(frame);
        if self.queue.len() == 1 {
            // Nobody is woken by this attempt; what stays queued is registered by the next poll.
            let _ = self.poll_write(&mut Context::from_waker(Waker::noop()));
        }
        if self.writer.is_some() {
            Ok(())
        } else {
            Err(SendError::Closed)
        }
    }

    /// No more will be written; the peer reads an end of file. What is still queued is lost.
    pub(crate) fn close_input(&mut self) {
        self.writer = None;
        self.queue.clear();
        self.queued_bytes = 0;
        self.stall = None;
    }

    /// Whether the peer has closed its end and everything it wrote was handed out.
    pub(crate) fn is_read_out(&self) -> bool {
        self.reader.is_none()
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        if self.poll_write(cx).is_ready() {
            return Poll::Ready(Event::End(CloseCause::NotReading(self.write_limit)));
        }
        let read = self.poll_read(cx);
        if read.is_pending() && std::mem::take(&mut self.broken) {
            // The peer closed its input. What it had written before is read by now; no answer can come.
            return Poll::Ready(Event::End(CloseCause::Ended));
        }
        read
    }

    /// Ready when the peer has not taken a byte for too long.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let (Some(writer), Some(frame)) = (&mut self.writer, self.queue.front()) {
            match Pin::new(writer).poll_write(cx, &frame[self.written..]) {
                Poll::Ready(Ok(count)) if count > 0 => {
                    self.stall = None;
                    self.written += count;
                    if self.written == frame.len() {
                        self.queued_bytes -= frame.len();
                        self.written = 0;
                        self.queue.pop_front();
                    }
                }
                Poll::Ready(_) => {
                    self.close_input();
                    self.broken = true;
                }
                Poll::Pending => {
                    let limit = self.write_limit;
                    return self
                        .stall
                        .get_or_insert_with(|| Box::pin(sleep(limit)))
                        .as_mut()
                        .poll(cx);
                }
            }
        }
        Poll::Pending
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Poll::Ready(Event::Incoming(incoming(line, self.lines.limit())));
            }
            if self.reader.is_some() && self.lines.skipped() > MAX_ENDLESS_BYTES {
                self.reader = None;
                return Poll::Ready(Event::End(CloseCause::EndlessLine(MAX_ENDLESS_BYTES)));
            }
            let Some(reader) = &mut self.reader else {
                return Poll::Pending;
            };
            let read = pin!(reader.read_buf(self.lines.space())).poll(cx);
            match read {
                Poll::Ready(Ok(0)) => return Poll::Ready(self.read_end(CloseCause::Ended)),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => {
                    return Poll::Ready(self.read_end(CloseCause::Failed(error.to_string())));
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// A last line without a newline is still handed out; the end is told when reading finds it again.
    fn read_end(&mut self, cause: CloseCause) -> Event {
        match self.lines.finish() {
            Some(line) => Event::Incoming(incoming(line, self.lines.limit())),
            None => {
                self.reader = None;
                Event::End(cause)
            }
        }
    }
}

fn incoming(line: Line, limit: usize) -> Incoming {
    match line {
        Line::Whole(frame) => match std::str::from_utf8(&frame) {
            Ok(_) => Incoming::Frame(frame),
            Err(_) => Incoming::Junk {
                reason: "a line that is not UTF-8".into(),
                sample: printable(&frame),
            },
        },
        Line::Oversized { sample, bytes } => Incoming::Junk {
            reason: format!("a line of {bytes} bytes, at most {limit} are read"),
            sample,
        },
    }
}
