//! A value as a slice of a text that was checked. A `RawValue` of serde_json can be made only by checking the text again.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Scanner, escape};

/// One JSON value, as it stands in a text. It is valid JSON without spaces around it; a string in it may still name half of a
/// character, and a number may be larger than any type of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawJson<'a>(&'a str);

impl<'a> RawJson<'a> {
    /// For the scanner, which has just checked the text.
    pub(super) const fn checked(text: &'a str) -> Self {
        Self(text)
    }

    #[must_use]
    pub const fn get(self) -> &'a str {
        self.0
    }

    /// A value in this one, by the indexes of its first byte and of the byte behind its last one.
    pub(crate) fn part(self, begin: usize, end: usize) -> Self {
        Self(&self.0[begin..end])
    }

    #[must_use]
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    #[must_use]
    pub fn is_string(self) -> bool {
        self.0.starts_with('"')
    }

    #[must_use]
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// The text of a string. `None` for any other value, and for a string that names half of a character.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        Scanner::new(self.0).text().ok().flatten()
    }

    /// # Errors
    /// When it is no `T`.
    pub fn read<T: Deserialize<'a>>(self) -> serde_json::Result<T> {
        serde_json::from_str(self.0)
    }

    #[must_use]
    pub fn to_buf(self) -> RawJsonBuf {
        RawJsonBuf(self.0.into())
    }

    /// What `read` makes of the value. Where it fails and a string names half of a character, because a program cut it in the
    /// middle of one, `read` gets the value with U+FFFD in its place.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn read_whole_characters<T, E>(
        self,
        read: impl for<'b> Fn(RawJson<'b>) -> Result<T, E>,
    ) -> Result<T, E> {
        read(self).or_else(|error| match self.with_whole_characters() {
            Some(whole) => read(whole.as_raw()),
            None => Err(error),
        })
    }

    /// The same value with U+FFFD for each escape that names half of a character; `None` where there is none.
    fn with_whole_characters(self) -> Option<RawJsonBuf> {
        let mut whole = String::with_capacity(self.0.len());
        let mut has_half = false;
        let mut rest = self.0;
        // A backslash stands in a string and begins an escape.
        while let Some(begin) = rest.find('\\') {
            let (before, escape) = rest.split_at(begin);
            whole.push_str(before);
            let (length, written) = match escape::numbered(escape) {
                Some((_, length)) => (length, &escape[..length]),
                None if escape.starts_with("\\u") => {
                    has_half = true;
                    (6, "\\ufffd")
                }
                None => (2, &escape[..2]),
            };
            whole.push_str(written);
            rest = &escape[length..];
        }
        whole.push_str(rest);
        has_half.then(|| RawJsonBuf(whole.into()))
    }
}

impl<'a> From<&'a RawValue> for RawJson<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self(raw.get())
    }
}

/// A [`RawJson`] with a text of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawJsonBuf(Box<str>);

impl RawJsonBuf {
    /// A value of ours as JSON.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn write(value: &(impl Serialize + ?Sized)) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(|text| Self(text.into()))
    }

    #[must_use]
    pub fn as_raw(&self) -> RawJson<'_> {
        RawJson(&self.0)
    }
}
