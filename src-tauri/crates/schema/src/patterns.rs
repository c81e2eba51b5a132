//! The regular expressions of a schema. A pattern of a few bytes can compile to megabytes (`\p{L}{100}`), so each is
//! compiled on its own within a limit, and all of them within another, before the validator compiles any.

use std::collections::BTreeMap;

use regex_automata::nfa::thompson::{Config, NFA};
use regex_automata::util::syntax;
use serde_json::Value;

use crate::Unchecked;
use crate::unchecked::quoted;

/// The most patterns that differ.
const MOST: usize = 200;
/// The longest pattern, in bytes.
const LONGEST: usize = 8 * 1024;
/// The most memory that one compiled pattern may take, in bytes.
const ONE: usize = 256 * 1024;
/// The limit of the validator's own engine for one pattern, which also compiles it backwards.
pub(crate) const ENGINE: usize = 4 * ONE;
/// The most memory that all compiled patterns may take together, in bytes.
const ALL: usize = 1024 * 1024;
/// The cache that one pattern may fill while it is matched, in bytes.
pub(crate) const CACHE: usize = 256 * 1024;

/// Each pattern of a schema, with the number of states of its compiled form.
pub(crate) type Patterns = BTreeMap<String, u64>;

/// Compiles every pattern of a schema for its size.
pub(crate) fn measure(schema: &Value) -> Result<Patterns, Unchecked> {
    let mut patterns = Patterns::new();
    let mut total = 0;
    for pattern in written(schema) {
        if patterns.contains_key(pattern) {
            continue;
        }
        let compiled = compile(pattern)?;
        total += compiled.memory_usage();
        if total > ALL || patterns.len() >= MOST {
            return Err(Unchecked::PatternsTooLarge);
        }
        patterns.insert(pattern.to_owned(), compiled.states().len() as u64);
    }
    Ok(patterns)
}

/// Whatever stands where a pattern can stand, also where it is data: counting too much is safe.
fn written(schema: &Value) -> Vec<&str> {
    let mut found = vec![];
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                found.extend(members.get("pattern").and_then(Value::as_str));
                let keys = members.get("patternProperties").and_then(Value::as_object);
                found.extend(keys.into_iter().flatten().map(|(pattern, _)| pattern.as_str()));
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

/// Compiles a pattern as the validator does, which first translates it from the dialect of JavaScript.
fn compile(pattern: &str) -> Result<NFA, Unchecked> {
    let refused = || Unchecked::PatternRefused {
        pattern: quoted(pattern),
    };
    if pattern.len() > LONGEST {
        return Err(refused());
    }
    let translated = jsonschema_regex::to_rust_regex(pattern).map_err(|()| refused())?;
    NFA::compiler()
        .configure(Config::new().nfa_size_limit(Some(ONE)))
        .syntax(syntax::Config::new().nest_limit(100))
        .build(&translated)
        .map_err(|_| refused())
}
