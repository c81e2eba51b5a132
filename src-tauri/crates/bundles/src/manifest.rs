//! `manifest.json`, versions 0.1 to 0.4. Members that are read have to have the right type; others are ignored.

use serde_json::Value;
use vestibule_app_protocol::{BundleFault, BundleKind, BundleManifest, BundleRuntime};

use crate::limits::BundleLimits;

/// The versions of the manifest that are read.
const VERSIONS: [&str; 4] = ["0.1", "0.2", "0.3", "0.4"];
/// The longest name, version or author that is kept, in characters.
const LONGEST_NAME: usize = 120;
/// The longest description or address that is kept, in characters.
const LONGEST_TEXT: usize = 600;
/// The most tools, systems and runtimes that are kept of one manifest.
const MOST: usize = 200;

/// Reads the text of a manifest and checks its version.
///
/// # Errors
/// Where it is no JSON, or of a version that is not known.
pub(crate) fn parse(bytes: &[u8], limits: &BundleLimits) -> Result<Value, BundleFault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| limits.unreadable(error.to_string()))?;
    let version = value.get("manifest_version").or_else(|| value.get("dxt_version"));
    match version.and_then(Value::as_str) {
        Some(known) if VERSIONS.contains(&known) => Ok(value),
        Some(other) => Err(BundleFault::ManifestVersion {
            found: bounded(other, LONGEST_NAME),
        }),
        None => Err(wrong("manifest_version")),
    }
}

/// What the author says of the bundle.
pub(crate) fn read(value: &Value, system: &str) -> Result<BundleManifest, BundleFault> {
    let name = text(value, "name", LONGEST_NAME)?;
    let author = &value["author"];
    if !author.is_object() {
        return Err(wrong("author"));
    }
    let platforms = platforms(value)?;
    Ok(BundleManifest {
        title: optional(value, "display_name", LONGEST_NAME)?.unwrap_or_else(|| name.clone()),
        version: text(value, "version", LONGEST_NAME)?,
        description: text(value, "description", LONGEST_TEXT)?,
        author: text(author, "name", LONGEST_NAME).map_err(|_| wrong("author.name"))?,
        license: optional(value, "license", LONGEST_NAME)?,
        homepage: optional(value, "homepage", LONGEST_TEXT)?,
        repository: repository(value)?,
        kind: kind(value)?,
        tools: tools(value)?,
        more_tools: value["tools_generated"] == Value::Bool(true),
        fits: platforms.is_empty() || platforms.iter().any(|platform| platform == system),
        platforms,
        runtimes: runtimes(value)?,
        name,
    })
}

pub(crate) fn kind(value: &Value) -> Result<BundleKind, BundleFault> {
    match value["server"]["type"].as_str() {
        Some("node") => Ok(BundleKind::Node),
        Some("python") => Ok(BundleKind::Python),
        Some("binary") => Ok(BundleKind::Binary),
        Some("uv") => Ok(BundleKind::Uv),
        _ => Err(wrong("server.type")),
    }
}

fn repository(value: &Value) -> Result<Option<String>, BundleFault> {
    match &value["repository"] {
        Value::Null => Ok(None),
        repository => optional(repository, "url", LONGEST_TEXT).map_err(|_| wrong("repository.url")),
    }
}

fn tools(value: &Value) -> Result<Vec<String>, BundleFault> {
    let tools = list(&value["tools"], "tools")?;
    let names = tools
        .iter()
        .take(MOST)
        .map(|tool| text(tool, "name", LONGEST_NAME));
    names.collect::<Result<_, _>>().map_err(|_| wrong("tools"))
}

fn platforms(value: &Value) -> Result<Vec<String>, BundleFault> {
    let member = "compatibility.platforms";
    let platforms = list(&value["compatibility"]["platforms"], member)?;
    let names = platforms.iter().take(MOST).map(|platform| {
        let name = platform.as_str().ok_or_else(|| wrong(member))?;
        Ok(bounded(name, LONGEST_NAME))
    });
    names.collect()
}

fn runtimes(value: &Value) -> Result<Vec<BundleRuntime>, BundleFault> {
    let member = "compatibility.runtimes";
    let runtimes = match &value["compatibility"]["runtimes"] {
        Value::Null => return Ok(vec![]),
        Value::Object(runtimes) => runtimes,
        _ => return Err(wrong(member)),
    };
    let read = runtimes.iter().take(MOST).map(|(name, versions)| {
        let versions = versions.as_str().ok_or_else(|| wrong(member))?;
        Ok(BundleRuntime {
            name: bounded(name, LONGEST_NAME),
            versions: bounded(versions, LONGEST_NAME),
        })
    });
    read.collect()
}

/// A list that may be missing.
pub(crate) fn list<'a>(value: &'a Value, member: &str) -> Result<&'a [Value], BundleFault> {
    match value {
        Value::Null => Ok(&[]),
        Value::Array(list) => Ok(list),
        _ => Err(wrong(member)),
    }
}

/// A text that has to be there.
pub(crate) fn text(value: &Value, member: &str, longest: usize) -> Result<String, BundleFault> {
    optional(value, member, longest)?.ok_or_else(|| wrong(member))
}

pub(crate) fn optional(value: &Value, member: &str, longest: usize) -> Result<Option<String>, BundleFault> {
    match value.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(bounded(text.trim(), longest))),
        Some(_) => Err(wrong(member)),
    }
}

pub(crate) fn wrong(member: &str) -> BundleFault {
    BundleFault::Manifest {
        member: bounded(member, LONGEST_NAME),
    }
}

fn bounded(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}
