//! Finds which request a frame answers that is too long to be kept. The id stands at one of its ends, so a bounded piece
//! of each is enough: members of the message itself are read there, and whatever is not certain (a cut value, a
//! member twice, an id that may be the server's own) fails no request.

use serde::Deserialize;
use serde::de::IgnoredAny;
use vestibule_protocol::jsonrpc::RequestId;

/// How much of each end is looked at, in bytes.
pub(crate) const END_BYTES: usize = 4096;

/// What stands at one end.
#[derive(Default, Deserialize)]
struct EdgeMembers {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default)]
    method: Option<IgnoredAny>,
    #[serde(default)]
    result: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

/// The request whose answer this long frame is by its ends, whatever stands between them; `None` for a short one,
/// which can as well be read.
#[must_use]
pub fn response_id(frame: &[u8]) -> Option<RequestId> {
    let is_long = frame.len() > 8 * END_BYTES;
    let ends = || (&frame[..END_BYTES], &frame[frame.len() - END_BYTES..]);
    is_long
        .then(ends)
        .and_then(|(beginning, end)| read_response_id(beginning, end))
}

/// The request that is answered by a frame with this beginning and this end.
pub(crate) fn read_response_id(beginning: &[u8], end: &[u8]) -> Option<RequestId> {
    let (first, cut_member) = first_members(beginning)?;
    let last = last_members(end)?;
    let is_answer = first.result.is_some()
        || first.error.is_some()
        || last.result.is_some()
        || last.error.is_some()
        || matches!(cut_member, Some("result" | "error"));
    let is_call = first.method.is_some() || last.method.is_some();
    match (first.id, last.id) {
        (Some(id), None) | (None, Some(id)) if is_answer && !is_call => Some(id),
        _ => None,
    }
}

/// The members that are whole in the beginning of a message, and the name of the one that is cut.
fn first_members(beginning: &[u8]) -> Option<(EdgeMembers, Option<&str>)> {
    let beginning = beginning.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(beginning);
    let text = beginning.trim_ascii_start();
    let inner = text.strip_prefix(b"{")?;
    let mut depth = 0_usize;
    let mut whole = None;
    let mut at = 0;
    while let Some(byte) = inner.get(at) {
        match byte {
            b'"' => at += string_length(&inner[at..]),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => whole = Some(at),
            _ => {}
        }
        at += 1;
    }
    let (members, cut) = match whole {
        Some(comma) => (read_members(&inner[..comma])?, &inner[comma + 1..]),
        None => (EdgeMembers::default(), inner),
    };
    let cut = cut.trim_ascii_start();
    let name = cut
        .strip_prefix(b"\"")
        .and_then(|name| name.split(|byte| *byte == b'"').next());
    Some((members, name.and_then(|name| std::str::from_utf8(name).ok())))
}

/// How far the closing quote of a string is, or the end of the text.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        at += found;
        if text[at] == b'"' {
            return at;
        }
        at += 2;
    }
    text.len()
}

/// The members that are whole in the end of a message. Read backwards, strings are as certain as forwards: a
/// quote belongs to a string's text when an odd number of backslashes stands before it.
fn last_members(end: &[u8]) -> Option<EdgeMembers> {
    let inner = end.trim_ascii_end().strip_suffix(b"}")?;
    match first_comma(inner) {
        Some(comma) => read_members(&inner[comma + 1..]),
        None => Some(EdgeMembers::default()),
    }
}

/// The first comma between members of the message, in its end without the last brace.
fn first_comma(inner: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut first = None;
    for (at, byte) in inner.iter().enumerate().rev() {
        match byte {
            b'"' if in_string => in_string = is_escaped(&inner[..at]),
            b'"' => in_string = true,
            _ if in_string => {}
            b'}' | b']' => depth += 1,
            // The message begins in here, so its beginning tells the same.
            b'{' | b'[' if depth == 0 => break,
            b'{' | b'[' => depth -= 1,
            b',' if depth == 0 => first = Some(at),
            _ => {}
        }
    }
    first
}

/// Whether the byte after this text has an odd number of backslashes before it.
fn is_escaped(before: &[u8]) -> bool {
    let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    backslashes.count() % 2 == 1
}

fn read_members(members: &[u8]) -> Option<EdgeMembers> {
    let text = [b"{", members, b"}"].concat();
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str) -> Option<RequestId> {
        let bytes = text.as_bytes();
        let head = &bytes[..bytes.len().min(END_BYTES)];
        read_response_id(head, &bytes[bytes.len().saturating_sub(END_BYTES)..])
    }

    /// BASE-006, STD-006.
    #[test]
    fn the_id_is_found_at_either_end_and_only_of_an_answer() {
        let x = "x".repeat(3 * END_BYTES);
        let seven = Some(RequestId::Number(7));
        let cases = [
            (
                format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":"{x}"}}}}"#),
                seven.clone(),
            ),
            (
                format!(r#"{{"result":{{"a":"{x}"}},"jsonrpc":"2.0","id":7}}"#),
                seven.clone(),
            ),
            (
                format!(" {{ \"id\" : 7 , \"error\" : {{\"code\":1,\"data\":\"{x}\"}} }} "),
                seven.clone(),
            ),
            (format!(r#"{{"result":["{x}\\"],"id":7}}"#), seven.clone()),
            (format!(r#"{{"result":["{x}\"],\"id\":3"],"id":7}}"#), seven),
            (
                format!(r#"{{"result":"{x}","id":"a,\"b"}}"#),
                Some(RequestId::Text("a,\"b".into())),
            ),
            // Ids inside, calls, doubts.
            (
                format!(r#"{{"jsonrpc":"2.0","result":{{"id":3,"a":"{x}","id":4}}}}"#),
                None,
            ),
            (format!(r#"{{"id":7,"method":"m","params":"{x}"}}"#), None),
            (format!(r#"{{"params":"{x}","method":"m","id":7}}"#), None),
            (format!(r#"{{"id":7,"params":"{x}","method":"m"}}"#), None),
            (format!(r#"{{"id":7,"result":"{x}","id":7}}"#), None),
            (format!(r#"{{"id":7,"id":8,"result":"{x}"}}"#), None),
            (format!(r#"{{"id":7.5,"result":"{x}"}}"#), None),
            (format!(r#"{{"id":7,"result":"{x}"#), None),
            (format!(r#"[{{"id":7,"result":"{x}"}}]"#), None),
            (x, None),
            (String::new(), None),
        ];
        for (text, expected) in cases {
            let shown = &text[..text.len().min(60)];
            assert_eq!(ends(&text), expected, "{shown}");
        }
    }
}
