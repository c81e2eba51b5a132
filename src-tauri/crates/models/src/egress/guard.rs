//! Counts a reply while it streams by and stops it at a limit.
//!
//! The parser behind it keeps an unfinished line in memory and scans it again with every chunk, and it copies its
//! stack of open brackets at every value when it salvages cut-off arguments. Both are harmless for a bounded line, so
//! the bounds stand here, in front of it: those of every stream of events, and those of this parser. Nothing is parsed and
//! nothing is changed.

mod salvage;

use vestibule_egress::EventLimiter;

use crate::ModelError;
use salvage::SalvageCost;

/// How a streamed reply is divided into the documents that are parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events, which end with a blank line.
    Events,
    /// A document a line.
    Lines,
}

pub(super) struct LineGuard {
    line_limit: usize,
    reply_limit: usize,
    reply: usize,
    under_way: UnderWay,
    salvage: SalvageCost,
}

/// What is counted of the document under way.
enum UnderWay {
    Event(EventLimiter),
    /// The bytes of the line so far. A newline alone ends it, because the parser splits at nothing else.
    Line(usize),
    /// The whole reply, which is parsed once and never salvaged: only its size counts.
    Reply,
}

impl LineGuard {
    pub(super) fn new(framing: Framing, line_limit: usize, reply_limit: usize) -> Self {
        let under_way = match framing {
            Framing::Events => UnderWay::Event(EventLimiter::new(line_limit, line_limit)),
            Framing::Lines => UnderWay::Line(0),
        };
        Self {
            line_limit,
            reply_limit,
            reply: 0,
            under_way,
            salvage: SalvageCost::default(),
        }
    }

    /// For a reply that is one document, such as a listing of models. It is not divided, and its nesting does not count.
    pub(super) fn whole(limit: usize) -> Self {
        Self {
            under_way: UnderWay::Reply,
            ..Self::new(Framing::Lines, limit, limit)
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
        let too_large = ModelError::TooLarge {
            limit: self.line_limit,
        };
        match &mut self.under_way {
            UnderWay::Reply => {}
            UnderWay::Event(events) => {
                let mut rest = chunk;
                while let Some(piece) = events.take_line(&mut rest).map_err(|_| too_large.clone())? {
                    self.salvage.add(piece.bytes);
                    if self.salvage.is_too_much() {
                        return Err(too_large);
                    }
                    if piece.ends_event {
                        self.salvage = SalvageCost::default();
                    } else if piece.ends_line {
                        self.salvage.end_line();
                    }
                }
            }
            UnderWay::Line(length) => {
                for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
                    let bytes = piece.strip_suffix(b"\n").unwrap_or(piece);
                    *length = length.saturating_add(bytes.len());
                    self.salvage.add(bytes);
                    if *length > self.line_limit || self.salvage.is_too_much() {
                        return Err(too_large);
                    }
                    if bytes.len() < piece.len() {
                        (*length, self.salvage) = (0, SalvageCost::default());
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(limit: usize, text: &str) -> Result<(), ModelError> {
        LineGuard::new(Framing::Events, limit, 1 << 30).admit(text.as_bytes())
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
    fn each_line_is_a_document_where_the_wire_says_so() {
        let record = br#"{"message":{"role":"assistant","content":"Hei"},"done":false}"#;
        let mut guard = LineGuard::new(Framing::Lines, record.len(), 1 << 30);
        for _ in 0..10_000 {
            // The newline comes in a chunk of its own.
            assert_eq!(guard.admit(record), Ok(()));
            assert_eq!(guard.admit(b"\n"), Ok(()));
        }
        let too_large = Err(ModelError::TooLarge { limit: record.len() });
        assert_eq!(guard.admit(&[&record[..], b"\r", record].concat()), too_large);
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
        let mut guard = LineGuard::new(Framing::Events, 100, 10);
        assert_eq!(guard.admit(b"12345\n\n"), Ok(()));
        assert_eq!(guard.admit(b"1234"), Err(ModelError::TooLarge { limit: 10 }));
    }
}
