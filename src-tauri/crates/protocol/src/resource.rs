//! Resources and templates of resources as a server lists them, and what reading one brings. An address is the
//! server's name for something and never an address for this computer: a `file:` resource is not a file here.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::content::{ContentAnnotations, MAX_CONTENT_BLOCKS, ResourceContents};
use crate::lenient;
use crate::mcp::Icon;

/// The longest address a resource may have, in bytes.
const MAX_URI_BYTES: usize = 8 * 1024;

/// A resource a server offers.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// The server's address for it: unique within the server.
    pub uri: String,
    /// What it is called and what it holds.
    #[serde(flatten)]
    pub about: ResourceDescription,
    /// Its claimed size in bytes.
    pub size: Option<u64>,
}

/// A pattern of addresses a server offers.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// The pattern (RFC 6570): unique within the server.
    pub uri_template: String,
    /// What it is called and what it holds.
    #[serde(flatten)]
    pub about: ResourceDescription,
}

/// What a server says of a resource or a template. All of it is the server's words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceDescription {
    /// Its name for programs.
    #[serde(deserialize_with = "lenient::or_default")]
    pub name: String,
    /// Its name for people.
    #[serde(deserialize_with = "lenient::or_default")]
    pub title: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    pub description: Option<String>,
    /// What it claims to hold.
    #[serde(deserialize_with = "lenient::or_default")]
    pub mime_type: Option<String>,
    /// Pictures, as data; nothing here fetches them.
    #[serde(deserialize_with = "lenient::or_default")]
    pub icons: Vec<Icon>,
    /// For whom, how important, how old.
    #[serde(deserialize_with = "lenient::or_default")]
    pub annotations: Option<ContentAnnotations>,
}

/// Why an entry of a list is no resource.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BrokenResource(pub String);

impl Resource {
    /// Reads one entry.
    ///
    /// # Errors
    /// When the address is missing or too long.
    pub fn read(entry: &Value) -> Result<Self, BrokenResource> {
        Ok(Self {
            uri: address(entry, "uri")?,
            about: about(entry),
            size: entry.get("size").and_then(Value::as_u64),
        })
    }
}

impl ResourceTemplate {
    /// Reads one entry.
    ///
    /// # Errors
    /// When the pattern is missing or too long.
    pub fn read(entry: &Value) -> Result<Self, BrokenResource> {
        Ok(Self {
            uri_template: address(entry, "uriTemplate")?,
            about: about(entry),
        })
    }
}

impl ResourceDescription {
    /// The name to show to a user: the title, else the name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let title = self.title.as_deref().filter(|title| !title.trim().is_empty());
        title.unwrap_or(&self.name)
    }
}

fn about(entry: &Value) -> ResourceDescription {
    ResourceDescription::deserialize(entry).unwrap_or_default()
}

fn address(entry: &Value, member: &str) -> Result<String, BrokenResource> {
    match entry.get(member).and_then(Value::as_str) {
        None | Some("") => Err(BrokenResource(format!("it has no {member:?}"))),
        Some(address) if address.len() > MAX_URI_BYTES => Err(BrokenResource(format!(
            "its {member:?} is longer than {MAX_URI_BYTES} bytes"
        ))),
        Some(address) => Ok(address.to_owned()),
    }
}

/// What reading a resource brought: one address may hold several things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct ReadResourceResult {
    /// The contents, in the server's order, at most [`MAX_CONTENT_BLOCKS`].
    #[serde(deserialize_with = "few_contents")]
    pub contents: Vec<ResourceContents>,
}

fn few_contents<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ResourceContents>, D::Error> {
    lenient::at_most(deserializer, MAX_CONTENT_BLOCKS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// RS-002, RS-012, NAME-001.
    #[test]
    fn a_resource_needs_only_its_address() {
        let entry = json!({"uri": "x://a", "name": "a", "title": " ", "size": 7, "mimeType": "text/plain",
            "icons": 3, "annotations": {"priority": 1.0}, "future": true});
        let resource = Resource::read(&entry).unwrap();
        assert_eq!((resource.uri.as_str(), resource.size), ("x://a", Some(7)));
        assert_eq!(resource.about.display_name(), "a");
        assert_eq!(resource.about.mime_type.as_deref(), Some("text/plain"));
        assert!(resource.about.icons.is_empty() && resource.about.annotations.is_some());
        let template = ResourceTemplate::read(&json!({"uriTemplate": "x://{a}", "title": "A"})).unwrap();
        assert_eq!(template.about.display_name(), "A");
        for entry in [
            json!({}),
            json!([]),
            json!({"uri": ""}),
            json!({"uri": 1}),
            json!({"uri": "x".repeat(9000)}),
        ] {
            assert!(Resource::read(&entry).is_err(), "{entry}");
        }
    }

    /// RS-003.
    #[test]
    fn one_read_may_bring_several_things_and_not_too_many() {
        let read =
            |contents: Value| serde_json::from_value::<ReadResourceResult>(json!({"contents": contents}));
        let both = read(json!([{"uri": "a", "text": "t"}, {"uri": "b", "blob": "AA=="}])).unwrap();
        assert!(matches!(
            &both.contents[..],
            [ResourceContents::Text { .. }, ResourceContents::Blob { .. }]
        ));
        assert!(read(json!([{"uri": "a"}])).is_err());
        let many = vec![json!({"uri": "a", "text": ""}); MAX_CONTENT_BLOCKS + 1];
        assert!(read(json!(many)).is_err());
    }
}
