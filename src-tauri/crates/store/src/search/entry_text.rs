//! What an entry says, as one text to search in: the words of the user and what they sent along, the words of the model,
//! the arguments of a call and its result. Of a file that was sent along only the name is searched. The text is bounded, so that one huge result does not fill the index.
//!
//! The index is emptied by the text it was filled with. A change of this text needs a migration that empties the index.

use serde_json::Value;

/// Bytes of one entry's text that are searched.
pub(super) const MAX_TEXT: usize = 256 * 1024;

/// The text of an entry that is searched, from its stored body. Parts are in lines of their own.
#[must_use]
pub fn entry_text(body: &Value) -> String {
    let mut text = EntryText(String::new());
    match body["kind"].as_str() {
        Some("user") => {
            text.add(&body["text"]);
            for attachment in list(&body["attachments"]) {
                if attachment["from"]["from"] == "file" {
                    text.add(&attachment["from"]["name"]);
                    continue;
                }
                for part in list(&attachment["parts"]) {
                    text.add_content(&part["content"]);
                }
            }
        }
        Some("assistant") => text.add(&body["text"]),
        Some("call") => {
            text.add_all(&body["arguments"]);
            for content in list(&body["result"]["content"]) {
                text.add_content(content);
            }
        }
        _ => {}
    }
    text.0
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

struct EntryText(String);

impl EntryText {
    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Number(number) => self.add_text(&number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {}
        }
    }

    /// Adds the texts and numbers in a value. The store keeps at most 120 levels, so this ends.
    fn add_all(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.add_all(item)),
            Value::Object(members) => members.values().for_each(|member| self.add_all(member)),
            other => self.add(other),
        }
    }

    /// Adds what can be read of a part of a result. Pictures and sounds have no text.
    fn add_content(&mut self, content: &Value) {
        for member in ["text", "uri", "name", "description"] {
            self.add(&content[member]);
        }
    }

    fn add_text(&mut self, text: &str) {
        let room = MAX_TEXT.saturating_sub(self.0.len() + 1);
        if text.is_empty() || room == 0 {
            return;
        }
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(&text[..text.floor_char_boundary(room)]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_found_by_its_arguments_and_its_result() {
        let call = json!({
            "kind": "call", "tool": "read", "arguments": { "path": "a.txt", "lines": [{ "from": 7 }] },
            "state": "answered",
            "result": { "content": [{ "type": "text", "text": "Oslo" }, { "type": "image", "base64": "AAAA" }] },
        });
        let text = entry_text(&call);
        let mut lines: Vec<_> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["7", "Oslo", "a.txt"]);
    }

    #[test]
    fn a_message_has_the_text_of_its_attachments() {
        let part =
            json!({ "role": null, "content": { "type": "resource", "uri": "note:1", "text": "Bergen" } });
        let user = json!({ "kind": "user", "text": "See this", "attachments": [{ "parts": [part] }] });
        assert_eq!(entry_text(&user), "See this\nBergen\nnote:1");
        assert_eq!(
            entry_text(&json!({ "kind": "failure", "problem": { "detail": "x" } })),
            ""
        );
    }

    #[test]
    fn a_message_is_found_by_the_name_of_a_file_and_not_by_its_content() {
        let part = json!({ "role": null, "content": { "type": "text", "text": "Bergen" } });
        let from = json!({ "from": "file", "name": "trip.txt", "bytes": 6 });
        let user =
            json!({ "kind": "user", "text": "See this", "attachments": [{ "from": from, "parts": [part] }] });
        assert_eq!(entry_text(&user), "See this\ntrip.txt");
    }

    #[test]
    fn one_entry_does_not_fill_the_index() {
        let long = json!({ "kind": "assistant", "text": "天".repeat(MAX_TEXT) });
        assert_eq!(entry_text(&long).len(), (MAX_TEXT - 1) / 3 * 3);
    }
}
