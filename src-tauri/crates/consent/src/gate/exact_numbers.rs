//! Numbers in what a window sends back. JavaScript reads a whole number beyond 2^53 as the nearest floating one, so a
//! window that sends arguments back changes the large numbers that the user did not touch.

use serde_json::Value;

/// Puts each number of `shown` back where `edited` has one in the same place that JavaScript cannot tell from it.
pub(super) fn restore_numbers(edited: &mut Value, shown: &Value) {
    match (edited, shown) {
        (Value::Number(number), Value::Number(exact)) if number.as_f64() == exact.as_f64() => {
            *number = exact.clone();
        }
        (Value::Object(members), Value::Object(shown)) => {
            for (name, member) in members {
                if let Some(shown) = shown.get(name) {
                    restore_numbers(member, shown);
                }
            }
        }
        // In a list that became shorter or longer, a place says nothing of the item in it.
        (Value::Array(items), Value::Array(shown)) if items.len() == shown.len() => {
            for (item, shown) in items.iter_mut().zip(shown) {
                restore_numbers(item, shown);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_that_the_user_did_not_change_is_what_it_was() {
        let shown = json!({ "id": 9007199254740993_i64, "all": [u64::MAX, 1.0, 5], "few": [9007199254740993_i64, 1] });
        // As a window sends it back.
        let mut edited = json!({
            "id": 9007199254740992_i64, "all": [18446744073709552000.0, 1, 6], "few": [9007199254740992_i64], "new": 7,
        });
        restore_numbers(&mut edited, &shown);
        let expected = json!({
            "id": 9007199254740993_i64, "all": [u64::MAX, 1.0, 6], "few": [9007199254740992_i64], "new": 7,
        });
        assert_eq!(edited, expected);
    }
}
