//! Scopes: what a token is good for. Order is kept for reading, sets are compared; what is no scope token by
//! RFC 6749 is left out, and there is a cap, because all of them come from outside.

use std::fmt;

use serde::{Deserialize, Serialize};

const MAX_SCOPES: usize = 100;
const MAX_SCOPE_BYTES: usize = 256;

/// An ordered set of scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct Scopes(Vec<String>);

impl From<Vec<String>> for Scopes {
    fn from(scopes: Vec<String>) -> Self {
        let mut kept = Self::default();
        for scope in scopes {
            kept.insert(scope);
        }
        kept
    }
}

impl Scopes {
    /// Scopes from the form they travel in, separated by spaces.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        text.split(' ')
            .filter(|scope| !scope.is_empty())
            .map(ToOwned::to_owned)
            .collect::<Vec<_>>()
            .into()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether this one is among them.
    #[must_use]
    pub fn contains(&self, scope: &str) -> bool {
        self.iter().any(|own| own == scope)
    }

    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = self.clone();
        for scope in &other.0 {
            all.insert(scope.clone());
        }
        all
    }

    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let new = self.iter().filter(|scope| !other.contains(scope));
        Self(new.map(ToOwned::to_owned).collect())
    }

    /// The same text for the same set.
    pub(crate) fn key(&self) -> String {
        let mut sorted: Vec<&str> = self.iter().collect();
        sorted.sort_unstable();
        sorted.join(" ")
    }

    pub(crate) fn insert(&mut self, scope: String) {
        let allowed = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
        let sound = !scope.is_empty() && scope.len() <= MAX_SCOPE_BYTES && scope.bytes().all(allowed);
        if sound && self.0.len() < MAX_SCOPES && !self.contains(&scope) {
            self.0.push(scope);
        }
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AU-069, AU-072.
    #[test]
    fn a_union_keeps_what_was_there_and_adds_only_what_is_new() {
        let had = Scopes::parse("mcp:basic files");
        let wanted = Scopes::parse("files mcp:write");
        assert_eq!(had.union(&wanted).to_string(), "mcp:basic files mcp:write");
        assert_eq!(wanted.without(&had).to_string(), "mcp:write");
        assert_eq!(had.key(), Scopes::parse("files mcp:basic files").key());
    }

    #[test]
    fn what_is_no_scope_is_left_out_and_there_is_an_end() {
        assert_eq!(Scopes::parse("a  b\u{202e}c \"x\" d\\e f").to_string(), "a f");
        let many: Vec<String> = (0..500).map(|n| n.to_string()).collect();
        assert_eq!(Scopes::from(many).iter().count(), MAX_SCOPES);
        assert!(Scopes::parse(&"x".repeat(300)).is_empty());
    }
}
