//! The search over what was said in all chats.

use std::collections::HashSet;

use super::Host;
use crate::transcript;
use crate::view::{ChatHit, EntryBody, Problem};

/// How many entries are read for one search; of each chat the newest counts.
const MAX_ENTRIES: u32 = 400;
/// How many chats are shown.
const MAX_HITS: usize = 20;
/// The longest search, in characters.
const MAX_SEARCH: usize = 200;
/// How much of an entry is shown before and after the first word, in characters.
const CONTEXT: (usize, usize) = (32, 96);

impl Host {
    /// The chats in which all these words were said in one message, the newest first. Titles are not searched: the
    /// window has them.
    ///
    /// # Errors
    /// When the chats cannot be read.
    pub async fn chat_search(&self, search: &str) -> Result<Vec<ChatHit>, Problem> {
        let search: String = search.chars().take(MAX_SEARCH).collect();
        let words: Vec<String> = search.split_whitespace().map(str::to_owned).collect();
        let Some(first) = words.first() else {
            return Ok(vec![]);
        };
        let found = self.0.store.entries_with_words(&words, MAX_ENTRIES).await?;
        let mut chats = HashSet::new();
        let entries = found.into_iter().filter_map(transcript::view);
        let hits = entries
            .filter(|entry| chats.insert(entry.chat))
            .map(|entry| ChatHit {
                chat: entry.chat,
                entry: entry.id,
                excerpt: match &entry.body {
                    EntryBody::User { text, .. } | EntryBody::Assistant { text, .. } => excerpt(text, first),
                    EntryBody::Call(_)
                    | EntryBody::BuiltInCall(_)
                    | EntryBody::ToolsLeftOut { .. }
                    | EntryBody::Failure { .. } => String::new(),
                },
            });
        Ok(hits.take(MAX_HITS).collect())
    }
}

/// One line of the text around a word. Both are compared without the case of ASCII letters, as the store does.
fn excerpt(text: &str, word: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = line
        .to_ascii_lowercase()
        .find(&word.to_ascii_lowercase())
        .unwrap_or(0);
    let (before, after) = line.split_at(at);
    let from = before
        .char_indices()
        .rev()
        .nth(CONTEXT.0 - 1)
        .map_or(0, |(from, _)| from);
    let to = after
        .char_indices()
        .nth(CONTEXT.1)
        .map_or(after.len(), |(to, _)| to);
    let cut = |is_cut: bool| if is_cut { "…" } else { "" };
    let (before, shown) = (&before[from..], &after[..to]);
    format!("{}{before}{shown}{}", cut(from > 0), cut(to < after.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_around_the_word_and_says_where_it_was_cut() {
        assert_eq!(excerpt("Only\n  this line", "THIS"), "Only this line");
        let long = format!("{} 目的地 Oslo {}", "词".repeat(60), "after ".repeat(40));
        let shown = excerpt(&long, "oslo");
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.contains("目的地 Oslo after"), "{shown}");
        assert_eq!(excerpt("", "x"), "");
    }
}
