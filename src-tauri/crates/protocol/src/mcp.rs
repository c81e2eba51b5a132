//! The objects of MCP that cross the host, in the shape of every revision at once: what a newer
//! revision added is optional, what no revision added is ignored. These are data for display and decision; names,
//! titles and instructions are the server's own words.

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::cache::{CacheHint, CacheScope, MAX_TTL};
pub use crate::completion::{Completion, CompletionParams, CompletionTarget, MAX_COMPLETIONS};
pub use crate::content::{
    CallToolResult, ContentAnnotations, ContentBlock, MAX_CONTENT_BLOCKS, ResourceContents, ResourceLink,
};
use crate::lenient;
pub use crate::prompt::{BrokenPrompt, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
pub use crate::resource::{
    BrokenResource, ReadResourceResult, Resource, ResourceDescription, ResourceTemplate,
};
pub use crate::tool::{BrokenTool, MAX_TOOL_NAME_BYTES, Tool, ToolAnnotations};

/// A client or server, as it names itself. Never proof of who it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Implementation {
    /// Its name for programs.
    #[serde(default)]
    pub name: String,
    /// Its version, in its own format.
    #[serde(default)]
    pub version: String,
    /// Its name for people.
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub title: Option<String>,
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<String>,
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub website_url: Option<String>,
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub icons: Vec<Icon>,
}

/// A picture by address. Data only: the code that shows it decides whether and how it is fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Icon {
    /// `https:` or `data:` if it is to be shown at all.
    pub src: String,
    /// What it claims to be.
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub mime_type: Option<String>,
    /// Such as `48x48` or `any`.
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub sizes: Vec<String>,
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub theme: Option<String>,
}

/// What a server declared that it can do. A capability that is absent must not be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerCapabilities {
    /// It has tools; inside, whether it will say when they change.
    pub tools: Option<ListCapability>,
    pub resources: Option<ListCapability>,
    pub prompts: Option<ListCapability>,
    pub logging: bool,
    pub completions: bool,
    /// Everything it declared, as it came.
    pub raw: Value,
}

/// A capability that is a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ListCapability {
    /// Changes of the list are announced.
    #[serde(deserialize_with = "lenient::or_default")]
    pub list_changed: bool,
    /// Single entries can be watched (resources only).
    #[serde(deserialize_with = "lenient::or_default")]
    pub subscribe: bool,
}

impl From<Value> for ServerCapabilities {
    fn from(raw: Value) -> Self {
        let declared = |name: &str| raw.get(name).is_some_and(|value| !value.is_null());
        let list =
            |name: &str| declared(name).then(|| ListCapability::deserialize(&raw[name]).unwrap_or_default());
        Self {
            tools: list("tools"),
            resources: list("resources"),
            prompts: list("prompts"),
            logging: declared("logging"),
            completions: declared("completions"),
            raw,
        }
    }
}

impl<'de> Deserialize<'de> for ServerCapabilities {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

/// What a server answers to `initialize`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The revision the server wants, as text: it may be one this app does not speak.
    pub protocol_version: String,
    /// What it can do.
    #[serde(default)]
    pub capabilities: ServerCapabilities,
    /// What it calls itself.
    pub server_info: Implementation,
    /// Its hint for the model; untrusted text.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub instructions: Option<String>,
}

/// How far a call has come. Values may be fractional and the total may be unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct Progress {
    /// Grows with every report.
    pub progress: f64,
    /// Where it will end, if the server knows.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub total: Option<f64>,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub message: Option<String>,
}

/// How grave a log message is, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the eight names of RFC 5424 say it")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// One line of a server's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct LogMessage {
    pub level: LogLevel,
    /// Which part of the server speaks.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub logger: Option<String>,
    #[serde(default)]
    pub data: Value,
}

/// A folder or file the user lets a server know of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Root {
    pub uri: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The answer to `roots/list`. An empty list is a good answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListRootsResult {
    /// What the user granted.
    pub roots: Vec<Root>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// LC-015, BASE-015.
    #[test]
    fn an_initialize_answer_of_every_age_is_read() {
        let oldest: InitializeResult = serde_json::from_value(json!({
            "protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
            "serverInfo": {"name": "a", "version": "1"}
        }))
        .unwrap();
        assert_eq!(oldest.capabilities.tools, Some(ListCapability::default()));
        assert_eq!(oldest.capabilities.prompts, None);
        let newest: InitializeResult = serde_json::from_value(json!({
            "protocolVersion": "2025-11-25", "instructions": "hint", "_meta": {"a": 1},
            "capabilities": {"resources": {"subscribe": true, "listChanged": true}, "logging": {},
                "tools": null, "experimental": {"x": 1}},
            "serverInfo": {"name": "a", "version": "1", "title": 5, "websiteUrl": "https://x.test",
                "icons": [{"src": "data:,", "sizes": ["any"], "theme": "dark"}]}
        }))
        .unwrap();
        assert_eq!(
            newest.capabilities.resources,
            Some(ListCapability {
                list_changed: true,
                subscribe: true
            })
        );
        assert!(newest.capabilities.logging && newest.capabilities.tools.is_none());
        assert_eq!(newest.capabilities.raw["experimental"], json!({"x": 1}));
        assert_eq!(newest.server_info.title, None);
        assert_eq!(newest.server_info.icons.len(), 1);
    }

    /// LG-001.
    #[test]
    fn the_eight_levels_are_ordered_by_gravity() {
        let names = [
            "debug",
            "info",
            "notice",
            "warning",
            "error",
            "critical",
            "alert",
            "emergency",
        ];
        let levels: Vec<LogLevel> = names
            .map(|name| serde_json::from_value(json!(name)).unwrap())
            .into();
        assert!(levels.is_sorted());
        assert!(serde_json::from_value::<LogLevel>(json!("verbose")).is_err());
    }
}
