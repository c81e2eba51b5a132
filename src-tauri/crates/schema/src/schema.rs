//! A schema that values can be checked against.

use jsonschema::{PatternOptions, ValidationError, Validator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Unchecked;
use crate::effort::Effort;
use crate::graph::Graph;
use crate::unchecked::quoted;
use crate::{patterns, size};

/// The most misfits that are listed.
const LISTED: usize = 8;
/// The longest of them, in characters.
const LONGEST: usize = 1_000;
/// The most `null`s of one value that are tried to be left out; each takes a check of its own.
const MOST_NULLS: usize = 16;
/// The most misfits that are counted to see whether leaving out a `null` helps.
const COUNTED: usize = 64;

/// A schema within the limits. Building and checking take the calling thread's time and stack; see [`serve`](crate::serve)
/// for the process that does so for the application.
pub struct Schema {
    validator: Validator,
    graph: Graph,
    required: Vec<String>,
}

/// What came of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// What does not fit, in words; empty where everything does.
    pub misfits: Vec<String>,
    /// Members whose `null` was left out before the check.
    pub dropped: Vec<String>,
}

impl Schema {
    /// Builds a schema within the limits.
    ///
    /// # Errors
    /// Why values cannot be checked against it.
    pub fn build(schema: &Value) -> Result<Self, Unchecked> {
        size::measure(schema)?;
        let patterns = patterns::measure(schema)?;
        let graph = Graph::read(schema, &patterns)?;
        let engine = PatternOptions::regex()
            .size_limit(patterns::ENGINE)
            .dfa_size_limit(patterns::CACHE);
        let validator = jsonschema::options()
            .with_pattern_options(engine)
            .build(schema)
            .map_err(|error| Unchecked::Invalid {
                detail: quoted(&error.to_string()),
            })?;
        let required = schema["required"].as_array().into_iter().flatten();
        let required = required.filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(Self {
            validator,
            graph,
            required,
        })
    }

    /// Checks a value. With `drop_nulls`, each `null` of an optional member that the schema refuses is left out first:
    /// models write one for an argument they leave out. A `null` that is allowed says something, and stays.
    ///
    /// # Errors
    /// Why it was not checked.
    pub fn check(&self, mut value: Value, drop_nulls: bool) -> Result<Checked, Unchecked> {
        if size::depth(&value) > 2 * size::DEPTH {
            return Err(Unchecked::TooDeep {
                levels: 2 * size::DEPTH,
            });
        }
        let mut effort = Effort::default();
        effort.spend_check(&self.graph, &value)?;
        if self.validator.is_valid(&value) {
            return Ok(Checked::default());
        }
        let dropped = if drop_nulls {
            self.drop_nulls(&mut value, &mut effort)?
        } else {
            vec![]
        };
        let misfits = self.misfits(&value);
        Ok(Checked { misfits, dropped })
    }

    /// Where and how the value does not fit, at most [`LISTED`] times.
    fn misfits(&self, value: &Value) -> Vec<String> {
        let errors = self.validator.iter_errors(value).take(LISTED);
        errors.map(|error| words(&error)).collect()
    }

    fn drop_nulls(&self, value: &mut Value, effort: &mut Effort) -> Result<Vec<String>, Unchecked> {
        let mut dropped = vec![];
        let mut before = self.count(value);
        for name in self.optional_nulls(value) {
            let Some(null) = value.as_object_mut().and_then(|members| members.remove(&name)) else {
                continue;
            };
            effort.spend_check(&self.graph, value)?;
            let without = self.count(value);
            if without < before {
                before = without;
                dropped.push(name);
            } else if let Some(members) = value.as_object_mut() {
                members.insert(name, null);
            }
        }
        Ok(dropped)
    }

    fn optional_nulls(&self, value: &Value) -> Vec<String> {
        let nulls = value
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, member)| member.is_null());
        let optional = nulls
            .map(|(name, _)| name)
            .filter(|name| !self.required.contains(name));
        optional.take(MOST_NULLS).cloned().collect()
    }

    fn count(&self, value: &Value) -> usize {
        self.validator.iter_errors(value).take(COUNTED).count()
    }
}

fn words(error: &ValidationError<'_>) -> String {
    let words = match error.instance_path().to_string() {
        path if path.is_empty() => error.to_string(),
        path => format!("{path}: {error}"),
    };
    words.chars().take(LONGEST).collect()
}
