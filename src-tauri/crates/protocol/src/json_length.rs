//! How long JSON is, without writing it.

use std::io::{self, ErrorKind, Write};

use serde::Serialize;

/// The length of a value as JSON without spaces, in bytes. Zero for what cannot be written as JSON.
#[must_use]
pub fn json_length(value: &impl Serialize) -> usize {
    let mut length = Length(0);
    match serde_json::to_writer(&mut length, value) {
        Ok(()) => length.0,
        Err(_) => 0,
    }
}

/// Whether a value is longer than so many bytes as JSON without spaces. Stops at the first byte that is too many.
#[must_use]
pub fn is_json_longer(value: &impl Serialize, than: usize) -> bool {
    serde_json::to_writer(&mut Room(than), value).is_err()
}

/// Fails where more is written than fits.
struct Room(usize);

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_length_is_that_of_the_text() {
        let value = json!({"a\n": [1.5, null, "天气 \u{1}"], "b": {"c": true}});
        assert_eq!(json_length(&value), value.to_string().len());
    }

    #[test]
    fn only_what_does_not_fit_is_longer() {
        let value = json!([{"a": "天气"}, 1.5]);
        let length = value.to_string().len();
        assert!(is_json_longer(&value, length - 1));
        assert!(!is_json_longer(&value, length));
    }
}
