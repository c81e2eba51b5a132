//! A pull parser. It checks the grammar as serde_json does, counts nesting and values, and uses no recursion. What a caller does
//! not want is skipped.

mod special;
mod string;
mod word;

use std::borrow::Cow;

use thiserror::Error;

use super::RawJson;
use crate::jsonrpc::MAX_DEPTH;

/// Why a text cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScanError {
    /// The byte at this index cannot stand there.
    #[error("not JSON at byte {0}")]
    Syntax(usize),
    #[error("the JSON ends too early")]
    EndsEarly,
    /// The escape at this index names half of a character.
    #[error("half of a character at byte {0}")]
    HalfCharacter(usize),
    #[error("nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

/// A place in a JSON text.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// How many arrays and objects are open here.
    depth: usize,
    values: usize,
    is_plain: bool,
}

impl<'a> Scanner<'a> {
    /// Before the first byte of a text, which need not be JSON.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            values: 0,
            is_plain: true,
        }
    }

    /// How many values were read or skipped. Names of members count as well.
    #[must_use]
    pub const fn values(&self) -> usize {
        self.values
    }

    /// Whether serde_json can certainly make a tree of everything up to here: no string has a `\u` escape, which may name half of
    /// a character, and no number has an exponent or so many digits that it may be out of range.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The first byte of the next value.
    #[must_use]
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_spaces();
        self.byte()
    }

    /// Reads an object. `member` is called for each member with its name, and has to read or skip its value.
    ///
    /// # Errors
    /// When the next value is no object, and those of `member`.
    pub fn object<E: From<ScanError>>(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.open(b'{')?;
        if self.closes(b'}') {
            return Ok(());
        }
        loop {
            let name = self.name()?;
            member(self, name)?;
            if self.ends(b'}')? {
                return Ok(());
            }
        }
    }

    /// Reads an array. `element` is called for each element, and has to read or skip it.
    ///
    /// # Errors
    /// When the next value is no array, and those of `element`.
    pub fn array<E: From<ScanError>>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.open(b'[')?;
        if self.closes(b']') {
            return Ok(());
        }
        loop {
            element(self)?;
            if self.ends(b']')? {
                return Ok(());
            }
        }
    }

    /// Skips the next value, and returns it as it stands.
    ///
    /// # Errors
    /// When there is none.
    pub fn value(&mut self) -> Result<RawJson<'a>, ScanError> {
        let begin = self.begin_value();
        self.skip_value()?;
        Ok(self.value_since(begin))
    }

    /// The index of the first byte of the next value.
    pub(crate) fn begin_value(&mut self) -> usize {
        self.skip_spaces();
        self.at
    }

    /// The index behind the last byte that was read or skipped.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// The value that begins at this index and ends here.
    pub(crate) fn value_since(&self, begin: usize) -> RawJson<'a> {
        RawJson::checked(&self.text[begin..self.at])
    }

    /// The next value as it stands, and what `read` makes of it: `None` where `read` fails, and where the value is not plain
    /// (see [`is_plain`](Self::is_plain)).
    ///
    /// # Errors
    /// When there is no value.
    pub(crate) fn plain_value<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ScanError>,
    ) -> Result<(RawJson<'a>, Option<T>), ScanError> {
        let begin = self.begin_value();
        let before = self.clone();
        self.is_plain = true;
        if let Ok(read) = read(self) {
            let plain = self.is_plain.then_some(read);
            self.is_plain &= before.is_plain;
            return Ok((self.value_since(begin), plain));
        }
        *self = before;
        Ok((self.value()?, None))
    }

    /// The text of the next value if it is a string. It is borrowed where the string has no escapes. Any other value is skipped.
    ///
    /// # Errors
    /// When there is no value, or a string that names half of a character.
    pub fn text(&mut self) -> Result<Option<Cow<'a, str>>, ScanError> {
        if self.peek() != Some(b'"') {
            return self.value().map(|_| None);
        }
        self.string_text().map(Some)
    }

    /// # Errors
    /// When something else than white space follows.
    pub fn end(&mut self) -> Result<(), ScanError> {
        self.skip_spaces();
        match self.byte() {
            None => Ok(()),
            Some(_) => Err(ScanError::Syntax(self.at)),
        }
    }

    fn skip_value(&mut self) -> Result<(), ScanError> {
        // A bit for each level that this value opened, the innermost last: whether it is an object. There are never more
        // than MAX_DEPTH, which is 64.
        let mut kinds = 0_u64;
        let outer = self.depth;
        loop {
            self.values += 1;
            match self.next_byte()? {
                b'"' => self.skip_string()?,
                first @ (b'-' | b'0'..=b'9') => self.skip_number(first)?,
                b't' => self.skip_rest_of_word(b"rue")?,
                b'f' => self.skip_rest_of_word(b"alse")?,
                b'n' => self.skip_rest_of_word(b"ull")?,
                b'{' => {
                    self.deepen()?;
                    if !self.closes(b'}') {
                        kinds = kinds << 1 | 1;
                        self.skip_name()?;
                        continue;
                    }
                }
                b'[' => {
                    self.deepen()?;
                    if !self.closes(b']') {
                        kinds <<= 1;
                        continue;
                    }
                }
                _ => return Err(ScanError::Syntax(self.at - 1)),
            }
            // The value is over: close what it ends, up to the next value.
            loop {
                if self.depth == outer {
                    return Ok(());
                }
                let is_object = kinds & 1 == 1;
                if !self.ends(if is_object { b'}' } else { b']' })? {
                    if is_object {
                        self.skip_name()?;
                    }
                    break;
                }
                kinds >>= 1;
            }
        }
    }

    fn open(&mut self, bracket: u8) -> Result<(), ScanError> {
        self.values += 1;
        match self.next_byte()? {
            byte if byte == bracket => self.deepen(),
            _ => Err(ScanError::Syntax(self.at - 1)),
        }
    }

    fn deepen(&mut self) -> Result<(), ScanError> {
        self.depth += 1;
        match self.depth {
            0..=MAX_DEPTH => Ok(()),
            _ => Err(ScanError::TooDeep),
        }
    }

    /// After an opening bracket: skips the closing one if nothing is between them.
    #[inline]
    fn closes(&mut self, bracket: u8) -> bool {
        self.skip_spaces();
        let closes = self.byte() == Some(bracket);
        if closes {
            self.at += 1;
            self.depth -= 1;
        }
        closes
    }

    /// After a value of an array or object: reads the closing bracket, or the comma before the next value.
    #[inline]
    fn ends(&mut self, bracket: u8) -> Result<bool, ScanError> {
        match self.next_byte()? {
            b',' => Ok(false),
            byte if byte == bracket => {
                self.depth -= 1;
                Ok(true)
            }
            _ => Err(ScanError::Syntax(self.at - 1)),
        }
    }

    fn name(&mut self) -> Result<Cow<'a, str>, ScanError> {
        let name = self.string_text()?;
        self.skip_colon()?;
        Ok(name)
    }

    #[inline]
    fn skip_name(&mut self) -> Result<(), ScanError> {
        self.open_string()?;
        self.skip_string()?;
        self.skip_colon()
    }

    #[inline]
    fn skip_colon(&mut self) -> Result<(), ScanError> {
        match self.next_byte()? {
            b':' => Ok(()),
            _ => Err(ScanError::Syntax(self.at - 1)),
        }
    }

    #[inline]
    fn next_byte(&mut self) -> Result<u8, ScanError> {
        self.skip_spaces();
        let byte = self.byte().ok_or(ScanError::EndsEarly)?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    fn skip_spaces(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.byte() {
            self.at += 1;
        }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests;
