//! Prompts as a server lists them, and what one of them expands to. Nothing here runs a prompt: an expanded
//! prompt is text of the server that a user sees before a model does.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::content::{ContentBlock, MAX_CONTENT_BLOCKS};
use crate::lenient;
use crate::mcp::Icon;

/// The longest name a prompt or an argument may have, in bytes.
const MAX_NAME_BYTES: usize = 256;
/// The most arguments a prompt may have.
const MAX_ARGUMENTS: usize = 128;

/// A prompt a server offers.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The server's name for it: unique within the server, case counts.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What it wants to know.
    pub arguments: Vec<PromptArgument>,
    /// Pictures, as data; nothing here fetches them.
    pub icons: Vec<Icon>,
}

/// One thing a prompt wants to know. Values are text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptArgument {
    pub name: String,
    /// A name for people.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub title: Option<String>,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub description: Option<String>,
    /// The prompt does not work without it.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub required: bool,
}

/// Why an entry of a list is no prompt.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BrokenPrompt(pub String);

#[derive(Deserialize)]
struct PromptMembers {
    name: String,
    #[serde(default, deserialize_with = "lenient::or_default")]
    title: Option<String>,
    #[serde(default, deserialize_with = "lenient::or_default")]
    description: Option<String>,
    #[serde(default)]
    arguments: Option<Vec<PromptArgument>>,
    #[serde(default, deserialize_with = "lenient::or_default")]
    icons: Vec<Icon>,
}

impl Prompt {
    /// Reads one entry.
    ///
    /// # Errors
    /// When a name is missing or too long, or when the arguments cannot be read: a prompt that wants to know
    /// something it does not name cannot be used.
    pub fn read(entry: &Value) -> Result<Self, BrokenPrompt> {
        let members = PromptMembers::deserialize(entry)
            .map_err(|_| broken("its name or its arguments cannot be read"))?;
        let arguments = members.arguments.unwrap_or_default();
        if arguments.len() > MAX_ARGUMENTS {
            return Err(broken("it has too many arguments"));
        }
        let usable = |name: &String| !name.is_empty() && name.len() <= MAX_NAME_BYTES;
        if !usable(&members.name) || !arguments.iter().all(|argument| usable(&argument.name)) {
            return Err(broken("a name is empty or too long"));
        }
        Ok(Self {
            name: members.name,
            title: members.title,
            description: members.description,
            arguments,
            icons: members.icons,
        })
    }

    /// The name to show to a user: the title, else the name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let title = self.title.as_deref().filter(|title| !title.trim().is_empty());
        title.unwrap_or(&self.name)
    }
}

fn broken(reason: &str) -> BrokenPrompt {
    BrokenPrompt(reason.to_owned())
}

/// Who speaks in an expanded prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
}

/// One message of an expanded prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct PromptMessage {
    pub role: Role,
    pub content: ContentBlock,
}

/// What a prompt expands to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct GetPromptResult {
    /// What the prompt is for.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub description: Option<String>,
    /// The messages, in order, at most [`MAX_CONTENT_BLOCKS`].
    #[serde(deserialize_with = "few_messages")]
    pub messages: Vec<PromptMessage>,
}

fn few_messages<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<PromptMessage>, D::Error> {
    lenient::at_most(deserializer, MAX_CONTENT_BLOCKS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// PR-001, PR-003, NAME-001.
    #[test]
    fn a_prompt_says_what_it_wants_to_know() {
        let entry = json!({"name": "plan", "title": "Plan", "arguments": [
            {"name": "city", "required": true, "description": "where"}, {"name": "days", "required": "yes"}]});
        let prompt = Prompt::read(&entry).unwrap();
        assert_eq!(prompt.display_name(), "Plan");
        assert!(prompt.arguments[0].required && !prompt.arguments[1].required);
        let many: Vec<Value> = (0..=MAX_ARGUMENTS)
            .map(|n| json!({"name": n.to_string()}))
            .collect();
        for entry in [
            json!({}),
            json!({"name": ""}),
            json!({"name": "a", "arguments": [{}]}),
            json!({"name": "a", "arguments": [{"name": ""}]}),
            json!({"name": "a", "arguments": many}),
        ] {
            assert!(Prompt::read(&entry).is_err(), "{entry}");
        }
    }

    /// PR-004.
    #[test]
    fn an_expanded_prompt_keeps_content_of_unknown_kind_and_refuses_unknown_speakers() {
        let read = |messages: Value| serde_json::from_value::<GetPromptResult>(json!({"messages": messages}));
        let good = read(json!([{"role": "user", "content": {"type": "text", "text": "a"}},
            {"role": "assistant", "content": {"type": "hologram"}}]))
        .unwrap();
        assert!(matches!(good.messages[1].content, ContentBlock::Unknown(_)));
        assert!(read(json!([{"role": "system", "content": {"type": "text", "text": "a"}}])).is_err());
        assert!(read(json!("text")).is_err());
    }
}
