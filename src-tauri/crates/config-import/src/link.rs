//! Install links of other applications, and bare addresses. A link is decoded once and never opened.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use url::Url;
use vestibule_app_protocol::InputProblem;

use super::find::{self, Found, FoundServer};
use super::node::Node;
use super::{format, json};

/// The longest payload of a link, in bytes after decoding.
const LONGEST: usize = 64 * 1024;
/// Reads the decoded pairs of a link's query.
type QueryReader = fn(&[(String, String)]) -> Result<Found, InputProblem>;

/// Pages that pass an install link on to an application: host, end of the path, and what reads the query.
const PAGES: [(&str, &str, QueryReader); 6] = [
    ("cursor.com", "install-mcp", config),
    ("lmstudio.ai", "install-mcp", config),
    ("vscode.dev", "redirect/mcp/install", config),
    ("insiders.vscode.dev", "redirect/mcp/install", config),
    ("kiro.dev", "launch/mcp/add", config),
    ("block.github.io", "goose/extension", goose),
];

/// The servers of a link, or the one at an address. Nothing where the text is neither.
///
/// # Errors
/// When it is a link of a known application without a configuration in it.
pub(super) fn parse(text: &str) -> Result<Option<Found>, InputProblem> {
    let is_line = !text.contains(char::is_whitespace);
    let Some((scheme, _)) = text.split_once(':').filter(|_| is_line) else {
        return Ok(None);
    };
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => page(text).map(Some),
        "cursor" | "lmstudio" | "kiro" => config(&parts(text)?).map(Some),
        scheme if is_vscode(scheme) => vscode(text).map(Some),
        "goose" => goose(&parts(text)?).map(Some),
        "cherrystudio" => cherry(&parts(text)?).map(Some),
        _ if text.contains("://") => Err(broken("no application is known that makes such links")),
        _ => Ok(None),
    }
}

fn broken(detail: &str) -> InputProblem {
    InputProblem::LinkBroken {
        detail: detail.to_owned(),
    }
}

/// The decoded pairs of a link's query.
fn parts(link: &str) -> Result<Vec<(String, String)>, InputProblem> {
    let url = Url::parse(link).map_err(|error| broken(&error.to_string()))?;
    // In base64 a plus is a plus, and no link of these applications writes a space so.
    let query = url.query().unwrap_or_default().replace('+', "%2B");
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    Ok(pairs
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect())
}

fn part<'a>(parts: &'a [(String, String)], name: &str) -> Option<&'a str> {
    parts
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

/// A page that passes a link on, or the address of a server.
fn page(text: &str) -> Result<Found, InputProblem> {
    let url = Url::parse(text).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let path = url
        .as_ref()
        .map(|url| url.path().trim_matches('/').to_lowercase())
        .unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let known = PAGES
        .iter()
        .find(|(known, at, _)| *known == host && path.ends_with(at));
    if let Some((_, _, read)) = known {
        return read(&parts(text)?);
    }
    if ["vscode.dev", "insiders.vscode.dev"].contains(&host) && path == "redirect" {
        let parts = parts(text)?;
        if let Some(link) = part(&parts, "url").filter(|link| is_vscode_install(link)) {
            return vscode(link);
        }
    }
    let name = if host.is_empty() { "server" } else { host };
    let node = Node::Map(vec![("url".into(), Node::text(text))]);
    Ok(Found::one(format::entry(name.to_owned(), node)))
}

/// The links of Cursor and LM Studio, and the pages before them: a name and a configuration.
fn config(parts: &[(String, String)]) -> Result<Found, InputProblem> {
    let config = part(parts, "config").ok_or_else(|| broken("it has no “config”"))?;
    let tree = payload(config)?;
    let mut found = find::servers(&tree).ok_or_else(|| broken("its configuration holds no server"))?;
    let is_alone = found.entries.len() == 1 && super::fields::is_server(&tree);
    if let Some(name) = part(parts, "name").filter(|_| is_alone) {
        name.clone_into(&mut found.entries[0].name);
    }
    if let Some(inputs) = part(parts, "inputs") {
        let inputs = super::inputs::Inputs::read(Some(&json::read(inputs)?));
        found
            .entries
            .iter_mut()
            .for_each(|entry| entry.inputs.add(&inputs));
    }
    Ok(found)
}

/// A configuration as JSON, or as base64 of JSON.
fn payload(written: &str) -> Result<Node, InputProblem> {
    if written.len() > LONGEST * 2 {
        return Err(broken("its configuration is too long"));
    }
    if written.trim_start().starts_with(['{', '[']) {
        return json::read(written);
    }
    let standard = written.replace('-', "+").replace('_', "/");
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&alphabet::STANDARD, lenient);
    let bytes = engine
        .decode(standard.trim())
        .map_err(|_| broken("its configuration is not base64"))?;
    if bytes.len() > LONGEST {
        return Err(broken("its configuration is too long"));
    }
    let text = String::from_utf8(bytes).map_err(|_| broken("its configuration is not text"))?;
    // Cherry Studio and some pages encode the percent signs too.
    if text.starts_with("%7B") || text.starts_with("%5B") {
        return json::read(&percent_decode_str(&text).decode_utf8_lossy());
    }
    json::read(&text)
}

/// Whether a link of VS Code installs a server, and nothing else.
fn is_vscode_install(link: &str) -> bool {
    let Some((scheme, rest)) = link.split_once(':') else {
        return false;
    };
    let path = rest.split('?').next().unwrap_or(rest);
    is_vscode(&scheme.to_ascii_lowercase()) && path.ends_with("mcp/install")
}

fn is_vscode(scheme: &str) -> bool {
    ["vscode", "vscode-insiders", "vscodium"].contains(&scheme)
}

/// `vscode:mcp/install?{…}`: the whole query is the configuration.
fn vscode(text: &str) -> Result<Found, InputProblem> {
    let Some((path, query)) = text.split_once('?') else {
        return Err(broken(
            "it names a server of a gallery, and carries no configuration",
        ));
    };
    if !path.ends_with("mcp/install") {
        return Err(broken("it is not an install link"));
    }
    let decoded = percent_decode_str(query).decode_utf8_lossy();
    if decoded.len() > LONGEST {
        return Err(broken("its configuration is too long"));
    }
    // A redirect may have decoded the query already. Decoding it again would change percent signs in its values.
    let tree = json::read(query).or_else(|_| json::read(&decoded))?;
    let tree = beside_name(&tree).unwrap_or(tree);
    find::servers(&tree).ok_or_else(|| broken("its configuration holds no server"))
}

/// The entry of `{"name": …, "config": {…}}`, which the links of chrome-devtools-mcp write.
fn beside_name(tree: &Node) -> Option<Node> {
    let config = tree.get("config").filter(|_| !super::fields::is_server(tree))?;
    let inner = config.as_map().filter(|_| super::fields::is_server(config))?;
    let outer = tree.as_map()?.iter().filter(|(name, _)| name != "config");
    Some(Node::Map(outer.chain(inner).cloned().collect()))
}

fn all<'a>(parts: &'a [(String, String)], name: &'a str) -> impl Iterator<Item = &'a str> {
    let named = parts.iter().filter(move |(known, _)| known == name);
    named.map(|(_, value)| value.as_str())
}

/// `goose://extension?cmd=…&arg=…`: names of variables only, with what they are for.
fn goose(parts: &[(String, String)]) -> Result<Found, InputProblem> {
    let name = part(parts, "name")
        .or_else(|| part(parts, "id"))
        .unwrap_or("server");
    let mut entry = format::entry(name.to_owned(), Node::Null);
    let mut members = vec![];
    for (from, to) in [
        ("cmd", "command"),
        ("url", "url"),
        ("transport", "type"),
        ("description", "description"),
        ("timeout", "timeout"),
    ] {
        members.extend(part(parts, from).map(|value| (to.to_owned(), Node::text(value))));
    }
    members.push((
        "args".into(),
        Node::List(all(parts, "arg").map(Node::text).collect()),
    ));
    members.push(("env".into(), asked(&mut entry, all(parts, "env"))));
    let headers = all(parts, "header").filter_map(|header| header.split_once('='));
    let headers = headers.map(|(name, value)| (name.to_owned(), Node::text(value)));
    members.push(("headers".into(), Node::Map(headers.collect())));
    entry.node = Node::Map(members);
    Ok(Found::one(entry))
}

/// Variables of a link of Goose, each a value to fill in.
fn asked<'a>(entry: &mut FoundServer, variables: impl Iterator<Item = &'a str>) -> Node {
    let mut pairs = vec![];
    for variable in variables {
        let (name, hint) = variable.split_once('=').unwrap_or((variable, ""));
        let input = super::inputs::Input {
            hint: Some(hint.to_owned()).filter(|hint| !hint.is_empty()),
            secret: Some(true),
            ..Default::default()
        };
        entry.inputs.put(name.to_owned(), input);
        pairs.push((name.to_owned(), Node::text("")));
    }
    Node::Map(pairs)
}

fn cherry(parts: &[(String, String)]) -> Result<Found, InputProblem> {
    let servers = part(parts, "servers").ok_or_else(|| broken("it has no “servers”"))?;
    find::servers(&payload(servers)?).ok_or_else(|| broken("its configuration holds no server"))
}
