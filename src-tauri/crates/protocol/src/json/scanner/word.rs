//! Numbers, `true`, `false` and `null`.

use super::{ScanError, Scanner};

/// A number of more bytes may be larger than any type of ours.
const MAX_PLAIN_NUMBER_BYTES: usize = 32;

impl Scanner<'_> {
    pub(super) fn skip_number(&mut self, first: u8) -> Result<(), ScanError> {
        let begin = self.at - 1;
        let first = if first == b'-' { self.digit()? } else { first };
        if first == b'0' {
            if let Some(b'0'..=b'9') = self.byte() {
                return Err(ScanError::Syntax(self.at));
            }
        } else {
            self.skip_digits();
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digit()?;
            self.skip_digits();
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.is_plain = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digit()?;
            self.skip_digits();
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

    fn skip_digits(&mut self) {
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
    }

    pub(super) fn skip_rest_of_word(&mut self, rest: &[u8]) -> Result<(), ScanError> {
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
}
