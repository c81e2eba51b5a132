//! How deep a value may nest to be kept. `serde_json` reads back at most 128 levels; what cannot be read again must
//! not be written.

use serde_json::Value;
use vestibule_policy::canonical;

use crate::StoreError;

/// Levels of nesting the store keeps.
pub(crate) const MAX_DEPTH: usize = 120;

/// The canonical text of a value that can be read back.
pub(crate) fn canonical_json(value: &Value) -> Result<String, StoreError> {
    check_depth(value, "value")?;
    Ok(canonical(value))
}

/// Refuses a value that could be written but not read back.
pub(crate) fn check_depth(value: &Value, what: &'static str) -> Result<(), StoreError> {
    let size = depth(value);
    if size > MAX_DEPTH {
        return Err(StoreError::TooLarge {
            what,
            size,
            limit: MAX_DEPTH,
            unit: "levels",
        });
    }
    Ok(())
}

/// Counts levels without recursion, so that a hostile depth cannot exhaust the stack here.
fn depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut waiting = vec![(value, 0)];
    while let Some((value, level)) = waiting.pop() {
        deepest = deepest.max(level);
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(members) => waiting.extend(members.values().map(|member| (member, level + 1))),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_could_not_be_read_back_is_refused() {
        let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        let deepest = canonical_json(&nested(MAX_DEPTH)).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&deepest).unwrap(),
            nested(MAX_DEPTH)
        );
        let refused = canonical_json(&nested(MAX_DEPTH + 1));
        assert!(
            matches!(
                refused,
                Err(StoreError::TooLarge {
                    size: 121,
                    limit: 120,
                    ..
                })
            ),
            "{refused:?}"
        );
    }
}
