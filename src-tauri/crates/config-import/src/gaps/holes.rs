//! The spellings of placeholders that can stand inside a longer text.

/// The longest placeholder, in bytes.
const LONGEST: usize = 256;
/// What stands before the name and says where another application takes the value from.
const SOURCES: [&str; 9] = [
    "env:",
    "input:",
    "command:",
    "config:",
    "user_config.",
    "secrets.",
    "inputs.",
    "env.",
    "vars.",
];
/// Names that stand for a folder of the user or of the project.
const PATHS: [&str; 14] = [
    "workspaceFolder",
    "workspaceRoot",
    "projectPath",
    "userHome",
    "cwd",
    "file",
    "__dirname",
    "HOME",
    "DESKTOP",
    "DOCUMENTS",
    "DOWNLOADS",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
];

/// A value that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hole {
    pub(super) name: String,
    /// The value that is proposed with it; empty without one.
    pub(super) default: String,
    pub(super) is_path: bool,
}

impl Hole {
    pub(super) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            default: String::new(),
            is_path: PATHS.contains(&name) || name.starts_with("workspaceFolder"),
        }
    }
}

/// A part of a text.
#[derive(Debug, PartialEq)]
pub(super) enum TemplatePart {
    Text(String),
    Hole(Hole),
}

/// A text as what is written and what is asked for. In an address, `%` begins an escape more often than a name.
pub(super) fn split(text: &str, is_address: bool) -> Vec<TemplatePart> {
    let mut pieces = vec![];
    let mut plain = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some((length, piece)) = placeholder(rest, is_address) {
            pieces.push(TemplatePart::Text(std::mem::take(&mut plain)));
            pieces.push(piece);
            rest = &rest[length..];
        } else {
            plain.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    pieces.push(TemplatePart::Text(plain));
    pieces
}

/// The placeholder at the start of a text, with its length in bytes.
fn placeholder(text: &str, is_address: bool) -> Option<(usize, TemplatePart)> {
    match text.as_bytes()[0] {
        b'$' if text.starts_with("${{") => between(text, "${{", "}}", expression),
        b'$' if text.starts_with("${") => {
            let end = closing(text)?;
            Some((end + 1, variable(&text[2..end])?))
        }
        b'{' => between(text, "{", "}", sourced),
        b'<' => between(text, "<", ">", described),
        b'%' if !is_address => between(text, "%", "%", percent),
        _ => None,
    }
}

/// What stands between two marks, where it can be read as a placeholder.
fn between(
    text: &str,
    open: &str,
    close: &str,
    read: fn(&str) -> Option<Hole>,
) -> Option<(usize, TemplatePart)> {
    let inner = text.strip_prefix(open)?;
    let near = inner.as_bytes().get(..LONGEST).unwrap_or(inner.as_bytes());
    let end = near
        .windows(close.len())
        .position(|bytes| bytes == close.as_bytes())?;
    let hole = read(&inner[..end])?;
    Some((open.len() + end + close.len(), TemplatePart::Hole(hole)))
}

/// The place of the brace that closes `${`, with those between counted.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (index, byte) in text.bytes().enumerate().take(LONGEST) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(index),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The inside of `${…}`.
fn variable(inner: &str) -> Option<TemplatePart> {
    if inner == "/" || inner == "pathSeparator" {
        return Some(TemplatePart::Text(std::path::MAIN_SEPARATOR_STR.to_owned()));
    }
    let (name, default) = inner.split_once(":-").unwrap_or((inner, ""));
    let hole = sourced(name).or_else(|| is_name(name).then(|| Hole::named(name)))?;
    // A default that asks again is not a value.
    let default = if default.contains("${") { "" } else { default };
    Some(TemplatePart::Hole(Hole {
        default: default.to_owned(),
        ..hole
    }))
}

/// The inside of `${{ … }}`.
fn expression(inner: &str) -> Option<Hole> {
    let inner = inner.trim();
    sourced(inner).or_else(|| is_name(inner).then(|| Hole::named(inner)))
}

/// A name after the place that it is taken from, or a file that is read.
fn sourced(inner: &str) -> Option<Hole> {
    if let Some(file) = inner.strip_prefix("file:").filter(|file| !file.is_empty()) {
        return Some(Hole::named(file));
    }
    let name = SOURCES.iter().find_map(|source| inner.strip_prefix(source))?;
    is_name(name).then(|| Hole::named(name))
}

/// Words between angle brackets, as instructions for people write them.
fn described(inner: &str) -> Option<Hole> {
    let word = |c: char| c.is_alphanumeric() || " _.-/'".contains(c);
    let fits = inner.chars().count() <= 64 && inner.chars().all(word);
    (fits && inner.starts_with(char::is_alphabetic)).then(|| Hole::named(inner))
}

/// A variable as Windows writes it.
fn percent(inner: &str) -> Option<Hole> {
    let is_byte = inner.len() == 2 && inner.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_variable(inner) && !is_byte).then(|| Hole::named(inner))
}

/// A name of a variable in the usual capitals.
pub(super) fn is_variable(name: &str) -> bool {
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() >= 2
        && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name.chars().all(capital)
}

fn is_name(name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(part)
}
