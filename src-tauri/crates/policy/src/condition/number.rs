//! Compares JSON values for the tests of a condition: equal, one of several, between bounds. Numbers are compared by
//! value: `1` equals `1.0`. A whole number beyond 2^53 is not compared with a fraction; the result is then unclear.
//! `alike` finds values that are not equal and that a program may treat as equal, such as `1` and `"1"`.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::{Judged, NoCondition};

/// From here on not every whole number has a floating one.
const EXACT: i128 = 1 << 53;

pub(super) fn check(least: Option<&Number>, most: Option<&Number>) -> Result<(), NoCondition> {
    let ok = match (least, most) {
        (None, None) => false,
        (Some(least), Some(most)) => compare(least, most).is_some_and(Ordering::is_le),
        _ => true,
    };
    if ok { Ok(()) } else { Err(NoCondition::Bounds) }
}

pub(super) fn judge(least: Option<&Number>, most: Option<&Number>, number: &Number) -> Judged {
    let above = least.map(|least| compare(least, number).map(Ordering::is_le));
    let below = most.map(|most| compare(number, most).map(Ordering::is_le));
    match (above.unwrap_or(Some(true)), below.unwrap_or(Some(true))) {
        (Some(above), Some(below)) => Judged::from_bool(above && below),
        _ => Judged::Unclear,
    }
}

/// Whether two values are the same, numbers by their worth.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b).is_some_and(Ordering::is_eq),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            let member = |(key, a): (&String, &Value)| b.get(key).is_some_and(|b| same(a, b));
            a.len() == b.len() && a.iter().all(member)
        }
        _ => a == b,
    }
}

/// Whether a program may take two values for the same: a number and its text, or a value and a list of it alone or
/// among others.
pub(super) fn alike(wanted: &Value, value: &Value) -> bool {
    match (wanted, value) {
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
            let written = text.trim();
            let written = written.strip_prefix('+').unwrap_or(written);
            let parsed = written.parse::<Number>().ok();
            parsed.is_some_and(|parsed| compare(number, &parsed).is_none_or(Ordering::is_eq))
        }
        (Value::Bool(truth), Value::String(text)) | (Value::String(text), Value::Bool(truth)) => {
            text.trim().eq_ignore_ascii_case(&truth.to_string())
        }
        (Value::Array(_) | Value::Object(_), _) => same(wanted, value),
        (_, Value::Array(items)) => items.iter().any(|item| alike(wanted, item)),
        _ => same(wanted, value),
    }
}

fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (whole_a, whole_b) => {
            let exact = |whole: Option<i128>| whole.is_none_or(|whole| whole.abs() <= EXACT);
            let comparable = exact(whole_a) && exact(whole_b);
            comparable
                .then(|| a.as_f64()?.partial_cmp(&b.as_f64()?))
                .flatten()
        }
    }
}

fn whole(number: &Number) -> Option<i128> {
    number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from))
}
