//! A tool as a server describes it. The whole definition is kept beside the members we read, because an
//! approval binds to everything the server said and not only to what this version understands. Nothing here
//! says whether the description is true: annotations are the server's claims.

mod reading;

use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::is_invisible;
use crate::json::{RawJson, RawJsonBuf, ScanError, Scanner};
use crate::lenient;
use crate::mcp::Icon;
use reading::{SchemaShape, ToolMembers};

/// The longest name a tool may have, in bytes.
pub const MAX_TOOL_NAME_BYTES: usize = 256;

/// A tool a server offers.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The server's name for it: unique within the server, case counts.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What the server says it does.
    pub description: Option<String>,
    /// The server's claims about its behaviour.
    pub annotations: ToolAnnotations,
    /// Pictures, as data; nothing here fetches them.
    pub icons: Vec<Icon>,
    raw: RawJsonBuf,
    /// The same as a tree, which takes ten times the room, made when it is first read.
    tree: OnceLock<Value>,
}

impl PartialEq for Tool {
    /// Everything of a tool stands in its definition.
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

/// Claims of a server about its tool. `None` means that the server said nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolAnnotations {
    /// A name for people; [`Tool::title`] goes before it.
    #[serde(deserialize_with = "lenient::or_default")]
    pub title: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    pub read_only_hint: Option<bool>,
    /// It may destroy something; matters only when it is not read-only.
    #[serde(deserialize_with = "lenient::or_default")]
    pub destructive_hint: Option<bool>,
    /// Doing it twice is the same as once; matters only when it is not read-only.
    #[serde(deserialize_with = "lenient::or_default")]
    pub idempotent_hint: Option<bool>,
    /// It reaches beyond the server's own closed world.
    #[serde(deserialize_with = "lenient::or_default")]
    pub open_world_hint: Option<bool>,
}

/// Why a definition is not a tool.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BrokenTool(pub String);

impl Tool {
    /// Reads one definition. It is read through to its end, but not made into a tree: a server may list thousands.
    ///
    /// # Errors
    /// When the name is missing, too long or holds invisible characters, or when a schema is not an object
    /// schema.
    pub fn read(definition: RawJson<'_>) -> Result<Self, BrokenTool> {
        match Self::read_next(&mut Scanner::new(definition.get())) {
            Ok((_, tool)) => tool,
            Err(error) => Err(unreadable(&error)),
        }
    }

    /// Reads the next value of a longer text as a definition.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn read_next<'a>(
        scanner: &mut Scanner<'a>,
    ) -> Result<(RawJson<'a>, Result<Self, BrokenTool>), ScanError> {
        let (definition, members) = scanner.plain_value(ToolMembers::scan)?;
        let tool = match members {
            Some(members) => Self::from_members(definition, members),
            None if !definition.is_object() => Err(broken("the definition is not an object")),
            // Whether a tree can be made is for serde_json to say.
            None => definition
                .read()
                .map_err(|error| unreadable(&error))
                .and_then(|members| Self::from_members(definition, members)),
        };
        Ok((definition, tool))
    }

    fn from_members(definition: RawJson<'_>, members: ToolMembers) -> Result<Self, BrokenTool> {
        let name = members.name.ok_or_else(|| broken("it has no name"))?;
        check_name(&name)?;
        let input = members.input_schema.check("inputSchema")?;
        members.output_schema.check("outputSchema")?;
        match input {
            SchemaShape::Absent => return Err(broken("it has no \"inputSchema\"")),
            SchemaShape::ForAnything => return Err(broken("its \"inputSchema\" is not for an object")),
            _ => {}
        }
        Ok(Self {
            name,
            title: members.title,
            description: members.description,
            annotations: members.annotations,
            icons: members.icons,
            raw: definition.to_buf(),
            tree: OnceLock::new(),
        })
    }

    /// The whole definition as the server sent it, members we do not know included.
    #[must_use]
    pub fn definition(&self) -> &Value {
        self.tree.get_or_init(|| self.read_definition())
    }

    /// The same for one use, so that no memory is kept for the next.
    #[must_use]
    pub fn read_definition(&self) -> Value {
        // What cannot be made into a tree after all is still told from everything else.
        let raw = self.raw.as_raw();
        raw.read().unwrap_or_else(|_| Value::String(raw.get().to_owned()))
    }

    /// Gives back the memory of [`definition`](Self::definition), many times the bytes of the text, until the next use.
    pub fn forget_definition(&mut self) {
        self.tree.take();
    }

    /// The JSON Schema of its arguments, as sent; always an object.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        &self.definition()["inputSchema"]
    }

    /// The JSON Schema of its structured result, as sent; from 2026-07-28 on for a value of any kind.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        self.definition()
            .get("outputSchema")
            .filter(|schema| !schema.is_null())
    }

    /// Whether this name may stand anywhere in the definition, so that it has to be looked for in the tree.
    #[must_use]
    pub fn may_hold(&self, name: &str) -> bool {
        let holds = |what: &[u8]| memchr::memmem::find(self.raw.as_raw().get().as_bytes(), what).is_some();
        // A name can also be written in numbers.
        holds(name.as_bytes()) || holds(b"\\u")
    }

    /// The name to show to a user: the title, else the annotation's title, else the name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let named = |text: &&String| !text.trim().is_empty();
        let title = self.title.as_ref().filter(named);
        title
            .or(self.annotations.title.as_ref().filter(named))
            .unwrap_or(&self.name)
    }
}

fn check_name(name: &str) -> Result<(), BrokenTool> {
    if name.is_empty() {
        return Err(broken("its name is empty"));
    }
    if name.len() > MAX_TOOL_NAME_BYTES {
        return Err(BrokenTool(format!(
            "its name is longer than {MAX_TOOL_NAME_BYTES} bytes"
        )));
    }
    if name.chars().any(deceives) {
        return Err(broken("its name holds invisible or control characters"));
    }
    Ok(())
}

/// Characters by which two names can look the same: invisible ones and unusual spaces.
fn deceives(character: char) -> bool {
    is_invisible(character) || (character.is_whitespace() && character != ' ')
}

fn unreadable(error: &impl fmt::Display) -> BrokenTool {
    BrokenTool(format!("its definition cannot be read: {error}"))
}

fn broken(reason: &str) -> BrokenTool {
    BrokenTool(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(definition: &Value) -> Result<Tool, BrokenTool> {
        Tool::read(RawJsonBuf::write(definition).unwrap().as_raw())
    }

    /// NAME-001, TL-011, SCH-003.
    #[test]
    fn a_tool_keeps_everything_the_server_said() {
        let definition = json!({
            "name": "Read.File-1", "annotations": {"title": "Read", "readOnlyHint": true, "x": 1},
            "inputSchema": {"type": "object", "$defs": {"a": {}}}, "icons": "broken", "future": [1]
        });
        let tool = read(&definition).unwrap();
        assert_eq!(tool.definition(), &definition);
        assert_eq!(tool.input_schema()["$defs"], json!({"a": {}}));
        assert_eq!(tool.display_name(), "Read");
        assert_eq!(tool.annotations.read_only_hint, Some(true));
    }

    #[test]
    fn a_broken_tool_is_refused_with_a_reason() {
        let cases = [
            (json!([]), "not an object"),
            (json!({"inputSchema": {}}), "no name"),
            (json!({"name": 7, "inputSchema": {}}), "no name"),
            (json!({"name": "", "inputSchema": {}}), "empty"),
            (json!({"name": "a".repeat(257), "inputSchema": {}}), "longer"),
            (json!({"name": "a\u{200b}b", "inputSchema": {}}), "invisible"),
            (json!({"name": "a\nb", "inputSchema": {}}), "invisible"),
            (json!({"name": "a"}), "no \"inputSchema\""),
            (json!({"name": "a", "inputSchema": "x"}), "not a schema object"),
            (
                json!({"name": "a", "inputSchema": {"type": "array"}}),
                "not for an object",
            ),
            (
                json!({"name": "a", "inputSchema": {}, "outputSchema": []}),
                "\"outputSchema\"",
            ),
        ];
        for (definition, reason) in cases {
            let BrokenTool(said) = read(&definition).unwrap_err();
            assert!(said.contains(reason), "{said:?} should mention {reason:?}");
        }
    }

    /// TL-011: what cannot be made into a tree costs itself, and what is odd in it is read as serde_json reads it.
    #[test]
    fn a_broken_definition_among_others_costs_itself_only() {
        let list = r#"[ {"name":"half","description":"\ud800","inputSchema":{}}, {"\udc00":1,"name":"b","inputSchema":{}}, 5,
            {"name":"far","inputSchema":{"minimum":1e999}}, {"name":"\u0061\u00e9","inputSchema":{"type":"object"}},
            {"name":"once","name":"twice","inputSchema":[],"inputSchema":{"minimum":1e9}} ]"#;
        let mut names = Vec::new();
        let mut scanner = Scanner::new(list);
        scanner
            .array::<ScanError>(|scanner| {
                let (raw, tool) = Tool::read_next(scanner)?;
                assert_eq!(tool.is_ok(), Tool::read(raw).is_ok());
                names.push(tool.map(|tool| tool.name).map_err(|error| error.0));
                Ok(())
            })
            .unwrap();
        assert_eq!(scanner.end(), Ok(()));
        let read = |index: usize| names[index].as_deref().map_err(String::as_str);
        for broken in [0, 1, 3] {
            assert!(read(broken).unwrap_err().contains("cannot be read"), "{broken}");
        }
        assert!(read(2).unwrap_err().contains("not an object"));
        assert_eq!((read(4), read(5)), (Ok("a\u{e9}"), Ok("twice")));
        assert_eq!(names.len(), 6);
    }
}
