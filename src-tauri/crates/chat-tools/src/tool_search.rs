//! Search over the definitions of tools by words, for models that are not offered all of them. The ranking is BM25 over
//! the names and descriptions, and a word also finds what means the same. Nothing is learned and nothing leaves the
//! application. The texts are servers' words: what is read of one tool is bounded.

mod synonyms;
mod terms;

use std::collections::{HashMap, HashSet};

use synonyms::Synonyms;
use terms::terms;

/// How fast more of the same word stops to count, as usual for BM25.
const SATURATION: f32 = 1.2;
/// How much the length of a text counts against it, as usual for BM25.
const LENGTH: f32 = 0.6;
/// The most of one text that is read, in bytes.
const MAX_TEXT: usize = 2048;
/// The most parameters of one tool that are read.
const MAX_PARAMETERS: usize = 64;
/// The most terms of one query that count.
const MAX_QUERY_TERMS: usize = 48;

/// What a tool is found by.
pub(super) struct ToolText<'a> {
    /// The user's name for its server.
    pub server: &'a str,
    pub name: &'a str,
    pub title: &'a str,
    pub description: &'a str,
    pub parameters: Vec<&'a str>,
}

impl ToolText<'_> {
    /// Its texts, and how much a word in each counts.
    fn fields(&self) -> impl Iterator<Item = (&str, f32)> {
        let named = [
            (self.name, 3.0),
            (self.title, 2.0),
            (self.server, 1.0),
            (self.description, 1.5),
        ];
        let parameters = self.parameters.iter().take(MAX_PARAMETERS);
        named.into_iter().chain(parameters.map(|name| (*name, 0.4)))
    }
}

/// Tools by the terms of their texts.
pub(super) struct ToolIndex {
    /// For each term the tools that have it, with how much it counts in each.
    postings: HashMap<String, Vec<(u32, f32)>>,
    synonyms: Synonyms,
    tools: usize,
}

impl ToolIndex {
    pub(super) fn build<'a>(tools: impl Iterator<Item = ToolText<'a>>) -> Self {
        let counts: Vec<HashMap<String, f32>> = tools.map(|tool| count(&tool)).collect();
        let lengths: Vec<f32> = counts.iter().map(|terms| terms.values().sum()).collect();
        let mean = (lengths.iter().sum::<f32>() / lengths.len().max(1) as f32).max(1.0);
        let mut postings: HashMap<String, Vec<(u32, f32)>> = HashMap::new();
        let tools = counts.len();
        for (tool, (terms, length)) in (0..).zip(counts.into_iter().zip(lengths)) {
            let share = 1.0 - LENGTH + LENGTH * length / mean;
            for (term, weight) in terms {
                let score = weight * (SATURATION + 1.0) / (weight + SATURATION * share);
                postings.entry(term).or_default().push((tool, score));
            }
        }
        Self {
            postings,
            synonyms: Synonyms::new(),
            tools,
        }
    }

    /// The places of the tools that fit a query best, the best first; of equals the first. `is_wanted` says which count.
    pub(super) fn search(&self, query: &str, limit: usize, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut scores = vec![0.0_f32; self.tools];
        let mut best = vec![0.0_f32; self.tools];
        for meanings in self.meanings(query) {
            // Of the terms that mean the same, the one that fits best counts.
            let mut touched = vec![];
            for (term, weight) in meanings {
                let Some(postings) = self.postings.get(&term) else {
                    continue;
                };
                let weight = weight * self.rarity(postings.len());
                for (tool, score) in postings {
                    let (tool, score) = (*tool as usize, score * weight);
                    if best[tool] == 0.0 {
                        touched.push(tool);
                    }
                    best[tool] = best[tool].max(score);
                }
            }
            for tool in touched {
                scores[tool] += std::mem::take(&mut best[tool]);
            }
        }
        let found = |tool: &usize| scores[*tool] > 0.0 && is_wanted(*tool);
        let mut found: Vec<usize> = (0..self.tools).filter(found).collect();
        found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        found.truncate(limit);
        found
    }

    /// The terms of a query, each with those that mean the same and how much they count.
    fn meanings(&self, query: &str) -> Vec<Vec<(String, f32)>> {
        let query = cut(query);
        let mut meanings = self.synonyms.of_phrases(query);
        let own = terms(query).into_iter().filter(|term| !synonyms::is_filler(term));
        meanings.extend(own.map(|term| self.synonyms.of_term(term)));
        let mut known = HashSet::new();
        meanings.retain(|meaning| known.insert(meaning[0].0.clone()));
        meanings.truncate(MAX_QUERY_TERMS);
        meanings
    }

    fn rarity(&self, tools_with_it: usize) -> f32 {
        let (all, with) = (self.tools as f32, tools_with_it as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }
}

fn count(tool: &ToolText<'_>) -> HashMap<String, f32> {
    let mut counts = HashMap::new();
    for (text, weight) in tool.fields() {
        for term in terms(cut(text)) {
            *counts.entry(term).or_default() += weight;
        }
    }
    counts
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool<'a>(name: &'a str, description: &'a str) -> ToolText<'a> {
        ToolText {
            server: "server",
            name,
            title: "",
            description,
            parameters: vec!["path"],
        }
    }

    fn found(query: &str) -> Vec<usize> {
        let tools = [
            tool("createIssue", "Opens a ticket."),
            tool("delete_file", "Removes a file for good."),
            tool("maps_weather", "根据城市名称查询天气"),
            tool("listFiles", "Lists the files of a folder."),
        ];
        ToolIndex::build(tools.into_iter()).search(query, 8, |_| true)
    }

    #[test]
    fn parts_of_names_other_forms_and_other_words_find_a_tool() {
        assert_eq!(found("issue")[0], 0);
        assert_eq!(found("deleting files")[0], 1);
        assert_eq!(found("erase a document")[0], 1);
        assert_eq!(found("listFiles")[0], 3);
    }

    #[test]
    fn either_language_finds_the_other() {
        assert_eq!(found("北京天气怎么样")[0], 2);
        assert_eq!(found("weather in Oslo")[0], 2);
        assert_eq!(found("删除文件")[0], 1);
    }

    #[test]
    fn nothing_is_found_where_no_word_fits() {
        assert_eq!(found("zzz"), Vec::<usize>::new());
        assert_eq!(found(""), Vec::<usize>::new());
        assert_eq!(found("the of"), Vec::<usize>::new());
    }

    #[test]
    fn what_is_not_wanted_takes_no_place() {
        let tools = || (0..20).map(|_| tool("delete_file", ""));
        let index = ToolIndex::build(tools());
        assert_eq!(index.search("delete", 2, |tool| tool > 7), [8, 9]);
    }

    /// A bound on the work of one search: as many steps as the tools have terms of the query, whatever the query is.
    #[test]
    fn a_long_query_is_cut() {
        let tools = (0..500).map(|_| tool("delete_file", "删除文件"));
        let index = ToolIndex::build(tools);
        let query: String = (0..100_000).map(|n| format!("delete {n} ")).collect();
        assert!(index.meanings(&query).len() <= MAX_QUERY_TERMS);
        assert_eq!(index.search(&query, 8, |_| true).len(), 8);
    }
}
