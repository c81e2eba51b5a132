//! What differs between two definitions of a tool, member by member, so that a person can read a change instead
//! of comparing two blocks of JSON.

use serde_json::Value;

use crate::Difference;

/// The most differences that are listed; the whole definitions stand beside them.
const MOST: usize = 200;

/// The members that differ, by their path.
#[must_use]
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = vec![];
    compare(String::new(), Some(before), Some(after), &mut found);
    found
}

fn compare(path: String, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Difference>) {
    if before == after || found.len() >= MOST {
        return;
    }
    if let (Some(Value::Object(one)), Some(Value::Object(two))) = (before, after) {
        let mut names: Vec<_> = one.keys().chain(two.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            let inner = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            compare(inner, one.get(name), two.get(name), found);
        }
        return;
    }
    found.push(Difference {
        path,
        before: before.map(words),
        after: after.map(words),
    });
}

/// Text as it is, anything else as JSON.
fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_changed_member_is_named_where_it_stands() {
        let before =
            json!({"description": "Reads.", "inputSchema": {"properties": {"city": {"maxLength": 9}}}});
        let after = json!({"description": "Sends.", "inputSchema": {"properties": {"city": {}, "to": {}}}});
        let found = differences(&before, &after);
        let short: Vec<_> = found
            .iter()
            .map(|d| (d.path.as_str(), d.before.as_deref(), d.after.as_deref()))
            .collect();
        assert_eq!(
            short,
            [
                ("description", Some("Reads."), Some("Sends.")),
                ("inputSchema.properties.city.maxLength", Some("9"), None),
                ("inputSchema.properties.to", None, Some("{}")),
            ]
        );
    }

    #[test]
    fn the_order_of_members_is_not_a_change() {
        let one: Value = serde_json::from_str(r#"{"a":1,"b":2}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"b":2,"a":1}"#).unwrap();
        assert_eq!(differences(&one, &two), []);
    }
}
