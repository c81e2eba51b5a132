//! How many steps a check of one value takes at most, counted before it is checked by going through schema and value
//! side by side as the validator does, taking every branch.

use serde_json::Value;

use crate::Unchecked;
use crate::graph::{Graph, SchemaPart};
use crate::size::parts;

/// The most steps of one job. A step is about one keyword applied to one value: some tens to hundreds of nanoseconds.
pub const STEPS: u64 = 1_000_000;
/// The most subschemas that may be open inside each other: each takes stack in the validator.
const LEVELS: u32 = 1_000;
/// Copying this many values into a message costs one step.
const COPIES: u64 = 4;
/// Moving on this many bytes in a text costs one step.
const BYTES: u64 = 16;

/// The steps that are left of a job.
pub(crate) struct Effort(u64);

/// Where the count is: the alternatives that it is inside of, and how deep it is.
#[derive(Clone, Copy)]
struct At {
    alternatives: u64,
    level: u32,
}

impl At {
    fn deeper(self) -> Self {
        Self {
            level: self.level + 1,
            ..self
        }
    }

    fn in_alternative(self) -> Self {
        Self {
            alternatives: self.alternatives + 1,
            ..self
        }
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self(STEPS)
    }
}

impl Effort {
    /// Spends the steps of one check.
    pub(crate) fn spend_check(&mut self, graph: &Graph, value: &Value) -> Result<(), Unchecked> {
        let at = At {
            alternatives: 0,
            level: 0,
        };
        self.check(graph, 0, value, at)
    }

    /// How many steps were spent.
    #[cfg(test)]
    pub(crate) fn spent(&self) -> u64 {
        STEPS - self.0
    }

    fn spend(&mut self, steps: u64) -> Result<(), Unchecked> {
        self.0 = self.0.checked_sub(steps).ok_or(Unchecked::ValueTooLarge)?;
        Ok(())
    }

    fn check(&mut self, graph: &Graph, part: usize, value: &Value, at: At) -> Result<(), Unchecked> {
        if at.level > LEVELS {
            return Err(Unchecked::ValueTooLarge);
        }
        let at = at.deeper();
        let part = &graph.0[part];
        // Whether it fits, the message, and once more for the message of each alternative around it.
        self.spend((own_steps(part, value)).saturating_mul(2 + at.alternatives))?;
        for child in &part.in_place {
            self.check(graph, *child, value, at)?;
        }
        let inside = at.in_alternative();
        for child in &part.alternatives {
            self.check(graph, *child, value, inside)?;
        }
        if part.unevaluated {
            self.mark(graph, part, value, at)?;
        }
        self.check_parts(graph, part, value, at)
    }

    /// `unevaluated…` checks all that is in place once more, to learn what it looked at.
    fn mark(&mut self, graph: &Graph, part: &SchemaPart, value: &Value, at: At) -> Result<(), Unchecked> {
        let at = at.deeper();
        self.spend(part.own)?;
        for child in part.same_value() {
            self.check(graph, child, value, at)?;
            self.mark(graph, &graph.0[child], value, at)?;
        }
        Ok(())
    }

    fn check_member(
        &mut self,
        graph: &Graph,
        part: &SchemaPart,
        (name, member): (&String, &Value),
        at: At,
    ) -> Result<(), Unchecked> {
        for (states, child) in &part.pattern_properties {
            self.spend(match_steps(*states, name))?;
            self.check(graph, *child, member, at)?;
        }
        for child in part.properties.get(name).into_iter().chain(&part.members) {
            self.check(graph, *child, member, at)?;
        }
        if part.names.is_empty() {
            return Ok(());
        }
        let name = Value::String(name.clone());
        let mut names = part.names.iter();
        names.try_for_each(|child| self.check(graph, *child, &name, at))
    }

    fn check_parts(
        &mut self,
        graph: &Graph,
        part: &SchemaPart,
        value: &Value,
        at: At,
    ) -> Result<(), Unchecked> {
        match value {
            Value::Object(members) => {
                let mut members = members.iter();
                members.try_for_each(|member| self.check_member(graph, part, member, at))
            }
            Value::Array(items) => self.check_items(graph, part, items, at),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn check_items(
        &mut self,
        graph: &Graph,
        part: &SchemaPart,
        items: &[Value],
        at: At,
    ) -> Result<(), Unchecked> {
        for (index, item) in items.iter().enumerate() {
            for child in part.prefix.get(index).into_iter().chain(&part.items) {
                self.check(graph, *child, item, at)?;
            }
        }
        Ok(())
    }
}

/// The steps of a subschema's own keywords at a value; each can end in a message that holds a copy of the value.
fn own_steps(part: &SchemaPart, value: &Value) -> u64 {
    let copies = parts(value) / COPIES;
    let text = value.as_str().map_or(0, |text| match_steps(part.pattern, text));
    let unique = if part.unique_items {
        parts(value).saturating_mul(4)
    } else {
        0
    };
    part.own
        .saturating_add(copies)
        .saturating_add(text)
        .saturating_add(unique)
}

/// The engine takes each state at each byte in the worst case.
fn match_steps(states: u64, text: &str) -> u64 {
    (text.len() as u64).saturating_mul(1 + states) / BYTES
}
