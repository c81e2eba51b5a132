//! What a stream of events may not do: send a line or an event that never ends. Only bytes are counted here; when
//! they came, and what they cost, is decided by the reader of the stream.

use super::StreamError;

/// Counts lines and events in the bytes that pass.
pub(super) struct StreamLimiter {
    line_limit: usize,
    event_limit: usize,
    line: usize,
    /// How much of an event is held.
    pub(super) event: usize,
    comment: bool,
    after_return: bool,
}

impl StreamLimiter {
    pub(super) fn new(line_limit: usize, event_limit: usize) -> Self {
        Self {
            line_limit,
            event_limit,
            line: 0,
            event: 0,
            comment: false,
            after_return: false,
        }
    }

    pub(super) fn is_within_event(&self) -> bool {
        self.event > 0 || self.line > 0
    }

    /// Says up to where events, or comments on their own, have ended in these bytes.
    pub(super) fn admit(&mut self, all: &[u8], ended: &mut usize) -> Result<(), StreamError> {
        let mut bytes = all;
        while let Some(first) = bytes.first() {
            if *first == b'\n' && std::mem::take(&mut self.after_return) {
                bytes = &bytes[1..];
                continue;
            }
            self.after_return = false;
            let end = memchr::memchr2(b'\r', b'\n', bytes);
            self.add(&bytes[..end.unwrap_or(bytes.len())])?;
            let Some(end) = end else { break };
            self.after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if self.end_line() {
                *ended = all.len() - bytes.len();
            }
        }
        Ok(())
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        if self.line == 0 {
            self.comment = bytes.first() == Some(&b':');
        }
        self.line += bytes.len();
        if self.line > self.line_limit {
            return Err(StreamError::EndlessLine(self.line_limit));
        }
        if !self.comment {
            self.event += bytes.len();
        }
        if self.event > self.event_limit {
            return Err(StreamError::EndlessEvent(self.event_limit));
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
            let mut split = StreamLimiter::new(1000, 1000);
            for pair in cuts.windows(2) {
                split.admit(&bytes[pair[0]..pair[1]], &mut 0).unwrap();
            }
            let mut whole = StreamLimiter::new(1000, 1000);
            whole.admit(&bytes, &mut 0).unwrap();
            prop_assert_eq!((split.line, split.event), (whole.line, whole.event));
        }
    }
}
