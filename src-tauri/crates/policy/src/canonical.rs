//! One text for one JSON value: members sorted by UTF-16 code units, no white space, minimal escapes. Two values that
//! mean the same give the same bytes, so a digest over them changes only when the meaning changes.
//!
//! This is not RFC 8785 (JCS). Strings and member order follow it, numbers do not: they are written as `serde_json`
//! writes them, so `1.0` stays `1.0` and integers beyond 2^53 stay exact. JCS would give two integers that a server
//! tells apart the same text. For values whose numbers are integers up to 2^53, as in ledger records, both agree.
//! Strings are not normalised: two spellings of "é" are two strings.

use serde_json::Value;

/// The canonical text of `value`. It recurses: bound the depth of what others wrote first.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => write_list(out, '[', ']', items, write),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            write_list(out, '{', '}', members, |(key, value), out| {
                write_string(key, out);
                out.push(':');
                write(value, out);
            });
        }
        Value::String(text) => write_string(text, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

fn write_list<T>(
    out: &mut String,
    open: char,
    close: char,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
) {
    out.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(close);
}

/// A JSON string with the escapes of RFC 8785, section 3.2.2.2: the two-letter ones where they exist, `\u00xx` for the other
/// control characters, everything else as it is.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let is_escaped = byte < b' ' || matches!(byte, b'"' | b'\\');
        if is_escaped {
            out.push_str(&text[written..at]);
            write_escape(byte, out);
            written = at + 1;
        }
    }
    out.push_str(&text[written..]);
    out.push('"');
}

fn write_escape(byte: u8, out: &mut String) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\x08' => out.push_str("\\b"),
        b'\t' => out.push_str("\\t"),
        b'\n' => out.push_str("\\n"),
        b'\x0c' => out.push_str("\\f"),
        b'\r' => out.push_str("\\r"),
        control => out.push_str(&format!("\\u{control:04x}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: Value, text: &str) {
        assert_eq!(canonical(&value), text);
    }

    #[test]
    fn one_value_has_one_text() {
        check(json!(null), "null");
        check(json!([]), "[]");
        check(json!({}), "{}");
        check(
            json!({"b": [1, -2, 1.5, true], "a": {"d": null, "c": "x"}}),
            r#"{"a":{"c":"x","d":null},"b":[1,-2,1.5,true]}"#,
        );
        check(
            json!("\u{8}\t\n\u{c}\r\u{1}\u{1f} \"\\/é\u{7f}"),
            "\"\\b\\t\\n\\f\\r\\u0001\\u001f \\\"\\\\/é\u{7f}\"",
        );
    }

    /// The example of RFC 8785, section 3.2.3: UTF-16 order differs from the order of code points.
    #[test]
    fn keys_are_sorted_by_utf_16_code_units() {
        let value = json!({"€": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "😀": 5, "\u{80}": 6, "ö": 7});
        check(
            value,
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
        );
    }

    #[test]
    fn strings_that_only_look_alike_stay_different() {
        assert_ne!(canonical(&json!("e\u{301}")), canonical(&json!("\u{e9}")));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Writes a value with its members in reverse, however the value itself keeps them.
    fn backwards(value: &Value) -> String {
        match value {
            Value::Array(items) => format!(
                "[{}]",
                items.iter().map(backwards).collect::<Vec<_>>().join(" , ")
            ),
            Value::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| format!("{} : {}", Value::from(key.as_str()), backwards(value)))
                    .collect();
                members.reverse();
                format!("{{ {} }}", members.join(","))
            }
            leaf => leaf.to_string(),
        }
    }

    proptest! {
        #[test]
        fn order_and_space_do_not_matter(value in any_json()) {
            let reordered: Value = serde_json::from_str(&backwards(&value)).unwrap();
            prop_assert_eq!(canonical(&reordered), canonical(&value));
        }

        #[test]
        fn the_text_reads_back_as_the_value(value in any_json()) {
            let text = canonical(&value);
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }
}
