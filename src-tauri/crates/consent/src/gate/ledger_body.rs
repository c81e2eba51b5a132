//! The body of a ledger entry. Facts stand in it as they are. Digests of content are
//! kept apart from them and cannot become facts: the store salts them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vestibule_policy::{ContentDigest, Digest};

/// Facts, and digests of what was said, each under a name.
#[derive(Clone, Debug)]
pub(super) struct LedgerBody {
    pub(super) facts: Value,
    pub(super) content_digests: BTreeMap<&'static str, ContentDigest>,
}

impl From<Value> for LedgerBody {
    /// An object of facts.
    fn from(facts: Value) -> Self {
        Self {
            facts,
            content_digests: BTreeMap::new(),
        }
    }
}

impl LedgerBody {
    /// What is known of an answer: the card it was given to.
    pub(super) fn shown(question: Digest) -> Self {
        Self::from(json!({})).with_digest("question", question)
    }

    pub(super) fn with_fact(mut self, name: &str, fact: Value) -> Self {
        self.facts[name] = fact;
        self
    }

    pub(super) fn with_digest(mut self, name: &'static str, digest: impl Into<ContentDigest>) -> Self {
        self.content_digests.insert(name, digest.into());
        self
    }
}
