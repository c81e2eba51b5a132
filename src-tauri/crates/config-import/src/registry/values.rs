//! The inputs of a `server.json`: what its author fixed, what the user is asked for, and which arguments are left out
//! while a value that is not required is empty.

use std::collections::BTreeSet;

use vestibule_app_protocol::OptionalWords;

use super::member;
use crate::inputs::{Input, Inputs, choices, scalar};
use crate::node::Node;

/// The longest description of a value that is kept, in characters.
const LONGEST_HINT: usize = 400;
/// The longest name of a value, in characters.
const LONGEST_NAME: usize = 64;
/// The most values that one entry may ask for.
const MOST_VALUES: usize = 200;
/// The longest text with its variables in it, in bytes.
const LONGEST_TEXT: usize = 64 * 1024;

/// A variable or a header.
pub(super) struct WrittenPair {
    pub(super) name: String,
    pub(super) value: String,
    /// The names of the values in it that are not required.
    pub(super) optional: Vec<String>,
}

/// The arguments of a command line.
#[derive(Default)]
pub(super) struct WrittenWords {
    pub(super) words: Vec<String>,
    pub(super) optional: Vec<OptionalWords>,
}

impl WrittenWords {
    pub(super) fn extend(&mut self, words: Vec<String>) {
        self.words.extend(words);
    }

    /// Adds words that stand there only while none of these values is empty.
    pub(super) fn add(&mut self, words: Vec<String>, fills: Vec<String>) {
        if !fills.is_empty() {
            self.optional.push(OptionalWords {
                first: u32::try_from(self.words.len()).unwrap_or(u32::MAX),
                count: u32::try_from(words.len()).unwrap_or(u32::MAX),
                fills,
            });
        }
        self.words.extend(words);
    }
}

/// The values of one entry, as they are read.
#[derive(Default)]
pub(super) struct RegistryValues {
    pub(super) inputs: Inputs,
    /// The names that are given, so that each value has its own.
    names: BTreeSet<String>,
    /// The names of values that are not required, since they were last taken.
    optional: Vec<String>,
    /// Why the entry is refused: its variables stand for more than a user could review. Short descriptions can multiply.
    pub(super) fault: Option<&'static str>,
}

impl RegistryValues {
    /// Variables or headers, each with its value or a value to fill in.
    pub(super) fn pairs(&mut self, list: Option<&Node>) -> Vec<WrittenPair> {
        let items = list.and_then(Node::as_list).unwrap_or_default();
        let mut pairs = vec![];
        for item in items {
            if let Some(name) = item.get_text("name") {
                let value = self.value(name, item, false);
                pairs.push(WrittenPair {
                    name: name.to_owned(),
                    value,
                    optional: std::mem::take(&mut self.optional),
                });
            }
        }
        pairs
    }

    /// Arguments in their order: a named one is two words, or one that is there or not.
    pub(super) fn arguments(&mut self, list: Option<&Node>, to: &mut WrittenWords) {
        for item in list.and_then(Node::as_list).unwrap_or_default() {
            let name = item.get_text("name");
            let mut words: Vec<String> = name.map(str::to_owned).into_iter().collect();
            let hint = member(item, "valueHint", "value_hint")
                .or(name)
                .unwrap_or("argument");
            if name.is_none() || has_value(item) {
                words.push(self.value(hint.trim_start_matches('-'), item, false));
            } else if !flag(item, "isRequired", "is_required") {
                self.put_switch(hint, item);
            }
            to.add(words, std::mem::take(&mut self.optional));
        }
    }

    /// The value of an input, or what asks for it. It is needed where its author says so or what it is part of is.
    fn value(&mut self, name: &str, item: &Node, is_needed: bool) -> String {
        let is_needed = is_needed || flag(item, "isRequired", "is_required");
        match item.get_text("value").filter(|value| !value.is_empty()) {
            Some(value) => self.resolved(value, item.get("variables"), is_needed),
            None => self.ask(name, item, is_needed),
        }
    }

    /// Notes a value to fill in, and gives the placeholder that asks for it.
    fn ask(&mut self, name: &str, item: &Node, is_needed: bool) -> String {
        let name = self.own_name(name);
        self.put(&name, item, is_needed);
        format!("${{input:{name}}}")
    }

    /// Notes an argument without a value.
    fn put_switch(&mut self, name: &str, item: &Node) {
        let name = self.own_name(name);
        self.put(&name, item, false);
    }

    fn put(&mut self, name: &str, item: &Node, is_needed: bool) {
        let format = item.get_text("format");
        let listed = choices(item.get("choices"));
        let input = Input {
            hint: item.get_text("description").map(bounded),
            value: scalar(item, "default"),
            choices: match format {
                Some("boolean") if listed.is_empty() => vec!["true".to_owned(), "false".to_owned()],
                _ => listed,
            },
            secret: Some(flag(item, "isSecret", "is_secret")),
            is_path: format == Some("filepath"),
            optional: !is_needed,
            example: item.get_text("placeholder").map(bounded),
        };
        if input.optional {
            self.optional.push(name.to_owned());
        }
        self.inputs.put(name.to_owned(), input);
    }

    /// A name that placeholders can have and no other value of the entry has.
    fn own_name(&mut self, written: &str) -> String {
        if self.names.len() == MOST_VALUES {
            self.fault = Some("it asks for too many values");
            return String::new();
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let plain: String = written
            .chars()
            .take(LONGEST_NAME)
            .map(|c| if fits(c) { c } else { '_' })
            .collect();
        let plain = plain.trim_start_matches(|c: char| !c.is_ascii_alphabetic() && c != '_');
        let plain = if plain.is_empty() { "value" } else { plain };
        let mut name = plain.to_owned();
        let mut count = 1;
        while !self.names.insert(name.clone()) {
            count += 1;
            name = format!("{plain}_{count}");
        }
        name
    }

    /// A text whose `{name}` are described as variables beside it.
    pub(super) fn resolved(&mut self, text: &str, variables: Option<&Node>, is_needed: bool) -> String {
        let mut resolved = text.to_owned();
        for (name, variable) in variables.and_then(Node::as_map).unwrap_or_default() {
            let hole = format!("{{{name}}}");
            if text.contains(&hole) {
                let value = self.value(name, variable, is_needed);
                let grown = resolved.matches(&hole).count() * value.len();
                if resolved.len() + grown > LONGEST_TEXT {
                    self.fault = Some("one of its texts is too long with the variables in it");
                    return String::new();
                }
                resolved = resolved.replace(&hole, &value);
            }
        }
        resolved
    }
}

/// Whether a named argument has a value, or asks for one.
fn has_value(item: &Node) -> bool {
    let asking = [
        "value",
        "valueHint",
        "default",
        "format",
        "choices",
        "placeholder",
        "variables",
    ];
    asking.iter().any(|name| item.has(name))
        || flag(item, "isRequired", "is_required")
        || flag(item, "isSecret", "is_secret")
}

/// A switch in the spelling of today or of the first schema.
fn flag(item: &Node, today: &str, first: &str) -> bool {
    [today, first]
        .iter()
        .any(|name| item.get(name) == Some(&Node::Bool(true)))
}

fn bounded(text: &str) -> String {
    text.chars().take(LONGEST_HINT).collect()
}
