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

/// What a pointer leads to.
#[derive(Debug, Default)]
pub(super) struct Chosen<'a> {
    /// The values at its end.
    pub(super) values: Vec<&'a Value>,
    /// Whether a step led nowhere, for one of the members at a `*` at least.
    pub(super) lacking: bool,
    /// Whether a step met something of another form than it asks for: a text where a list is expected.
    pub(super) misshapen: bool,
}

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

/// What `pointer` speaks of; `None` where that is too much to look at.
pub(super) fn choose<'a>(value: &'a Value, pointer: &str) -> Option<Chosen<'a>> {
    let mut chosen = Chosen {
        values: vec![value],
        ..Chosen::default()
    };
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        for value in std::mem::take(&mut chosen.values) {
            chosen.step(value, &step);
            if chosen.values.len() > MOST_CHOSEN {
                return None;
            }
        }
    }
    Some(chosen)
}

impl<'a> Chosen<'a> {
    fn step(&mut self, value: &'a Value, step: &str) {
        let before = self.values.len();
        match value {
            Value::Object(members) if step == "*" => {
                self.values.extend(members.values().take(MOST_CHOSEN + 1))
            }
            Value::Array(items) if step == "*" => self.values.extend(items.iter().take(MOST_CHOSEN + 1)),
            Value::Object(members) => self.values.extend(members.get(step)),
            Value::Array(items) => match index(step) {
                Some(index) => self.values.extend(items.get(index)),
                None => self.misshapen = true,
            },
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::String(_) => self.misshapen = true,
        }
        self.lacking |= self.values.len() == before;
    }
}

/// An index is written in one way only.
fn index(step: &str) -> Option<usize> {
    let index: usize = step.parse().ok()?;
    (index.to_string() == step).then_some(index)
}
