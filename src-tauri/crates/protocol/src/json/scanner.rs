//! Going through a JSON text once, from its begin to its end. The grammar is checked as serde_json checks it, nesting is
//! counted without recursion, and nothing is copied. Strings are looked at eight bytes at a time.

use std::borrow::Cow;

use thiserror::Error;

use super::{RawJson, escape};
use crate::jsonrpc::MAX_DEPTH;

/// A number of more bytes may be larger than any type of ours.
const MAX_PLAIN_NUMBER_BYTES: usize = 32;
/// A text that is longer gets room for the rest of the document, which is given back at its end.
const LONG_TEXT_BYTES: usize = 64 * 1024;

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

    /// How many values were passed. Names of members count as well.
    #[must_use]
    pub const fn values(&self) -> usize {
        self.values
    }

    /// Whether all that was passed can certainly be made into a tree: no string names a character by number, which may be
    /// half of one, and no number is so long or has an exponent that it may be out of range.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The first byte of the value that stands here, without passing it.
    #[must_use]
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_spaces();
        self.byte()
    }

    /// Passes an object. `member` is called for each member with its name, and has to pass its value.
    ///
    /// # Errors
    /// When no object stands here, and those of `member`.
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

    /// Passes an array. `element` is called for each element, and has to pass it.
    ///
    /// # Errors
    /// When no array stands here, and those of `element`.
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

    /// Passes one value of any kind.
    ///
    /// # Errors
    /// When none stands here.
    pub fn value(&mut self) -> Result<RawJson<'a>, ScanError> {
        self.skip_spaces();
        let begin = self.at;
        self.pass_value()?;
        Ok(RawJson::checked(&self.text[begin..self.at]))
    }

    /// Passes one value, and takes what `read` makes of it. `None` where `read` fails, and where the value is not plain; see
    /// [`is_plain`](Self::is_plain).
    ///
    /// # Errors
    /// When none stands here.
    pub(crate) fn plain_value<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ScanError>,
    ) -> Result<(RawJson<'a>, Option<T>), ScanError> {
        self.skip_spaces();
        let before = self.clone();
        self.is_plain = true;
        if let Ok(read) = read(self) {
            let plain = self.is_plain.then_some(read);
            self.is_plain &= before.is_plain;
            return Ok((RawJson::checked(&self.text[before.at..self.at]), plain));
        }
        *self = before;
        Ok((self.value()?, None))
    }

    /// Passes one value, and takes its text if it is a string: as it stands, unless something in it is escaped.
    ///
    /// # Errors
    /// When no value stands here, or a string that names half of a character.
    pub fn text(&mut self) -> Result<Option<Cow<'a, str>>, ScanError> {
        if self.peek() != Some(b'"') {
            return self.value().map(|_| None);
        }
        self.string_text().map(Some)
    }

    /// Nothing but spaces may follow.
    ///
    /// # Errors
    /// When something else does.
    pub fn end(&mut self) -> Result<(), ScanError> {
        self.skip_spaces();
        match self.byte() {
            None => Ok(()),
            Some(_) => Err(ScanError::Syntax(self.at)),
        }
    }

    fn pass_value(&mut self) -> Result<(), ScanError> {
        // A bit for each level that this value opened, the innermost last: whether it is an object. There are never more
        // than MAX_DEPTH, which is 64.
        let mut kinds = 0_u64;
        let outer = self.depth;
        loop {
            self.values += 1;
            match self.next_byte()? {
                b'"' => self.pass_string()?,
                first @ (b'-' | b'0'..=b'9') => self.pass_number(first)?,
                b't' => self.pass_rest(b"rue")?,
                b'f' => self.pass_rest(b"alse")?,
                b'n' => self.pass_rest(b"ull")?,
                b'{' => {
                    self.deepen()?;
                    if !self.closes(b'}') {
                        kinds = kinds << 1 | 1;
                        self.pass_name()?;
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
            // Behind a value: what it ends, up to the next value.
            loop {
                if self.depth == outer {
                    return Ok(());
                }
                let is_object = kinds & 1 == 1;
                if !self.ends(if is_object { b'}' } else { b']' })? {
                    if is_object {
                        self.pass_name()?;
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

    /// Right behind an opening bracket: passes the closing one if nothing is between them.
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

    /// Behind a value of an array or object: passes the closing bracket, or the comma before the next value.
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
        self.pass_colon()?;
        Ok(name)
    }

    #[inline]
    fn pass_name(&mut self) -> Result<(), ScanError> {
        self.open_string()?;
        self.pass_string()?;
        self.pass_colon()
    }

    #[inline]
    fn open_string(&mut self) -> Result<(), ScanError> {
        self.values += 1;
        match self.next_byte()? {
            b'"' => Ok(()),
            _ => Err(ScanError::Syntax(self.at - 1)),
        }
    }

    #[inline]
    fn pass_colon(&mut self) -> Result<(), ScanError> {
        match self.next_byte()? {
            b':' => Ok(()),
            _ => Err(ScanError::Syntax(self.at - 1)),
        }
    }

    fn string_text(&mut self) -> Result<Cow<'a, str>, ScanError> {
        self.open_string()?;
        let begin = self.at;
        let end = self.pass_plain_characters()?;
        let plain = &self.text[begin..self.at];
        if end == b'"' {
            self.at += 1;
            return Ok(Cow::Borrowed(plain));
        }
        self.rest_of_text(plain).map(Cow::Owned)
    }

    /// The text of a string from its first escape on, behind what is plain before it.
    fn rest_of_text(&mut self, plain: &str) -> Result<String, ScanError> {
        let mut text = Vec::with_capacity(2 * plain.len() + 32);
        text.extend_from_slice(plain.as_bytes());
        loop {
            match self.copy_plain_characters(&mut text)? {
                b'"' => break,
                _ => self.copy_escape(&mut text)?,
            }
        }
        self.at += 1;
        if text.len() > LONG_TEXT_BYTES {
            text.shrink_to_fit();
        }
        // Whole characters were copied from a text, and others put in place of escapes.
        String::from_utf8(text).map_err(|_| ScanError::Syntax(self.at - 1))
    }

    /// Passes characters of a string up to a quote or a backslash, and copies them. What ends them is not passed.
    fn copy_plain_characters(&mut self, text: &mut Vec<u8>) -> Result<u8, ScanError> {
        let bytes = self.text.as_bytes();
        while let Some(word) = bytes[self.at..].first_chunk::<8>() {
            if text.capacity() - text.len() < word.len() {
                self.make_room(text);
            }
            // All eight bytes are copied, whatever they are, because a copy of a fixed size is one instruction.
            text.extend_from_slice(word);
            if let Some(plain) = first_special(word) {
                text.truncate(text.len() - word.len() + plain);
                self.at += plain;
                return self.end_of_plain(word[plain]);
            }
            self.at += word.len();
        }
        let begin = self.at;
        let end = self.pass_plain_characters()?;
        text.extend_from_slice(&bytes[begin..self.at]);
        Ok(end)
    }

    #[cold]
    fn make_room(&self, text: &mut Vec<u8>) {
        let rest = self.text.len() - self.at;
        let more = if text.len() < LONG_TEXT_BYTES {
            text.len() + 8
        } else {
            rest
        };
        text.reserve(more);
    }

    /// Passes an escape, and adds the character it stands for.
    fn copy_escape(&mut self, text: &mut Vec<u8>) -> Result<(), ScanError> {
        let second = self.text.as_bytes().get(self.at + 1);
        if let Some(byte) = second.and_then(|second| escape::simple(*second)) {
            self.at += 2;
            text.push(byte);
            return Ok(());
        }
        let begin = self.at;
        let Some((character, length)) = escape::numbered(&self.text[begin..]) else {
            self.pass_escape()?;
            return Err(ScanError::HalfCharacter(begin));
        };
        self.is_plain = false;
        self.at += length;
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// Passes a string whose opening quote was passed, and its closing quote.
    #[inline]
    fn pass_string(&mut self) -> Result<(), ScanError> {
        while self.pass_plain_characters()? == b'\\' {
            self.pass_escape()?;
        }
        self.at += 1;
        Ok(())
    }

    /// Passes characters of a string up to a quote or a backslash, which is not passed.
    #[inline]
    fn pass_plain_characters(&mut self) -> Result<u8, ScanError> {
        while let Some(word) = self.text.as_bytes()[self.at..].first_chunk::<8>() {
            if let Some(plain) = first_special(word) {
                self.at += plain;
                return self.end_of_plain(word[plain]);
            }
            self.at += word.len();
        }
        self.pass_last_characters()
    }

    /// The same where less than eight bytes of the document are left.
    #[cold]
    fn pass_last_characters(&mut self) -> Result<u8, ScanError> {
        loop {
            match self.byte() {
                Some(byte @ (b'"' | b'\\' | 0..0x20)) => return self.end_of_plain(byte),
                Some(_) => self.at += 1,
                None => return Err(ScanError::EndsEarly),
            }
        }
    }

    /// What follows the plain characters of a string, unless it is a control character, which may not stand there.
    #[inline]
    fn end_of_plain(&self, byte: u8) -> Result<u8, ScanError> {
        match byte {
            b'"' | b'\\' => Ok(byte),
            _ => Err(ScanError::Syntax(self.at)),
        }
    }

    #[inline]
    fn pass_escape(&mut self) -> Result<(), ScanError> {
        self.at += 1;
        match self.byte() {
            Some(second) if escape::simple(second).is_some() => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => self.pass_numbered_escape(),
            Some(_) => Err(ScanError::Syntax(self.at)),
            None => Err(ScanError::EndsEarly),
        }
    }

    #[cold]
    fn pass_numbered_escape(&mut self) -> Result<(), ScanError> {
        self.is_plain = false;
        self.at += 1;
        (0..4).try_for_each(|_| self.pass_hex_digit())
    }

    fn pass_hex_digit(&mut self) -> Result<(), ScanError> {
        match self.byte() {
            Some(byte) if byte.is_ascii_hexdigit() => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(ScanError::Syntax(self.at)),
            None => Err(ScanError::EndsEarly),
        }
    }

    fn pass_number(&mut self, first: u8) -> Result<(), ScanError> {
        let begin = self.at - 1;
        let first = if first == b'-' { self.digit()? } else { first };
        if first == b'0' {
            if let Some(b'0'..=b'9') = self.byte() {
                return Err(ScanError::Syntax(self.at));
            }
        } else {
            self.pass_digits();
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digit()?;
            self.pass_digits();
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.is_plain = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digit()?;
            self.pass_digits();
        }
        self.is_plain &= self.at - begin <= MAX_PLAIN_NUMBER_BYTES;
        Ok(())
    }

    fn digit(&mut self) -> Result<u8, ScanError> {
        match self.byte() {
            Some(digit @ b'0'..=b'9') => {
                self.at += 1;
                Ok(digit)
            }
            Some(_) => Err(ScanError::Syntax(self.at)),
            None => Err(ScanError::EndsEarly),
        }
    }

    fn pass_digits(&mut self) {
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
    }

    fn pass_rest(&mut self, rest: &[u8]) -> Result<(), ScanError> {
        let follows = &self.text.as_bytes()[self.at..];
        if follows.starts_with(rest) {
            self.at += rest.len();
            return Ok(());
        }
        match rest.starts_with(follows) {
            true => Err(ScanError::EndsEarly),
            false => Err(ScanError::Syntax(self.at)),
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

/// Where the first of eight bytes is that may not stand in a string as it is: a quote, a backslash or a control character.
#[inline]
fn first_special(word: &[u8; 8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST_BITS: u64 = ONES << 7;
    const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
    const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
    const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
    let word = u64::from_le_bytes(*word);
    // The highest bit of each such byte, and perhaps of bytes behind the first.
    let control = word.wrapping_sub(SPACES) & !word;
    let quote = word ^ QUOTES;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = word ^ BACKSLASHES;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    let special = (control | quote | backslash) & HIGHEST_BITS;
    (special != 0).then(|| special.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests;
