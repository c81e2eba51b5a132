//! Where a value came from: what one server returned is remembered for the length of a chat, and found again in the
//! arguments meant for another server. It finds whole values, distinctive words within them, and pieces of them, in
//! texts, numbers and the names of members. It is a heuristic, and misses what was changed on the way: translated,
//! summed up, encoded, spelled out, split over several calls, common words, anything shorter than eight characters,
//! pictures and sound. That nothing is found therefore proves nothing. Where it could not compare everything, it says
//! so: [`DataFlow::too_much`].

mod source;
mod words;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vestibule_protocol::ServerId;

use source::{IndexedValue, TaintSource};
use words::{JsonPart, each_text, is_distinctive, values, with_halves, word_starts};

/// Longest value that is kept, in bytes; of a longer one its words are, and of a longer word its pieces.
const LONGEST: usize = 4096;
/// Most bytes of one thing that was returned, or of the arguments of one call, that are looked at.
const MOST_LOOKED_AT: usize = 256 * 1024;
/// Most servers whose values are kept for one chat.
const MOST_SOURCES: usize = 32;
/// Most values of one server, and most bytes of them, that are kept for one chat; its oldest go first.
const MOST_VALUES: usize = 16 * 1024;
const MOST_BYTES: usize = 2 * 1024 * 1024;
/// Most values the user wrote that are kept for one chat.
const MOST_OWN: usize = 4096;
/// Most findings of one call.
const MOST_FOUND: usize = 8;
/// Most values that are compared with the arguments of one call, so that no call takes long.
const MOST_COMPARED: usize = 1 << 20;
/// Most times all values of one server are searched for one call.
const MOST_SCANS: usize = 128;
/// Most characters of a value that are shown.
const SHOWN: usize = 80;

/// One value that was found in the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[ts(rename = "Carried")]
pub struct TaintedValue {
    /// The server whose tool returned it.
    pub from: ServerId,
    pub tool: String,
    /// Where in the arguments it stands, as a JSON pointer.
    pub at: String,
    /// The value, or its beginning.
    pub value: String,
}

/// What the arguments of a call carry from other servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataFlow {
    pub carried: Vec<TaintedValue>,
    /// Whether there was too much to compare: the arguments are too long, or other servers returned more than is
    /// kept. More may be carried than was found.
    pub too_much: bool,
}

/// What the servers of one chat returned.
#[derive(Debug, Default)]
pub struct TaintIndex {
    /// In the order in which they first returned something.
    sources: Vec<TaintSource>,
    /// Whether something was returned by more servers than are kept.
    crowded: bool,
    /// What the user wrote, which is no secret from the servers.
    own: HashSet<String>,
}

impl TaintIndex {
    /// Remembers what a server returned: a result, an error, a resource or a prompt. Of a very
    /// long one the rest is not known, and later calls are [`DataFlow::too_much`].
    pub fn index_result(&mut self, from: ServerId, tool: &str, returned: &Value) {
        let Some(source) = self.source(from) else { return };
        let whole = each_bounded(returned, |text, part| {
            for value in values(text).filter(|value| part == JsonPart::Value || is_distinctive(value)) {
                source.index_value(tool, value);
            }
        });
        source.forgot |= !whole;
    }

    /// Notes what a server wrote into the definition of its tool, names of arguments above all: it knows these words
    /// itself, even if another server used them.
    pub fn index_definition(&mut self, server: ServerId, tool: &str, definition: &Value) {
        let Some(source) = self.source(server) else { return };
        each_bounded(definition, |text, _| {
            values(text).for_each(|value| source.index_value(tool, value));
        });
    }

    /// Notes what the user wrote: passing that on is what they asked for.
    pub fn index_user_text(&mut self, text: &str) {
        let text = beginning_of(text, MOST_LOOKED_AT);
        let room = MOST_OWN.saturating_sub(self.own.len());
        self.own.extend(values(text).take(room).map(str::to_owned));
    }

    /// What in `arguments` for a tool of `to` was returned by another server, and by no tool of `to` itself.
    #[must_use]
    pub fn find_tainted(&self, to: ServerId, arguments: &Value) -> DataFlow {
        let foreign = self.sources.iter().filter(|source| source.server != to);
        let foreign: Vec<&TaintSource> = foreign.collect();
        if foreign.is_empty() && !self.crowded {
            return DataFlow::default();
        }
        let mut search = TaintSearch {
            foreign: &foreign,
            receiver: self.sources.iter().find(|source| source.server == to),
            own: &self.own,
            budget: ComparisonBudget::default(),
        };
        let (carried, cut) = search.find_all(arguments);
        let forgot = foreign.iter().any(|source| source.forgot);
        DataFlow {
            too_much: cut || forgot || self.crowded || search.budget.exceeded,
            carried,
        }
    }

    fn source(&mut self, server: ServerId) -> Option<&mut TaintSource> {
        let known = self.sources.iter().position(|source| source.server == server);
        let index = known.unwrap_or(self.sources.len());
        if index == self.sources.len() {
            if index == MOST_SOURCES {
                self.crowded = true;
                return None;
            }
            self.sources.push(TaintSource::new(server));
        }
        self.sources.get_mut(index)
    }
}

/// The search for foreign values in the arguments of one call.
struct TaintSearch<'a> {
    foreign: &'a [&'a TaintSource],
    /// What the server the arguments go to returned itself.
    receiver: Option<&'a TaintSource>,
    own: &'a HashSet<String>,
    budget: ComparisonBudget,
}

impl<'a> TaintSearch<'a> {
    /// The foreign values in `arguments`, at most [`MOST_FOUND`], and whether some text was too long to be looked at.
    fn find_all(&mut self, arguments: &Value) -> (Vec<TaintedValue>, bool) {
        let mut carried: Vec<TaintedValue> = vec![];
        let mut left = MOST_LOOKED_AT;
        let mut cut = false;
        each_text(arguments, &mut String::new(), &mut |at, text, _| {
            let looked_at = beginning_of(text, left);
            cut |= looked_at.len() < text.len();
            left -= looked_at.len();
            if let Some((from, kept)) = self.find(looked_at) {
                carried.push(TaintedValue {
                    from,
                    tool: kept.tool.clone(),
                    at: at.to_owned(),
                    value: kept.text.chars().take(SHOWN).collect(),
                });
            }
            carried.len() < MOST_FOUND
        });
        (carried, cut)
    }

    /// The longest foreign value that stands in `text`, or else one of which `text`, or a word of it, is a piece.
    fn find(&mut self, text: &str) -> Option<(ServerId, &'a IndexedValue)> {
        self.find_whole(text).or_else(|| self.find_piece(text))
    }

    fn find_whole(&mut self, text: &str) -> Option<(ServerId, &'a IndexedValue)> {
        let mut longest: Option<(ServerId, &IndexedValue)> = None;
        for source in self.foreign {
            for start in word_starts(text) {
                for kept in source.whole_at(&text[start..], &mut self.budget) {
                    let is_longer = longest.is_none_or(|(_, found)| kept.text.len() > found.text.len());
                    if is_longer && self.is_foreign(&kept.text) {
                        longest = Some((source.server, kept));
                    }
                }
            }
        }
        longest
    }

    fn find_piece(&mut self, text: &str) -> Option<(ServerId, &'a IndexedValue)> {
        let mut seen = HashSet::new();
        for piece in values(text).filter(|piece| is_distinctive(piece)) {
            if !seen.insert(piece) || self.is_known(piece) {
                continue;
            }
            for part in with_halves(piece) {
                if let Some(found) = self.find_part(part) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// A foreign value that `part` was cut out of.
    fn find_part(&mut self, part: &str) -> Option<(ServerId, &'a IndexedValue)> {
        for source in self.foreign {
            if let Some(kept) = source.find_containing(part, &mut self.budget)
                && self.is_foreign(part)
            {
                return Some((source.server, kept));
            }
        }
        None
    }

    /// Whether the user wrote exactly this, or the server it goes to returned exactly this.
    fn is_known(&self, text: &str) -> bool {
        self.own.contains(text) || self.receiver.is_some_and(|source| source.has(text))
    }

    /// Whether this is not known, and no part of what the server it goes to returned. Past the budget nothing is
    /// called foreign that may not be; [`DataFlow::too_much`] then says so.
    fn is_foreign(&mut self, text: &str) -> bool {
        let receiver = self.receiver.filter(|_| !self.is_known(text));
        match receiver {
            Some(source) => source.find_containing(text, &mut self.budget).is_none() && !self.budget.exceeded,
            None => !self.is_known(text),
        }
    }
}

/// How much is compared for one call.
#[derive(Debug, Default)]
struct ComparisonBudget {
    compared: usize,
    scans: usize,
    exceeded: bool,
}

impl ComparisonBudget {
    /// Whether so many values may still be compared.
    fn compare(&mut self, values: usize) -> bool {
        self.compared += values;
        self.exceeded |= self.compared > MOST_COMPARED;
        !self.exceeded
    }

    /// Whether all values of one server may be searched once more.
    fn scan(&mut self) -> bool {
        self.scans += 1;
        self.exceeded |= self.scans > MOST_SCANS;
        !self.exceeded
    }
}

fn beginning_of(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

/// Every text in `value`, up to the bytes that are looked at; whether that was all.
fn each_bounded(value: &Value, mut look: impl FnMut(&str, JsonPart)) -> bool {
    let mut left = MOST_LOOKED_AT;
    each_text(value, &mut String::new(), &mut |_, text, part| {
        let looked_at = beginning_of(text, left);
        left -= looked_at.len();
        look(looked_at, part);
        looked_at.len() == text.len()
    })
}

#[cfg(test)]
mod tests;
