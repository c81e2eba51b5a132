//! Words of texts and searches. A run of Chinese, Japanese or Korean characters has no spaces between its words, so each
//! pair of neighbours in it counts as a word, and its last character too: 天气 is found, and so is 天 alone by its first
//! letter. Other runs of letters and digits are words as they are, in lower case.
//!
//! The index is emptied by the words it was filled with. A change of these words needs a migration that empties the
//! index.

use std::collections::BTreeSet;

/// Characters of one word that count, so that data without spaces does not fill the index.
const MAX_WORD: usize = 64;
/// Terms of a search that count.
const MAX_TERMS: usize = 16;
/// Words of a search that the index is asked for.
const MAX_WORDS: usize = 48;

/// The different words of a text with a space between them, as the index gets them.
pub(super) fn index_words(text: &str) -> String {
    let words: BTreeSet<String> = words(text).into_iter().map(|word| word.text).collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

struct Word {
    text: String,
    is_pair: bool,
}

fn words(text: &str) -> Vec<Word> {
    let mut words = vec![];
    let mut run = String::new();
    let mut is_unspaced = false;
    for letter in text.chars().flat_map(char::to_lowercase) {
        let unspaced = has_no_spaces(letter);
        if !run.is_empty() && (!letter.is_alphanumeric() || unspaced != is_unspaced) {
            push_run(&mut words, &run, is_unspaced);
            run.clear();
        }
        if letter.is_alphanumeric() {
            run.push(letter);
            is_unspaced = unspaced;
        }
    }
    push_run(&mut words, &run, is_unspaced);
    words
}

fn push_run(words: &mut Vec<Word>, run: &str, is_unspaced: bool) {
    if run.is_empty() {
        return;
    }
    if !is_unspaced {
        let text = run.chars().take(MAX_WORD).collect();
        words.push(Word { text, is_pair: false });
        return;
    }
    let letters: Vec<char> = run.chars().collect();
    for pair in letters.windows(2) {
        let text = pair.iter().collect();
        words.push(Word { text, is_pair: true });
    }
    let text = letters.last().into_iter().collect();
    words.push(Word { text, is_pair: false });
}

/// Whether words of this script are written without spaces between them: Han, Kana, Hangul, Thai, Lao, Khmer, Burmese.
fn has_no_spaces(letter: char) -> bool {
    matches!(letter as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3040..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0xFF66..=0xFFDC
        | 0x20000..=0x3FFFF)
}

/// What a user searches for: terms with spaces between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchTerms(Vec<String>);

impl SearchTerms {
    /// Reads the field of a search. Terms after the sixteenth do not count.
    #[must_use]
    pub fn new(search: &str) -> Self {
        let terms = search.split_whitespace().take(MAX_TERMS);
        Self(terms.map(fold).collect())
    }

    /// Whether a text has every term.
    #[must_use]
    pub fn all_in(&self, text: &FoldedText) -> bool {
        self.0.iter().all(|term| !text.find(term).is_empty())
    }

    /// Where terms are in the original text, in bytes: in order, without overlaps.
    #[must_use]
    pub fn hits_in(&self, text: &FoldedText) -> Vec<(usize, usize)> {
        let mut hits: Vec<_> = self.0.iter().flat_map(|term| text.find(term)).collect();
        hits.sort_unstable();
        hits.dedup_by(|next, kept| {
            let touches = next.0 <= kept.1;
            if touches {
                kept.1 = kept.1.max(next.1);
            }
            touches
        });
        hits
    }

    /// What the index is asked; `None` where no term has a letter or a digit.
    pub(super) fn query(&self) -> Option<String> {
        let mut parts = vec![];
        for term in &self.0 {
            let mut words = words(term);
            // The last character of a run is there for texts that end with it; in a search its pair says more.
            let pairs = words.iter().any(|word| word.is_pair);
            words.retain(|word| word.is_pair || !pairs || !word.text.chars().all(has_no_spaces));
            for word in words {
                let prefix = if word.is_pair { "" } else { "*" };
                parts.push(format!("\"{}\"{prefix}", word.text));
            }
        }
        parts.truncate(MAX_WORDS);
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

/// A text in lower case that knows where each of its characters comes from.
#[derive(Clone, Debug)]
pub struct FoldedText {
    folded: String,
    /// For each byte of `folded`, where the character it comes from begins in the original, and the length at the end.
    origins: Vec<usize>,
    original: usize,
}

impl FoldedText {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut folded = String::with_capacity(text.len());
        let mut origins = Vec::with_capacity(text.len());
        for (at, letter) in text.char_indices() {
            folded.extend(letter.to_lowercase());
            origins.resize(folded.len(), at);
        }
        Self {
            folded,
            origins,
            original: text.len(),
        }
    }

    /// Where a term in lower case is in the original text, in bytes.
    fn find(&self, term: &str) -> Vec<(usize, usize)> {
        let end = |at: usize| self.origins.get(at).copied().unwrap_or(self.original);
        let found = self.folded.match_indices(term);
        found
            .filter(|&(at, _)| self.begins_a_word(at))
            .map(|(at, _)| (self.origins[at], end(at + term.len())))
            .filter(|(from, to)| from < to)
            .collect()
    }

    /// Whether no word goes on at this place of the folded text.
    fn begins_a_word(&self, at: usize) -> bool {
        let goes_on = |letter: char| letter.is_alphanumeric() && !has_no_spaces(letter);
        let (before, after) = self.folded.split_at(at);
        !(before.chars().next_back().is_some_and(goes_on) && after.chars().next().is_some_and(goes_on))
    }
}

fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_lower_case_and_pairs_of_neighbours() {
        assert_eq!(
            index_words("The Weather, the read_file-42"),
            "42 file read the weather"
        );
        assert_eq!(index_words("今天北京天气"), "京天 今天 北京 天北 天气 气");
        assert_eq!(index_words("去Oslo吧"), "oslo 去 吧");
        assert_eq!(index_words(" —!? "), "");
    }

    #[test]
    fn a_search_asks_for_words_by_their_first_letters() {
        let query = |search| SearchTerms::new(search).query();
        assert_eq!(query("Weath").as_deref(), Some(r#""weath"*"#));
        assert_eq!(query("天气").as_deref(), Some(r#""天气""#));
        assert_eq!(query("天").as_deref(), Some(r#""天"*"#));
        assert_eq!(query("北京 oslo").as_deref(), Some(r#""北京" "oslo"*"#));
        assert_eq!(
            query("read_file \"AND").as_deref(),
            Some(r#""read"* "file"* "and"*"#)
        );
        assert_eq!(query("%% —"), None);
    }

    #[test]
    fn hits_are_ranges_of_the_original_text() {
        let text = "İstanbul and OSLO, oslo: 北京天气";
        let terms = SearchTerms::new("oslo 天气 istanbul");
        let folded = FoldedText::new(text);
        let hits: Vec<_> = terms
            .hits_in(&folded)
            .iter()
            .map(|&(from, to)| &text[from..to])
            .collect();
        assert_eq!(hits, ["OSLO", "oslo", "天气"]);
        assert!(!terms.all_in(&folded));
        assert!(!SearchTerms::new("slo").all_in(&folded), "it begins no word");
        let overlapping = SearchTerms::new("北京天 京天气");
        let hits = overlapping.hits_in(&folded);
        assert_eq!(
            hits.iter().map(|&(from, to)| &text[from..to]).collect::<Vec<_>>(),
            ["北京天气"]
        );
    }
}
