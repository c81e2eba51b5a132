//! Reads a tool's arguments, and says in words what does not fit.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

/// The arguments of one call; none given is the same as an empty object.
pub(super) struct Arguments<'a>(Option<&'a Map<String, Value>>);

impl<'a> Arguments<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        Self(value.as_object())
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.and_then(|given| given.get(name))
    }

    /// Refuses arguments the schema does not name.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), String> {
        let unknown = self
            .0
            .and_then(|given| given.keys().find(|name| !known.contains(&name.as_str())));
        match unknown {
            Some(name) => Err(format!(
                "there is no argument \"{}\"",
                name.chars().take(100).collect::<String>()
            )),
            None => Ok(()),
        }
    }

    /// A text of 1 to `longest` characters.
    pub(super) fn text(&self, name: &str, longest: usize) -> Result<&'a str, String> {
        let text = self.get(name).and_then(Value::as_str);
        let fits = text.filter(|text| !text.is_empty() && text.chars().count() <= longest);
        fits.ok_or_else(|| format!("{name} must be a text of 1 to {longest} characters"))
    }

    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        self.get(name)
            .and_then(Value::as_i64)
            .filter(|number| number.unsigned_abs() <= 1_000_000_000_000_000)
    }

    pub(super) fn number(&self, name: &str) -> Result<f64, String> {
        let number = self
            .get(name)
            .and_then(Value::as_f64)
            .filter(|number| number.abs() <= 1e15);
        number.ok_or_else(|| format!("{name} must be a number from -1e15 to 1e15"))
    }

    pub(super) fn number_or(&self, name: &str, otherwise: f64) -> Result<f64, String> {
        if self.get(name).is_none() {
            Ok(otherwise)
        } else {
            self.number(name)
        }
    }

    pub(super) fn whole(
        &self,
        name: &str,
        range: RangeInclusive<u64>,
        otherwise: u64,
    ) -> Result<u64, String> {
        let Some(value) = self.get(name) else {
            return Ok(otherwise);
        };
        let whole = value.as_u64().filter(|number| range.contains(number));
        whole.ok_or_else(|| {
            format!(
                "{name} must be a whole number from {} to {}",
                range.start(),
                range.end()
            )
        })
    }

    /// One of `choices`; the first when none is given.
    pub(super) fn choice(&self, name: &str, choices: &[&'static str]) -> Result<&'static str, String> {
        let Some(value) = self.get(name) else {
            return Ok(choices[0]);
        };
        let chosen = choices.iter().find(|choice| value.as_str() == Some(choice));
        chosen
            .copied()
            .ok_or_else(|| format!("{name} must be one of: {}", choices.join(", ")))
    }
}
