//! Where a value came from: what one server's tools returned is remembered for the length of a chat, and found again in
//! the arguments meant for another server. It finds whole values, distinctive words within them, and pieces of them.
//! It is a heuristic, and misses what was changed on the way: translated, summed up, encoded, spelled out, split over
//! several calls, common words, anything shorter than eight characters, pictures and sound, and whatever was returned
//! so long ago, or within so much, that it was no longer kept. That nothing is found therefore proves nothing.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vestibule_protocol::ServerId;

/// Shortest value that is remembered, in characters.
const SHORTEST: usize = 8;
/// From this length on a word is distinctive whatever its letters.
const LONG_WORD: usize = 20;
/// Longest value that is kept, in bytes; of a longer one only its words are.
const LONGEST: usize = 4096;
/// Most bytes of one result, or of the arguments of one call, that are looked at.
const LOOKED_AT: usize = 256 * 1024;
/// Most values, and most bytes of them, that are kept for one chat; the oldest go first.
const MOST_VALUES: usize = 4096;
const MOST_BYTES: usize = 512 * 1024;
/// Most findings of one call.
const MOST_FOUND: usize = 8;
/// Most candidates that are compared, so that no text takes long.
const MOST_TRIED: usize = 64;
/// Most characters of a value that are shown.
const SHOWN: usize = 80;

/// What was found in the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Carried {
    /// The server whose tool returned it.
    pub from: ServerId,
    /// That tool.
    pub tool: String,
    /// Where in the arguments it stands, as a JSON pointer.
    pub at: String,
    /// The value, or its beginning.
    pub value: String,
}

/// What the tools of one chat returned.
#[derive(Debug, Default)]
pub struct Returned {
    values: VecDeque<Kept>,
    bytes: usize,
    /// Number of the first value that is still kept; each value has the next one.
    first: usize,
    /// Numbers of the values by how they begin.
    by_beginning: HashMap<[char; SHORTEST], Vec<usize>>,
    /// What the person wrote, which is nobody's secret from the servers.
    own: HashSet<String>,
}

#[derive(Debug)]
struct Kept {
    from: ServerId,
    tool: String,
    text: String,
    beginning: [char; SHORTEST],
}

impl Returned {
    /// Remembers what a tool returned.
    pub fn remember(&mut self, from: ServerId, tool: &str, result: &Value) {
        let mut left = LOOKED_AT;
        each_text(result, &mut String::new(), &mut |_, text| {
            let text = beginning_of(text, left);
            left -= text.len();
            for value in values(text) {
                self.keep(from, tool, value);
            }
            true
        });
    }

    /// Notes what the person wrote: passing that on is what they asked for.
    pub fn written_by_person(&mut self, text: &str) {
        let text = beginning_of(text, LOOKED_AT);
        let room = MOST_VALUES.saturating_sub(self.own.len());
        self.own.extend(values(text).take(room).map(str::to_owned));
    }

    /// What in `arguments` for a tool of `to` was returned by another server, and by no tool of `to` itself.
    #[must_use]
    pub fn carried(&self, to: ServerId, arguments: &Value) -> Vec<Carried> {
        let mut found: Vec<Carried> = vec![];
        let mut left = LOOKED_AT;
        each_text(arguments, &mut String::new(), &mut |at, text| {
            let text = beginning_of(text, left);
            left -= text.len();
            if let Some(kept) = self.find(to, text) {
                found.push(Carried {
                    from: kept.from,
                    tool: kept.tool.clone(),
                    at: at.to_owned(),
                    value: kept.text.chars().take(SHOWN).collect(),
                });
            }
            found.len() < MOST_FOUND
        });
        found
    }

    fn keep(&mut self, from: ServerId, tool: &str, text: &str) {
        let Some(beginning) = beginning(text) else {
            return;
        };
        let numbers = self.by_beginning.entry(beginning).or_default();
        let known = |number: &usize| {
            let kept = &self.values[number - self.first];
            kept.from == from && kept.text == text
        };
        if text.len() > LONGEST || numbers.iter().any(known) {
            return;
        }
        numbers.push(self.first + self.values.len());
        self.bytes += text.len();
        self.values.push_back(Kept {
            from,
            tool: tool.to_owned(),
            text: text.to_owned(),
            beginning,
        });
        while self.values.len() > MOST_VALUES || self.bytes > MOST_BYTES {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.values.pop_front() else {
            return;
        };
        self.bytes -= oldest.text.len();
        if let Some(numbers) = self.by_beginning.get_mut(&oldest.beginning) {
            numbers.retain(|number| *number != self.first);
            if numbers.is_empty() {
                self.by_beginning.remove(&oldest.beginning);
            }
        }
        self.first += 1;
    }

    /// The longest foreign value that stands in `text`, or else one of which `text`, or a word of it, is a piece.
    fn find<'a>(&'a self, to: ServerId, text: &'a str) -> Option<&'a Kept> {
        let inside = self.inside(text).take(MOST_TRIED);
        let foreign = inside.filter(|kept| self.is_foreign(to, &kept.text));
        foreign.max_by_key(|kept| kept.text.len()).or_else(|| {
            let pieces = values(text).filter(|piece| is_distinctive(piece));
            let mut foreign = pieces.take(MOST_TRIED).filter(|piece| self.is_foreign(to, piece));
            foreign.find_map(|piece| self.around(piece))
        })
    }

    /// The values that stand whole in `text`, not as part of a longer word.
    fn inside<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a Kept> {
        let starts = text.char_indices().map(|(start, _)| start);
        let starts = starts.filter(|start| !ends_in_a_word(&text[..*start]));
        starts.flat_map(move |start| {
            let rest = &text[start..];
            let numbers = beginning(rest).and_then(|beginning| self.by_beginning.get(&beginning));
            let kept = numbers
                .into_iter()
                .flatten()
                .take(MOST_TRIED)
                .map(|number| &self.values[number - self.first]);
            kept.filter(|kept| {
                let after = rest.strip_prefix(kept.text.as_str());
                after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
            })
        })
    }

    /// A longer value that `piece` was cut out of.
    fn around(&self, piece: &str) -> Option<&Kept> {
        self.values.iter().find(|kept| kept.text.contains(piece))
    }

    /// Whether neither the person wrote this nor the server it goes to returned it.
    fn is_foreign(&self, to: ServerId, text: &str) -> bool {
        let known = |kept: &Kept| kept.from == to && kept.text.contains(text);
        !self.own.contains(text) && !self.values.iter().any(known)
    }
}

/// The text itself where it is one value, and the distinctive words in it.
fn values(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.trim();
    let words = whole
        .split(|letter: char| letter.is_whitespace() || "\"'`,;()[]{}<>=|\\".contains(letter))
        .map(|word| word.trim_matches(|letter: char| ".:!?*#".contains(letter)))
        .filter(move |word| is_distinctive(word) && *word != whole);
    std::iter::once(whole)
        .chain(words)
        .filter(|value| beginning(value).is_some())
}

/// Whether a word is hardly one of a language: long, or with digits, signs or capitals within.
fn is_distinctive(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next();
    word.chars().count() >= LONG_WORD || letters.any(|letter| !letter.is_lowercase())
}

fn ends_in_a_word(text: &str) -> bool {
    text.ends_with(char::is_alphanumeric)
}

/// The characters a value begins with; `None` where it has too few to be one.
fn beginning(text: &str) -> Option<[char; SHORTEST]> {
    let mut letters = text.chars();
    let mut beginning = ['\0'; SHORTEST];
    for slot in &mut beginning {
        *slot = letters.next()?;
    }
    Some(beginning)
}

fn beginning_of(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

/// Calls `look` with every text and where it stands, until it says no.
fn each_text(value: &Value, at: &mut String, look: &mut impl FnMut(&str, &str) -> bool) -> bool {
    let length = at.len();
    let mut step = |at: &mut String, name: &str, value: &Value| {
        at.push('/');
        at.push_str(&name.replace('~', "~0").replace('/', "~1"));
        let goes_on = each_text(value, at, look);
        at.truncate(length);
        goes_on
    };
    match value {
        Value::String(text) => look(at, text),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .all(|(index, item)| step(at, &index.to_string(), item)),
        Value::Object(members) => members.iter().all(|(name, member)| step(at, name, member)),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
