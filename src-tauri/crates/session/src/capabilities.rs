//! What is said of us in the words of each revision, and what a server says of itself within bounds.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::Implementation;

use crate::error::CallError;

/// How many pictures of a server are kept, and how long the address of one may be (it may hold the picture).
const MAX_ICONS: usize = 16;
const MAX_ICON_BYTES: usize = 64 * 1024;

/// What requests to a modern server say of this client, written once for all of them.
#[derive(Debug)]
pub(crate) struct Declaration {
    /// What the server may ask back.
    pub(crate) capabilities: Value,
    pub(crate) written_capabilities: Box<RawValue>,
    pub(crate) client: Box<RawValue>,
}

impl Declaration {
    pub(crate) fn new(
        revision: Revision,
        client: &Implementation,
        all_capabilities: &Value,
    ) -> Result<Self, CallError> {
        let not_sendable = |error: serde_json::Error| CallError::NotSendable(error.to_string());
        let capabilities = capabilities_for(revision, all_capabilities);
        Ok(Self {
            written_capabilities: to_raw_value(&capabilities).map_err(not_sendable)?,
            client: to_raw_value(client).map_err(not_sendable)?,
            capabilities,
        })
    }
}

/// Of our capabilities, those that the revision knows, in its shape.
pub(crate) fn capabilities_for(revision: Revision, all: &Value) -> Value {
    let mut declared = all.as_object().cloned().unwrap_or_default();
    if revision.is_modern() {
        declared.remove("tasks");
        // A modern server asks for changes, so there is nothing to declare.
        if let Some(Value::Object(roots)) = declared.get_mut("roots") {
            roots.remove("listChanged");
        }
    }
    if revision < Revision::V2025_11_25 {
        declared.remove("tasks");
        // Before this revision the objects were empty; modes and tools came with it.
        empty(&mut declared, "elicitation");
        empty(&mut declared, "sampling");
    }
    if revision < Revision::V2025_06_18 {
        declared.remove("elicitation");
    }
    Value::Object(declared)
}

/// What we say of ourselves, in the revision's shape.
pub(crate) fn client_for(revision: Revision, client: &Implementation) -> Implementation {
    let mut client = client.clone();
    if revision < Revision::V2025_11_25 {
        client.description = None;
        client.website_url = None;
        client.icons.clear();
    }
    if revision < Revision::V2025_06_18 {
        client.title = None;
    }
    client
}

/// A server's account of itself, each text within the limit. Pictures are kept if there are not too many.
pub(crate) fn cut_names(server: Implementation, limit: usize) -> Implementation {
    let cut = |text: String| cut_bytes(text, limit);
    Implementation {
        name: cut(server.name),
        version: cut(server.version),
        title: server.title.map(cut),
        description: server.description.map(cut),
        // A cut address would be another address.
        website_url: server.website_url.filter(|address| address.len() <= limit),
        icons: server
            .icons
            .into_iter()
            .take(MAX_ICONS)
            .filter(|icon| icon.src.len() <= MAX_ICON_BYTES)
            .collect(),
    }
}

pub(crate) fn cut_bytes(mut text: String, limit: usize) -> String {
    text.truncate(text.floor_char_boundary(limit));
    text
}

/// Declares a capability without its details, if it is declared.
fn empty(declared: &mut Map<String, Value>, name: &str) {
    if let Some(capability) = declared.get_mut(name) {
        *capability = Value::Object(Map::new());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// LC-009, LC-010, RO-001.
    #[test]
    fn only_what_a_revision_knows_is_declared_to_it() {
        let all = json!({"roots": {"listChanged": true}, "sampling": {"tools": {}},
            "elicitation": {"form": {}, "url": {}}, "tasks": {}, "extensions": {"a.b/c": {}}});
        let newest = json!({"roots": {}, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}},
            "extensions": {"a.b/c": {}}});
        let older = json!({"roots": {"listChanged": true}, "sampling": {}, "extensions": {"a.b/c": {}}});
        let mut with_forms = older.clone();
        with_forms["elicitation"] = json!({});
        let cases = [
            (Revision::V2026_07_28, newest),
            (Revision::V2025_11_25, all.clone()),
            (Revision::V2025_06_18, with_forms),
            (Revision::V2025_03_26, older.clone()),
            (Revision::V2024_11_05, older),
        ];
        for (revision, expected) in cases {
            assert_eq!(capabilities_for(revision, &all), expected, "{revision}");
        }
    }
}
