//! The escapes of a JSON string.

/// The byte that an escape of two characters stands for, by its second one.
pub(super) const fn simple(second: u8) -> Option<u8> {
    match second {
        b'"' | b'\\' | b'/' => Some(second),
        b'b' => Some(8),
        b'f' => Some(12),
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        _ => None,
    }
}

/// The character that the numbers at the beginning of a text stand for, and how long they are: `\uXXXX`, or two of these.
/// `None` when there are none, or they stand for half of a character.
pub(super) fn numbered(rest: &str) -> Option<(char, usize)> {
    let first = unit(rest)?;
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Some((character, 6));
    }
    let second = unit(rest.get(6..)?)?;
    let character = char::decode_utf16([first, second]).next()?.ok()?;
    Some((character, 12))
}

fn unit(rest: &str) -> Option<u16> {
    let digits = rest.strip_prefix("\\u")?.get(..4)?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_number.then(|| u16::from_str_radix(digits, 16).ok())?
}
