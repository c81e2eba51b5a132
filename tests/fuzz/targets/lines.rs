//! Any bytes, cut anywhere: the lines are the same as uncut, and no more is held back than the limit.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vestibule_transport::{Line, LineFramer};

const LIMIT: usize = 64;

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (bytes, cuts) = input;
    let whole = read(std::iter::once(bytes.as_slice()));
    let cut = read(pieces(&bytes, &cuts).into_iter());
    assert_eq!(lengths(&whole), lengths(&cut));
    for (one, other) in whole.iter().zip(&cut) {
        if let (Line::Whole(one), Line::Whole(other)) = (one, other) {
            assert_eq!(one, other);
            assert!(one.len() <= LIMIT && !one.contains(&b'\n'));
        }
    }
});

/// The bytes in pieces whose lengths are `cuts`, over and over.
fn pieces<'a>(mut bytes: &'a [u8], cuts: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for cut in cuts.iter().cycle().take(bytes.len().min(if cuts.is_empty() { 0 } else { usize::MAX })) {
        let (piece, rest) = bytes.split_at(usize::from(*cut).clamp(1, bytes.len().max(1)).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces.push(bytes);
    pieces
}

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Line> {
    let mut framer = LineFramer::new(LIMIT);
    let mut lines = Vec::new();
    for piece in pieces {
        framer.space().extend_from_slice(piece);
        lines.extend(std::iter::from_fn(|| framer.next_line()));
    }
    lines.extend(framer.finish());
    lines
}

/// What each line is and how long, which is all that is promised of an oversized one.
fn lengths(lines: &[Line]) -> Vec<(bool, usize)> {
    let length = |line: &Line| match line {
        Line::Whole(bytes) => (true, bytes.len()),
        Line::Oversized(line) => (false, line.bytes),
    };
    lines.iter().map(length).collect()
}
