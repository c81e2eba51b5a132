//! Reads the first document of a YAML text, the format of Goose and Continue. The tree is built here from the events
//! of the parser, because aliases can make a short text stand for a tree of any size: the number of values, the bytes
//! that aliases copy, and the depth are limited.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use vestibule_app_protocol::InputProblem;

use super::node::Node;

/// The most values a text may stand for, those of aliases included.
const MOST_NODES: usize = 100_000;
/// The most characters that aliases may add.
const MOST_COPIED: usize = 1024 * 1024;
/// How deep maps and lists may be nested.
const DEEPEST: usize = 64;

/// Reads the first document of a YAML text.
///
/// # Errors
/// Where it breaks, or stands for more than is read.
pub(super) fn read(text: &str) -> Result<Node, InputProblem> {
    let mut tree = YamlTree::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| scan_problem(&error))?;
        match event {
            Event::DocumentEnd => break,
            event => tree
                .add(event)
                .map_err(|detail| problem(&span.start, detail.into()))?,
        }
    }
    Ok(tree.root.unwrap_or(Node::Null))
}

fn scan_problem(error: &ScanError) -> InputProblem {
    problem(error.marker(), error.info().to_owned())
}

fn problem(at: &Marker, detail: String) -> InputProblem {
    InputProblem::ConfigBroken {
        format: "YAML".into(),
        line: u32::try_from(at.line()).unwrap_or(u32::MAX),
        column: u32::try_from(at.col() + 1).unwrap_or(u32::MAX),
        detail,
    }
}

/// A map or list that is not complete.
struct Open {
    node: Node,
    anchor: usize,
    /// The name that waits for its value, in a map.
    name: Option<String>,
    /// Maps that `<<` adds to it; its own members win, so they are added last.
    merged: Vec<Node>,
}

/// A node that an alias can stand for, and what copying it costs.
struct Anchored {
    node: Node,
    nodes: usize,
    characters: usize,
}

#[derive(Default)]
struct YamlTree {
    root: Option<Node>,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    nodes: usize,
    copied: usize,
}

impl YamlTree {
    fn add(&mut self, event: Event<'_>) -> Result<(), &'static str> {
        match event {
            Event::MappingStart(anchor, _) => self.start(Node::Map(vec![]), anchor),
            Event::SequenceStart(anchor, _) => self.start(Node::List(vec![]), anchor),
            Event::MappingEnd | Event::SequenceEnd => self.end(),
            Event::Scalar(text, style, anchor, _) => self.complete(scalar(&text, style), anchor),
            Event::Alias(anchor) => {
                let node = self.copy(anchor)?;
                self.complete(node, 0)
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, node: Node, anchor: usize) -> Result<(), &'static str> {
        if self.open.len() >= DEEPEST {
            return Err("it is nested too deeply");
        }
        self.open.push(Open {
            node,
            anchor,
            name: None,
            merged: vec![],
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), &'static str> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let Open {
            mut node,
            anchor,
            merged,
            ..
        } = open;
        if let Node::Map(members) = &mut node {
            merged.into_iter().for_each(|map| merge(members, map));
        }
        self.complete(node, anchor)
    }

    /// Puts a complete node where it belongs.
    fn complete(&mut self, node: Node, anchor: usize) -> Result<(), &'static str> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err("it holds too many values");
        }
        if anchor > 0 {
            self.keep(anchor, &node)?;
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(open) => open.put(node)?,
        }
        Ok(())
    }

    /// Keeps a node for its aliases. That is a copy too, so it counts.
    fn keep(&mut self, anchor: usize, node: &Node) -> Result<(), &'static str> {
        let (nodes, characters) = size(node);
        self.count(nodes, characters)?;
        let kept = Anchored {
            node: node.clone(),
            nodes,
            characters,
        };
        self.anchors.insert(anchor, kept);
        Ok(())
    }

    fn count(&mut self, nodes: usize, characters: usize) -> Result<(), &'static str> {
        self.nodes += nodes;
        self.copied += characters;
        if self.nodes > MOST_NODES || self.copied > MOST_COPIED {
            return Err("its aliases stand for too much text");
        }
        Ok(())
    }

    fn copy(&mut self, anchor: usize) -> Result<Node, &'static str> {
        let kept = self
            .anchors
            .get(&anchor)
            .ok_or("an alias stands for a value that contains it")?;
        let (nodes, characters) = (kept.nodes, kept.characters);
        self.count(nodes, characters)?;
        Ok(self.anchors[&anchor].node.clone())
    }
}

impl Open {
    fn put(&mut self, node: Node) -> Result<(), &'static str> {
        match (&mut self.node, self.name.take()) {
            (Node::List(items), _) => items.push(node),
            (Node::Map(_), Some(name)) if name == "<<" => self.merged.push(node),
            (Node::Map(members), Some(name)) => members.push((name, node)),
            (_, _) => self.name = Some(node.to_scalar().ok_or("a name is not text")?),
        }
        Ok(())
    }
}

/// Adds the members of a merged map that are not there already.
fn merge(members: &mut Vec<(String, Node)>, merged: Node) {
    if let Node::Map(more) = merged {
        for (name, value) in more {
            if members.iter().all(|(other, _)| *other != name) {
                members.push((name, value));
            }
        }
    }
}

/// How many nodes and characters a node stands for.
fn size(node: &Node) -> (usize, usize) {
    let add = |(nodes, characters): (usize, usize), (more, longer): (usize, usize)| {
        (nodes + more, characters + longer)
    };
    match node {
        Node::Null | Node::Bool(_) => (1, 0),
        Node::Text(text) | Node::Number(text) => (1, text.len()),
        Node::List(items) => items.iter().map(size).fold((1, 0), add),
        Node::Map(members) => members
            .iter()
            .map(|(name, value)| add(size(value), (0, name.len())))
            .fold((1, 0), add),
    }
}

/// What a scalar stands for: only text without quotes can be a switch or null.
fn scalar(text: &str, style: ScalarStyle) -> Node {
    if style != ScalarStyle::Plain {
        return Node::text(text);
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Node::Null,
        "true" | "True" | "TRUE" => Node::Bool(true),
        "false" | "False" | "FALSE" => Node::Bool(false),
        _ => Node::text(text),
    }
}
