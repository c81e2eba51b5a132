//! Patterns of text. They are matched in time that grows with the product of both lengths, never faster, so that no
//! pattern and no argument can hold up a decision. A pattern knows nothing of paths, addresses and commands: a text that
//! climbs, names an address, hides a character or could go on with another command is not judged.

use vestibule_protocol::is_invisible;

use super::{Judged, has_more_shell_signs};

/// Longest text that is matched, in characters; of more nothing is said.
const LONGEST: usize = 4096;

enum Piece {
    One,
    Within,
    Across,
    Exactly(char),
}

pub(super) fn judge(pattern: &str, text: &str) -> Judged {
    if has_more_shell_signs(text, pattern) {
        return Judged::Unclear;
    }
    let text: Vec<char> = text.chars().take(LONGEST + 1).collect();
    if text.len() > LONGEST || means_more(&text) {
        return Judged::Unclear;
    }
    Judged::from_bool(matches(&pieces(pattern), &text))
}

/// Whether the text may lead somewhere else than it reads.
fn means_more(text: &[char]) -> bool {
    let holds = |sign: &[char]| text.windows(sign.len()).any(|part| part == sign);
    holds(&['.', '.'])
        || holds(&[':', '/', '/'])
        || text.iter().any(|letter| *letter == '\\' || is_invisible(*letter))
        || text.windows(3).any(is_encoded_step)
}

/// Whether the characters are a dot, a separator of folders or a percent sign, written as URLs encode them.
fn is_encoded_step(part: &[char]) -> bool {
    let [percent, high, low] = part else { return false };
    *percent == '%'
        && matches!(
            (high, low.to_ascii_lowercase()),
            ('2', 'e' | 'f' | '5') | ('5', 'c')
        )
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut characters = pattern.chars().peekable();
    let mut pieces = vec![];
    while let Some(character) = characters.next() {
        pieces.push(match character {
            '?' => Piece::One,
            '*' if characters.next_if_eq(&'*').is_some() => Piece::Across,
            '*' => Piece::Within,
            exact => Piece::Exactly(exact),
        });
    }
    pieces
}

/// `reached[n]` says whether the pieces so far can stand for the first `n` characters.
fn matches(pieces: &[Piece], text: &[char]) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for piece in pieces {
        let mut next = vec![false; text.len() + 1];
        for end in 0..=text.len() {
            let last = end
                .checked_sub(1)
                .map(|before| (reached[before], next[before], text[before]));
            next[end] = match piece {
                Piece::One => last.is_some_and(|(before, _, _)| before),
                Piece::Exactly(wanted) => last.is_some_and(|(before, _, last)| before && last == *wanted),
                Piece::Across => reached[end] || last.is_some_and(|(_, longer, _)| longer),
                Piece::Within => reached[end] || last.is_some_and(|(_, longer, last)| longer && last != '/'),
            };
        }
        reached = next;
    }
    reached[text.len()]
}
