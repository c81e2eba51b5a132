//! What is wrong with an answer, field by field and in facts; the words are the window's.

use serde::Serialize;
use serde_json::{Map, Value};

use super::text::{compile, is_of_format};
use super::{ChoiceOption, FieldKind, Form, FormField, Pattern};

/// The longest text, whatever a server allows, in characters.
pub(super) const MAX_CHARACTERS: u32 = 20_000;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct FieldError {
    /// The name of the field.
    pub field: String,
    /// What is wrong with it.
    pub problem: FieldProblem,
}

/// What can be wrong with the value of a field.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum FieldProblem {
    /// It is required and empty.
    Missing,
    /// The form has no such field, or the value is of another kind.
    Foreign,
    /// Fewer characters than the server wants.
    TooShort {
        /// How many it wants.
        least: u32,
    },
    /// More characters than the server wants.
    TooLong {
        /// How many it wants at most.
        most: u32,
    },
    /// It does not match the server's pattern.
    Pattern { pattern: String },
    /// It is not of the format.
    Format {
        /// The format's name in the protocol.
        format: String,
    },
    /// It is no number.
    NotANumber,
    /// It has a fraction.
    NotWhole,
    /// Less than the server wants.
    TooSmall {
        /// What it wants at least.
        least: f64,
    },
    /// More than the server wants.
    TooLarge {
        /// What it wants at most.
        most: f64,
    },
    /// It is none of the options.
    NoOption,
    /// Fewer options than the server wants.
    TooFew {
        /// How many it wants.
        least: u32,
    },
    /// More options than the server wants.
    TooMany {
        /// How many it wants at most.
        most: u32,
    },
}

impl Form {
    /// Everything that is wrong with an answer, in the order of the form; empty when it may be sent.
    #[must_use]
    pub fn invalid_fields(&self, content: &Map<String, Value>) -> Vec<FieldError> {
        let of_fields = self.fields.iter().filter_map(|field| {
            let problem = match content.get(&field.name) {
                None if field.required => Some(FieldProblem::Missing),
                None => None,
                Some(value) => field.problem(value),
            };
            problem.map(|problem| (field.name.clone(), problem))
        });
        let unknown = content
            .keys()
            .filter(|name| !self.fields.iter().any(|field| field.name == **name))
            .map(|name| (name.clone(), FieldProblem::Foreign));
        of_fields
            .chain(unknown)
            .map(|(field, problem)| FieldError { field, problem })
            .collect()
    }
}

impl Form {
    /// A field that looks like a secret, has a value, and is not among those that hold none.
    #[must_use]
    pub fn unconfirmed_secret(&self, content: &Map<String, Value>, not_secret: &[String]) -> Option<&str> {
        let fields = self.fields.iter().filter(|field| field.secret);
        let mut names = fields.map(|field| field.name.as_str());
        names
            .find(|name| content.contains_key(*name) && !not_secret.iter().any(|confirmed| confirmed == name))
    }
}

impl FormField {
    /// Fills in what the server suggests, where its own rules allow that and it is no secret.
    pub(super) fn suggest(&mut self, value: Option<&Value>) {
        let Some(value) = value else { return };
        if self.secret {
            return;
        }
        if self.problem(value).is_some() {
            self.broken_default = Some(match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            return;
        }
        match &mut self.kind {
            FieldKind::Text { default, .. } | FieldKind::Choice { default, .. } => {
                *default = value.as_str().map(str::to_owned);
            }
            FieldKind::Number { default, .. } => *default = value.as_f64(),
            FieldKind::Boolean { default } => *default = value.as_bool(),
            FieldKind::Choices { default, .. } => {
                let chosen = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                *default = chosen.map(str::to_owned).collect();
            }
        }
    }

    /// What is wrong with a value in this field.
    fn problem(&self, value: &Value) -> Option<FieldProblem> {
        match (&self.kind, value) {
            (
                FieldKind::Text {
                    min_length,
                    max_length,
                    pattern,
                    format,
                    ..
                },
                Value::String(text),
            ) => text_problem(
                text,
                *min_length,
                *max_length,
                pattern.as_ref(),
                format.as_deref(),
            ),
            (
                FieldKind::Number {
                    integer,
                    minimum,
                    maximum,
                    ..
                },
                Value::Number(_),
            ) => number_problem(value.as_f64()?, *integer, *minimum, *maximum),
            (FieldKind::Number { .. }, _) => Some(FieldProblem::NotANumber),
            (FieldKind::Boolean { .. }, Value::Bool(_)) => None,
            (FieldKind::Choice { options, .. }, Value::String(text)) => {
                (!has(options, text)).then_some(FieldProblem::NoOption)
            }
            (
                FieldKind::Choices {
                    options,
                    min_items,
                    max_items,
                    ..
                },
                Value::Array(chosen),
            ) => choices_problem(chosen, options, *min_items, *max_items),
            _ => Some(FieldProblem::Foreign),
        }
    }
}

impl Pattern {
    /// Whether a text matches, as far as the pattern is checked.
    fn fits(&self, text: &str) -> bool {
        if !self.checked {
            return true;
        }
        let machine = self.machine.0.get_or_init(|| compile(&self.source));
        machine.as_ref().is_none_or(|machine| machine.is_match(text))
    }
}

fn text_problem(
    text: &str,
    least: Option<u32>,
    most: Option<u32>,
    pattern: Option<&Pattern>,
    format: Option<&str>,
) -> Option<FieldProblem> {
    let characters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let most = most.unwrap_or(MAX_CHARACTERS).min(MAX_CHARACTERS);
    if let Some(least) = least.filter(|least| characters < *least) {
        return Some(FieldProblem::TooShort { least });
    }
    if characters > most {
        return Some(FieldProblem::TooLong { most });
    }
    if let Some(format) = format.filter(|format| !is_of_format(text, format)) {
        return Some(FieldProblem::Format {
            format: format.to_owned(),
        });
    }
    let pattern = pattern?;
    (!pattern.fits(text)).then(|| FieldProblem::Pattern {
        pattern: pattern.source.clone(),
    })
}

fn number_problem(
    number: f64,
    integer: bool,
    minimum: Option<f64>,
    maximum: Option<f64>,
) -> Option<FieldProblem> {
    if integer && number.fract() != 0.0 {
        return Some(FieldProblem::NotWhole);
    }
    if let Some(least) = minimum.filter(|least| number < *least) {
        return Some(FieldProblem::TooSmall { least });
    }
    let most = maximum.filter(|most| number > *most)?;
    Some(FieldProblem::TooLarge { most })
}

fn choices_problem(
    chosen: &[Value],
    options: &[ChoiceOption],
    least: Option<u32>,
    most: Option<u32>,
) -> Option<FieldProblem> {
    let known = |(at, value): (usize, &Value)| {
        value.as_str().is_some_and(|text| has(options, text)) && !chosen[..at].contains(value)
    };
    if !chosen.iter().enumerate().all(known) {
        return Some(FieldProblem::NoOption);
    }
    let count = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
    if let Some(least) = least.filter(|least| count < *least) {
        return Some(FieldProblem::TooFew { least });
    }
    let most = most.filter(|most| count > *most)?;
    Some(FieldProblem::TooMany { most })
}

fn has(options: &[ChoiceOption], value: &str) -> bool {
    options.iter().any(|option| option.value == value)
}
