//! The last words of a program in a form that fixed texts are found in: white space and the lines of boxes are joined,
//! because uv breaks its sentences at the width of a terminal. What is taken out of it is short and of few kinds of
//! characters, so that no server can put its own sentences into ours.

use super::MAX_LINES;

/// How many bytes of a line are compared.
const MAX_LINE_BYTES: usize = 1024;
/// How long a name that is taken out may be, in characters.
const MAX_NAME: usize = 120;
/// How much of a line is shown as the first that was no message, in characters.
const MAX_SAMPLE: usize = 160;

/// What a program said before it failed, and how it ended.
pub(super) struct ProgramOutput {
    lines: Vec<String>,
    flat: String,
    lower: String,
    /// Our own words for its end: "exit code 1", "signal 9".
    exit: String,
    skipped: Vec<String>,
}

impl ProgramOutput {
    pub(super) fn new(exit: Option<&str>, said: &[String], skipped: &[String]) -> Self {
        let last = said.len().saturating_sub(MAX_LINES);
        let cut = |line: &String| line[..line.floor_char_boundary(MAX_LINE_BYTES)].to_owned();
        let lines: Vec<String> = said[last..].iter().map(cut).collect();
        let flat = flatten(&lines);
        Self {
            lower: flat.to_ascii_lowercase(),
            flat,
            lines,
            exit: exit.unwrap_or_default().to_owned(),
            skipped: skipped.to_vec(),
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }

    pub(super) fn is_silent(&self) -> bool {
        self.flat.is_empty()
    }

    /// Whether one of these was said. They are written in lower case.
    pub(super) fn has(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.lower.contains(text))
    }

    /// The name that follows a text, without the quotes around it.
    pub(super) fn name_after(&self, text: &str) -> Option<String> {
        let at = self.lower.find(text)? + text.len();
        let rest = self.flat[at..].trim_start_matches(|c: char| is_quote(c) || c.is_whitespace());
        name(rest.chars().take_while(|c| is_name(*c)).collect())
    }

    /// The name before a text, without the quotes around it.
    pub(super) fn name_before(&self, text: &str) -> Option<String> {
        let at = self.lower.find(text)?;
        let rest = self.flat[..at].trim_end_matches(|c: char| is_quote(c) || c.is_whitespace());
        let taken: String = rest.chars().rev().take_while(|c| is_name(*c)).collect();
        name(taken.chars().rev().collect())
    }

    pub(super) fn exit_code(&self) -> Option<i32> {
        number_after(&self.exit, "exit code ")
    }

    pub(super) fn signal(&self) -> Option<i32> {
        number_after(&self.exit, "signal ")
    }

    /// The beginning of the first line on its output that was no message.
    pub(super) fn first_skipped(&self) -> Option<String> {
        let line = self.skipped.first()?;
        Some(line.chars().take(MAX_SAMPLE).collect())
    }
}

fn flatten(lines: &[String]) -> String {
    let is_box = |c: char| matches!(c, '│' | '╰' | '─' | '▶' | '├' | '×');
    let words = lines.iter().flat_map(|line| line.split_whitespace());
    let words = words.filter(|word| !word.chars().all(is_box));
    words.collect::<Vec<_>>().join(" ")
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '`' | '‘' | '’' | '“' | '”')
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "@/._+=<>~^*-".contains(c)
}

fn name(found: String) -> Option<String> {
    let name = found.trim_end_matches(['.', ',']);
    (!name.is_empty() && name.len() <= MAX_NAME).then(|| name.to_owned())
}

pub(super) fn number_after(text: &str, before: &str) -> Option<i32> {
    let rest = &text[text.rfind(before)? + before.len()..];
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
