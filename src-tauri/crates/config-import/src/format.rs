//! Which form a pasted text has. Only its beginning and its line structure are looked at; reading it comes after.

use vestibule_app_protocol::InputProblem;

use super::find::{Found, FoundServer};
use super::node::Node;
use super::{command, find, json, link, toml_text, yaml};

/// The servers in a text, each as it is written.
///
/// # Errors
/// Where the text is broken, in no known form, or holds no server.
pub(super) fn read(text: &str) -> Result<Found, InputProblem> {
    let whole = without_mark(text);
    let text = whole.trim();
    if is_json(text) {
        return in_tree(json::read(whole)?);
    }
    if let Some(link) = link::parse(text)? {
        return Ok(link);
    }
    if is_toml(text) {
        return in_tree(toml_text::read(whole)?);
    }
    if is_yaml(text) {
        return in_tree(yaml::read(whole)?);
    }
    let entry = command::read(text)?;
    Ok(Found::one(entry))
}

/// A text without its byte order mark and what is blank at its end. What is blank before it stays: errors count its lines,
/// and the first line of a list in YAML is as far in as the others.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim_end()
}

/// A format that is known before a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigFormat {
    Json,
    Toml,
    Yaml,
}

/// The servers in a text of a known format.
///
/// # Errors
/// Where the text is broken or holds no server.
pub(super) fn read_as(text: &str, format: ConfigFormat) -> Result<Found, InputProblem> {
    let text = without_mark(text);
    in_tree(match format {
        ConfigFormat::Json => json::read(text)?,
        ConfigFormat::Toml => toml_text::read(text)?,
        ConfigFormat::Yaml => yaml::read(text)?,
    })
}

fn in_tree(tree: Node) -> Result<Found, InputProblem> {
    find::servers(&tree).ok_or(InputProblem::JsonWithoutServers)
}

/// Lines that say something: no blank ones, no comments of TOML and YAML.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let plain = text.lines().map(str::trim);
    plain.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn is_json(text: &str) -> bool {
    if text.starts_with('[') {
        return !is_table(lines(text).next().unwrap_or_default());
    }
    let starts = ["{", "//", "/*"];
    starts.iter().any(|start| text.starts_with(start)) || is_quoted_member(text)
}

/// A member without the braces around it: `"files": {`.
fn is_quoted_member(text: &str) -> bool {
    let Some((_, after)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) else {
        return false;
    };
    after.trim_start().starts_with(':') && after.trim_start()[1..].trim_start().starts_with(['{', '['])
}

/// A line such as `[mcp_servers.files]`.
fn is_table(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or_default().trim();
    let inner = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let first = |inner: &str| inner.chars().find(|c| *c != '[' && *c != '"');
    inner.is_some_and(|inner| first(inner).is_some_and(|c| c.is_ascii_alphabetic() || c == '_'))
        && !line.contains(',')
}

fn is_toml(text: &str) -> bool {
    lines(text).next().is_some_and(|line| {
        let assigns = line.split_once('=').is_some_and(|(name, value)| {
            is_dotted(name.trim()) && (name.ends_with(' ') || value.starts_with(' '))
        });
        is_table(line) || assigns
    })
}

/// A name of TOML, with dots or without.
fn is_dotted(name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || "_-.\"".contains(c);
    !name.is_empty() && name.chars().all(part)
}

fn is_yaml(text: &str) -> bool {
    lines(text).next().is_some_and(|line| {
        let line = line.strip_prefix("- ").unwrap_or(line).trim_end();
        let member = line.ends_with(':') || line.contains(": ");
        let name = line.split(':').next().unwrap_or_default();
        line == "---" || line.starts_with("%YAML") || (member && is_dotted(name.trim_matches('\'')))
    })
}

/// A text that is one entry without a name of its own.
pub(super) fn entry(name: String, node: Node) -> FoundServer {
    FoundServer {
        name,
        node,
        ..FoundServer::default()
    }
}
