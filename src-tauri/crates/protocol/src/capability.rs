//! What this side can do, said in the newest shape of the protocol. A capability that is not set is not
//! declared, and what is not declared may not be asked for. Older revisions get the part they know; that
//! is the session's work.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The extension by which a modern server may answer a call with a task.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// What is declared to one server. Nothing, unless it is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// Folders can be asked for.
    pub roots: bool,
    /// A model's answer can be asked for.
    pub sampling: Option<Sampling>,
    /// The user can be asked to fill in a form.
    pub forms: bool,
    /// The user can be asked to visit a page.
    pub pages: bool,
    /// A call may be answered with a task by modern servers.
    pub tasks: bool,
}

/// What a request for a model's answer may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampling {
    pub tools: bool,
    /// `includeContext` of a sampling request.
    pub context: bool,
}

impl ClientCapabilities {
    /// As they travel. A client that declares roots also declares that it sends changes.
    #[must_use]
    pub fn to_value(self) -> Value {
        let mut declared = Map::new();
        if self.roots {
            declared.insert("roots".into(), json!({ "listChanged": true }));
        }
        if let Some(sampling) = self.sampling {
            declared.insert(
                "sampling".into(),
                named(&[("tools", sampling.tools), ("context", sampling.context)]),
            );
        }
        if self.forms || self.pages {
            declared.insert(
                "elicitation".into(),
                named(&[("form", self.forms), ("url", self.pages)]),
            );
        }
        if self.tasks {
            declared.insert("extensions".into(), json!({ TASKS_EXTENSION: {} }));
        }
        Value::Object(declared)
    }
}

impl Serialize for ClientCapabilities {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

fn named(flags: &[(&str, bool)]) -> Value {
    let set = flags.iter().filter(|(_, set)| *set);
    Value::Object(set.map(|(name, _)| ((*name).to_owned(), json!({}))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LC-009, RO-001, SA-001, EF-001, EU-001, EXT-002, TX-001.
    #[test]
    fn only_what_is_set_is_declared() {
        assert_eq!(ClientCapabilities::default().to_value(), json!({}));
        let all = ClientCapabilities {
            roots: true,
            sampling: Some(Sampling {
                tools: true,
                context: true,
            }),
            forms: true,
            pages: true,
            tasks: true,
        };
        assert_eq!(
            all.to_value(),
            json!({"roots": {"listChanged": true}, "sampling": {"tools": {}, "context": {}},
                "elicitation": {"form": {}, "url": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
        );
        let pages = ClientCapabilities {
            pages: true,
            sampling: Some(Sampling::default()),
            ..ClientCapabilities::default()
        };
        assert_eq!(
            pages.to_value(),
            json!({"sampling": {}, "elicitation": {"url": {}}})
        );
    }
}
