//! The size of a schema as it is written, without following references.

use serde_json::Value;

use crate::Unchecked;

/// The largest schema that is built, in bytes.
const BYTES: u32 = 256 * 1024;
/// The most values inside it.
const PARTS: u32 = 10_000;
/// The most references inside it: a long chain of them exhausts the stack of what follows it.
const REFERENCES: u32 = 500;
/// The deepest that a schema may nest. A value may nest twice as deep.
pub(crate) const DEPTH: u32 = 64;

/// Refuses a schema that is too large to look at.
pub(crate) fn measure(schema: &Value) -> Result<(), Unchecked> {
    if depth(schema) > DEPTH {
        return Err(Unchecked::TooDeep { levels: DEPTH });
    }
    let mut size = Size::default();
    size.add(schema);
    if size.bytes > BYTES as usize {
        return Err(Unchecked::TooLarge {
            kilobytes: BYTES / 1024,
        });
    }
    if size.parts > PARTS as usize {
        return Err(Unchecked::TooManyParts { most: PARTS });
    }
    if size.references > REFERENCES as usize {
        return Err(Unchecked::TooManyReferences { most: REFERENCES });
    }
    Ok(())
}

#[derive(Default)]
struct Size {
    bytes: usize,
    parts: usize,
    references: usize,
}

impl Size {
    fn add(&mut self, value: &Value) {
        self.parts += 1;
        self.bytes += 2;
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    self.bytes += name.len() + 4;
                    self.references += usize::from(name == "$ref" || name == "$dynamicRef");
                    self.add(member);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::String(text) => self.bytes += text.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) => self.bytes += 4,
        }
    }
}

/// How deep a value nests. Without recursion, because a value can nest deeper than any stack.
pub(crate) fn depth(value: &Value) -> u32 {
    let mut deepest = 0;
    let mut open = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        deepest = deepest.max(level);
        match value {
            Value::Object(members) => open.extend(members.values().map(|member| (member, level + 1))),
            Value::Array(items) => open.extend(items.iter().map(|item| (item, level + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    deepest
}

/// How many values a value consists of, itself included.
pub(crate) fn parts(value: &Value) -> u64 {
    let mut count = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Object(members) => open.extend(members.values()),
            Value::Array(items) => open.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    count
}
