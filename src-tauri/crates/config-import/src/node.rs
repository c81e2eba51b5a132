//! A configuration as a tree, whichever format it was written in. Names that stand twice in a map are both kept, so
//! that neither is lost without a word.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value of a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Node {
    #[default]
    Null,
    Bool(bool),
    /// As it is written, because it reaches a server as text.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// Names with their values, in the order in which they are written.
    Map(Vec<(String, Node)>),
}

impl Node {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The first value of a name, unless it is null.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        let (_, value) = self.as_map()?.iter().find(|(written, _)| written == name)?;
        (*value != Self::Null).then_some(value)
    }

    /// The first value that one of several names has, unless it is null.
    pub(super) fn get_any(&self, names: &[&str]) -> Option<&Node> {
        names.iter().find_map(|name| self.get(name))
    }

    pub(super) fn get_text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn as_map(&self) -> Option<&[(String, Node)]> {
        match self {
            Self::Map(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Node]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its text, also where it is a number or a switch. Nothing for lists, maps and null.
    pub(super) fn to_scalar(&self) -> Option<String> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text.clone()),
            Self::Bool(value) => Some(value.to_string()),
            Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// A name that stands twice in one map, in it or below.
    pub(super) fn doubled(&self) -> Option<&str> {
        match self {
            Self::Map(members) => {
                let mut names = HashSet::new();
                members.iter().find_map(|(name, value)| {
                    if names.insert(name) {
                        value.doubled()
                    } else {
                        Some(name.as_str())
                    }
                })
            }
            Self::List(items) => items.iter().find_map(Self::doubled),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Number(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = vec![];
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut map = vec![];
        while let Some(member) = members.next_entry()? {
            map.push(member);
        }
        Ok(Node::Map(map))
    }
}
