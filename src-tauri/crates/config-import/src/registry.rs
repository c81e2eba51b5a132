//! `server.json`, the form in which the official registry describes a server: packages that are run and addresses that
//! are reached. Each becomes an entry in the words of other configurations, its inputs values to fill in. Nothing is
//! looked up, and no host of a package registry is known here.

mod values;

use self::values::{RegistryValues, WrittenPair, WrittenWords};
use super::find::FoundServer;
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
    values: RegistryValues,
    words: WrittenWords,
}

impl RegistryEntry {
    fn remote(name: &str, remote: &Node) -> FoundServer {
        let mut written = Self::default();
        let url = remote.get_text("url").unwrap_or_default();
        let url = written.values.resolved(url, remote.get("variables"), true);
        let kind = member(remote, "type", "transport_type").unwrap_or("http");
        written.put("type", Node::text(kind));
        written.put("url", Node::Text(url));
        let headers = written.values.pairs(remote.get("headers"));
        written.put("headers", map(&headers));
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
        let line = run(registry, package).filter(|_| matches!(transport, None | Some("stdio")));
        if let Some(line) = line {
            written.put_program(registry, package, line);
        } else {
            let kind = [registry, transport.unwrap_or_default()].join(" ");
            written.put("type", Node::text(kind.trim()));
        }
        written.entry(name)
    }

    /// The command line, its values and its variables, in the order in which the runner reads them.
    fn put_program(&mut self, registry: &str, package: &Node, line: PackageCommand) {
        let env = either(package, "environmentVariables", "environment_variables");
        let env = self.values.pairs(env);
        self.words.extend(line.before);
        if is_image(registry) {
            for pair in &env {
                self.words
                    .add(vec!["-e".to_owned(), pair.name.clone()], pair.optional.clone());
            }
        }
        let runtime = either(package, "runtimeArguments", "runtime_arguments");
        self.values.arguments(runtime, &mut self.words);
        self.words.extend(line.package);
        let arguments = either(package, "packageArguments", "package_arguments");
        self.values.arguments(arguments, &mut self.words);
        self.put("command", Node::text(line.program));
        let args = self.words.words.iter().cloned().map(Node::Text);
        self.put("args", Node::List(args.collect()));
        self.put("env", map(&env));
        self.keep_unread(package, &READ);
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
            inputs: self.values.inputs,
            optional: self.words.optional,
            fault: self.values.fault,
            ..FoundServer::default()
        }
    }
}

fn map(pairs: &[WrittenPair]) -> Node {
    let pairs = pairs.iter();
    Node::Map(
        pairs
            .map(|pair| (pair.name.clone(), Node::text(&pair.value)))
            .collect(),
    )
}

fn is_image(registry: &str) -> bool {
    registry == "oci" || registry == "docker"
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
    // The reference of an image may have its tag or digest already.
    let last = name.rsplit('/').next().unwrap_or_default();
    let is_exact = is_image(registry) && last.contains([':', '@']);
    let at = |separator: &str| match version {
        _ if is_exact => name.to_owned(),
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
        image if is_image(image) => Some(line("docker", &["run", "-i", "--rm"], &[&at(":")])),
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
