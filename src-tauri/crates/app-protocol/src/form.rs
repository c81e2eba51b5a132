//! A form a server wants filled in: which fields it has, what may stand in them, and what is wrong with what stands
//! there. It is read once, whole or not at all, from the schema a server sends; the card shows exactly what was
//! read, and the same rules check an answer while it is typed and again before it is sent. No text of a server is
//! interpreted beyond that, and its patterns run on an engine that cannot be made to hang.

mod check;
mod read;
mod secrets;
mod text;

use std::sync::{Arc, OnceLock};

use regex::Regex;
use serde::Serialize;

pub use check::{FieldError, FieldProblem};

/// A form, in the order the server gave its fields. All texts are the server's.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Form {
    pub message: String,
    pub fields: Vec<FormField>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct FormField {
    /// Its name in the answer.
    pub name: String,
    /// The name to show.
    pub title: Option<String>,
    /// What is to be entered.
    pub description: Option<String>,
    /// Whether the form cannot be sent without it.
    pub required: bool,
    /// It looks as if it asked for a password, a key or a card, which no form may.
    pub secret: bool,
    /// A value the server suggests and its own rules do not allow, as text; it is not filled in.
    pub broken_default: Option<String>,
    /// What kind of value it takes.
    pub kind: FieldKind,
}

/// What may stand in a field.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FieldKind {
    Text {
        min_length: Option<u32>,
        max_length: Option<u32>,
        /// What it has to look like.
        pattern: Option<Pattern>,
        /// What it is: `email`, `uri`, `date`, `date-time`; others are shown and not checked.
        format: Option<String>,
        /// What the server suggests.
        default: Option<String>,
    },
    Number {
        integer: bool,
        minimum: Option<f64>,
        maximum: Option<f64>,
        /// What the server suggests.
        default: Option<f64>,
    },
    Boolean {
        /// What the server suggests.
        default: Option<bool>,
    },
    Choice {
        /// What there is to choose from.
        options: Vec<ChoiceOption>,
        /// What the server suggests.
        default: Option<String>,
    },
    Choices {
        /// What there is to choose from.
        options: Vec<ChoiceOption>,
        min_items: Option<u32>,
        max_items: Option<u32>,
        /// What the server suggests.
        default: Vec<String>,
    },
}

/// A regular expression a text has to match somewhere.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Pattern {
    /// As the server wrote it.
    pub source: String,
    /// Whether it is checked. One that is too large, or that needs an engine which can hang, is only shown, and so is
    /// one of a form with too many.
    pub checked: bool,
    #[serde(skip)]
    #[ts(skip)]
    machine: Machine,
}

/// A pattern that is compiled when it is first run: many forms can wait for the user, and a compiled pattern can take a
/// megabyte. Two are equal where their sources are.
#[derive(Clone, Debug, Default)]
struct Machine(Arc<OnceLock<Option<Regex>>>);

impl PartialEq for Machine {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One of several values.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ChoiceOption {
    pub value: String,
    /// What is shown, where that differs.
    pub title: Option<String>,
}

/// Why a form is not shown: it would not be what the server thinks it is. A sentence for the server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoForm(pub String);

#[cfg(test)]
mod tests;
