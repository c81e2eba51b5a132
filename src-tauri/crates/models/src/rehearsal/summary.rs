//! What the rehearsal says about the results of its calls.
//!
//! Results are another party's text: they are quoted inside a code block that they cannot close, or in a table cell
//! on one line, and never repeated as the rehearsal's own words.

use serde_json::{Map, Value};

use super::lines::ReplyLanguage;
use crate::{ModelMessage, ResultPart};

/// The longest quotation, in characters.
const LONGEST_QUOTE: usize = 1200;
/// The most of a list of records that is shown.
const MOST_COLUMNS: usize = 6;
const MOST_ROWS: usize = 20;
/// The longest table cell, in characters.
const LONGEST_CELL: usize = 120;
/// The longest text that is not set as code, in characters and words.
const LONGEST_PLAIN: usize = 24;
const MOST_PLAIN_WORDS: usize = 3;

struct RehearsedOutcome<'a> {
    tool: &'a str,
    text: String,
    images: usize,
    failed: bool,
}

impl RehearsedOutcome<'_> {
    /// A refusal by the user reaches a model as a failed result that says so.
    fn denied(&self) -> bool {
        let lower = self.text.to_lowercase();
        self.failed && (lower.contains("denied") || lower.contains("拒绝"))
    }
}

/// A short report of the results among `messages`.
pub(super) fn summarise(messages: &[ModelMessage], language: ReplyLanguage) -> String {
    let outcomes: Vec<_> = messages.iter().filter_map(outcome).collect();
    match outcomes.as_slice() {
        [] => language.nothing_came(),
        [only] => single(only, language),
        several => table(several, language),
    }
}

/// The tool's own name, without the server's.
pub(super) fn short(name: &str) -> &str {
    name.rsplit("__").next().unwrap_or(name)
}

fn outcome(message: &ModelMessage) -> Option<RehearsedOutcome<'_>> {
    let ModelMessage::ToolResult {
        name, parts, failed, ..
    } = message
    else {
        return None;
    };
    let texts = parts.iter().filter_map(|part| match part {
        ResultPart::Text(text) => Some(text.as_str()),
        ResultPart::Image { .. } => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let images = parts
        .iter()
        .filter(|part| matches!(part, ResultPart::Image { .. }))
        .count();
    Some(RehearsedOutcome {
        tool: short(name),
        text,
        images,
        failed: *failed,
    })
}

fn single(outcome: &RehearsedOutcome<'_>, language: ReplyLanguage) -> String {
    let heading = if outcome.denied() {
        language.denied(outcome.tool)
    } else if outcome.failed {
        language.failed(outcome.tool)
    } else {
        language.answered(outcome.tool)
    };
    let shown = records(&outcome.text)
        .filter(|_| !outcome.failed)
        .unwrap_or_else(|| quoted(&outcome.text));
    let mut report = format!("{heading}\n\n{shown}");
    if outcome.images > 0 {
        report.push_str("\n\n");
        report.push_str(&language.images(outcome.images));
    }
    report
}

fn table(outcomes: &[RehearsedOutcome<'_>], language: ReplyLanguage) -> String {
    let (tool, result) = language.columns();
    let mut rows = format!(
        "{}\n\n| {tool} | {result} |\n|---|---|",
        language.several(outcomes.len())
    );
    for outcome in outcomes {
        let state = if outcome.denied() {
            language.denied_mark()
        } else if outcome.failed {
            language.failed_mark()
        } else {
            ""
        };
        rows.push_str(&format!(
            "\n| `{}` | {state}{} |",
            outcome.tool,
            cell(&outcome.text)
        ));
    }
    rows
}

/// A JSON object with one list of flat records in it, as a table; `None` for any other text.
fn records(text: &str) -> Option<String> {
    let Value::Object(members) = serde_json::from_str(text).ok()? else {
        return None;
    };
    let (_, list) = members.iter().find(|(_, member)| member.is_array())?;
    let rows: Vec<&Map<String, Value>> = list
        .as_array()?
        .iter()
        .map(Value::as_object)
        .collect::<Option<_>>()?;
    let columns: Vec<&String> = rows.first()?.keys().take(MOST_COLUMNS).collect();
    let scalar = |value: &&Value| !value.is_array() && !value.is_object();
    let facts = members.iter().filter(|(_, value)| scalar(value)).map(fact);
    let mut shown = facts.collect::<Vec<_>>().join(", ");
    shown.push('\n');
    let line = |cells: Vec<String>| format!("\n| {} |", cells.join(" | "));
    shown.push_str(&line(columns.iter().map(|name| cell(name)).collect()));
    shown.push_str(&line(columns.iter().map(|_| "---".to_owned()).collect()));
    for row in rows.iter().take(MOST_ROWS) {
        let cells = columns.iter().map(|name| {
            row.get(*name)
                .filter(scalar)
                .map_or_else(|| "–".to_owned(), plain)
        });
        shown.push_str(&line(cells.collect()));
    }
    Some(shown)
}

/// A short text as it is; anything else with its name.
fn fact((name, value): (&String, &Value)) -> String {
    match value {
        Value::String(text) if is_plain(text) => plain(value),
        other => format!("{} {}", cell(name), plain(other)),
    }
}

/// A number as it is, text as a quotation.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => unit(text).map_or_else(|| cell(text), str::to_owned),
        other => other.to_string(),
    }
}

/// The sign of a unit that the tour server names.
fn unit(text: &str) -> Option<&'static str> {
    match text {
        "celsius" => Some("°C"),
        "fahrenheit" => Some("°F"),
        _ => None,
    }
}

/// The text in a fence longer than any run of backticks inside it.
fn quoted(text: &str) -> String {
    let text = shortened(text, LONGEST_QUOTE);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

/// Whether a text is so short and simple that it can neither format anything nor pass for a sentence.
fn is_plain(text: &str) -> bool {
    let simple = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '-' | '°' | '%');
    let words = text.split(' ').count();
    text.chars().count() <= LONGEST_PLAIN
        && words <= MOST_PLAIN_WORDS
        && text.chars().all(simple)
        && text.starts_with(char::is_alphanumeric)
}

/// A plain text as it is, any other on one line of code, with nothing that ends the cell or the code.
fn cell(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let line = line.replace('`', "'").replace('|', "¦");
    let line = shortened(line.trim(), LONGEST_CELL);
    if line.is_empty() {
        String::from("–")
    } else {
        format!("`{line}`")
    }
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_records_is_shown_as_a_table() {
        let text =
            r#"{"city": "Oslo", "days": [{"day": 1, "sky": "rain | `x`"}, {"day": 2, "sky": ["odd"]}]}"#;
        let shown = records(text).unwrap();
        assert!(
            shown.contains("| day | sky |\n| --- | --- |\n| 1 | `rain ¦ 'x'` |\n| 2 | – |"),
            "{shown}"
        );
        assert!(shown.starts_with("Oslo\n"), "{shown}");
        assert_eq!(records("[1]"), None);
        assert_eq!(records(r#"{"a": [1, 2]}"#), None);
        assert_eq!(records("plain words"), None);
    }

    #[test]
    fn a_result_cannot_close_its_quotation() {
        let quoted = quoted("a\n```\n# Vestibule says\n````");
        assert!(
            quoted.starts_with("`````text\n") && quoted.ends_with("\n`````"),
            "{quoted}"
        );
        assert_eq!(cell("a|b`c\nd"), "`a¦b'c d`");
    }

    #[test]
    fn only_a_few_simple_words_are_not_set_as_code() {
        for plain in ["Oslo", "light rain", "8.5", "奥斯陆"] {
            assert_eq!(cell(plain), plain);
        }
        let sentence = "Vestibule says that all is well";
        for quoted in [
            "**bold**",
            "[a](b)",
            "- item",
            "# head",
            "a\u{202e}b",
            sentence,
            "",
        ] {
            assert!(!is_plain(quoted), "{quoted}");
        }
        let text = r#"{"city": "Oslo", "unit": "celsius", "days": [{"sky": "rain"}]}"#;
        assert!(records(text).unwrap().starts_with("Oslo, °C\n"));
        assert_eq!(fact((&"count".to_owned(), &Value::from(2))), "count 2");
    }
}
