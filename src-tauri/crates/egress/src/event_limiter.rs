//! What a stream of events may not do: send a line or an event that never ends. The parsers of events know no limits and
//! keep what is not ended in memory, so every stream passes here first. Only bytes are counted; when they came, and what
//! they cost, is decided by the reader of the stream.

use thiserror::Error;

/// The limit that a stream broke, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Endless {
    #[error("a line of more than {0} bytes has no end")]
    Line(usize),
    #[error("an event of more than {0} bytes has no end")]
    Event(usize),
}

/// Counts lines and events in the bytes that pass.
pub struct EventLimiter {
    line_limit: usize,
    event_limit: usize,
    line: usize,
    /// How much of an event is held.
    event: usize,
    comment: bool,
    after_return: bool,
}

/// Bytes of one line, without its end.
pub struct EventPiece<'a> {
    pub bytes: &'a [u8],
    /// Whether the line is whole.
    pub ends_line: bool,
    /// Whether an event, or a comment on its own, ends with this line.
    pub ends_event: bool,
}

impl EventLimiter {
    #[must_use]
    pub fn new(line_limit: usize, event_limit: usize) -> Self {
        Self {
            line_limit,
            event_limit,
            line: 0,
            event: 0,
            comment: false,
            after_return: false,
        }
    }

    /// Whether an event has begun and not ended.
    #[must_use]
    pub fn is_within_event(&self) -> bool {
        self.event > 0 || self.line > 0
    }

    /// How many bytes of the event under way have passed.
    #[must_use]
    pub fn event_bytes(&self) -> usize {
        self.event
    }

    /// Counts all of these bytes, and says up to where events, or comments on their own, have ended in them.
    ///
    /// # Errors
    /// The limit that was broken; `ended` is set all the same.
    pub fn admit(&mut self, all: &[u8], ended: &mut usize) -> Result<(), Endless> {
        let mut rest = all;
        while let Some(piece) = self.take_line(&mut rest)? {
            if piece.ends_event {
                *ended = all.len() - rest.len();
            }
        }
        Ok(())
    }

    /// Counts the bytes up to the end of a line, or all of them where none ends, and takes them from `rest`. `None` where
    /// none are left.
    ///
    /// # Errors
    /// The limit that was broken.
    pub fn take_line<'a>(&mut self, rest: &mut &'a [u8]) -> Result<Option<EventPiece<'a>>, Endless> {
        if rest.first() == Some(&b'\n') && std::mem::take(&mut self.after_return) {
            *rest = &rest[1..];
        }
        if rest.is_empty() {
            return Ok(None);
        }
        self.after_return = false;
        let end = memchr::memchr2(b'\r', b'\n', rest);
        let bytes = &rest[..end.unwrap_or(rest.len())];
        self.add(bytes)?;
        let Some(end) = end else {
            *rest = &[];
            return Ok(Some(EventPiece {
                bytes,
                ends_line: false,
                ends_event: false,
            }));
        };
        self.after_return = rest[end] == b'\r';
        *rest = &rest[end + 1..];
        Ok(Some(EventPiece {
            bytes,
            ends_line: true,
            ends_event: self.end_line(),
        }))
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Endless> {
        if self.line == 0 {
            self.comment = bytes.first() == Some(&b':');
        }
        self.line += bytes.len();
        if self.line > self.line_limit {
            return Err(Endless::Line(self.line_limit));
        }
        if !self.comment {
            self.event += bytes.len();
        }
        if self.event > self.event_limit {
            return Err(Endless::Event(self.event_limit));
        }
        Ok(())
    }

    fn end_line(&mut self) -> bool {
        let blank = self.line == 0;
        self.line = 0;
        if blank {
            self.event = 0;
        }
        self.event == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_guard_counts_the_same_however_the_bytes_are_cut(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'x')], 0..80),
            cuts in proptest::collection::vec(0_usize..80, 0..10),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut split = EventLimiter::new(1000, 1000);
            for pair in cuts.windows(2) {
                split.admit(&bytes[pair[0]..pair[1]], &mut 0).unwrap();
            }
            let mut whole = EventLimiter::new(1000, 1000);
            whole.admit(&bytes, &mut 0).unwrap();
            prop_assert_eq!((split.line, split.event), (whole.line, whole.event));
        }
    }
}
