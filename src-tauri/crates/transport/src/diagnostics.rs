//! What a server writes beside the protocol: drained always, because a full pipe would stop the server, but
//! handed on only at a rate a user could have caused. The last lines are kept to explain an end.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::Instant;

use crate::lines::{Line, LineFramer, Oversized, printable};

/// The longest line that is handed on whole, in bytes.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// How many lines are handed on in one second.
const LINES_PER_SECOND: u32 = 200;
/// How many bytes are handed on in one second.
const BYTES_PER_SECOND: usize = 1024 * 1024;
/// How many lines explain an end, and how much of each.
const TAIL_LINES: usize = 20;
const TAIL_LINE_BYTES: usize = 1024;
const SECOND: Duration = Duration::from_secs(1);

pub(crate) struct Diagnostics<R> {
    reader: Option<R>,
    lines: LineFramer,
    tail: VecDeque<String>,
    window: Instant,
    lines_left: u32,
    bytes_left: usize,
    /// Lines not handed on since the last one that was.
    left_out: u64,
}

impl<R: AsyncRead + Unpin> Diagnostics<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader: Some(reader),
            lines: LineFramer::new(MAX_LINE_BYTES),
            tail: VecDeque::new(),
            window: Instant::now(),
            lines_left: LINES_PER_SECOND,
            bytes_left: BYTES_PER_SECOND,
            left_out: 0,
        }
    }

    /// The last lines, oldest first.
    pub(crate) fn tail(&self) -> Vec<String> {
        self.tail.iter().cloned().collect()
    }

    /// Whether the stream ended and everything in it was handed out.
    pub(crate) fn is_read_out(&self) -> bool {
        self.reader.is_none()
    }

    /// The next line to hand on. Stays pending after the end.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<String> {
        loop {
            if let Some(text) = self.next_admitted() {
                return Poll::Ready(text);
            }
            let Some(reader) = &mut self.reader else {
                return Poll::Pending;
            };
            match pin!(reader.read_buf(self.lines.space())).poll(cx) {
                Poll::Ready(Ok(count)) if count > 0 => {}
                Poll::Ready(_) => {
                    self.reader = None;
                    if let Some(text) = self.lines.finish().and_then(|line| self.admit(line)) {
                        return Poll::Ready(text);
                    }
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// The next line to hand on of what was read.
    fn next_admitted(&mut self) -> Option<String> {
        while let Some(line) = self.lines.next_line() {
            if let Some(text) = self.admit(line) {
                return Some(text);
            }
        }
        None
    }

    fn admit(&mut self, line: Line) -> Option<String> {
        let mut text = match line {
            Line::Whole(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Line::Oversized(Oversized { beginning, bytes, .. }) => {
                format!("{}… (a line of {bytes} bytes, cut)", printable(&beginning))
            }
        };
        self.remember(&text);
        if !self.count_line(text.len()) {
            self.left_out += 1;
            return None;
        }
        if self.left_out > 0 {
            text = format!("({} lines left out)\n{text}", std::mem::take(&mut self.left_out));
        }
        Some(text)
    }

    /// Counts a line of this many bytes. False when it is beyond what is handed on in this second.
    fn count_line(&mut self, bytes: usize) -> bool {
        if self.window.elapsed() >= SECOND {
            self.window = Instant::now();
            self.lines_left = LINES_PER_SECOND;
            self.bytes_left = BYTES_PER_SECOND;
        }
        if self.lines_left == 0 || self.bytes_left < bytes {
            return false;
        }
        self.lines_left -= 1;
        self.bytes_left -= bytes;
        true
    }

    fn remember(&mut self, text: &str) {
        if self.tail.len() == TAIL_LINES {
            self.tail.pop_front();
        }
        self.tail
            .push_back(text[..text.floor_char_boundary(TAIL_LINE_BYTES)].to_owned());
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// STD-005, LG-006.
    #[tokio::test(start_paused = true)]
    async fn a_flood_is_drained_but_handed_on_at_a_bounded_rate() {
        let flood: Vec<u8> = (0..5000)
            .flat_map(|n| format!("line {n}\n").into_bytes())
            .collect();
        let mut diagnostics = Diagnostics::new(&flood[..]);
        let mut handed_on = 0;
        while !diagnostics.is_read_out() {
            let next = tokio::time::timeout(SECOND / 2, poll_fn(|cx| diagnostics.poll(cx)));
            handed_on += u32::from(next.await.is_ok());
        }
        assert_eq!(handed_on, LINES_PER_SECOND);
        assert_eq!(diagnostics.tail().len(), TAIL_LINES);
        assert_eq!(diagnostics.tail().last().unwrap(), "line 4999");
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_left_out_is_counted_when_there_is_room_again() {
        let lines: Vec<u8> = (0..=LINES_PER_SECOND).flat_map(|_| *b"x\n").collect();
        let (mut write, read) = tokio::io::duplex(64 * 1024);
        let mut diagnostics = Diagnostics::new(read);
        tokio::io::AsyncWriteExt::write_all(&mut write, &lines)
            .await
            .unwrap();
        for _ in 0..LINES_PER_SECOND {
            assert_eq!(poll_fn(|cx| diagnostics.poll(cx)).await, "x");
        }
        assert!(
            tokio::time::timeout(SECOND * 2, poll_fn(|cx| diagnostics.poll(cx)))
                .await
                .is_err()
        );
        tokio::io::AsyncWriteExt::write_all(&mut write, b"y\n")
            .await
            .unwrap();
        assert_eq!(poll_fn(|cx| diagnostics.poll(cx)).await, "(1 lines left out)\ny");
    }
}
