//! Finds the entries of servers in a parsed configuration. At most three levels of maps are searched for the names
//! that known applications use (`mcpServers`, `servers`, `context_servers`, `mcp_servers` and others); below such a
//! name a map or a list is read. A text without such a name may itself be one server, or a list or a map of servers.
//! Settings beside the servers, which are not imported, are named too.

use vestibule_app_protocol::{OmitReason, Omitted, OptionalWords};

use super::inputs::Inputs;
use super::node::Node;
use super::{fields, registry};

/// Names that hold the servers, wherever they stand.
const HOMES: [&str; 4] = ["mcpServers", "servers", "context_servers", "mcp_servers"];
/// How deep homes are looked for: `settings.mcp.servers` is the deepest known one.
const DEEPEST: usize = 3;

/// An entry that may be a server.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundServer {
    pub(super) name: String,
    pub(super) node: Node,
    /// The folder of the project that it is for.
    pub(super) project: Option<String>,
    /// What its author says of the values that it asks for.
    pub(super) inputs: Inputs,
    /// Whether it is another way to run the entry before it.
    pub(super) is_alternative: bool,
    /// Arguments that are left out while a value of theirs is empty.
    pub(super) optional: Vec<OptionalWords>,
    /// Why it cannot be added, where that is known already.
    pub(super) fault: Option<&'static str>,
}

/// The servers of a text, and members beside them that are not taken over.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) entries: Vec<FoundServer>,
    pub(super) omitted: Vec<Omitted>,
}

impl Found {
    pub(super) fn one(entry: FoundServer) -> Self {
        Self {
            entries: vec![entry],
            omitted: vec![],
        }
    }
}

/// The servers of a configuration, wherever this kind of file keeps them.
pub(super) fn servers(root: &Node) -> Option<Found> {
    let mut found = Found::default();
    collect(root, None, DEEPEST, &mut found);
    if found.entries.is_empty() {
        found.entries = alone(root)?;
    }
    // Gemini keeps the servers themselves elsewhere.
    if let Some(Node::Map(members)) = root.get("mcp") {
        omit(members, &mut found.omitted);
    }
    Some(found)
}

/// Adds the servers of a map and of the maps in it that may hold some.
fn collect(node: &Node, project: Option<&str>, depth: usize, found: &mut Found) {
    let Some(members) = node.as_map().filter(|_| depth > 0) else {
        return;
    };
    let before = found.entries.len();
    for (name, value) in members {
        match name.as_str() {
            "mcp" | "settings" => collect(value, project, depth - 1, found),
            "projects" => collect_projects(value, found),
            name if is_home(name) => found.entries.extend(named(value, project)),
            _ => {}
        }
        if ["mcp", "extensions"].contains(&name.as_str()) {
            found.entries.extend(kinds(value, project));
        }
    }
    // More entries are refused altogether, and each gets a copy.
    if found.entries.len() <= super::MOST {
        let inputs = Inputs::read(node.get("inputs"));
        for entry in &mut found.entries[before..] {
            entry.inputs.add(&inputs);
        }
    }
    if found.entries.len() > before {
        omit(members, &mut found.omitted);
    }
}

fn is_home(name: &str) -> bool {
    HOMES.contains(&name) || name.ends_with(".mcpServers") || name == "mcp.servers"
}

/// Claude Code keeps servers of a project under its folder.
fn collect_projects(projects: &Node, found: &mut Found) {
    for (folder, project) in projects.as_map().unwrap_or_default() {
        collect(project, Some(folder), 1, found);
    }
}

/// The entries of a home: a map by name, or a list whose items have names.
fn named(home: &Node, project: Option<&str>) -> Vec<FoundServer> {
    let entry = |name: &str, node: &Node| FoundServer {
        name: name.to_owned(),
        node: node.clone(),
        project: project.map(str::to_owned),
        ..FoundServer::default()
    };
    match home {
        Node::Map(members) => members.iter().map(|(name, node)| entry(name, node)).collect(),
        Node::List(items) => items
            .iter()
            .flat_map(|item| registry::entries(item).unwrap_or_else(|| vec![entry(own_name(item), item)]))
            .collect(),
        _ => vec![],
    }
}

/// The entries of `mcp` and `extensions`, which hold other things too: only maps that say what kind they are.
fn kinds(home: &Node, project: Option<&str>) -> Vec<FoundServer> {
    let is_entry = |node: &Node| {
        let homes = HOMES.iter().any(|name| node.has(name));
        !homes && (fields::is_server(node) || node.get_text("type").is_some())
    };
    let found = named(home, project).into_iter();
    found
        .filter(|entry| home.as_map().is_some() && is_entry(&entry.node))
        .collect()
}

/// A text that is one server, a list of servers, or a map of nothing else.
fn alone(root: &Node) -> Option<Vec<FoundServer>> {
    if let Some(entries) = registry::entries(root) {
        return Some(entries);
    }
    if let Node::List(items) = root {
        return items.iter().any(fields::is_server).then(|| named(root, None));
    }
    let members = root.as_map()?;
    if fields::is_server(root) {
        let mut entry = super::format::entry(own_name(root).to_owned(), root.clone());
        entry.inputs = Inputs::read(root.get("inputs"));
        return Some(vec![entry]);
    }
    let maps = members.iter().all(|(_, node)| node.as_map().is_some());
    let any = members.iter().any(|(_, node)| fields::is_server(node));
    (maps && any).then(|| named(root, None))
}

fn own_name(node: &Node) -> &str {
    let name = node.get_text("name").or_else(|| node.get_text("id"));
    name.unwrap_or("server")
}

/// Notes the members beside the servers that say something about them.
fn omit(members: &[(String, Node)], omitted: &mut Vec<Omitted>) {
    for (name, value) in members {
        let reason = match name.as_str() {
            "permissions"
            | "enableAllProjectMcpServers"
            | "enabledMcpjsonServers"
            | "allowedTools"
            | "permission" => OmitReason::Permission,
            "sandbox" => OmitReason::Sandbox,
            "disabledMcpServers" | "disabledMcpjsonServers" | "excluded" => OmitReason::SwitchedOff,
            "mcpSettings" | "isUsingBuiltInNodeForMcp" | "allowed" => OmitReason::Other,
            _ => continue,
        };
        if *value != Node::Null {
            fields::note(omitted, reason, name.clone());
        }
    }
}
