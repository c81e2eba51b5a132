//! What a text has to look like: a server's pattern, and the formats the protocol names. Patterns run on an engine
//! whose time is linear in the text and whose size is bounded; those it cannot take are not run at all.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use regex::{Regex, RegexBuilder};

/// The longest pattern, and the most that it may take compiled, in bytes.
const MAX_PATTERN: usize = 2000;
const MAX_COMPILED: usize = 256 * 1024;
const MAX_NESTING: u32 = 64;

/// Compiles a pattern. `None` where it is too large, or has look-around or back-references.
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    if pattern.len() > MAX_PATTERN {
        return None;
    }
    RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTING)
        .build()
        .ok()
}

/// Whether a text is of a format. What is not known is not checked.
pub(super) fn is_of_format(text: &str, format: &str) -> bool {
    match format {
        "email" => is_email(text),
        "uri" => is_uri(text),
        "date" => is_date(text),
        "date-time" => is_date_time(text),
        _ => true,
    }
}

fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let clean = |part: &str| !part.is_empty() && !part.chars().any(|c| c.is_whitespace() || c.is_control());
    let dotted = |part: &str| clean(part) && part.split('.').all(|piece| !piece.is_empty());
    dotted(name) && !name.contains('@') && name.len() <= 64 && dotted(domain) && domain.len() <= 253
}

fn is_uri(text: &str) -> bool {
    static URI: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[A-Za-z][A-Za-z0-9+.\-]*:(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$")
            .expect("written here")
    });
    URI.is_match(text)
}

fn is_date(text: &str) -> bool {
    static DATE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$").expect("written here"));
    DATE.is_match(text) && text.parse::<Date>().is_ok()
}

/// RFC 3339: with seconds and with an offset.
fn is_date_time(text: &str) -> bool {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
        )
        .expect("written here")
    });
    TIME.is_match(text) && text.parse::<Timestamp>().is_ok()
}
