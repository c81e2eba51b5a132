//! Placeholders: text in a configuration that stands for a value of the user, in the spellings of all applications.
//! Each is rewritten as `${name}` and noted as a value to fill in. Nothing is read from our own environment, because
//! the author of a configuration must not choose which of its values a server gets.

mod holes;
mod samples;

use vestibule_app_protocol::{FillIn, FillKind};

use self::holes::{Hole, TemplatePart};
use super::inputs::Inputs;

/// The most values that one entry may ask for.
const MOST_FILLS: usize = 200;

/// Where in an entry a text stands.
#[derive(Clone, Copy)]
pub(super) enum TextPlace<'a> {
    /// The program or one of its arguments.
    Word,
    Address,
    Folder,
    /// The value of a variable or a header of this name.
    Value(&'a str),
}

/// The values to fill in of one server.
pub(super) struct Gaps<'a> {
    inputs: &'a Inputs,
    pub(super) fills: Vec<FillIn>,
    /// Whether there are more than are noted.
    pub(super) has_too_many: bool,
}

impl<'a> Gaps<'a> {
    pub(super) fn new(inputs: &'a Inputs) -> Self {
        Self {
            inputs,
            fills: vec![],
            has_too_many: false,
        }
    }

    /// A text with its placeholders rewritten.
    pub(super) fn rewrite(&mut self, written: &str, at: TextPlace<'_>) -> String {
        if let Some(hole) = whole(written, at) {
            return self.fill(hole, at);
        }
        if let TextPlace::Value(name) = at
            && let Some((scheme, rest)) = scheme(written)
            && let Some(hole) = whole(rest, TextPlace::Value(name))
        {
            return format!("{scheme} {}", self.fill(hole, at));
        }
        if matches!(at, TextPlace::Word)
            && let Some((option, value)) = written.split_once('=')
            && let Some(hole) = whole(value, at)
        {
            return format!("{option}={}", self.fill(hole, at));
        }
        let pieces = holes::split(written, matches!(at, TextPlace::Address));
        pieces
            .into_iter()
            .map(|piece| match piece {
                TemplatePart::Text(text) => text,
                TemplatePart::Hole(hole) => self.fill(hole, at),
            })
            .collect()
    }

    /// Notes an argument without a value, which the user may want or not, unless it is a value that is noted already.
    pub(super) fn note_switch(&mut self, name: &str) {
        if self.fills.iter().any(|fill| fill.name == name) {
            return;
        }
        let input = self.inputs.get(name);
        self.note(FillIn {
            name: name.to_owned(),
            kind: FillKind::Switch,
            required: false,
            optional: true,
            hint: input.hint,
            example: None,
            value: input.value,
            choices: vec![],
        });
    }

    /// Notes a value and gives what stands for it.
    fn fill(&mut self, hole: Hole, at: TextPlace<'_>) -> String {
        let text = format!("${{{}}}", hole.name);
        if let Some(known) = self.fills.iter_mut().find(|fill| fill.name == hole.name) {
            known.required |= is_required(at) && !known.optional;
            return text;
        }
        self.note(described(hole, self.inputs, at));
        text
    }

    fn note(&mut self, fill: FillIn) {
        if self.fills.len() < MOST_FILLS {
            self.fills.push(fill);
        } else {
            self.has_too_many = true;
        }
    }
}

/// A value to fill in, with what its author says of it.
fn described(hole: Hole, inputs: &Inputs, at: TextPlace<'_>) -> FillIn {
    let input = inputs.get(&hole.name);
    let value = if hole.default.is_empty() {
        input.value
    } else {
        hole.default
    };
    let secret = input.secret.unwrap_or_else(|| is_secret(&hole.name, at));
    // What the author proposes is no secret. Where the author says so, what the user types in its place is one.
    let hidden = secret && input.choices.is_empty() && (value.is_empty() || input.secret == Some(true));
    let kind = match hidden {
        _ if hole.is_path || input.is_path || matches!(at, TextPlace::Folder) => FillKind::Path,
        true => FillKind::Secret,
        false => FillKind::Text,
    };
    let optional = input.optional && !matches!(at, TextPlace::Address);
    FillIn {
        name: hole.name,
        kind,
        required: is_required(at) && !optional,
        optional,
        hint: input.hint,
        example: input.example,
        value,
        choices: input.choices,
    }
}

/// Whether a server cannot be added without a value at this place.
fn is_required(at: TextPlace<'_>) -> bool {
    matches!(at, TextPlace::Word | TextPlace::Address)
}

/// A text that is nothing but a placeholder of a kind that is not found inside longer texts.
fn whole(written: &str, at: TextPlace<'_>) -> Option<Hole> {
    let plain = written.trim();
    if let Some(name) = plain.strip_prefix('$').filter(|name| holes::is_variable(name)) {
        return Some(Hole::named(name));
    }
    if samples::is_path(plain) {
        return Some(Hole {
            is_path: true,
            ..Hole::named(plain)
        });
    }
    match at {
        TextPlace::Value(name) if plain.is_empty() || samples::is_value(plain) => Some(Hole::named(name)),
        TextPlace::Word if samples::is_loud(plain) => Some(Hole::named(plain)),
        _ => None,
    }
}

/// The scheme of a header such as `Bearer …`, and what comes after it.
fn scheme(written: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = written.trim().split_once(' ')?;
    let known = ["bearer", "basic", "token", "apikey", "api-key"];
    known
        .contains(&scheme.to_ascii_lowercase().as_str())
        .then_some((scheme, rest))
}

/// Whether a value is not shown while it is typed: always in variables and headers, elsewhere where its name says so.
fn is_secret(name: &str, at: TextPlace<'_>) -> bool {
    let loud = name.to_ascii_uppercase();
    let words = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL"];
    matches!(at, TextPlace::Value(_)) || words.iter().any(|word| loud.contains(word))
}

#[cfg(test)]
mod tests;
