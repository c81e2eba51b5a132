//! A schema as a graph: its subschemas, joined by the keywords and references that apply one at another. From the graph
//! follows how much work a check is at most, before anything is checked.
//!
//! Edges are of two kinds. `allOf`, `if`, `$ref` and the like apply a subschema to the *same* value; through them a
//! schema of a few hundred bytes can ask for 2^40 steps, and a cycle never ends. `properties`, `items` and the like apply
//! one to a *part* of the value; cycles of these describe trees, end with the value, and are legal.
//!
//! Where dialects differ, the graph has the edges of all of them. Counting too much is safe.

use std::collections::{BTreeMap, HashMap};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::Unchecked;
use crate::patterns::Patterns;
use crate::size::parts;
use crate::unchecked::quoted;

/// The most steps that one schema may ask for at one value, the parts of the value not counted.
const IN_PLACE: u64 = 20_000;

#[derive(Default)]
pub(crate) struct SchemaPart {
    /// Steps of its own keywords.
    pub(crate) own: u64,
    /// States of its `pattern`.
    pub(crate) pattern: u64,
    pub(crate) unique_items: bool,
    /// Whether it has `unevaluatedItems` or `unevaluatedProperties`, which look at everything in place once more.
    pub(crate) unevaluated: bool,
    /// Applied to the same value, except `anyOf` and `oneOf`.
    pub(crate) in_place: Vec<usize>,
    /// `anyOf` and `oneOf`: applied to the same value, and again for the message where none fits.
    pub(crate) alternatives: Vec<usize>,
    /// Applied to one member of an object.
    pub(crate) properties: BTreeMap<String, usize>,
    /// Applied to the members whose name matches a pattern; with the states of the pattern.
    pub(crate) pattern_properties: Vec<(u64, usize)>,
    /// Applied to any member.
    pub(crate) members: Vec<usize>,
    /// Applied to the names of members.
    pub(crate) names: Vec<usize>,
    /// Applied to one item of an array.
    pub(crate) prefix: Vec<usize>,
    /// Applied to any item.
    pub(crate) items: Vec<usize>,
}

impl SchemaPart {
    /// Everything that is applied to the same value.
    pub(crate) fn same_value(&self) -> impl Iterator<Item = usize> {
        self.in_place.iter().chain(&self.alternatives).copied()
    }
}

/// The subschemas that can be reached; the first is the schema itself.
pub(crate) struct Graph(pub(crate) Vec<SchemaPart>);

impl Graph {
    /// Reads a schema that was measured, and refuses one whose references cannot be followed here, lead in a circle or
    /// multiply.
    pub(crate) fn read(schema: &Value, patterns: &Patterns) -> Result<Self, Unchecked> {
        let mut reader = Reader::new(schema, patterns);
        reader.number(schema);
        let mut parts = vec![];
        while let Some(subschema) = reader.found.get(parts.len()).copied() {
            parts.push(reader.part(subschema)?);
        }
        let graph = Self(parts);
        graph.bound()?;
        Ok(graph)
    }

    fn bound(&self) -> Result<(), Unchecked> {
        let mut known = vec![VisitState::New; self.0.len()];
        for part in 0..self.0.len() {
            if self.cost(part, &mut known)?.checked > IN_PLACE {
                return Err(Unchecked::Multiplies);
            }
        }
        Ok(())
    }

    /// The most steps that a subschema takes at one value. Each is computed once.
    fn cost(&self, part: usize, known: &mut [VisitState]) -> Result<StepCost, Unchecked> {
        match known[part] {
            VisitState::Known(cost) => return Ok(cost),
            VisitState::Open => return Err(Unchecked::Circular),
            VisitState::New => known[part] = VisitState::Open,
        }
        let own = self.0[part].own;
        let mut cost = StepCost {
            checked: own,
            marked: own,
        };
        for child in self.0[part].same_value() {
            cost.add(self.cost(child, known)?);
        }
        if self.0[part].unevaluated {
            cost.checked = cost.checked.saturating_add(cost.marked);
        }
        known[part] = VisitState::Known(cost);
        Ok(cost)
    }
}

/// Steps at one value, in each of the two things that the validator does there.
#[derive(Clone, Copy)]
struct StepCost {
    /// Whether the value fits.
    checked: u64,
    /// Which of its parts were looked at; checks each subschema in place once more.
    marked: u64,
}

impl StepCost {
    /// Adds what a subschema takes that is applied to the same value.
    fn add(&mut self, child: Self) {
        self.checked = self.checked.saturating_add(child.checked);
        self.marked = self
            .marked
            .saturating_add(child.checked)
            .saturating_add(child.marked);
    }
}

#[derive(Clone, Copy)]
enum VisitState {
    New,
    Open,
    Known(StepCost),
}

/// Reads a schema into parts. Subschemas are known by their address in the schema.
struct Reader<'s> {
    root: &'s Value,
    patterns: &'s Patterns,
    numbers: HashMap<*const Value, usize>,
    found: Vec<&'s Value>,
    anchors: HashMap<&'s str, Vec<&'s Value>>,
    /// A subschema has an address of its own, so that references are relative to different addresses.
    has_inner_documents: bool,
}

impl<'s> Reader<'s> {
    fn new(root: &'s Value, patterns: &'s Patterns) -> Self {
        let mut reader = Self {
            root,
            patterns,
            numbers: HashMap::new(),
            found: vec![],
            anchors: HashMap::new(),
            has_inner_documents: false,
        };
        reader.read_all_names();
        reader
    }

    fn read_all_names(&mut self) {
        let dialect = self.root["$schema"].as_str();
        let is_draft_4 = dialect.is_some_and(|dialect| dialect.contains("draft-04"));
        let mut open = vec![self.root];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(members) => {
                    self.read_names(value, members, is_draft_4);
                    open.extend(members.values());
                }
                Value::Array(items) => open.extend(items),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }

    fn read_names(&mut self, value: &'s Value, members: &'s Map<String, Value>, is_draft_4: bool) {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        for anchor in [text("$anchor"), text("$dynamicAnchor")].into_iter().flatten() {
            self.anchors.entry(anchor).or_default().push(value);
        }
        let address = if is_draft_4 { text("id") } else { text("$id") };
        match address.map(|address| address.strip_prefix('#').ok_or(address)) {
            Some(Ok(anchor)) => self.anchors.entry(anchor).or_default().push(value),
            Some(Err(_)) => self.has_inner_documents |= !std::ptr::eq(value, self.root),
            None => {}
        }
    }

    /// The number of a subschema, which is read later where it was not seen before.
    fn number(&mut self, subschema: &'s Value) -> usize {
        let next = self.found.len();
        let number = *self.numbers.entry(std::ptr::from_ref(subschema)).or_insert(next);
        if number == next {
            self.found.push(subschema);
        }
        number
    }

    fn part(&mut self, subschema: &'s Value) -> Result<SchemaPart, Unchecked> {
        let mut part = SchemaPart {
            own: 1,
            ..SchemaPart::default()
        };
        let Some(keywords) = subschema.as_object() else {
            return Ok(part);
        };
        for (keyword, value) in keywords {
            self.keyword(&mut part, keyword, value)?;
        }
        Ok(part)
    }

    fn keyword(&mut self, part: &mut SchemaPart, keyword: &str, value: &'s Value) -> Result<(), Unchecked> {
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                for target in self.targets(value)? {
                    part.in_place.push(self.number(target));
                }
            }
            "allOf" => part.in_place.extend(self.all(value)),
            "not" | "if" | "then" | "else" => part.in_place.push(self.number(value)),
            "anyOf" | "oneOf" => part.alternatives.extend(self.all(value)),
            "dependentSchemas" | "dependencies" => part.in_place.extend(self.all(value)),
            "properties" => {
                for (name, member) in value.as_object().into_iter().flatten() {
                    part.properties.insert(name.clone(), self.number(member));
                    part.own += 1;
                }
            }
            "patternProperties" => {
                for (pattern, member) in value.as_object().into_iter().flatten() {
                    let states = self.states(pattern);
                    part.pattern_properties.push((states, self.number(member)));
                }
            }
            "additionalProperties" => part.members.push(self.number(value)),
            "unevaluatedProperties" => {
                part.unevaluated = true;
                part.members.push(self.number(value));
            }
            "propertyNames" => part.names.push(self.number(value)),
            "prefixItems" => part.prefix.extend(self.all(value)),
            "items" if value.is_array() => part.prefix.extend(self.all(value)),
            "items" | "additionalItems" | "contains" => part.items.push(self.number(value)),
            "unevaluatedItems" => {
                part.unevaluated = true;
                part.items.push(self.number(value));
            }
            "pattern" => part.pattern = value.as_str().map_or(0, |pattern| self.states(pattern)),
            "uniqueItems" => part.unique_items = true,
            "$defs" | "definitions" | "default" | "examples" => {}
            _ => part.own += parts(value),
        }
        Ok(())
    }

    /// The subschemas of a list, or of an object of them.
    fn all(&mut self, value: &'s Value) -> Vec<usize> {
        match value {
            Value::Array(items) => items.iter().map(|item| self.number(item)).collect(),
            Value::Object(members) => members.values().map(|member| self.number(member)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![],
        }
    }

    fn states(&self, pattern: &str) -> u64 {
        self.patterns.get(pattern).copied().unwrap_or_default()
    }

    /// What a reference leads to; several subschemas where they have the same name.
    fn targets(&self, reference: &Value) -> Result<Vec<&'s Value>, Unchecked> {
        let Some(reference) = reference.as_str() else {
            return Ok(vec![]);
        };
        let found = self.fragment(reference).and_then(|fragment| self.at(&fragment));
        found.ok_or_else(|| Unchecked::Outside {
            reference: quoted(reference),
        })
    }

    /// The part of a reference behind `#`, where the rest of it means this schema.
    fn fragment(&self, reference: &str) -> Option<String> {
        if self.has_inner_documents {
            return None;
        }
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let own = ["$id", "id"]
            .iter()
            .find_map(|name| self.root.get(name)?.as_str());
        let is_own = address.is_empty() || own.is_some_and(|own| own.trim_end_matches('#') == address);
        let fragment = percent_decode_str(fragment).decode_utf8().ok()?;
        is_own.then(|| fragment.into_owned())
    }

    fn at(&self, fragment: &str) -> Option<Vec<&'s Value>> {
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.root.pointer(fragment).map(|found| vec![found]);
        }
        self.anchors.get(fragment).cloned()
    }
}
