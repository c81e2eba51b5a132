//! What a configuration says of the values that it asks for: the `inputs` of VS Code, and those of a `server.json`.

use std::collections::{BTreeMap, BTreeSet};

use super::node::Node;

/// The most values that the list of VS Code describes.
const MOST: usize = 1000;

/// What the author says of one value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Input {
    pub(super) hint: Option<String>,
    pub(super) value: String,
    pub(super) choices: Vec<String>,
    /// Nothing where the author does not say whether it is a secret.
    pub(super) secret: Option<bool>,
    pub(super) is_path: bool,
    /// Whether the author says that the server works without it.
    pub(super) optional: bool,
    pub(super) example: Option<String>,
}

/// Values by the name under which placeholders ask for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs(BTreeMap<String, Input>);

impl Inputs {
    /// Reads the list that VS Code writes beside its servers. What is not in that form is as if it was not there.
    pub(super) fn read(list: Option<&Node>) -> Self {
        let items = list.and_then(Node::as_list).unwrap_or_default();
        let input = |item: &Node| Some((item.get_text("id")?.to_owned(), described(item)));
        Self(items.iter().take(MOST).filter_map(input).collect())
    }

    pub(super) fn add(&mut self, more: &Self) {
        for (name, input) in &more.0 {
            self.0.entry(name.clone()).or_insert_with(|| input.clone());
        }
    }

    pub(super) fn put(&mut self, name: String, input: Input) {
        self.0.insert(name, input);
    }

    pub(super) fn get(&self, name: &str) -> Input {
        self.0.get(name).cloned().unwrap_or_default()
    }
}

fn described(item: &Node) -> Input {
    let secret = item.get("password") == Some(&Node::Bool(true));
    Input {
        hint: item.get_text("description").map(str::to_owned),
        value: if secret {
            String::new()
        } else {
            scalar(item, "default")
        },
        choices: choices(item.get("options")),
        secret: Some(secret),
        ..Input::default()
    }
}

/// A member as text; empty where it is not there.
pub(super) fn scalar(item: &Node, name: &str) -> String {
    item.get(name).and_then(Node::to_scalar).unwrap_or_default()
}

/// The values to choose among, each written alone or with a label. A value that is listed again is left out.
pub(super) fn choices(list: Option<&Node>) -> Vec<String> {
    let items = list.and_then(Node::as_list).unwrap_or_default();
    let value = |item: &Node| item.get("value").unwrap_or(item).to_scalar();
    let mut seen = BTreeSet::new();
    items
        .iter()
        .filter_map(value)
        .filter(|value| seen.insert(value.clone()))
        .collect()
}
