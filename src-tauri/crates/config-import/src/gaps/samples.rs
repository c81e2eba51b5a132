//! Values that only show the reader of an instruction what to write, such as `YOUR_API_KEY` or `/path/to/folder`.

const STARTS: [&str; 12] = [
    "your-",
    "your_",
    "your ",
    "my-secret-",
    "insert-",
    "insert_",
    "insert ",
    "enter your",
    "replace with",
    "replace-with",
    "replace_with",
    "paste your",
];
const ENDS: [&str; 3] = ["_here", "-here", " here"];
const WORDS: [&str; 11] = [
    "replaceme",
    "replace_me",
    "replace-me",
    "changeme",
    "change_me",
    "change-me",
    "todo",
    "tbd",
    "placeholder",
    "your_key",
    "...",
];
const FOLDERS: [&str; 8] = [
    "/path/to/",
    "/absolute/path/",
    "/users/username/",
    "/users/yourname/",
    "/users/your-username/",
    "/home/username/",
    "c:\\path\\to\\",
    "/your/",
];

/// Whether the value of a variable or header only shows what to write.
pub(super) fn is_value(value: &str) -> bool {
    let plain = value.to_lowercase();
    let starts = STARTS.iter().any(|start| plain.starts_with(start));
    let ends = ENDS.iter().any(|end| plain.ends_with(end));
    starts || ends || WORDS.contains(&plain.as_str()) || is_bracketed(value) || is_blotted(&plain)
}

/// Whether an argument only shows what to write: in capitals, so that no word of a command is taken for one.
pub(super) fn is_loud(word: &str) -> bool {
    let loud = word
        .chars()
        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "_-".contains(c));
    loud && is_value(word)
}

/// Whether a path only shows what to write.
pub(super) fn is_path(path: &str) -> bool {
    let plain = path.to_lowercase();
    FOLDERS.iter().any(|folder| plain.starts_with(folder))
}

/// Words in angle or square brackets. Lists in JSON look different.
fn is_bracketed(value: &str) -> bool {
    let inside = |open, close| {
        value
            .strip_prefix(open)
            .and_then(|rest: &str| rest.strip_suffix(close))
    };
    let inner = inside('<', '>').or_else(|| inside('[', ']'));
    let word = |c: char| c.is_alphanumeric() || " _.-/'".contains(c);
    inner.is_some_and(|inner: &str| inner.starts_with(char::is_alphabetic) && inner.chars().all(word))
}

/// A value that is blotted out: `xxxx`, `sk-…`, `ghp_xxxx`, `****`.
fn is_blotted(plain: &str) -> bool {
    let rest = plain.trim_end_matches(['x', '*', '.', '…', '•']);
    let blots = plain.chars().count() - rest.chars().count();
    let ends_openly = rest.is_empty() || rest.ends_with(['-', '_']);
    (blots >= 3 || plain.ends_with('…')) && ends_openly && rest.len() <= 16
}
