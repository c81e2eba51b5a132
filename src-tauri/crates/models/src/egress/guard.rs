//! Counts a reply while it streams by and stops it at a limit.
//!
//! The parser behind it keeps an unfinished line in memory and scans it again with every chunk, and it copies its
//! stack of open brackets at every value when it salvages cut-off arguments. Both are harmless for a bounded line, so
//! the bounds stand here, in front of it: those of every stream of events, and those of this parser. Nothing is parsed and
//! nothing is changed.

use vestibule_egress::EventLimiter;

use crate::ModelError;

/// The most (opening brackets × value ends) in one event: what salvaging cut-off arguments may cost in bytes.
const NESTING_BUDGET: usize = 1 << 28;

pub(super) struct LineGuard {
    line_limit: usize,
    reply_limit: usize,
    reply: usize,
    events: EventLimiter,
    /// Whether what is read may be salvaged, so that its nesting counts.
    salvaged: bool,
    /// Brackets and ends of values in the event under way.
    opened: usize,
    values: usize,
}

impl LineGuard {
    pub(super) fn new(line_limit: usize, reply_limit: usize) -> Self {
        Self {
            line_limit,
            reply_limit,
            reply: 0,
            events: EventLimiter::new(line_limit, line_limit),
            salvaged: true,
            opened: 0,
            values: 0,
        }
    }

    /// For one document, which is parsed once and never salvaged: only its size counts.
    pub(super) fn whole(limit: usize) -> Self {
        Self {
            salvaged: false,
            ..Self::new(limit, limit)
        }
    }

    /// Lets a chunk pass, or says which limit it breaks.
    pub(super) fn admit(&mut self, chunk: &[u8]) -> Result<(), ModelError> {
        self.reply = self.reply.saturating_add(chunk.len());
        if self.reply > self.reply_limit {
            return Err(ModelError::TooLarge {
                limit: self.reply_limit,
            });
        }
        if !self.salvaged {
            return Ok(());
        }
        let too_large = ModelError::TooLarge {
            limit: self.line_limit,
        };
        let mut rest = chunk;
        while let Some(piece) = self.events.take_line(&mut rest).map_err(|_| too_large.clone())? {
            self.count(piece.bytes);
            if self.opened.saturating_mul(self.values) > NESTING_BUDGET {
                return Err(too_large);
            }
            if piece.ends_event {
                (self.opened, self.values) = (0, 0);
            }
        }
        Ok(())
    }

    fn count(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.opened += usize::from(matches!(byte, b'[' | b'{'));
            self.values += usize::from(matches!(byte, b'"' | b',' | b']' | b'}'));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(limit: usize, text: &str) -> Result<(), ModelError> {
        LineGuard::new(limit, 1 << 30).admit(text.as_bytes())
    }

    #[test]
    fn a_blank_line_of_any_kind_begins_a_new_event() {
        for text in [
            "data: 123\n\ndata: 123\n\n",
            "data: 123\r\n\r\ndata: 123\r\n\r\n",
            "data: 123\r\rdata: 123",
        ] {
            assert_eq!(admit(9, text), Ok(()), "{text:?}");
        }
    }

    #[test]
    fn an_event_of_many_lines_counts_as_one() {
        assert_eq!(
            admit(9, "data: 1\r\ndata: 2\r\n"),
            Err(ModelError::TooLarge { limit: 9 })
        );
    }

    #[test]
    fn a_deep_and_long_event_is_stopped_before_it_is_parsed() {
        let hostile = "[".repeat(100_000) + &"\"\",".repeat(2_000);
        assert_eq!(
            admit(1 << 20, &hostile),
            Err(ModelError::TooLarge { limit: 1 << 20 })
        );
    }

    #[test]
    fn a_document_of_many_entries_is_bounded_by_its_size_alone() {
        let list = format!("[{}]", vec!["{\"id\":\"m\"}"; 200_000].join(","));
        assert_eq!(LineGuard::whole(1 << 23).admit(list.as_bytes()), Ok(()));
        assert_eq!(
            LineGuard::whole(1 << 20).admit(list.as_bytes()),
            Err(ModelError::TooLarge { limit: 1 << 20 })
        );
    }

    #[test]
    fn the_whole_reply_is_bounded_across_chunks() {
        let mut guard = LineGuard::new(100, 10);
        assert_eq!(guard.admit(b"12345\n\n"), Ok(()));
        assert_eq!(guard.admit(b"1234"), Err(ModelError::TooLarge { limit: 10 }));
    }
}
