//! A digest stands for exactly what a user approved. Each kind of thing is hashed under its own label, so the
//! digest of a launch can never pass for the digest of a tool.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{Mention, canonical};

/// SHA-256 over the canonical form of a value, under a label that names its kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ts_rs::TS)]
#[serde(try_from = "String", into = "String")]
#[ts(as = "String")]
pub struct Digest([u8; 32]);

/// The text was not 64 hexadecimal digits.
#[derive(Debug, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits")]
pub struct NotADigest;

impl Digest {
    /// Of a [launch record](crate::LaunchRecord).
    #[must_use]
    pub fn of_launch(record: &Value) -> Self {
        Self::digest_value("vestibule/v1/launch", record)
    }

    /// Of a connection record: address, transport, names and fingerprints of headers.
    #[must_use]
    pub fn of_connection(record: &Value) -> Self {
        Self::digest_value("vestibule/v1/connection", record)
    }

    /// Of a whole tool definition, every member of it, as the server sent it.
    #[must_use]
    pub fn of_tool(definition: &Value) -> Self {
        Self::digest_value("vestibule/v1/tool", definition)
    }

    /// Of what was said in a chat, in all its branches.
    #[must_use]
    pub fn of_chat(chat: &Value) -> Self {
        Self::digest_value("vestibule/v1/chat", chat)
    }

    /// Of everything a question shows.
    #[must_use]
    pub fn of_question(shown: &Value) -> Self {
        Self::digest_value("vestibule/v1/question", shown)
    }

    /// Of the name of something that has no definition but its name.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        Self::digest_value("vestibule/v1/name", &json!(name))
    }

    /// Of the arguments of a call.
    #[must_use]
    pub fn of_arguments(arguments: &Value) -> ContentDigest {
        ContentDigest(Self::digest_value("vestibule/v1/arguments", arguments))
    }

    /// Of what a server answered.
    #[must_use]
    pub fn of_result(result: &Value) -> ContentDigest {
        ContentDigest(Self::digest_value("vestibule/v1/result", result))
    }

    /// Of what a model reads of a file.
    #[must_use]
    pub fn of_file(content: &Value) -> ContentDigest {
        ContentDigest(Self::digest_value("vestibule/v1/file", content))
    }

    /// Of the files and hosts that something names. The salt keeps short names from being guessed out of it.
    #[must_use]
    pub fn of_names(salt: &str, names: &BTreeSet<Mention>) -> Self {
        Self::digest_value("vestibule/v1/names", &json!({ "salt": salt, "names": names }))
    }

    fn digest_value(label: &str, value: &Value) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(label);
        hasher.update([0]);
        hasher.update(canonical(value));
        Self(hasher.finalize().into())
    }
}

/// A digest of what a user, a model or a server said. Short content can be guessed and compared with its digest, so
/// this one cannot be written down; what can is [salted](Self::salted), and says nothing without the salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentDigest(Digest);

impl ContentDigest {
    /// The digest to keep. With the content and the salt it can be made again.
    #[must_use]
    pub fn salted(&self, salt: &str) -> Digest {
        Digest::digest_value("vestibule/v1/salted", &json!({ "salt": salt, "digest": self.0 }))
    }
}

/// What a question shows is also the content of others.
impl From<Digest> for ContentDigest {
    fn from(digest: Digest) -> Self {
        Self(digest)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: [u8; 16] = *b"0123456789abcdef";
        let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
        let digits = self
            .0
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        f.write_str(&digits.collect::<String>())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(NotADigest);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| NotADigest)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| NotADigest)?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = NotADigest;

    fn try_from(text: String) -> Result<Self, NotADigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_changed_character_changes_the_digest() {
        let before = json!({"name": "add", "description": "Adds."});
        let after = json!({"name": "add", "description": "Adds!"});
        assert_ne!(Digest::of_tool(&before), Digest::of_tool(&after));
    }

    #[test]
    fn the_same_value_of_another_kind_has_another_digest() {
        assert_ne!(Digest::of_tool(&json!({})), Digest::of_launch(&json!({})));
    }

    #[test]
    fn a_salted_digest_stands_for_its_content_under_its_salt_alone() {
        let kept = |content: &Value, salt: &str| Digest::of_arguments(content).salted(salt);
        let yes = json!({ "answer": "yes" });
        assert_eq!(kept(&yes, "a"), kept(&yes, "a"));
        assert_ne!(kept(&yes, "a"), kept(&yes, "b"));
        assert_ne!(kept(&yes, "a"), kept(&json!({ "answer": "no" }), "a"));
        assert_ne!(kept(&yes, "a"), Digest::of_result(&yes).salted("a"));
    }

    #[test]
    fn a_digest_reads_back_from_its_text() {
        let digest = Digest::of_tool(&json!([1, 2]));
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert_eq!(format!("{digest:?}"), format!("Digest({digest})"));
        assert!("00".parse::<Digest>().is_err());
        assert!("+1".repeat(32).parse::<Digest>().is_err());
    }
}
