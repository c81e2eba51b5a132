//! What differs between two definitions of a tool, member by member, so that a user can read a change instead
//! of comparing two blocks of JSON.

use serde_json::{Map, Value};

use crate::Difference;

/// The most differences that are listed; the whole definitions stand beside them. The card says so when it is reached
/// (`ui/src/questions/tool_changed/changes.ts`).
const MOST: usize = 200;
/// Members of a definition that the model or the user relies on. They are compared before all others, so that unknown
/// members cannot fill the list first.
const FIRST: [&str; 5] = [
    "title",
    "description",
    "annotations",
    "inputSchema",
    "outputSchema",
];

/// The members that differ, by their JSON pointer (RFC 6901).
#[must_use]
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = vec![];
    compare("", Some(before), Some(after), &mut found);
    found
}

fn compare(path: &str, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Difference>) {
    if before == after || found.len() >= MOST {
        return;
    }
    if let (Some(Value::Object(one)), Some(Value::Object(two))) = (before, after) {
        return compare_members(path, one, two, found);
    }
    // As bare text, "true" and true would look the same.
    let prose = [before, after].into_iter().flatten().all(Value::is_string);
    found.push(Difference {
        path: path.to_owned(),
        before: before.map(|value| words(value, prose)),
        after: after.map(|value| words(value, prose)),
    });
}

fn compare_members(
    path: &str,
    one: &Map<String, Value>,
    two: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let mut names: Vec<_> = one.keys().chain(two.keys()).collect();
    names.sort_by_key(|name| (if path.is_empty() { rank(name) } else { 0 }, *name));
    names.dedup();
    for name in names {
        let inner = format!("{path}/{}", escaped(name));
        compare(&inner, one.get(name), two.get(name), found);
    }
}

fn rank(name: &str) -> usize {
    FIRST
        .iter()
        .position(|first| *first == name)
        .unwrap_or(FIRST.len())
}

/// A member's name as a reference token of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Text as it is where both sides are text, otherwise JSON.
fn words(value: &Value, prose: bool) -> String {
    match value.as_str() {
        Some(text) if prose => text.to_owned(),
        _ => value.to_string(),
    }
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
                ("/description", Some("Reads."), Some("Sends.")),
                ("/inputSchema/properties/city/maxLength", Some("9"), None),
                ("/inputSchema/properties/to", None, Some("{}")),
            ]
        );
    }

    #[test]
    fn two_places_never_have_the_same_path() {
        let named = json!({"inputSchema": {"properties": {"path.description": {}, "path/description": {}, "path~1description": {},
            "path": {"description": "a"}, "": {}}}});
        let after = json!({"inputSchema": {"properties": {"path.description": 1, "path/description": 1, "path~1description": 1,
            "path": {"description": "b"}, "": 1}}});
        let paths: Vec<_> = differences(&named, &after).into_iter().map(|d| d.path).collect();
        let mut expected = [
            "/inputSchema/properties/",
            "/inputSchema/properties/path/description",
            "/inputSchema/properties/path.description",
            "/inputSchema/properties/path~1description",
            "/inputSchema/properties/path~01description",
        ];
        expected.sort_unstable();
        let mut sorted = paths.clone();
        sorted.sort();
        assert_eq!(sorted, expected);
        for path in &paths {
            assert_ne!(
                named.pointer(path),
                after.pointer(path),
                "{path} points at the difference"
            );
        }
    }

    #[test]
    fn unknown_members_cannot_push_the_description_out_of_the_list() {
        let mut after: serde_json::Map<_, _> = (0..MOST + 1).map(|n| (format!("a{n}"), json!(n))).collect();
        after.insert("description".into(), json!("Sends."));
        let found = differences(&json!({"description": "Reads."}), &Value::Object(after));
        assert_eq!(found.len(), MOST);
        assert_eq!(found[0].path, "/description");
    }

    #[test]
    fn a_changed_type_does_not_look_unchanged() {
        let found = differences(&json!({"default": true}), &json!({"default": "true"}));
        assert_eq!(found[0].before.as_deref(), Some("true"));
        assert_eq!(found[0].after.as_deref(), Some("\"true\""));
    }

    #[test]
    fn the_order_of_members_is_not_a_change() {
        let one: Value = serde_json::from_str(r#"{"a":1,"b":2}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"b":2,"a":1}"#).unwrap();
        assert_eq!(differences(&one, &two), []);
    }
}
