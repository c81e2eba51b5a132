//! Bytes into lines, however they were cut on the way. A line beyond the limit is not kept: its beginning is
//! remembered for the log, the rest is counted and thrown away until its newline, so memory stays bounded
//! whatever a peer writes.

use bytes::{Bytes, BytesMut};

/// How much of an oversized line is kept to show.
const SAMPLE_BYTES: usize = 200;

/// What ended with a newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line within the limit, without its line break. Never blank.
    Whole(Bytes),
    /// A line beyond the limit.
    Oversized {
        /// Its beginning, made printable.
        sample: String,
        /// Its length.
        bytes: usize,
    },
}

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub struct LineFramer {
    buffer: BytesMut,
    /// Up to here the buffer is known to hold no newline.
    scanned: usize,
    limit: usize,
    skipping: Option<Skipping>,
}

#[derive(Debug)]
struct Skipping {
    sample: String,
    bytes: usize,
}

impl LineFramer {
    /// A framer whose lines have at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            scanned: 0,
            limit,
            skipping: None,
        }
    }

    /// The most bytes a line may have.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// From now on lines have at most `limit` bytes.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Where to put what was read. Append only; call [`next_line`](Self::next_line) until it is empty before
    /// appending again.
    pub fn space(&mut self) -> &mut BytesMut {
        self.buffer.reserve(16 * 1024);
        &mut self.buffer
    }

    /// The next complete line. Blank lines are passed over.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let Some(end) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) else {
                self.hold_back();
                return None;
            };
            let line = self.buffer.split_to(self.scanned + end + 1).freeze();
            self.scanned = 0;
            if let Some(line) = self.complete(line.slice(..line.len() - 1)) {
                return Some(line);
            }
        }
    }

    /// What is left when the stream has ended without a last newline.
    pub fn finish(&mut self) -> Option<Line> {
        let rest = self.buffer.split().freeze();
        self.scanned = 0;
        self.complete(rest)
    }

    /// How many bytes of a line that has not ended were thrown away.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipping.as_ref().map_or(0, |skipping| skipping.bytes)
    }

    fn complete(&mut self, line: Bytes) -> Option<Line> {
        if let Some(Skipping { sample, bytes }) = self.skipping.take() {
            return Some(Line::Oversized {
                sample,
                bytes: bytes + line.len(),
            });
        }
        if line.len() > self.limit {
            return Some(Line::Oversized {
                sample: printable(&line),
                bytes: line.len(),
            });
        }
        let trimmed = line.trim_ascii();
        (!trimmed.is_empty())
            .then(|| line.slice_ref(trimmed))
            .map(Line::Whole)
    }

    fn hold_back(&mut self) {
        self.scanned = self.buffer.len();
        if let Some(skipping) = &mut self.skipping {
            skipping.bytes += self.buffer.len();
        } else if self.buffer.len() > self.limit {
            let sample = printable(&self.buffer);
            self.skipping = Some(Skipping {
                sample,
                bytes: self.buffer.len(),
            });
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
        let oversized = Line::Oversized {
            sample: "0123456789ab".into(),
            bytes: 16,
        };
        assert_eq!(lines, [whole("ok"), oversized, whole("after")]);
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
                Line::Oversized { bytes, .. } => (None, *bytes),
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
