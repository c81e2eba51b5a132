//! Finds out what was done where the chain does not hold. Pure: it is given the records around the place and
//! says which number is bad and how. A record carries its number inside its seal, so one that was moved can be
//! told from one that was changed by asking under which number its seal still holds.

use super::seal::{GENESIS, Sealed};
use super::{LedgerBreak, LedgerReceipt};

/// Bytes hashed at most to find out where a record that does not fit came from: under a second of work, and
/// enough for hundreds of thousands of numbers on either side.
const SEARCH_BYTES: usize = 256 << 20;

/// What the first record follows.
pub(crate) const BEFORE_FIRST: LedgerReceipt = LedgerReceipt {
    seq: 0,
    hash: GENESIS,
};

/// The first bad number and what happened there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) seq: i64,
    pub(crate) what: LedgerBreak,
}

/// Whether `record` is the unchanged successor of `last` and the head knows of it.
pub(crate) fn follows(last: Option<&Sealed>, record: &Sealed, head: LedgerReceipt) -> bool {
    let last = last.map_or(BEFORE_FIRST, Sealed::receipt);
    record.seq == last.seq + 1
        && record.seq <= head.seq
        && record.prev == last.hash
        && record.intact_as(record.seq)
}

/// What happened at `record`, which does not follow `last`.
pub(crate) fn locate(
    last: Option<&Sealed>,
    record: &Sealed,
    next: Option<&Sealed>,
    head: LedgerReceipt,
) -> Broken {
    let before = last.map_or(BEFORE_FIRST, Sealed::receipt);
    let expected = before.seq + 1;
    let at = |seq, what| Broken { seq, what };
    if record.seq < expected {
        return at(record.seq, LedgerBreak::Inserted);
    }
    if before.seq >= head.seq {
        // All the head knows of has been seen, and here is more.
        return at(record.seq, LedgerBreak::Inserted);
    }
    if record.seq > expected {
        return at(expected, LedgerBreak::Missing);
    }
    if record.intact_as(expected) {
        return at(replaced(last, record, next, head), LedgerBreak::Altered);
    }
    if record.hash == before.hash {
        // The record before once more.
        return at(expected, LedgerBreak::Inserted);
    }
    if last.is_some_and(|last| record.prev == last.prev && record.intact_as(last.seq)) {
        // Two records claim the same predecessor; the one that had to be renumbered was there first.
        return at(before.seq, LedgerBreak::Inserted);
    }
    if let Some(number) = true_number(record, expected, head) {
        let shift = number - expected;
        let gap = shift > 0 && next.is_none_or(|next| next.intact_as(next.seq.saturating_add(shift)));
        return at(
            expected,
            if gap {
                LedgerBreak::Missing
            } else {
                LedgerBreak::Reordered
            },
        );
    }
    if next.is_some_and(|next| next.prev == before.hash && next.intact_as(expected)) {
        return at(expected, LedgerBreak::Inserted);
    }
    at(expected, LedgerBreak::Altered)
}

/// What a row says that does not have the shape of a record, and so has nothing but its number.
pub(crate) fn misshapen(last: Option<&Sealed>, seq: i64) -> Broken {
    let expected = last.map_or(BEFORE_FIRST, Sealed::receipt).seq + 1;
    if seq > expected {
        return Broken {
            seq: expected,
            what: LedgerBreak::Missing,
        };
    }
    Broken {
        seq,
        what: LedgerBreak::Altered,
    }
}

/// What the end of the walk says, given that everything up to `end` holds.
pub(crate) fn at_end(end: LedgerReceipt, head: LedgerReceipt) -> Option<Broken> {
    if end.seq < head.seq {
        return Some(Broken {
            seq: end.seq + 1,
            what: LedgerBreak::Truncated,
        });
    }
    (end.hash != head.hash).then_some(Broken {
        seq: end.seq,
        what: LedgerBreak::Altered,
    })
}

/// Which of two neighbours was rewritten with a fresh hash of its own, when `record` holds by itself but does
/// not continue `last`: if the chain goes on from `record`, then `last` is the stranger.
fn replaced(last: Option<&Sealed>, record: &Sealed, next: Option<&Sealed>, head: LedgerReceipt) -> i64 {
    let goes_on = next.map_or(head.hash == record.hash, |next| next.prev == record.hash);
    match last {
        Some(last) if goes_on => last.seq,
        _ => record.seq,
    }
}

/// The number under which the record's seal holds, nearest first. Both bounds come from the file and may lie, so
/// the search also ends after a fixed amount of hashing; what is then not known to be moved counts as altered.
fn true_number(record: &Sealed, expected: i64, head: LedgerReceipt) -> Option<i64> {
    let highest = head.seq.max(expected).saturating_add(1);
    let tries = i64::try_from(SEARCH_BYTES / record.text_length()).unwrap_or(i64::MAX) / 2;
    (1..=tries.min(highest))
        .flat_map(|distance| [expected - distance, expected.saturating_add(distance)])
        .find(|&seq| (1..=highest).contains(&seq) && record.intact_as(seq))
}

impl Sealed {
    /// Its place in the chain.
    pub(crate) fn receipt(&self) -> LedgerReceipt {
        LedgerReceipt {
            seq: self.seq,
            hash: self.hash,
        }
    }
}
