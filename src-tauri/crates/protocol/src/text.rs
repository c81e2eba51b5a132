//! The text of a JSON string that stands in a document already read once. Answers are mostly text, some of it very
//! long; taken straight from the document into its own memory it is held once and not three times.

/// The text of a JSON string literal; `None` when it is no string, or names half of a character.
pub(crate) fn text_of(raw: &str) -> Option<String> {
    let mut rest = raw.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(rest.len());
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let (character, length) = escaped(&rest[at..])?;
        text.push(character);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Some(text)
}

/// The character an escape stands for, and how long the escape is.
fn escaped(rest: &str) -> Option<(char, usize)> {
    let simple = match rest.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return by_number(rest),
        _ => return None,
    };
    Some((simple, 2))
}

fn by_number(rest: &str) -> Option<(char, usize)> {
    let unit = |at: usize| u16::from_str_radix(rest.get(at..at + 4)?, 16).ok();
    let first = unit(2)?;
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Some((character, 6));
    }
    if rest.get(6..8)? != "\\u" {
        return None;
    }
    let both = [first, unit(8)?];
    let character = char::decode_utf16(both).next()?.ok()?;
    Some((character, 12))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_escape_reads_as_the_parser_reads_it() {
        for raw in [
            r#""""#,
            r#""a\"b\\c\/d\be\ff\ng\rh\ti""#,
            r#""gr\u00fcn \uD83d\uDE00 \u0000""#,
            r#""\ud83d""#,
            r#""\ud83d\n""#,
            r#""\ude00\ud83d""#,
            r#""\ud83dx\u0041""#,
            "17",
            "null",
        ] {
            let parsed: Option<String> = serde_json::from_str(raw).ok();
            assert_eq!(text_of(raw), parsed, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(text in any::<String>()) {
            prop_assert_eq!(text_of(&serde_json::to_string(&text).unwrap()), Some(text));
        }
    }
}
