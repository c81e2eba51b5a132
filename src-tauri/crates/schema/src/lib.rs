//! JSON Schema, safely. A schema comes from a server, so it is measured before it is built: size, nodes,
//! references. Remote references are never fetched. A schema that is too much is not checked against, and the
//! caller is told, so that "not checked" never looks like "fits". Building and checking have a time limit each.
//! 2020-12 is what a schema is read as; one that names draft 4, 6, 7 or 2019-09 is read as that.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// The largest schema that is built, in bytes.
const BYTES: usize = 256 * 1024;
/// The most values inside it.
const NODES: usize = 10_000;
/// The most references inside it; a long chain of them would exhaust the stack of whoever follows it.
const REFERENCES: usize = 500;
/// The deepest it may nest.
const DEPTH: usize = 64;
/// The most misfits that are listed.
const LISTED: usize = 8;
/// Stack for building and checking: both recurse over what a server wrote.
const STACK: usize = 16 * 1024 * 1024;
/// How long building or checking may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// How much may be running at once. Callers wait for what they began, so only work that is overdue can fill this.
const AT_ONCE: usize = 32;

static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// A schema that values can be checked against.
#[derive(Clone)]
pub struct Schema(Arc<Validator>);

/// Why a schema can not be checked against.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub String);

impl Schema {
    /// Builds a schema within the limits.
    ///
    /// # Errors
    /// Why it can not be checked against.
    pub fn build(schema: &Value) -> Result<Self, Unusable> {
        measure(schema)?;
        let schema = schema.clone();
        with_stack(move || {
            jsonschema::options()
                .with_pattern_options(PatternOptions::regex())
                .build(&schema)
                .map(|validator| Self(Arc::new(validator)))
                .map_err(|error| Unusable(error.to_string()))
        })
        .unwrap_or_else(|| Err(Unusable("it could not be built".into())))
    }

    /// What does not fit, in words; empty where everything does.
    #[must_use]
    pub fn misfits(&self, value: &Value) -> Vec<String> {
        if depth(value) > DEPTH * 2 {
            return vec!["it nests too deeply".into()];
        }
        let validator = self.0.clone();
        let value = value.clone();
        let listed = with_stack(move || {
            let words = |error: jsonschema::ValidationError<'_>| match error.instance_path().to_string() {
                path if path.is_empty() => error.to_string(),
                path => format!("{path}: {error}"),
            };
            validator.iter_errors(&value).take(LISTED).map(words).collect()
        });
        listed.unwrap_or_else(|| vec!["it could not be checked".into()])
    }
}

/// Runs `work` on a stack large enough for it and for a bounded time. `None` where it panicked, took too long, or
/// too much is still running.
fn with_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let place = Place::take()?;
    let (done, result) = mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name("schema".into())
        .stack_size(STACK)
        .spawn(move || {
            let _place = place;
            // Nobody listens any more where it took too long.
            let _ = done.send(work());
        })
        .ok()?;
    result.recv_timeout(PATIENCE).ok()
}

/// One of the few places for work that is running, given back when it ends, however late.
struct Place;

impl Place {
    fn take() -> Option<Self> {
        let taken = RUNNING.fetch_add(1, Ordering::Relaxed);
        let place = Self;
        (taken < AT_ONCE).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

fn measure(schema: &Value) -> Result<(), Unusable> {
    if depth(schema) > DEPTH {
        return Err(Unusable(format!("it nests deeper than {DEPTH} levels")));
    }
    let mut size = Size::default();
    size.add(schema);
    let too_much = [
        (
            size.bytes > BYTES,
            format!("it is larger than {} kB", BYTES / 1024),
        ),
        (size.nodes > NODES, format!("it has more than {NODES} parts")),
        (
            size.references > REFERENCES,
            format!("it has more than {REFERENCES} references"),
        ),
        (size.fans_out(), "its references multiply".to_owned()),
    ];
    match too_much.into_iter().find(|(is, _)| *is) {
        Some((_, reason)) => Err(Unusable(reason)),
        None => Ok(()),
    }
}

#[derive(Default)]
struct Size {
    bytes: usize,
    nodes: usize,
    references: usize,
    /// Places where one value combines several references.
    forks: usize,
}

impl Size {
    fn add(&mut self, value: &Value) {
        self.nodes += 1;
        self.bytes += 2;
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    self.bytes += name.len() + 4;
                    self.references += usize::from(name == "$ref" || name == "$dynamicRef");
                    self.add(member);
                }
            }
            Value::Array(items) => {
                let references = items.iter().filter(|item| item.get("$ref").is_some()).count();
                self.forks += usize::from(references > 1);
                items.iter().for_each(|item| self.add(item));
            }
            Value::String(text) => self.bytes += text.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) => self.bytes += 4,
        }
    }

    /// Each level of combined references can double the work: sixteen of them are already 65,536 ways.
    fn fans_out(&self) -> bool {
        self.forks > 16
    }
}

/// How deep a value nests, without recursion: a value can be deeper than any stack.
fn depth(value: &Value) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    /// A chain of this many references, all in one flat object.
    fn chain(length: usize) -> Value {
        let mut defs = Map::new();
        for link in 0..length {
            defs.insert(
                format!("d{link}"),
                json!({ "$ref": format!("#/$defs/d{}", link + 1) }),
            );
        }
        defs.insert(format!("d{length}"), json!({ "type": "object" }));
        json!({ "$ref": "#/$defs/d0", "$defs": defs })
    }

    /// SCH-001: `prefixItems` is 2020-12, items as a list is draft 7.
    #[test]
    fn a_schema_is_read_in_its_own_dialect_and_else_as_2020_12() {
        let pair = json!([{"type": "string"}, {"type": "integer"}]);
        let newest = Schema::build(&json!({ "prefixItems": pair })).unwrap();
        assert_eq!(newest.misfits(&json!(["a", "b"])).len(), 1);
        let draft = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": pair});
        let draft = Schema::build(&draft).unwrap();
        assert_eq!(draft.misfits(&json!(["a", "b"])).len(), 1);
        assert!(draft.misfits(&json!(["a", 1])).is_empty());
    }

    /// SCH-002.
    #[test]
    fn a_dialect_nobody_knows_is_refused_by_name() {
        let schema = json!({"$schema": "https://example.com/my-dialect", "type": "object"});
        let refusal = Schema::build(&schema).err().unwrap().0;
        assert!(refusal.contains("https://example.com/my-dialect"), "{refusal}");
    }

    #[test]
    fn work_that_does_not_end_is_not_waited_for() {
        let (end, ended) = mpsc::channel::<()>();
        assert_eq!(with_stack(move || ended.recv().is_ok()), None);
        drop(end);
        assert_eq!(with_stack(|| 1), Some(1));
    }

    #[test]
    fn what_fits_and_what_does_not_is_told_with_its_place() {
        let schema = json!({"type": "object", "properties": {"days": {"type": "integer", "maximum": 7}}, "required": ["city"]});
        let schema = Schema::build(&schema).unwrap();
        assert_eq!(
            schema.misfits(&json!({"city": "Oslo", "days": 3})),
            Vec::<String>::new()
        );
        let misfits = schema.misfits(&json!({"days": 8})).join("; ");
        assert!(misfits.contains("/days") && misfits.contains("city"), "{misfits}");
    }

    /// SCH-004, SCH-006, SCH-007: each of these stalls or ends a process that builds it without looking.
    #[test]
    fn a_schema_that_would_harm_is_refused_before_it_is_built() {
        let mut deep = json!({"type": "object"});
        for _ in 0..100 {
            deep = json!({"properties": {"a": deep}});
        }
        let mut doubling = Map::new();
        for level in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            doubling.insert(format!("d{level}"), json!({ "allOf": [next, next] }));
        }
        doubling.insert("d40".into(), json!({}));
        let cases = [
            ("a chain of references", chain(20_000)),
            ("a deep schema", deep),
            (
                "references that double",
                json!({"$ref": "#/$defs/d0", "$defs": doubling}),
            ),
            ("many parts", json!({"enum": vec![0; NODES + 1]})),
            ("a large text", json!({"description": "x".repeat(BYTES + 1)})),
            (
                "a reference to the network",
                json!({"$ref": "http://127.0.0.1:9/schema.json"}),
            ),
            ("a reference to a file", json!({"$ref": "file:///etc/passwd"})),
            (
                "an expression no linear engine takes",
                json!({"pattern": "(?=a)b"}),
            ),
        ];
        for (what, schema) in cases {
            assert!(Schema::build(&schema).is_err(), "{what}");
        }
        assert!(Schema::build(&chain(100)).is_ok(), "a modest chain is fine");
    }

    #[test]
    fn an_explosive_expression_takes_no_time() {
        let schema = Schema::build(&json!({"pattern": "^(a+)+$"})).unwrap();
        assert_eq!(schema.misfits(&json!(format!("{}b", "a".repeat(5000)))).len(), 1);
    }
}
