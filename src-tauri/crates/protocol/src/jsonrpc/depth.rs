//! How deep a frame nests, counted without recursion before any parser that recurses sees it. A megabyte of
//! opening brackets must cost a scan and a sentence, not a stack.

/// The deepest nesting a frame may have. The envelope itself is level one.
pub const MAX_DEPTH: usize = 64;

/// Whether nesting stays within [`MAX_DEPTH`]. The text need not be valid JSON; brackets in strings do not
/// count.
pub(super) fn is_shallow(text: &[u8]) -> bool {
    // Too few brackets to nest that deep, wherever they stand: true of most messages, and of the longest.
    let few = memchr::memchr2_iter(b'{', b'[', text).take(MAX_DEPTH + 1).count() <= MAX_DEPTH;
    few || nests_shallow(text)
}

fn nests_shallow(text: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'"' => at = end_of_string(text, at + 1),
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return false;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    true
}

/// Whether a frame has at most `most` JSON values. Names of members count as values, so that it may have fewer than are
/// counted. The text need not be valid JSON.
#[must_use]
pub fn has_at_most_values(frame: &[u8], most: usize) -> bool {
    // Each value but the first of its array or object follows one of these.
    let mut values = 1_usize;
    let mut at = 0;
    while at < frame.len() && values <= most {
        match frame[at] {
            b'"' => at = end_of_string(frame, at + 1),
            b'{' | b'[' | b',' | b':' => values += 1,
            _ => {}
        }
        at += 1;
    }
    values <= most
}

/// The index of the quote that ends the string whose first byte is at `at`, or the end of the text.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', &text[at..]) {
        at += found;
        if text[at] == b'"' {
            return at;
        }
        at = (at + 2).min(text.len());
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_strings_only() {
        for (text, values) in [
            (r#"[0,0,0]"#, 4),
            (r#"{"a":1,"b":[]}"#, 6),
            (r#"["a,b:[{\",c"]"#, 2),
        ] {
            assert!(has_at_most_values(text.as_bytes(), values), "{text}");
            assert!(!has_at_most_values(text.as_bytes(), values - 1), "{text}");
        }
    }

    #[test]
    fn nesting_is_counted_outside_strings_only() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(is_shallow(nested(MAX_DEPTH).as_bytes()));
        assert!(!is_shallow(nested(MAX_DEPTH + 1).as_bytes()));
        assert!(is_shallow(format!("[\"{}\"]", "[".repeat(500)).as_bytes()));
        assert!(is_shallow(format!(r#"["\"{}"]"#, "{".repeat(500)).as_bytes()));
        assert!(!is_shallow(format!(r#"["\\"{}"#, "{".repeat(500)).as_bytes()));
        assert!(is_shallow(br#""ends in a backslash \"#));
    }
}
