//! Bytes into lines, however they were cut on the way. A line is handed up as the very bytes that were read, no
//! byte is looked at twice, and the memory of a long line goes with it. A line beyond the limit is not kept: a
//! piece of both ends is remembered, the rest is counted and thrown away until its newline, so memory stays
//! bounded whatever a peer writes.

use bytes::{Buf, Bytes, BytesMut};

use crate::oversized::END_BYTES;

/// How much of an oversized line is shown.
const SAMPLE_BYTES: usize = 200;
/// How much is read at once while little comes.
const FIRST_READ_BYTES: usize = 16 * 1024;
/// How much is read at once while reads fill what they get.
const READ_BYTES: usize = 64 * 1024;
/// A buffer that grew beyond this is given back with the line it grew for.
const KEPT_BYTES: usize = 4 * READ_BYTES;

/// What ended with a newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line within the limit, without its line break. Never blank.
    Whole(Bytes),
    /// A line beyond the limit.
    Oversized(Oversized),
}

/// What is left of a line beyond the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oversized {
    /// Its beginning, at most 4 KiB.
    pub beginning: Vec<u8>,
    /// Its end, at most 4 KiB.
    pub end: Vec<u8>,
    pub bytes: usize,
}

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub struct LineFramer {
    buffer: BytesMut,
    /// Up to here the buffer is known to hold no newline.
    scanned: usize,
    limit: usize,
    /// How much was reserved for the last read.
    reserved: usize,
    skipping: Option<Oversized>,
}

impl Oversized {
    fn from_line(line: &[u8]) -> Self {
        Self {
            beginning: line[..line.len().min(END_BYTES)].to_vec(),
            end: line[line.len().saturating_sub(END_BYTES)..].to_vec(),
            bytes: line.len(),
        }
    }

    fn add(&mut self, more: &[u8]) {
        self.bytes += more.len();
        let more = &more[more.len().saturating_sub(END_BYTES)..];
        let surplus = (self.end.len() + more.len()).saturating_sub(END_BYTES);
        self.end.drain(..surplus);
        self.end.extend_from_slice(more);
    }
}

impl LineFramer {
    /// A framer whose lines have at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            scanned: 0,
            limit,
            reserved: 0,
            skipping: None,
        }
    }

    /// From now on lines have at most `limit` bytes.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Where to put what was read. Append only; call [`next_line`](Self::next_line) until it is empty before
    /// appending again.
    pub fn space(&mut self) -> &mut BytesMut {
        let unused = self.buffer.capacity() - self.buffer.len();
        if unused == 0 {
            self.reserved = (4 * self.reserved).clamp(FIRST_READ_BYTES, READ_BYTES);
            self.buffer.reserve(self.reserved.max(self.room_of_long_line()));
        } else if unused < FIRST_READ_BYTES / 4 {
            self.reserved = FIRST_READ_BYTES;
            self.buffer.reserve(self.reserved);
        }
        &mut self.buffer
    }

    /// How much more room a line gets that is long already. It grows by much, because the line is moved each time.
    fn room_of_long_line(&self) -> usize {
        match self.buffer.len() {
            0..KEPT_BYTES => 0,
            length => (3 * length).min(self.limit.saturating_sub(length)),
        }
    }

    /// The next complete line. Blank lines are passed over.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let Some(end) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) else {
                self.hold_back();
                return None;
            };
            let length = self.scanned + end + 1;
            let mut line = self.take(length);
            line.truncate(length - 1);
            if let Some(line) = self.complete(line) {
                return Some(line);
            }
        }
    }

    /// What is left when the stream has ended without a last newline.
    pub fn finish(&mut self) -> Option<Line> {
        let rest = self.buffer.split();
        self.scanned = 0;
        self.complete(rest)
    }

    /// How many bytes of a line that has not ended were thrown away.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipping.as_ref().map_or(0, |skipping| skipping.bytes)
    }

    /// Takes a line out of the buffer, and a long one with all the memory it took.
    fn take(&mut self, length: usize) -> BytesMut {
        self.scanned = 0;
        if length <= KEPT_BYTES {
            return self.buffer.split_to(length);
        }
        let rest = BytesMut::from(&self.buffer[length..]);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(length);
        line
    }

    fn complete(&mut self, mut line: BytesMut) -> Option<Line> {
        if let Some(mut skipped) = self.skipping.take() {
            skipped.add(&line);
            return Some(Line::Oversized(skipped));
        }
        if line.len() > self.limit {
            return Some(Line::Oversized(Oversized::from_line(&line)));
        }
        line.truncate(line.trim_ascii_end().len());
        line.advance(line.len() - line.trim_ascii_start().len());
        (!line.is_empty()).then(|| Line::Whole(line.freeze()))
    }

    fn hold_back(&mut self) {
        self.scanned = self.buffer.len();
        if let Some(skipping) = &mut self.skipping {
            skipping.add(&self.buffer);
        } else if self.buffer.len() > self.limit {
            self.skipping = Some(Oversized::from_line(&self.buffer));
            // The large allocation goes with the line.
            self.buffer = BytesMut::new();
        } else {
            return;
        }
        self.buffer.clear();
        self.scanned = 0;
    }
}

/// The beginning of some bytes as text without control characters.
pub(crate) fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SAMPLE_BYTES)]);
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(chunks: &[&[u8]], limit: usize) -> Vec<Line> {
        let mut framer = LineFramer::new(limit);
        let mut lines = Vec::new();
        for chunk in chunks {
            framer.space().extend_from_slice(chunk);
            lines.extend(std::iter::from_fn(|| framer.next_line()));
            assert!(framer.buffer.len() <= limit, "held back more than the limit");
        }
        lines.extend(framer.finish());
        lines
    }

    fn whole(text: &str) -> Line {
        Line::Whole(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[test]
    fn blank_lines_and_carriage_returns_are_no_frames() {
        assert_eq!(read(&[b"\n\r\n  \na\r\n\nb"], 10), [whole("a"), whole("b")]);
    }

    #[test]
    fn an_oversized_line_is_passed_over_and_the_next_one_is_read() {
        let lines = read(&[b"ok\n", b"0123456", b"789ab", b"cdef\nafter\n"], 8);
        let oversized = Line::Oversized(Oversized {
            beginning: b"0123456789ab".to_vec(),
            end: b"0123456789abcdef".to_vec(),
            bytes: 16,
        });
        assert_eq!(lines, [whole("ok"), oversized, whole("after")]);
    }

    #[test]
    fn both_ends_of_an_oversized_line_are_kept_however_long_it_is() {
        let body = vec![b'x'; 3 * END_BYTES];
        let lines = read(&[b"begin", &body, b"mid", &body, b"end\n"], 100);
        let [Line::Oversized(line)] = &lines[..] else {
            panic!("{} lines", lines.len())
        };
        assert_eq!(line.bytes, 2 * body.len() + 11);
        assert!(line.beginning.starts_with(b"beginx") && line.beginning.len() <= END_BYTES);
        assert!(line.end.ends_with(b"xend") && line.end.len() == END_BYTES);
    }

    /// P2: what a long line took is not kept for the short ones.
    #[test]
    fn the_memory_of_a_long_line_goes_with_it() {
        let mut framer = LineFramer::new(usize::MAX);
        framer.space().extend_from_slice(&vec![b'x'; 8 << 20]);
        assert_eq!(framer.next_line(), None);
        framer.space().extend_from_slice(b"\nshort\nbegun");
        assert!(matches!(framer.next_line(), Some(Line::Whole(line)) if line.len() == 8 << 20));
        assert!(
            framer.space().capacity() <= 2 * READ_BYTES,
            "{}",
            framer.buffer.capacity()
        );
        assert_eq!(framer.next_line(), Some(whole("short")));
        assert_eq!(framer.finish(), Some(whole("begun")));
    }

    #[test]
    fn a_peer_that_says_little_takes_little_memory() {
        let mut framer = LineFramer::new(usize::MAX);
        for _ in 0..1000 {
            framer.space().extend_from_slice(b"a short line\n");
            assert_eq!(framer.next_line(), Some(whole("a short line")));
            assert_eq!(framer.next_line(), None);
            assert!(framer.space().capacity() <= 2 * FIRST_READ_BYTES);
        }
        // What fills its room gets more.
        for _ in 0..3 {
            let space = framer.space();
            let fill = space.capacity() - space.len();
            space.extend_from_slice(&vec![b'x'; fill]);
        }
        let unused = |space: &mut BytesMut| space.capacity() - space.len();
        assert!(unused(framer.space()) >= READ_BYTES);
    }

    proptest! {
        /// STD-006.
        #[test]
        fn any_split_of_the_bytes_gives_the_same_lines(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'x'), Just(0xc3), any::<u8>()], 0..200),
            cuts in proptest::collection::vec(0_usize..200, 0..20),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let shape = |line: &Line| match line {
                Line::Whole(text) => (Some(text.clone()), text.len()),
                // How much of the beginning was there when the limit was passed depends on the cut.
                Line::Oversized(Oversized { end, bytes, .. }) => (Some(end.clone().into()), *bytes),
            };
            let split: Vec<_> = read(&chunks, 20).iter().map(shape).collect();
            let together: Vec<_> = {
                let mut framer = LineFramer::new(20);
                framer.space().extend_from_slice(&bytes);
                let mut lines: Vec<Line> = std::iter::from_fn(|| framer.next_line()).collect();
                lines.extend(framer.finish());
                lines.iter().map(shape).collect()
            };
            prop_assert_eq!(split, together);
        }
    }
}
