//! The text before a parser repaired it. Parsers drop line breaks, turn backslashes round and decode the host in
//! silence, and not all alike; whatever depends on that is caught here, where it can still be seen.

use unicode_normalization::UnicodeNormalization as _;

use super::escape::is_hidden;
use super::{UrlFindings, UrlWarning};

/// What makes a shell or a command prompt do something of its own.
const FOR_SHELLS: [char; 7] = ['`', '"', '<', '>', '|', '^', ' '];

/// Notes what is odd about the characters, whatever they spell.
pub(super) fn inspect_raw(raw: &str, found: &mut UrlFindings) {
    let trimmed = trimmed(raw);
    let control = raw.len() != trimmed.len() || trimmed.chars().any(char::is_control);
    found.warn_if(control, UrlWarning::ControlChars);
    found.warn_if(raw.chars().any(is_hidden), UrlWarning::HiddenUnicode);
    found.warn_if(speaks_to_shells(trimmed), UrlWarning::ShellMetachar);
}

fn speaks_to_shells(text: &str) -> bool {
    let loose_percent = text.split('%').skip(1).any(|after| {
        let digits = after.as_bytes().get(..2);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    loose_percent || text.contains(FOR_SHELLS) || text.contains("$(") || text.contains("${")
}

fn trimmed(raw: &str) -> &str {
    raw.trim_matches(|character| character <= ' ')
}

/// A web address in the parts its writer gave it.
pub(super) struct Written {
    /// What stands between the scheme and the authority. Usually `//`.
    slashes: String,
    /// From there to the first slash, backslash, question mark or hash.
    authority: String,
    rest: String,
}

impl Written {
    /// Cuts the text where a browser would.
    pub(super) fn parse(raw: &str) -> Self {
        let clean: String = trimmed(raw)
            .chars()
            .filter(|character| !matches!(character, '\t' | '\n' | '\r'))
            .collect();
        let after_scheme = clean.split_once(':').map_or("", |(_, after)| after);
        let start = after_scheme
            .find(|character| !matches!(character, '/' | '\\'))
            .unwrap_or(after_scheme.len());
        let (slashes, after) = after_scheme.split_at(start);
        let end = after.find(['/', '\\', '?', '#']).unwrap_or(after.len());
        let (authority, rest) = after.split_at(end);
        Self {
            slashes: slashes.to_owned(),
            authority: authority.to_owned(),
            rest: rest.to_owned(),
        }
    }

    /// Notes where readers of this text part ways.
    pub(super) fn inspect(&self, found: &mut UrlFindings) {
        found.warn_if(self.authority.contains('@'), UrlWarning::Userinfo);
        let before_query = self.rest.split(['?', '#']).next().unwrap_or_default();
        let host = self.host();
        let differs = self.slashes != "//"
            || before_query.contains('\\')
            || host.contains(['%', '\u{3002}'])
            || host.chars().any(is_rewritten);
        found.warn_if(differs, UrlWarning::ParserDifferential);
    }

    /// The host as it was written, without credentials and port.
    pub(super) fn host(&self) -> &str {
        let after_user = self.authority.rsplit('@').next().unwrap_or_default();
        if after_user.starts_with('[') {
            let end = after_user.find(']').map_or(after_user.len(), |end| end + 1);
            return &after_user[..end];
        }
        after_user.split(':').next().unwrap_or_default()
    }

    /// Path, query and fragment as they were written.
    pub(super) fn rest(&self) -> &str {
        &self.rest
    }
}

/// Whether a parser would put other characters in the place of this one. Those a reader does not see are counted
/// elsewhere.
fn is_rewritten(character: char) -> bool {
    !character.is_ascii()
        && !is_hidden(character)
        && !std::iter::once(character).nfkc().eq(std::iter::once(character))
}
