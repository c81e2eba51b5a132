//! What one server returned: a ring of its own, so that no other server can push a value out of it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use vestibule_protocol::ServerId;

use super::words::{SHORTEST, beginning};
use super::{ComparisonBudget, LONGEST, MOST_BYTES, MOST_VALUES};

#[derive(Debug)]
pub(super) struct TaintSource {
    pub(super) server: ServerId,
    values: VecDeque<IndexedValue>,
    texts: HashSet<Arc<str>>,
    bytes: usize,
    /// Number of the first value that is still kept; each value has the next one.
    first: usize,
    /// Numbers of the values by how they begin.
    by_beginning: HashMap<[char; SHORTEST], Vec<usize>>,
    grams: Grams,
    /// Whether something it returned is not kept: an older value made room, or there was more than is looked at.
    pub(super) forgot: bool,
}

#[derive(Debug)]
pub(super) struct IndexedValue {
    pub(super) tool: String,
    pub(super) text: Arc<str>,
    beginning: [char; SHORTEST],
}

impl IndexedValue {
    /// Whether it may be a piece of a longer word. A character that did not fit has at most four bytes.
    fn is_long(&self) -> bool {
        self.text.len() + 4 > LONGEST
    }
}

impl TaintSource {
    pub(super) fn new(server: ServerId) -> Self {
        Self {
            server,
            values: VecDeque::new(),
            texts: HashSet::new(),
            bytes: 0,
            first: 0,
            by_beginning: HashMap::new(),
            grams: Grams::default(),
            forgot: false,
        }
    }

    pub(super) fn index_value(&mut self, tool: &str, text: &str) {
        let Some(beginning) = beginning(text) else {
            return;
        };
        if text.len() > LONGEST || self.has(text) {
            return;
        }
        let text: Arc<str> = text.into();
        self.grams.add(&text);
        self.texts.insert(text.clone());
        let numbers = self.by_beginning.entry(beginning).or_default();
        numbers.push(self.first + self.values.len());
        self.bytes += text.len();
        self.values.push_back(IndexedValue {
            tool: tool.to_owned(),
            text,
            beginning,
        });
        self.drop_surplus();
    }

    /// Forgets the oldest values until the rest is few and small enough.
    fn drop_surplus(&mut self) {
        while self.values.len() > MOST_VALUES || self.bytes > MOST_BYTES {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.values.pop_front() else {
            return;
        };
        self.forgot = true;
        self.bytes -= oldest.text.len();
        self.texts.remove(&oldest.text);
        if let Some(numbers) = self.by_beginning.get_mut(&oldest.beginning) {
            numbers.retain(|number| *number != self.first);
            if numbers.is_empty() {
                self.by_beginning.remove(&oldest.beginning);
            }
        }
        self.first += 1;
    }

    /// Whether exactly this is one of the values.
    pub(super) fn has(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// The values that stand whole at the beginning of `rest`, not as part of a longer word. A long value may go on: it
    /// can be a piece of a word, and no other word begins with as many bytes.
    pub(super) fn whole_at<'a>(&'a self, rest: &str, budget: &mut ComparisonBudget) -> Vec<&'a IndexedValue> {
        let numbers = beginning(rest).and_then(|beginning| self.by_beginning.get(&beginning));
        let Some(numbers) = numbers.filter(|numbers| budget.compare(numbers.len())) else {
            return vec![];
        };
        let kept = numbers.iter().map(|number| &self.values[number - self.first]);
        kept.filter(|kept| {
            let after = rest.strip_prefix(&*kept.text);
            after.is_some_and(|after| kept.is_long() || !after.starts_with(char::is_alphanumeric))
        })
        .collect()
    }

    /// A value that `piece` is, or was cut out of.
    pub(super) fn find_containing(
        &self,
        piece: &str,
        budget: &mut ComparisonBudget,
    ) -> Option<&IndexedValue> {
        if !self.grams.may_hold(piece) || !budget.scan() {
            return None;
        }
        self.values.iter().find(|kept| kept.text.contains(piece))
    }
}

/// Which runs of bytes occur in the values at all: a text with another run in it is in none of them. Says "perhaps"
/// too often rather than too seldom.
#[derive(Debug)]
struct Grams(Box<[u64]>);

/// As a power of two.
const GRAM_BITS: u32 = 21;

impl Default for Grams {
    fn default() -> Self {
        Self(vec![0; 1 << (GRAM_BITS - 6)].into())
    }
}

impl Grams {
    fn add(&mut self, text: &str) {
        for (word, bit) in places(text) {
            self.0[word] |= bit;
        }
    }

    fn may_hold(&self, text: &str) -> bool {
        places(text).all(|(word, bit)| self.0[word] & bit != 0)
    }
}

/// Where the bits of each run of `SHORTEST` bytes stand.
fn places(text: &str) -> impl Iterator<Item = (usize, u64)> {
    text.as_bytes().windows(SHORTEST).map(|run| {
        let run = run.iter().fold(0u64, |run, byte| (run << 8) | u64::from(*byte));
        let hash = run.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - GRAM_BITS);
        let word = usize::try_from(hash >> 6).unwrap_or_default();
        (word, 1 << (hash & 63))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_agrees_with_its_indexes() {
        let mut source = TaintSource::new(ServerId::new());
        let long = "a".repeat(LONGEST - 8);
        for number in 0..MOST_BYTES / LONGEST + 50 {
            source.index_value("read", &format!("{number:08}{long}"));
        }
        assert!(source.bytes <= MOST_BYTES);
        assert!(source.forgot);
        let indexed: usize = source.by_beginning.values().map(Vec::len).sum();
        assert_eq!(indexed, source.values.len());
        assert_eq!(source.texts.len(), source.values.len());
        assert_eq!(
            source.bytes,
            source.values.iter().map(|kept| kept.text.len()).sum::<usize>()
        );
        assert!(!source.has(&format!("00000000{long}")));
    }

    #[test]
    fn texts_with_other_runs_of_the_same_bytes_are_not_searched_for() {
        let mut grams = Grams::default();
        grams.add("KX-4471-99 of Annabelle");
        assert!(grams.may_hold("4471-99 of Ann"));
        assert!(!grams.may_hold("1744-KX-99"));
        assert!(!grams.may_hold("of Annabelle KX-4471"));
    }

    #[test]
    fn values_are_kept_up_to_the_last_one_there_is_room_for() {
        let mut source = TaintSource::new(ServerId::new());
        for number in 0..MOST_VALUES {
            source.index_value("read", &format!("{number:08}"));
        }
        assert!(!source.forgot && source.has("00000000"));
        source.index_value("read", "00000001");
        assert!(!source.forgot, "what is known already takes no more room");
        source.index_value("read", "Annabelle");
        assert!(source.forgot && !source.has("00000000") && source.has("00000001"));
        let whole = |text: &str| -> Vec<String> {
            let found = source.whole_at(text, &mut ComparisonBudget::default());
            found.iter().map(|kept| kept.text.to_string()).collect()
        };
        assert_eq!(whole("00000001 is kept"), ["00000001"]);
        assert_eq!(whole("Annabelle is kept"), ["Annabelle"]);
        assert!(whole("00000000 is not").is_empty());

        let mut source = TaintSource::new(ServerId::new());
        let value = |number: usize, length: usize| format!("{number:08}{}", "a".repeat(length - 8));
        source.index_value("read", &value(0, LONGEST + 1));
        assert!(source.values.is_empty());
        for number in 0..MOST_BYTES / LONGEST {
            source.index_value("read", &value(number, LONGEST));
        }
        assert!(!source.forgot && source.has(&value(0, LONGEST)));

        let mut source = TaintSource::new(ServerId::new());
        for number in 0..500 {
            source.index_value("read", &value(number, 4000));
        }
        assert!(!source.forgot, "two megabytes are kept");
    }
}
