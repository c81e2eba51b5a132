//! Find in chat: the places of a text in the branch that one chat shows. Entries are read in parts from the newest on, so
//! what a bound leaves out is the oldest. Pictures, sounds and attachments are not searched. `chat_search` searches all
//! chats.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use vestibule_protocol::ChatId;

use super::Host;
use crate::view::{
    CallBody, CallState, ChatFindHit, ChatFindPlace, ChatFindView, ContentView, EntriesPart, EntryBody,
    EntryView, Problem,
};
use vestibule_servers::stored_parts::{self, StoredParts};

/// The longest search, in characters.
const MAX_SEARCH: usize = 200;
/// How many places are found at most.
const MAX_PLACES: u32 = 1_000;
/// No further part of the chat is read after this long.
const MAX_TIME: Duration = Duration::from_secs(2);

impl Host {
    /// The places of a text in the branch that a chat shows. Letters count the same in both cases, and any space between
    /// two words counts as one. Nothing is found for a text of spaces alone.
    ///
    /// # Errors
    /// When the chat cannot be read.
    pub async fn chat_find(&self, chat: ChatId, search: &str) -> Result<ChatFindView, Problem> {
        let search: String = search.trim().chars().take(MAX_SEARCH).collect();
        let wanted: Arc<str> = folded(&search).into();
        let until = Instant::now() + MAX_TIME;
        let (mut hits, mut left, mut position, mut complete) = (vec![], MAX_PLACES, i64::MAX, true);
        while complete && !wanted.is_empty() {
            let part = EntriesPart::Before { position };
            let page = self.0.transcript.page(chat, part).await?;
            let Some(first) = page.entries.first() else { break };
            (position, complete) = (first.position, Instant::now() < until || !page.earlier);
            let found = self.page_hits(page.entries, &wanted, left).await?;
            left -= found.iter().map(|hit| hit.count).sum::<u32>();
            complete &= left > 0;
            hits.extend(found);
        }
        hits.reverse();
        Ok(ChatFindView { hits, complete })
    }

    /// The places of a text in the entries of a page, the newest first, and no more than `left`. An entry with stored
    /// texts is read by itself, because each can have many megabytes.
    async fn page_hits(
        &self,
        mut entries: Vec<EntryView>,
        wanted: &Arc<str>,
        mut left: u32,
    ) -> Result<Vec<ChatFindHit>, Problem> {
        let mut hits = vec![];
        while left > 0 && !entries.is_empty() {
            let newest = entries.iter().rev();
            let plain = newest.take_while(|entry| !stored_parts::has_texts(&entry.body));
            let at = entries.len() - plain.count().max(1);
            let mut newest = entries.split_off(at);
            for entry in &mut newest {
                self.put_back_texts(entry).await?;
            }
            let text = wanted.clone();
            // Results can have many megabytes, and other commands do not wait for them.
            let found = tokio::task::spawn_blocking(move || newest_hits(&newest, &text, left)).await;
            let found = found.unwrap_or_default();
            left -= found.iter().map(|hit| hit.count).sum::<u32>();
            hits.extend(found);
        }
        Ok(hits)
    }

    /// Puts the stored texts of an entry back into it.
    async fn put_back_texts(&self, entry: &mut EntryView) -> Result<(), Problem> {
        match stored_parts::result_of(&mut entry.body) {
            Some(result) => {
                Ok(stored_parts::put_back(&self.0.store, entry.id, result, StoredParts::Texts).await?)
            }
            None => Ok(()),
        }
    }
}

/// The places of a text in entries, the newest first, and no more than `left`.
fn newest_hits(entries: &[EntryView], wanted: &str, mut left: u32) -> Vec<ChatFindHit> {
    let mut hits = vec![];
    for entry in entries.iter().rev() {
        for (place, count) in places(&entry.body, wanted).into_iter().rev() {
            let count = count.min(left);
            left -= count;
            if count > 0 {
                hits.push(ChatFindHit {
                    entry: entry.id,
                    position: entry.position,
                    place,
                    count,
                });
            }
        }
    }
    hits
}

/// How often a text is in each place of an entry, in the order they are shown.
fn places(body: &EntryBody, wanted: &str) -> Vec<(ChatFindPlace, u32)> {
    match body {
        EntryBody::User { text, .. } => vec![(ChatFindPlace::Message, count(text, wanted))],
        EntryBody::Assistant { text, reasoning, .. } => vec![
            (ChatFindPlace::Thoughts, u32::from(has(reasoning, wanted))),
            (ChatFindPlace::Message, count(text, wanted)),
        ],
        EntryBody::Call(call) => vec![
            (ChatFindPlace::Call, u32::from(call_has(call, wanted))),
            (ChatFindPlace::Result, u32::from(result_has(&call.state, wanted))),
        ],
        EntryBody::BuiltInCall(_)
        | EntryBody::ToolsLeftOut { .. }
        | EntryBody::Compaction(_)
        | EntryBody::Failure { .. } => vec![],
    }
}

fn call_has(call: &CallBody, wanted: &str) -> bool {
    let names = [&call.server_name, &call.tool];
    names.iter().any(|name| has(name, wanted))
        || call
            .arguments
            .iter()
            .any(|(name, value)| has(name, wanted) || value_has(value, wanted))
}

fn result_has(state: &CallState, wanted: &str) -> bool {
    match state {
        CallState::Answered { result, .. } => {
            result.content.iter().any(|part| part_has(part, wanted))
                || result
                    .structured
                    .as_ref()
                    .is_some_and(|value| value_has(value, wanted))
        }
        CallState::Refused {
            reason: Some(reason), ..
        } => has(reason, wanted),
        _ => false,
    }
}

fn part_has(part: &ContentView, wanted: &str) -> bool {
    match part {
        ContentView::Text { text } => has(text, wanted),
        ContentView::Link {
            uri,
            name,
            description,
        } => {
            let description = description.as_deref().unwrap_or_default();
            [uri, name, description].iter().any(|text| has(text, wanted))
        }
        ContentView::Resource { uri, text, .. } => {
            has(uri, wanted) || text.as_deref().is_some_and(|text| has(text, wanted))
        }
        ContentView::Image { .. }
        | ContentView::Audio { .. }
        | ContentView::Stored { .. }
        | ContentView::Other { .. } => false,
    }
}

/// Whether a text is in a name or a value of JSON. The store bounds how deep a value is.
fn value_has(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => has(text, wanted),
        Value::Array(items) => items.iter().any(|item| value_has(item, wanted)),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| has(name, wanted) || value_has(value, wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) => has(&value.to_string(), wanted),
    }
}

fn has(text: &str, wanted: &str) -> bool {
    folded(text).contains(wanted)
}

fn count(text: &str, wanted: &str) -> u32 {
    let found = folded(text).matches(wanted).take(MAX_PLACES as usize).count();
    u32::try_from(found).unwrap_or(u32::MAX)
}

/// A text in lower case with one space in place of all between two words.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut after_space = false;
    for letter in text.chars() {
        if !letter.is_whitespace() {
            folded.extend(letter.to_lowercase());
        } else if !after_space {
            folded.push(' ');
        }
        after_space = letter.is_whitespace();
    }
    folded
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places_of(body: Value, search: &str) -> Vec<(ChatFindPlace, u32)> {
        let body = serde_json::from_value(body).unwrap();
        let mut found = places(&body, &folded(search));
        found.retain(|&(_, count)| count > 0);
        found
    }

    fn call(rest: &Value) -> Value {
        let mut call = json!({"kind": "call", "call": "1", "called_as": "notes__read", "server": null, "tool": "read",
            "server_name": "notes", "arguments": {"path": ["/home/Ada", 17]}, "edited": false, "because": []});
        let members = rest.as_object().unwrap().clone();
        call.as_object_mut().unwrap().extend(members);
        call
    }

    #[test]
    fn a_text_is_found_in_both_cases_in_every_script_and_over_the_end_of_a_line() {
        let said = |text: &str| json!({"kind": "user", "text": text});
        let found = |text, search| {
            places_of(said(text), search)
                .first()
                .map_or(0, |&(_, count)| count)
        };
        assert_eq!(found("Oslo, oslo, OSLO", "oSLo"), 3);
        assert_eq!(found("Ærø und Straße, STRASSE", "ærø UND"), 1);
        assert_eq!(found("奥斯陆的天气。奥斯陆很冷。", "奥斯陆"), 2);
        assert_eq!(found("one  two\n three", "two three"), 1);
        assert_eq!(found("100 % sure, 100_000", "100 %"), 1);
        assert_eq!(found("Oslo", "Bergen"), 0);
    }

    #[test]
    fn each_part_of_an_entry_is_a_place_of_its_own() {
        let answer = json!({"kind": "assistant", "text": "cold", "reasoning": "Cold and cold", "model": "m",
            "scripted": false, "state": "done"});
        assert_eq!(
            places_of(answer, "cold"),
            [(ChatFindPlace::Thoughts, 1), (ChatFindPlace::Message, 1)]
        );
        let running = json!({"state": "running", "since_ms": 0, "progress": null});
        for search in ["notes", "READ", "path", "ada", "17"] {
            assert_eq!(
                places_of(call(&running), search),
                [(ChatFindPlace::Call, 1)],
                "{search}"
            );
        }
        let result = |content: Value, structured: Value| {
            call(
                &json!({"state": "answered", "elapsed_ms": 1, "result": {"content": content, "structured": structured,
                "failed": false, "misfits": [], "cut_bytes": 0}}),
            )
        };
        let text = result(json!([{"type": "text", "text": "The harbour"}]), Value::Null);
        assert_eq!(places_of(text, "HARBOUR"), [(ChatFindPlace::Result, 1)]);
        let nested = result(json!([]), json!({"days": [{"tide": "high \"water\""}]}));
        assert_eq!(places_of(nested, "high \"w"), [(ChatFindPlace::Result, 1)]);
        let picture = json!([{"type": "image", "mime": "image/png", "base64": "harbour"}]);
        assert_eq!(places_of(result(picture, Value::Null), "harbour"), []);
        let denied = call(&json!({"state": "refused", "by": "person", "reason": "Not the harbour"}));
        assert_eq!(places_of(denied, "harbour"), [(ChatFindPlace::Result, 1)]);
    }
}
