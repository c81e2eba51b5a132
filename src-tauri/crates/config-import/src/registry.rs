//! `server.json`, the form in which the official registry describes a server: packages that are run and addresses that
//! are reached. Each becomes an entry in the words of other configurations, its inputs values to fill in. Nothing is
//! looked up, and no host of a package registry is known here.

use super::find::FoundServer;
use super::inputs::{Input, Inputs, choices, scalar};
use super::node::Node;

/// The entries of a description, or of a registry's answer around it. Nothing where it is neither.
pub(super) fn entries(node: &Node) -> Option<Vec<FoundServer>> {
    let node = node
        .get("server")
        .filter(|inner| inner.has("name"))
        .unwrap_or(node);
    let full = node.get_text("name")?;
    let name = full.rsplit('/').next().unwrap_or(full);
    let list = |member: &str| node.get(member).and_then(Node::as_list).unwrap_or_default();
    let remotes = list("remotes")
        .iter()
        .map(|remote| RegistryEntry::remote(name, remote));
    let packages = list("packages")
        .iter()
        .map(|package| RegistryEntry::package(name, package));
    let mut entries: Vec<FoundServer> = packages.chain(remotes).collect();
    if entries.is_empty() {
        return None;
    }
    for entry in &mut entries[1..] {
        entry.is_alternative = true;
    }
    Some(entries)
}

/// An entry that is being written.
#[derive(Default)]
struct RegistryEntry {
    members: Vec<(String, Node)>,
    inputs: Inputs,
}

impl RegistryEntry {
    fn remote(name: &str, remote: &Node) -> FoundServer {
        let mut written = Self::default();
        let url = remote.get_text("url").unwrap_or_default();
        let url = written.resolved(url, remote.get("variables"));
        let kind = member(remote, "type", "transport_type").unwrap_or("http");
        written.put("type", Node::text(kind));
        written.put("url", Node::Text(url));
        let headers = written.pairs(remote.get("headers"));
        written.put("headers", headers);
        written.keep_unread(remote, &["type", "transport_type", "url", "headers", "variables"]);
        written.entry(&format!("{name} ({})", host(remote)))
    }

    fn package(name: &str, package: &Node) -> FoundServer {
        let mut written = Self::default();
        let registry = member(package, "registryType", "registry_type");
        let registry = registry
            .or_else(|| package.get_text("registry_name"))
            .unwrap_or_default();
        let transport = package
            .get("transport")
            .and_then(|transport| transport.get_text("type"));
        let Some(mut line) = run(registry, package).filter(|_| matches!(transport, None | Some("stdio")))
        else {
            let kind = [registry, transport.unwrap_or_default()].join(" ");
            written.put("type", Node::text(kind.trim()));
            return written.entry(name);
        };
        let env = written.pairs(either(package, "environmentVariables", "environment_variables"));
        if registry == "oci" || registry == "docker" {
            let names = env.as_map().unwrap_or_default().iter();
            let flags = names.flat_map(|(name, _)| ["-e".to_owned(), name.clone()]);
            line.before.extend(flags);
        }
        let runtime = written.arguments(either(package, "runtimeArguments", "runtime_arguments"));
        let arguments = written.arguments(either(package, "packageArguments", "package_arguments"));
        let args = [line.before, runtime, line.package, arguments].concat();
        written.put("command", Node::text(line.program));
        written.put("args", Node::List(args.into_iter().map(Node::Text).collect()));
        written.put("env", env);
        written.keep_unread(package, &READ);
        written.entry(name)
    }

    fn put(&mut self, name: &str, value: Node) {
        self.members.push((name.to_owned(), value));
    }

    /// Members that are not read here are left for the entry to name.
    fn keep_unread(&mut self, node: &Node, read: &[&str]) {
        let members = node.as_map().unwrap_or_default().iter();
        let unread = members.filter(|(name, _)| !read.contains(&name.as_str()));
        self.members.extend(unread.cloned());
    }

    fn entry(self, name: &str) -> FoundServer {
        FoundServer {
            name: name.to_owned(),
            node: Node::Map(self.members),
            inputs: self.inputs,
            ..FoundServer::default()
        }
    }

    /// Variables or headers, each with its value or a value to fill in.
    fn pairs(&mut self, list: Option<&Node>) -> Node {
        let items = list.and_then(Node::as_list).unwrap_or_default();
        let mut pairs = vec![];
        for item in items {
            if let Some(name) = item.get_text("name") {
                pairs.push((name.to_owned(), Node::Text(self.value(name, item))));
            }
        }
        Node::Map(pairs)
    }

    /// Arguments in their order: a named one is two words.
    fn arguments(&mut self, list: Option<&Node>) -> Vec<String> {
        let items = list.and_then(Node::as_list).unwrap_or_default();
        let mut words = vec![];
        for item in items {
            let name = item.get_text("name");
            words.extend(name.map(str::to_owned));
            let hint = member(item, "valueHint", "value_hint")
                .or(name)
                .unwrap_or("argument");
            if name.is_none() || item.has("value") || item.has("valueHint") || item.has("default") {
                words.push(self.value(hint.trim_start_matches('-'), item));
            }
        }
        words
    }

    /// The value of an input, or what asks for it.
    fn value(&mut self, name: &str, item: &Node) -> String {
        if let Some(value) = item.get_text("value") {
            return self.resolved(value, item.get("variables"));
        }
        self.ask(name, item)
    }

    /// Notes a value to fill in, and gives the placeholder that asks for it.
    fn ask(&mut self, name: &str, item: &Node) -> String {
        let flag = |member| item.get(member) == Some(&Node::Bool(true));
        let input = Input {
            hint: item.get_text("description").map(str::to_owned),
            value: scalar(item, "default"),
            choices: choices(item.get("choices")),
            secret: Some(flag("isSecret") || flag("is_secret")),
            is_path: item.get_text("format") == Some("filepath"),
        };
        self.inputs.put(name.to_owned(), input);
        format!("${{input:{name}}}")
    }

    /// A text whose `{name}` are described as variables beside it.
    fn resolved(&mut self, text: &str, variables: Option<&Node>) -> String {
        let mut resolved = text.to_owned();
        for (name, variable) in variables.and_then(Node::as_map).unwrap_or_default() {
            let hole = format!("{{{name}}}");
            if text.contains(&hole) {
                let value = self.value(name, variable);
                resolved = resolved.replace(&hole, &value);
            }
        }
        resolved
    }
}

/// The members of a package that are read.
const READ: [&str; 13] = [
    "registryType",
    "registry_type",
    "registry_name",
    "identifier",
    "name",
    "version",
    "transport",
    "environmentVariables",
    "environment_variables",
    "runtimeArguments",
    "runtime_arguments",
    "packageArguments",
    "package_arguments",
];

/// The command line that runs a package.
struct PackageCommand {
    program: &'static str,
    /// Words before the arguments of the runner.
    before: Vec<String>,
    /// The package, and words that must stand right after it.
    package: Vec<String>,
}

/// How a package of a registry is run. Nothing for kinds that are not run by name, and names that a runner would read
/// as an option.
fn run(registry: &str, package: &Node) -> Option<PackageCommand> {
    let name = package
        .get_text("identifier")
        .or_else(|| package.get_text("name"))?;
    let version = package.get_text("version").unwrap_or_default();
    let at = |separator: &str| match version {
        "" => name.to_owned(),
        version => format!("{name}{separator}{version}"),
    };
    let odd = |text: &str| text.starts_with('-') || text.contains(char::is_whitespace);
    if odd(name) || odd(version) {
        return None;
    }
    let line = |program, before: &[&str], package: &[&str]| PackageCommand {
        program,
        before: before.iter().copied().map(str::to_owned).collect(),
        package: package.iter().copied().map(str::to_owned).collect(),
    };
    match registry {
        "npm" => Some(line("npx", &["-y"], &[&at("@")])),
        "pypi" => Some(line("uvx", &[], &[&at("==")])),
        "nuget" => Some(line("dnx", &[], &[&at("@"), "--yes", "--"])),
        "oci" | "docker" => Some(line("docker", &["run", "-i", "--rm"], &[&at(":")])),
        _ => None,
    }
}

/// A member in the spelling of today or of the first schema.
fn either<'a>(node: &'a Node, today: &str, first: &str) -> Option<&'a Node> {
    node.get(today).or_else(|| node.get(first))
}

fn member<'a>(node: &'a Node, today: &str, first: &str) -> Option<&'a str> {
    either(node, today, first)?.as_text()
}

/// The host of an address as it is written.
fn host(remote: &Node) -> &str {
    let url = remote.get_text("url").unwrap_or_default();
    let after = url.split("://").nth(1).unwrap_or(url);
    after.split(['/', '?', '#']).next().unwrap_or_default()
}
