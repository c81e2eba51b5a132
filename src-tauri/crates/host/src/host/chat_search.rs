//! The search over what was said in all chats, and the work that adds what earlier versions wrote to its index.

use vestibule_store::{EntryRecord, FoldedText, SearchTerms, StoreError, entry_text};

use super::Host;
use super::plain_text::plain_text;
use crate::transcript;
use crate::view::{ChatHit, ChatSearch, EntryBody, ExcerptPart, HitSpeaker, Problem};

/// How many entries are shown.
const MAX_HITS: usize = 60;
/// The longest search, in characters.
const MAX_SEARCH: usize = 200;
/// How much of an entry is shown before and after the first hit, in characters.
const CONTEXT: (usize, usize) = (40, 160);

impl Host {
    /// The entries of all chats outside the trash that have each of these words, the newest first. Titles are not
    /// searched: the window has them.
    ///
    /// # Errors
    /// When the chats cannot be read.
    pub async fn chat_search(&self, search: &str) -> Result<ChatSearch, Problem> {
        let search: String = search.chars().take(MAX_SEARCH).collect();
        let terms = SearchTerms::new(&search);
        let found = self.0.store.search(terms.clone(), MAX_HITS).await?;
        let hits = found.entries.into_iter();
        let mut hits: Vec<_> = hits.filter_map(|record| hit(record, &terms)).collect();
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.at_ms));
        Ok(ChatSearch {
            hits,
            more: found.more,
            unindexed: found.unindexed,
        })
    }

    /// Adds what earlier versions wrote to the index, step by step beside everything else. What is left when the
    /// application ends is added in the next run.
    pub(super) fn index_chats(&self) {
        let host = self.clone();
        self.0.tasks.spawn(async move {
            while !host.0.tasks.is_closed() {
                match host.0.store.index_more().await {
                    Ok(true) => {}
                    Ok(false) | Err(StoreError::Closed) => return,
                    Err(error) => {
                        tracing::warn!(%error, "failed to add earlier entries to the search index");
                        return;
                    }
                }
            }
        });
    }
}

fn hit(record: EntryRecord, terms: &SearchTerms) -> Option<ChatHit> {
    let mut text = entry_text(&record.body);
    let entry = transcript::view(record)?;
    let speaker = match entry.body {
        EntryBody::User { .. } => HitSpeaker::User,
        EntryBody::Assistant { .. } => {
            // Where only the address of a link was found, for instance, the text stays as the model wrote it.
            let plain = plain_text(&text);
            if terms.all_in(&FoldedText::new(&plain)) {
                text = plain;
            }
            HitSpeaker::Model
        }
        EntryBody::Call(call) => HitSpeaker::Tool { name: call.tool },
        EntryBody::BuiltInCall(_)
        | EntryBody::ToolsLeftOut { .. }
        | EntryBody::Compaction(_)
        | EntryBody::Failure { .. } => return None,
    };
    Some(ChatHit {
        chat: entry.chat,
        entry: entry.id,
        at_ms: entry.at_ms,
        speaker,
        excerpt: excerpt(&text, terms),
    })
}

/// One line of the text around the first hit, with every hit in it as a part of its own.
fn excerpt(text: &str, terms: &SearchTerms) -> Vec<ExcerptPart> {
    let hits = terms.hits_in(&FoldedText::new(text));
    let first = hits.first().map_or(0, |hit| hit.0);
    let before = text[..first].char_indices().rev().nth(CONTEXT.0 - 1);
    let from = before.map_or(0, |(at, _)| at);
    let after = text[first..].char_indices().nth(CONTEXT.1);
    let to = after.map_or(text.len(), |(at, _)| first + at);
    let mut parts = vec![];
    let mut push = |text: &str, hit: bool| {
        if !text.is_empty() {
            let text = one_line(text);
            parts.push(ExcerptPart { text, hit });
        }
    };
    push(if from > 0 { "…" } else { "" }, false);
    let mut at = from;
    for (start, end) in hits.into_iter().filter(|hit| hit.0 < to) {
        push(&text[at..start], false);
        at = end.min(to);
        push(&text[start..at], true);
    }
    push(&text[at..to], false);
    push(if to < text.len() { "…" } else { "" }, false);
    parts
}

/// Each run of white space becomes one space, so that parts still fit together.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if !letter.is_whitespace() {
            line.push(letter);
        } else if !line.ends_with(' ') {
            line.push(' ');
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An excerpt as text, with its hits in brackets.
    fn shown(text: &str, search: &str) -> String {
        let parts = excerpt(text, &SearchTerms::new(search)).into_iter();
        let mark = |ExcerptPart { text, hit }| if hit { format!("[{text}]") } else { text };
        parts.map(mark).collect()
    }

    #[test]
    fn an_excerpt_is_one_line_around_the_first_hit_and_says_where_it_was_cut() {
        assert_eq!(shown("Only\n  this line", "THIS l"), "Only [this] [l]ine");
        let long = format!("{} 目的地 Oslo {}", "词".repeat(60), "after oslo ".repeat(40));
        let excerpt = shown(&long, "oslo 目的");
        assert!(excerpt.starts_with("…词") && excerpt.ends_with('…'), "{excerpt}");
        assert!(excerpt.contains("[目的]地 [Oslo] after [oslo]"), "{excerpt}");
        assert_eq!(shown("", "x"), "");
    }
}
