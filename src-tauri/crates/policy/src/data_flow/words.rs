//! How texts are taken apart, the same way for what a server returned and for the arguments of a call.

use serde_json::{Number, Value};

use super::LONGEST;

/// Shortest value that is remembered, in characters.
pub(super) const SHORTEST: usize = 8;
/// From this length on a word is distinctive whatever its letters.
const LONG_WORD: usize = 20;

/// What a piece of text is in the JSON it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonPart {
    /// The name of an object's member.
    Key,
    /// A text or a number.
    Value,
}

/// The text itself where it is one value, and the distinctive words in it. Of a word that is longer than a value may be,
/// the pieces: they begin where the word begins, so that equal words have equal pieces.
pub(super) fn values(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.trim();
    let is_value = whole.len() <= LONGEST;
    let words = whole
        .split(|letter: char| letter.is_whitespace() || "\"'`,;()[]{}<>=|\\".contains(letter))
        .map(|word| word.trim_matches(|letter: char| ".:!?*#".contains(letter)))
        .filter(move |word| is_distinctive(word) && !(is_value && *word == whole))
        .flat_map(pieces);
    let whole = is_value.then_some(whole);
    whole
        .into_iter()
        .chain(words)
        .filter(|value| beginning(value).is_some())
}

/// A word in parts of at most [`LONGEST`] bytes.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at_checked(rest.floor_char_boundary(LONGEST))?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A text to search for, and both halves of a long one: where it was cut out of a longer word, the end of a kept piece
/// may lie within it, but only within one half.
pub(super) fn with_halves(text: &str) -> impl Iterator<Item = &str> {
    let halves = (text.len() > LONGEST / 4).then(|| text.split_at(text.floor_char_boundary(text.len() / 2)));
    std::iter::once(text).chain(halves.into_iter().flat_map(|(first, second)| [first, second]))
}

/// Whether a word is hardly one of a language: long, or with digits, signs or capitals within.
pub(super) fn is_distinctive(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next();
    word.chars().count() >= LONG_WORD || letters.any(|letter| !letter.is_lowercase())
}

/// The places in `text` at which no word is cut in two.
pub(super) fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut within = false;
    text.char_indices().filter_map(move |(start, letter)| {
        let starts = !within;
        within = letter.is_alphanumeric();
        starts.then_some(start)
    })
}

/// The characters a value begins with; `None` where it has too few to be one.
pub(super) fn beginning(text: &str) -> Option<[char; SHORTEST]> {
    let mut letters = text.chars();
    let mut beginning = ['\0'; SHORTEST];
    for slot in &mut beginning {
        *slot = letters.next()?;
    }
    Some(beginning)
}

/// Calls `look` with every text, number and key and where it stands, until it says no.
pub(super) fn each_text(
    value: &Value,
    at: &mut String,
    look: &mut impl FnMut(&str, &str, JsonPart) -> bool,
) -> bool {
    let length = at.len();
    let mut step = |at: &mut String, name: &str, part: JsonPart, value: &Value| {
        at.push('/');
        at.push_str(&name.replace('~', "~0").replace('/', "~1"));
        let goes_on = (part == JsonPart::Value || look(at, name, part)) && each_text(value, at, look);
        at.truncate(length);
        goes_on
    };
    match value {
        Value::String(text) => look(at, text, JsonPart::Value),
        Value::Number(number) => look(at, &digits(number), JsonPart::Value),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .all(|(index, item)| step(at, &index.to_string(), JsonPart::Value, item)),
        Value::Object(members) => members
            .iter()
            .all(|(name, member)| step(at, name, JsonPart::Key, member)),
        Value::Null | Value::Bool(_) => true,
    }
}

/// A number as a user would write it: a whole one without a fraction.
fn digits(number: &Number) -> String {
    // Up to here every whole number is a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
            format!("{float:.0}")
        }
        _ => number.to_string(),
    }
}
