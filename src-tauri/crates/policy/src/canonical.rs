//! One spelling for each JSON value (RFC 8785): members sorted by UTF-16 code units, no white space, minimal
//! escapes. Two values that mean the same give the same bytes, so a digest over them changes only when the
//! meaning changes. Strings are not normalised: two different strings on the wire stay different here.

use serde_json::Value;

/// The canonical text of `value`.
///
/// Numbers keep the text `serde_json` gives them, which is the shortest that reads back to the same number.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(name, out);
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::String(text) => string(text, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

/// `serde_json` already writes the escapes of RFC 8785: the two-letter ones, `\u00xx` for other controls.
fn string(text: &str, out: &mut String) {
    out.push_str(&Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_order_of_members_does_not_matter() {
        let one: Value = serde_json::from_str(r#"{"b":[1,{"d":null,"c":true}],"a":"x"}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{ "a":"x", "b":[1,{"c":true,"d":null}] }"#).unwrap();
        assert_eq!(canonical(&one), canonical(&two));
        assert_eq!(canonical(&one), r#"{"a":"x","b":[1,{"c":true,"d":null}]}"#);
    }

    /// The sorting example of RFC 8785 §3.2.3: a supplementary character sorts before U+FB33.
    #[test]
    fn members_sort_by_utf16_code_units() {
        let value = json!({"\u{fb33}": 1, "\u{1f600}": 2, "\u{20ac}": 3, "\r": 4, "1": 5});
        assert_eq!(
            canonical(&value),
            "{\"\\r\":4,\"1\":5,\"\u{20ac}\":3,\"\u{1f600}\":2,\"\u{fb33}\":1}"
        );
    }

    #[test]
    fn strings_that_only_look_alike_stay_different() {
        assert_ne!(canonical(&json!("e\u{301}")), canonical(&json!("\u{e9}")));
    }
}
