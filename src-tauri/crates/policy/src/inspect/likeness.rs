//! Whether a name could be taken for one the reader knows: the same to the eye (the skeleton of Unicode's report
//! 39, with and without marks above and through the letters), one letter away, or a known name standing where a
//! hasty reader looks for the owner. What is on the list, or below a name on it, is never called a likeness.

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};
use vestibule_protocol::is_invisible;

use super::suffix::{is_at_or_below, registrable};

/// Shortest name for which one letter of difference says anything.
const NEAR_FROM: usize = 6;

/// How a name is like a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// It looks the same.
    Same,
    /// It is one letter away.
    Near,
    /// The known name stands inside.
    Inside,
}

/// Domains that a reader knows, taken apart once so that each URL is compared quickly.
#[derive(Clone, Debug, Default)]
pub struct KnownDomains {
    domains: Vec<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    host: String,
    domain: String,
    /// The domain in Unicode.
    letters: Vec<char>,
    /// How many of its letters stand before the public suffix.
    name: usize,
    skeletons: [String; 2],
    parts: Vec<String>,
    /// Whether it is only compared with: the user has a server there, which says nothing about the name itself.
    is_of_server: bool,
}

impl KnownDomains {
    /// Takes hosts or domains; what is no public name is left out.
    #[must_use]
    pub fn new<T: AsRef<str>>(domains: impl IntoIterator<Item = T>) -> Self {
        let domains = domains
            .into_iter()
            .filter_map(|domain| Known::parse(domain.as_ref()));
        Self {
            domains: domains.collect(),
        }
    }

    /// The same, and the hosts of the user's servers: others may want to look like them. A name of theirs that looks like
    /// a known one is still one that does.
    #[must_use]
    pub fn with_servers<T: AsRef<str>>(mut self, hosts: impl IntoIterator<Item = T>) -> Self {
        let servers = Self::new(hosts).domains.into_iter().map(|known| Known {
            is_of_server: true,
            ..known
        });
        self.domains.extend(servers);
        self
    }

    /// Whether `host` is one of them or below one.
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        !host.starts_with('.') && self.domains.iter().any(|known| is_at_or_below(host, &known.host))
    }
}

impl Known {
    fn parse(written: &str) -> Option<Self> {
        let host = idna::domain_to_ascii(written.trim_matches('.')).ok()?;
        if is_numeric(&host) {
            return None;
        }
        let domain = registrable(&host)?.to_owned();
        let (unicode, _) = idna::domain_to_unicode(&domain);
        let letters: Vec<char> = unicode.chars().collect();
        let name = letters.iter().position(|letter| *letter == '.')?;
        let skeletons = skeletons(&unicode);
        let parts = parts(&skeletons[1]).map(str::to_owned).collect();
        Some(Self {
            host,
            domain,
            letters,
            name,
            skeletons,
            parts,
            is_of_server: false,
        })
    }
}

/// Whether the last label has digits only, as in an address of IPv4.
fn is_numeric(host: &str) -> bool {
    let last = host.rsplit('.').next();
    last.is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()))
}

/// How `host` (ASCII, and the same as labels in Unicode) is like a known domain. Its registrable domain are the
/// last `length` labels.
pub(super) fn find_likenesses(
    host: &str,
    labels: &[&str],
    length: usize,
    known: &[&KnownDomains],
) -> Vec<Likeness> {
    let domain = host
        .rmatch_indices('.')
        .nth(length - 1)
        .map_or(host, |(dot, _)| &host[dot + 1..]);
    let known = || known.iter().flat_map(|list| &list.domains);
    let is_own = |known: &&Known| is_at_or_below(host, &known.host) || known.domain == domain;
    if known().any(|known| !known.is_of_server && is_own(&known)) {
        return vec![];
    }
    let known = || known().filter(|known| !is_own(known));
    let start = labels.len().saturating_sub(length);
    let unicode = labels[start..].join(".");
    let letters: Vec<char> = unicode.chars().collect();
    let mine = skeletons(&unicode);
    let mut likeness = vec![];
    if known().any(|known| mine.iter().any(|skeleton| known.skeletons.contains(skeleton))) {
        likeness.push(Likeness::Same);
    } else if known().any(|known| known.name >= NEAR_FROM && one_edit_apart(&known.letters, &letters)) {
        likeness.push(Likeness::Near);
    }
    let tokens = tokens(labels, start);
    if known().any(|known| stands_inside(&known.parts, &tokens)) {
        likeness.push(Likeness::Inside);
    }
    likeness
}

/// A piece of a name between dots and hyphens.
struct Token {
    text: String,
    place: Where,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Before,
    Name,
    Suffix,
}

fn tokens(labels: &[&str], start: usize) -> Vec<Token> {
    let mut tokens = vec![];
    for (index, label) in labels.iter().enumerate() {
        let place = match index {
            index if index < start => Where::Before,
            index if index == start => Where::Name,
            _ => Where::Suffix,
        };
        let skeleton = skeleton(label, true);
        tokens.extend(parts(&skeleton).map(|part| Token {
            text: part.to_owned(),
            place,
        }));
    }
    tokens
}

fn parts(skeleton: &str) -> impl Iterator<Item = &str> {
    skeleton.split(['.', '-']).filter(|part| !part.is_empty())
}

/// Whether a known name begins before the registrable domain, or lies whole within its first label.
fn stands_inside(known: &[String], tokens: &[Token]) -> bool {
    tokens.windows(known.len()).any(|window| {
        let first = window.first().map(|token| token.place);
        let last = window.last().map(|token| token.place);
        let placed = first == Some(Where::Before) || (first == Some(Where::Name) && last == first);
        placed && window.iter().map(|token| &token.text).eq(known)
    })
}

/// Whether two names look the same to a reader, by the skeleton of Unicode's report 39. Case, spaces and characters that
/// are not seen make no difference.
#[must_use]
pub fn looks_same(one: &str, other: &str) -> bool {
    let seen = |name: &str| {
        let shown = |character: &char| !character.is_whitespace() && !is_invisible(*character);
        let shown: String = name.chars().filter(shown).flat_map(char::to_lowercase).collect();
        skeleton(&shown, false)
    };
    one == other || seen(one) == seen(other)
}

/// The text with the ordinary form of each letter that is only drawn in another way: wide, bold, in a circle. What is
/// compared with words, never what is shown.
#[must_use]
pub fn plain_letters(text: &str) -> String {
    text.nfkc().collect()
}

pub(super) fn skeletons(text: &str) -> [String; 2] {
    [skeleton(text, false), skeleton(text, true)]
}

/// What the eye sees of a text, in letters that are alike for what looks alike. Never shown.
fn skeleton(text: &str, without_marks: bool) -> String {
    // A name in small ASCII letters has a skeleton that needs no tables.
    if text
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte))
    {
        return ascii_skeleton(text);
    }
    let text: String = if without_marks {
        bare(text)
    } else {
        text.to_owned()
    };
    let mapped: String = unicode_security::skeleton(&text)
        .flat_map(char::to_lowercase)
        .collect();
    let mapped = if without_marks { bare(&mapped) } else { mapped };
    mapped.replace("vv", "w")
}

fn ascii_skeleton(text: &str) -> String {
    let mut skeleton = String::with_capacity(text.len() + 4);
    for character in text.chars() {
        match character {
            'm' => skeleton.push_str("rn"),
            '0' => skeleton.push('o'),
            '1' => skeleton.push('l'),
            other => skeleton.push(other),
        }
    }
    skeleton.replace("vv", "w")
}

/// The text without marks above, below and through its letters.
fn bare(text: &str) -> String {
    text.nfd()
        .filter(|character| !is_combining_mark(*character))
        .map(|character| if character == 'ı' { 'i' } else { character })
        .collect()
}

/// Whether one letter more, less or other, or two neighbours in turn, make one text of the other.
fn one_edit_apart(a: &[char], b: &[char]) -> bool {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    match (&a[..a.len() - suffix], &b[..b.len() - suffix]) {
        ([], [_]) | ([_], [] | [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}
