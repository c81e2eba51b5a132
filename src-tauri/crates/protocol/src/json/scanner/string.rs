//! Strings: skipped, or copied with their escapes replaced, sixteen bytes at a time.

use std::borrow::Cow;

use super::special::{BLOCK, first_special};
use super::{ScanError, Scanner};
use crate::json::escape;

/// A text that is longer gets room for the rest of the document, which is given back at its end.
const LONG_TEXT_BYTES: usize = 64 * 1024;

impl<'a> Scanner<'a> {
    #[inline]
    pub(super) fn open_string(&mut self) -> Result<(), ScanError> {
        self.values += 1;
        match self.next_byte()? {
            b'"' => Ok(()),
            _ => Err(ScanError::Syntax(self.at - 1)),
        }
    }

    pub(super) fn string_text(&mut self) -> Result<Cow<'a, str>, ScanError> {
        self.open_string()?;
        let begin = self.at;
        let end = self.skip_plain_characters()?;
        let plain = &self.text[begin..self.at];
        if end == b'"' {
            self.at += 1;
            return Ok(Cow::Borrowed(plain));
        }
        self.rest_of_text(plain).map(Cow::Owned)
    }

    /// The text of a string that begins with these plain characters, after which an escape stands.
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

    /// Copies characters of a string up to a quote or a backslash, and returns that without skipping it.
    fn copy_plain_characters(&mut self, text: &mut Vec<u8>) -> Result<u8, ScanError> {
        let bytes = self.text.as_bytes();
        while let Some(block) = bytes[self.at..].first_chunk::<BLOCK>() {
            if text.capacity() - text.len() < BLOCK {
                self.make_room(text);
            }
            // All bytes of the block are copied, whatever they are, because a copy of a fixed size is one instruction.
            text.extend_from_slice(block);
            if let Some(plain) = first_special(block) {
                text.truncate(text.len() - BLOCK + plain);
                self.at += plain;
                return self.end_of_plain(block[plain]);
            }
            self.at += BLOCK;
        }
        let begin = self.at;
        let end = self.skip_plain_characters()?;
        text.extend_from_slice(&bytes[begin..self.at]);
        Ok(end)
    }

    #[cold]
    fn make_room(&self, text: &mut Vec<u8>) {
        let rest = self.text.len() - self.at;
        let more = if text.len() < LONG_TEXT_BYTES {
            text.len() + BLOCK
        } else {
            rest
        };
        text.reserve(more);
    }

    /// Adds the character that an escape stands for.
    fn copy_escape(&mut self, text: &mut Vec<u8>) -> Result<(), ScanError> {
        let second = self.text.as_bytes().get(self.at + 1);
        if let Some(byte) = second.and_then(|second| escape::simple(*second)) {
            self.at += 2;
            text.push(byte);
            return Ok(());
        }
        let begin = self.at;
        let Some((character, length)) = escape::numbered(&self.text[begin..]) else {
            self.skip_escape()?;
            return Err(ScanError::HalfCharacter(begin));
        };
        self.is_plain = false;
        self.at += length;
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// Skips the rest of a string whose opening quote was read.
    #[inline]
    pub(super) fn skip_string(&mut self) -> Result<(), ScanError> {
        while self.skip_plain_characters()? == b'\\' {
            self.skip_escape()?;
        }
        self.at += 1;
        Ok(())
    }

    /// Skips characters of a string up to a quote or a backslash, and returns that without skipping it.
    #[inline]
    fn skip_plain_characters(&mut self) -> Result<u8, ScanError> {
        while let Some(block) = self.text.as_bytes()[self.at..].first_chunk::<BLOCK>() {
            if let Some(plain) = first_special(block) {
                self.at += plain;
                return self.end_of_plain(block[plain]);
            }
            self.at += BLOCK;
        }
        self.skip_last_characters()
    }

    /// The same where less than a block of the document is left.
    #[cold]
    fn skip_last_characters(&mut self) -> Result<u8, ScanError> {
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
    fn skip_escape(&mut self) -> Result<(), ScanError> {
        self.at += 1;
        match self.byte() {
            Some(second) if escape::simple(second).is_some() => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => self.skip_numbered_escape(),
            Some(_) => Err(ScanError::Syntax(self.at)),
            None => Err(ScanError::EndsEarly),
        }
    }

    #[cold]
    fn skip_numbered_escape(&mut self) -> Result<(), ScanError> {
        self.is_plain = false;
        self.at += 1;
        (0..4).try_for_each(|_| self.skip_hex_digit())
    }

    fn skip_hex_digit(&mut self) -> Result<(), ScanError> {
        match self.byte() {
            Some(byte) if byte.is_ascii_hexdigit() => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(ScanError::Syntax(self.at)),
            None => Err(ScanError::EndsEarly),
        }
    }
}
