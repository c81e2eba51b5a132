//! Conditions on the arguments of a call: a permission for "files below ~/Notes" instead of for everything. A
//! condition is judged by the arguments and by where their paths lead, which the caller found out ([`Places`]). What
//! cannot be judged never allows: a permission needs every chosen value to pass for sure, while a refusal already holds
//! where one of them may.

mod glob;
mod mail;
mod number;
mod path;
mod pointer;
mod site;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use vestibule_protocol::json_length;

use crate::Places;

/// Most conditions of one rule, and most values one of them may list.
pub(crate) const MOST: usize = 32;
/// Longest text in a condition, in bytes.
const LONGEST: usize = 1024;

/// One condition: which values, and what holds for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Which values: a JSON pointer into the arguments, where `*` stands for every member of an object or array.
    pub at: String,
    /// What has to hold for them.
    pub is: Test,
}

/// What has to hold for a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Test {
    /// It is this value. Numbers are compared by what they are worth. A path is not it while a link leads it elsewhere.
    Equals(#[ts(type = "unknown")] Value),
    /// It is one of these.
    OneOf(#[ts(type = "unknown[]")] Vec<Value>),
    /// It is a text of this form: `?` is one character, `*` any but `/`, `**` any at all. Not for paths and addresses:
    /// a text with `..`, `://`, a backslash or a control character is never judged to have it. Neither is one with more
    /// signs of a shell, such as `;`, than the form has.
    Glob(String),
    /// It is an absolute path at or below this one, without a way back up, and still is once links are followed.
    Under(String),
    /// It is a web address at or below one of these hosts, and nothing is wrong with it.
    Host(Vec<String>),
    /// It is exactly one e-mail address: one of these, or one at a domain of these that begin with `@`.
    Mail(Vec<String>),
    /// It is a number within these bounds, both included.
    Between {
        /// The smallest, if there is one.
        #[ts(type = "number | null")]
        least: Option<Number>,
        /// The largest, if there is one.
        #[ts(type = "number | null")]
        most: Option<Number>,
    },
    /// It takes at most so many bytes: a text by itself, anything else as JSON.
    AtMostBytes(#[ts(type = "number")] u64),
}

/// Signs with which a shell begins another command, or puts something else in their place.
const SHELL_SIGNS: [char; 7] = [';', '|', '&', '<', '>', '`', '$'];

/// Whether a text has a sign of a shell that is not in `known`. A program may hand an argument to a shell.
fn has_more_shell_signs(text: &str, known: &str) -> bool {
    let count = |text: &str, sign: char| text.matches(sign).count();
    SHELL_SIGNS
        .iter()
        .any(|sign| count(text, *sign) > count(known, *sign))
}

/// What can be said of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    Passes,
    Fails,
    /// It is not of the kind the test speaks of, or hides what it is.
    Unclear,
    /// It fails as it is written; whether it leads elsewhere by a link is not known.
    Unresolved,
}

/// Whether a condition of a refusal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Applies {
    /// It may; that cannot be decided.
    Yes,
    /// Not as the arguments are written; whether they lead elsewhere by a link is not known.
    Unresolved,
    No,
}

impl Judged {
    fn from_bool(passes: bool) -> Self {
        if passes { Self::Passes } else { Self::Fails }
    }
}

/// A condition that cannot be enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCondition {
    /// `at` is no pointer.
    #[error("a condition names its values by a JSON pointer")]
    Pointer,
    /// A root that is not absolute, or climbs.
    #[error("a condition on paths names an absolute folder, without `..`")]
    Root,
    /// A host that is no public name, or is one under which anyone can register.
    #[error("a condition on addresses names hosts that have an owner")]
    Host,
    /// Something that is neither a plain e-mail address nor `@` and a domain.
    #[error("a condition on e-mail addresses names whole addresses, or domains with an @ before them")]
    Mail,
    /// Bounds between which nothing lies.
    #[error("a condition on numbers has bounds, and the least is not above the most")]
    Bounds,
    /// Too long or too many, or none at all.
    #[error("a condition lists between 1 and {MOST} values of at most {LONGEST} bytes")]
    Size,
}

impl Condition {
    /// Whether the engine can keep to this condition.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn check(&self) -> Result<(), NoCondition> {
        pointer::check(&self.at)?;
        self.is.check()
    }

    /// Whether there are such values, and every one of them passes for sure. Each member at a `*` has to have one.
    #[must_use]
    pub fn surely_holds(&self, arguments: &Value, places: &Places) -> bool {
        let passes = |value: &&Value| self.is.judge(value, places) == Judged::Passes;
        pointer::choose(arguments, &self.at).is_some_and(|chosen| {
            !chosen.lacking && !chosen.values.is_empty() && chosen.values.iter().all(passes)
        })
    }

    /// Whether some such value passes, or may pass.
    pub(crate) fn may_hold(&self, arguments: &Value, places: &Places) -> Applies {
        let Some(chosen) = pointer::choose(arguments, &self.at).filter(|chosen| !chosen.misshapen) else {
            return Applies::Yes;
        };
        let applies = chosen
            .values
            .iter()
            .map(|value| match self.is.judge(value, places) {
                Judged::Passes | Judged::Unclear => Applies::Yes,
                Judged::Unresolved => Applies::Unresolved,
                Judged::Fails => Applies::No,
            });
        applies.min().unwrap_or(Applies::No)
    }
}

impl Test {
    fn check(&self) -> Result<(), NoCondition> {
        let fits = |count: usize| (1..=MOST).contains(&count);
        let short = |text: &str| text.len() <= LONGEST;
        let ok = match self {
            Self::Equals(value) => short(&value.to_string()),
            Self::OneOf(values) => fits(values.len()) && values.iter().all(|value| short(&value.to_string())),
            Self::Glob(pattern) => short(pattern),
            Self::Under(root) => return path::check(root),
            Self::Host(hosts) if fits(hosts.len()) => return site::check(hosts),
            Self::Mail(wanted) if fits(wanted.len()) => return mail::check(wanted),
            Self::Host(_) | Self::Mail(_) => false,
            Self::Between { least, most } => {
                return number::check(least.as_ref(), most.as_ref());
            }
            Self::AtMostBytes(_) => true,
        };
        if ok { Ok(()) } else { Err(NoCondition::Size) }
    }

    fn judge(&self, value: &Value, places: &Places) -> Judged {
        match (self, value) {
            (Self::Equals(wanted), value) => equals(std::slice::from_ref(wanted), value, places),
            (Self::OneOf(wanted), value) => equals(wanted, value, places),
            (Self::Glob(pattern), Value::String(text)) => glob::judge(pattern, text),
            (Self::Under(root), Value::String(text)) => {
                path::judge(root, text, places.resolved.get(text).map(String::as_str))
            }
            (Self::Host(hosts), Value::String(text)) => site::judge(hosts, text),
            (Self::Mail(wanted), Value::String(text)) => mail::judge(wanted, text),
            (Self::Between { least, most }, Value::Number(number)) => {
                number::judge(least.as_ref(), most.as_ref(), number)
            }
            (Self::AtMostBytes(most), Value::String(text)) => Judged::from_bool(text.len() as u64 <= *most),
            (Self::AtMostBytes(most), value) => Judged::from_bool(json_length(value) as u64 <= *most),
            _ => Judged::Unclear,
        }
    }
}

/// A number and its text, or a path and another spelling of it, are not the same for a permission, and may be for a
/// refusal. Neither is a path in whose place there is a link: the user meant what was there.
fn equals(wanted: &[Value], value: &Value, places: &Places) -> Judged {
    if wanted.iter().any(|wanted| number::same(wanted, value)) {
        if leads_elsewhere(value, places) {
            Judged::Unclear
        } else {
            Judged::Passes
        }
    } else if wanted.iter().any(|wanted| number::alike(wanted, value)) || leads_to(wanted, value, places) {
        Judged::Unclear
    } else {
        Judged::Fails
    }
}

/// Whether a text in a value is a path that leads to another one by a link.
fn leads_elsewhere(value: &Value, places: &Places) -> bool {
    match value {
        Value::String(text) => {
            let place = places.resolved.get(text);
            place.is_some_and(|place| Path::new(place) != Path::new(text))
        }
        Value::Array(items) => items.iter().any(|item| leads_elsewhere(item, places)),
        Value::Object(members) => members.values().any(|member| leads_elsewhere(member, places)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a text, or one in a list, leads as a path to one of these.
fn leads_to(wanted: &[Value], value: &Value, places: &Places) -> bool {
    match value {
        Value::String(text) => {
            let place = places.resolved.get(text).map(String::as_str);
            place.is_some() && wanted.iter().any(|wanted| wanted.as_str() == place)
        }
        Value::Array(items) => items.iter().any(|item| leads_to(wanted, item, places)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
