//! Results that were too long for a model, read in parts. The handle is the id of the call's entry, and only entries of
//! the same chat are looked at. What is read stays marked as from the server it came from.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use vestibule_models::ToolSpec;
use vestibule_protocol::EntryId;

use super::for_model;
use super::result_text::ResultText;
use vestibule_app_protocol::{
    BuiltInOutcome, BuiltInTool, CallBody, CallState, Compaction, EntryBody, EntryView, ResultView,
};

/// The most text of one part, in bytes.
const MAX_PART: usize = 12 * 1024;
/// The most of one line that a search shows, in bytes.
const MAX_LINE: usize = 400;

/// The definition of `read_result`.
pub(crate) fn read_result_spec() -> ToolSpec {
    ToolSpec {
        name: BuiltInTool::ReadResult.name().to_owned(),
        description: "Reads a part of a long result of which only the beginning and the end were given. Give `search` for \
                      the lines with these words, `line` for the lines from that number on, or `offset` for the text from \
                      that byte on. With `search`, `line` says where the search begins."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "handle": { "type": "string", "description": "The handle in the shortened result." },
                "search": { "type": "string", "description": "Words of a line, in any case." },
                "line": { "type": "integer", "minimum": 1 },
                "offset": { "type": "integer", "minimum": 0 },
            },
            "required": ["handle"],
        }),
    }
}

/// The place of the first result in a chat that a model was given in part, or from which on results may be missing
/// because the chat was compacted.
pub(crate) fn first_shortened(earlier: &[Arc<EntryView>]) -> Option<usize> {
    let is_shortened = |entry: &Arc<EntryView>| match &entry.body {
        EntryBody::Compaction(Compaction::Summarized(_) | Compaction::Shortened { .. }) => true,
        _ => answered(entry).is_some_and(|(_, result)| for_model::is_shortened(result)),
    };
    earlier.iter().position(is_shortened)
}

fn answered(entry: &EntryView) -> Option<(&CallBody, &ResultView)> {
    match &entry.body {
        EntryBody::Call(call) => match &call.state {
            CallState::Answered { result, .. } => Some((call, result)),
            _ => None,
        },
        _ => None,
    }
}

/// The handle of the result that is asked for.
#[must_use]
pub fn asked_result(arguments: &Map<String, Value>) -> Option<EntryId> {
    handle(arguments)?.parse().ok()
}

fn handle(arguments: &Map<String, Value>) -> Option<&str> {
    arguments.get("handle")?.as_str()
}

/// Reads a part of a result of this chat, and says in words which part it is. Stored texts are in the result that is read.
pub fn read_result(arguments: &Map<String, Value>, earlier: &[Arc<EntryView>]) -> (BuiltInOutcome, String) {
    let asked = asked_result(arguments);
    let of_chat = earlier
        .iter()
        .find(|entry| Some(entry.id) == asked)
        .and_then(|entry| answered(entry))
        .filter(|(_, result)| for_model::is_readable(result));
    let Some((call, result)) = of_chat else {
        let handle = handle(arguments).unwrap_or_default();
        let handle: String = handle.chars().take(80).collect();
        let words = format!(
            "This chat has no result with the handle {handle:?}. Handles stand in shortened results; a handle of \
             another chat is not read, nor a result that the user gave you nothing of."
        );
        return (BuiltInOutcome::Refused, words);
    };
    let (text, words) = part(arguments, &ResultText::of(result).joined());
    let outcome = BuiltInOutcome::Read {
        server: call.server,
        server_name: call.server_name.clone(),
        tool: call.tool.clone(),
        text,
    };
    (outcome, words)
}

/// The part of a text that is asked for, and our words on it.
fn part(arguments: &Map<String, Value>, whole: &str) -> (String, String) {
    let number = |name: &str| {
        let number = arguments.get(name).and_then(Value::as_u64)?;
        usize::try_from(number).ok()
    };
    let line = number("line").map(|line| line.max(1));
    match arguments
        .get("search")
        .and_then(Value::as_str)
        .filter(|words| !words.is_empty())
    {
        Some(words) => searched(whole, words, line.unwrap_or(1)),
        None => match (line, number("offset")) {
            (Some(line), _) => lines(whole, line),
            (None, offset) => bytes(whole, offset.unwrap_or(0)),
        },
    }
}

fn bytes(whole: &str, offset: usize) -> (String, String) {
    let from = whole.floor_char_boundary(offset);
    let to = whole.floor_char_boundary(from.saturating_add(MAX_PART));
    let words = format!("[bytes {from} to {to} of {}]", whole.len());
    (whole[from..to].to_owned(), words)
}

fn lines(whole: &str, first: usize) -> (String, String) {
    let mut text = String::new();
    let mut last = first.saturating_sub(1);
    for (line, number) in whole.lines().zip(1..).skip(first - 1) {
        if text.len() + line.len() >= MAX_PART {
            break;
        }
        text.push_str(line);
        text.push('\n');
        last = number;
    }
    let all = whole.lines().count();
    if last < first && first <= all {
        return long_line(whole, first);
    }
    if first > all {
        return (text, format!("[there are {all} lines only]"));
    }
    (text, format!("[lines {first} to {last} of {all}]"))
}

/// The beginning of a line that is longer than a part.
fn long_line(whole: &str, number: usize) -> (String, String) {
    let line = whole.lines().nth(number - 1).unwrap_or_default();
    let shown = &line[..line.floor_char_boundary(MAX_PART)];
    let before = whole.split_inclusive('\n').take(number - 1).map(str::len);
    let from: usize = before.sum();
    let words = format!(
        "[line {number} has {} bytes; this is its beginning. Go on with offset {}.]",
        line.len(),
        from + shown.len()
    );
    (shown.to_owned(), words)
}

fn searched(whole: &str, words: &str, first: usize) -> (String, String) {
    let wanted = words.to_lowercase();
    let mut text = String::new();
    let (mut found, mut next) = (0, None);
    for (line, number) in whole.lines().zip(1..).skip(first - 1) {
        let Some(shown) = around(line, &wanted) else {
            continue;
        };
        if text.len() + shown.len() > MAX_PART - 32 {
            next = Some(number);
            break;
        }
        found += 1;
        text.push_str(&format!("{number}: {shown}\n"));
    }
    let all = whole.lines().count();
    let more = next.map_or(String::new(), |line| format!("; go on with line {line}"));
    (
        text,
        format!("[{found} lines with these words, of {all} lines, from line {first}{more}]"),
    )
}

/// A line that has the words, cut around them where it is long.
fn around<'a>(line: &'a str, wanted: &str) -> Option<&'a str> {
    let lower = line.to_lowercase();
    let found = lower.find(wanted)?;
    if line.len() <= MAX_LINE {
        return Some(line);
    }
    // Some letters have another number of bytes in lower case.
    let before = lower[..found].chars().count();
    let mut counted = 0;
    let at = line.char_indices().find(|(_, letter)| {
        counted += letter.to_lowercase().count();
        counted > before
    });
    let at = at.map_or(0, |(at, _)| at);
    let from = line.floor_char_boundary(at.saturating_sub(MAX_LINE / 2));
    let to = line.floor_char_boundary(from + MAX_LINE);
    Some(&line[from..to])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: Value, whole: &str) -> (String, String) {
        part(arguments.as_object().unwrap(), whole)
    }

    fn log() -> String {
        (1..=5_000)
            .map(|n| format!("line number {n}, 第{n}行\n"))
            .collect()
    }

    #[test]
    fn a_part_is_read_by_byte_line_or_words() {
        let log = log();
        let (text, words) = read(json!({ "offset": 5 }), &log);
        assert!(text.starts_with("number 1") && text.len() <= MAX_PART, "{words}");
        let (text, words) = read(json!({ "line": 4_990 }), &log);
        assert_eq!(text.lines().count(), 11);
        assert_eq!(words, "[lines 4990 to 5000 of 5000]");
        let (text, _) = read(json!({ "search": "NUMBER 4321" }), &log);
        assert_eq!(text, "4321: line number 4321, 第4321行\n");
    }

    #[test]
    fn every_part_is_bounded_and_says_how_to_go_on() {
        let (text, words) = read(json!({ "search": "line" }), &log());
        assert!(
            text.len() <= MAX_PART && words.contains("go on with line"),
            "{words}"
        );
        let long = format!("short\n{}", "长".repeat(20_000));
        let (text, words) = read(json!({ "line": 2 }), &long);
        assert!(text.len() <= MAX_PART && words.contains("offset"), "{words}");
        let (text, _) = read(json!({ "search": "长" }), &long);
        assert!(text.len() <= MAX_LINE + 8, "{}", text.len());
    }

    #[test]
    fn what_is_found_in_a_long_line_is_shown_whatever_letters_are_before_it() {
        let line = format!("{}the vault opens{}", "İ".repeat(3_000), "ẞ".repeat(3_000));
        let (text, words) = read(json!({ "search": "VAULT" }), &line);
        assert!(text.contains("the vault opens"), "{words} {text}");
    }

    #[test]
    fn numbers_outside_the_text_read_nothing() {
        for outside in [
            json!({ "offset": u64::MAX }),
            json!({ "line": u64::MAX }),
            json!({ "line": 5_001 }),
        ] {
            assert_eq!(read(outside.clone(), &log()).0, "", "{outside}");
        }
        assert!(read(json!({ "line": 0, "offset": -1 }), "a").0.starts_with('a'));
    }
}
