//! JSON pointers (RFC 6901) with `*` for every member. A member that is itself called `*` is only reached as one of
//! all.

use serde_json::Value;

use super::NoCondition;

/// Most steps of one pointer.
const DEEPEST: usize = 16;
/// Most values one pointer may choose; of more nothing is said.
const MOST_CHOSEN: usize = 1000;
/// Longest pointer, in bytes.
const LONGEST: usize = 256;

pub(super) fn check(pointer: &str) -> Result<(), NoCondition> {
    let known_escapes = pointer
        .split('~')
        .skip(1)
        .all(|after| after.starts_with(['0', '1']));
    let rooted = pointer.is_empty() || pointer.starts_with('/');
    let small = pointer.len() <= LONGEST && pointer.matches('/').count() <= DEEPEST;
    if known_escapes && rooted && small {
        Ok(())
    } else {
        Err(NoCondition::Pointer)
    }
}

/// The values `pointer` speaks of; `None` where they are too many to look at. A step that leads nowhere chooses
/// nothing.
pub(super) fn choose<'a>(value: &'a Value, pointer: &str) -> Option<Vec<&'a Value>> {
    let mut chosen = vec![value];
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        chosen = chosen
            .into_iter()
            .flat_map(|value| members(value, &step))
            .take(MOST_CHOSEN + 1)
            .collect();
        if chosen.len() > MOST_CHOSEN {
            return None;
        }
    }
    Some(chosen)
}

fn members<'a>(value: &'a Value, step: &str) -> Vec<&'a Value> {
    match value {
        Value::Object(members) if step == "*" => members.values().take(MOST_CHOSEN + 1).collect(),
        Value::Array(items) if step == "*" => items.iter().take(MOST_CHOSEN + 1).collect(),
        Value::Object(members) => members.get(step).into_iter().collect(),
        Value::Array(items) => index(step)
            .and_then(|index| items.get(index))
            .into_iter()
            .collect(),
        _ => vec![],
    }
}

/// An index is written in one way only.
fn index(step: &str) -> Option<usize> {
    let index: usize = step.parse().ok()?;
    (index.to_string() == step).then_some(index)
}
