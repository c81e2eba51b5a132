//! A server's sampling request, read and checked before the user is asked. What breaks the protocol's
//! rules is refused here in words the server's author understands; nothing is repaired and nothing is dropped
//! silently.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use vestibule_consent::{SampleBlock, SampleMessage, SampleTool, SampleToolUse};
use vestibule_protocol::mcp::Role;

/// The most bytes of one request.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// The most turns, blocks of a turn and tools.
const MOST_PARTS: usize = 1000;
const MOST_TOOLS: usize = 64;
/// The longest hint, and how many are looked at.
const HINT: usize = 200;
const MOST_HINTS: usize = 16;
/// The most texts to stop at, as providers have it, and the most bytes of one.
const MOST_STOPS: usize = 4;
const STOP: usize = 200;
/// The most tokens of one request.
const MOST_TOKENS: f64 = 1_000_000.0;

/// A request to ask a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SamplingRequest {
    pub(crate) system: Option<String>,
    pub(crate) messages: Vec<SampleMessage>,
    pub(crate) tools: Vec<SampleTool>,
    pub(crate) tool_use: SampleToolUse,
    pub(crate) hints: Vec<String>,
    pub(crate) priorities: Priorities,
    pub(crate) max_tokens: u32,
    /// Context of other conversations that was asked for; none is given.
    pub(crate) context: Option<String>,
    pub(crate) temperature: Option<f64>,
    /// Texts at which the model is to stop, as many as are passed on.
    pub(crate) stop: Vec<String>,
}

/// How important what is, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Priorities {
    pub(crate) cost: f64,
    pub(crate) speed: f64,
    pub(crate) intelligence: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SamplingParams {
    messages: Vec<SamplingMessage>,
    max_tokens: f64,
    system_prompt: Option<String>,
    model_preferences: Option<Preferences>,
    include_context: Option<String>,
    temperature: Option<f64>,
    stop_sequences: Option<Vec<String>>,
    tools: Option<Vec<SamplingTool>>,
    tool_choice: Option<ToolChoice>,
}

#[derive(Deserialize)]
struct SamplingMessage {
    role: Role,
    content: OneOrMany,
}

/// Up to 2025-06-18 one block, since then one or a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    Many(Vec<Map<String, Value>>),
    One(Map<String, Value>),
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preferences {
    hints: Option<Vec<Hint>>,
    cost_priority: Option<f64>,
    speed_priority: Option<f64>,
    intelligence_priority: Option<f64>,
}

#[derive(Deserialize)]
struct Hint {
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SamplingTool {
    name: String,
    description: Option<String>,
    input_schema: Map<String, Value>,
}

#[derive(Deserialize)]
struct ToolChoice {
    mode: Option<SampleToolUse>,
}

/// Texts to stop at. What no provider takes is refused rather than left out, because the server relies on it.
fn stops(wanted: Vec<String>) -> Result<Vec<String>, String> {
    if wanted.len() > MOST_STOPS {
        return Err(format!(
            "At most {MOST_STOPS} stopSequences can be passed on to a model"
        ));
    }
    if wanted.iter().any(|stop| stop.is_empty() || stop.len() > STOP) {
        return Err(format!("A stop sequence has from 1 to {STOP} bytes"));
    }
    Ok(wanted)
}

/// Reads a request. `tools` says whether the capability for tools was declared to this server.
///
/// # Errors
/// What is wrong with it, for the server.
pub(crate) fn read(params: &RawValue, tools: bool) -> Result<SamplingRequest, String> {
    if params.get().len() > MOST_BYTES {
        return Err(format!("The request is larger than {} MiB", MOST_BYTES >> 20));
    }
    let params: SamplingParams = serde_json::from_str(params.get()).map_err(|error| error.to_string())?;
    if !tools && (params.tools.is_some() || params.tool_choice.is_some()) {
        return Err("Tools were not declared by the client".into());
    }
    if !(params.max_tokens.is_finite() && params.max_tokens >= 1.0) {
        return Err("maxTokens must be at least 1".into());
    }
    let messages = params
        .messages
        .into_iter()
        .map(message)
        .collect::<Result<Vec<_>, _>>()?;
    check(&messages)?;
    let tools = params.tools.unwrap_or_default();
    let preferences = params.model_preferences.unwrap_or_default();
    let share = |value: Option<f64>| value.filter(|v| v.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it was cut to a small positive number"
    )]
    let max_tokens = params.max_tokens.min(MOST_TOKENS) as u32;
    Ok(SamplingRequest {
        system: params.system_prompt.filter(|text| !text.is_empty()),
        messages,
        tools: read_tools(tools)?,
        tool_use: params
            .tool_choice
            .and_then(|choice| choice.mode)
            .unwrap_or_default(),
        hints: hints(preferences.hints.unwrap_or_default()),
        priorities: Priorities {
            cost: share(preferences.cost_priority),
            speed: share(preferences.speed_priority),
            intelligence: share(preferences.intelligence_priority),
        },
        max_tokens,
        context: params.include_context.filter(|context| context != "none"),
        temperature: params.temperature.filter(|value| value.is_finite()),
        stop: stops(params.stop_sequences.unwrap_or_default())?,
    })
}

/// The rules for conversations with tools, and that there is something to say at all. They
/// hold for what a user changed as well.
///
/// # Errors
/// Which rule is broken, in the protocol's words where it has some.
pub(crate) fn check(messages: &[SampleMessage]) -> Result<(), String> {
    if messages.is_empty() {
        return Err("There are no messages".into());
    }
    if messages.len() > MOST_PARTS || messages.iter().any(|message| message.blocks.len() > MOST_PARTS) {
        return Err(format!("There are more than {MOST_PARTS} messages or blocks"));
    }
    let mut open: Option<BTreeSet<&str>> = None;
    for message in messages {
        let uses = ids(message, |block| match block {
            SampleBlock::ToolUse { id, .. } => Some(id),
            _ => None,
        })?;
        let results = ids(message, |block| match block {
            SampleBlock::ToolResult { id, .. } => Some(id),
            _ => None,
        })?;
        match message.role {
            Role::Assistant if !results.is_empty() => {
                return Err("Tool results belong in a user message".into());
            }
            Role::User if !uses.is_empty() => {
                return Err("Tool uses belong in an assistant message".into());
            }
            Role::User if !results.is_empty() && results.len() != message.blocks.len() => {
                return Err("Tool results mixed with other content".into());
            }
            Role::Assistant | Role::User => {}
        }
        match (open.take(), results.is_empty()) {
            (Some(open), _) if open != results => return Err("Tool result missing in request".into()),
            (None, false) => return Err("Tool result without a tool use before it".into()),
            _ => {}
        }
        open = (!uses.is_empty()).then_some(uses);
        if message.blocks.is_empty() {
            return Err("A message is empty".into());
        }
    }
    match open {
        Some(_) => Err("Tool result missing in request".into()),
        None => Ok(()),
    }
}

/// How often the model has asked for tools in this conversation.
pub(crate) fn rounds(messages: &[SampleMessage]) -> u32 {
    let asks = |message: &&SampleMessage| {
        message
            .blocks
            .iter()
            .any(|block| matches!(block, SampleBlock::ToolUse { .. }))
    };
    u32::try_from(messages.iter().filter(asks).count()).unwrap_or(u32::MAX)
}

fn ids<'a>(
    message: &'a SampleMessage,
    id: impl Fn(&'a SampleBlock) -> Option<&'a String>,
) -> Result<BTreeSet<&'a str>, String> {
    let mut found = BTreeSet::new();
    for id in message.blocks.iter().filter_map(id) {
        if !found.insert(id.as_str()) {
            return Err(format!("The id {id} is used twice in one message"));
        }
    }
    Ok(found)
}

fn message(message: SamplingMessage) -> Result<SampleMessage, String> {
    let blocks = match message.content {
        OneOrMany::Many(blocks) => blocks,
        OneOrMany::One(block) => vec![block],
    };
    Ok(SampleMessage {
        role: message.role,
        blocks: blocks
            .iter()
            .map(|content| block(content, true))
            .collect::<Result<_, _>>()?,
    })
}

fn block(content: &Map<String, Value>, outermost: bool) -> Result<SampleBlock, String> {
    let text = |name: &str| {
        let text = content.get(name).and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| format!("A block has no {name}"))
    };
    match content.get("type").and_then(Value::as_str) {
        Some("text") => Ok(SampleBlock::Text { text: text("text")? }),
        Some("image") => Ok(SampleBlock::Image {
            mime: media(text("mimeType")?, "image/")?,
            base64: bytes(text("data")?)?,
        }),
        Some("audio") => Ok(SampleBlock::Audio {
            mime: media(text("mimeType")?, "audio/")?,
            base64: bytes(text("data")?)?,
        }),
        Some("tool_use") if outermost => Ok(SampleBlock::ToolUse {
            id: text("id")?,
            name: text("name")?,
            input: content
                .get("input")
                .and_then(Value::as_object)
                .cloned()
                .ok_or("The input of a tool use is not an object")?,
        }),
        Some("tool_result") if outermost => Ok(SampleBlock::ToolResult {
            id: text("toolUseId")?,
            blocks: result_blocks(content.get("content"))?,
            structured: content
                .get("structuredContent")
                .cloned()
                .filter(|value| !value.is_null()),
            failed: content.get("isError") == Some(&Value::Bool(true)),
        }),
        Some(other) => Err(format!("Content of type {other} cannot be given to a model")),
        None => Err("A block has no type".into()),
    }
}

fn result_blocks(content: Option<&Value>) -> Result<Vec<SampleBlock>, String> {
    let blocks = content.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if blocks.len() > MOST_PARTS {
        return Err(format!("A tool result has more than {MOST_PARTS} blocks"));
    }
    let read = |content: &Value| {
        let content = content.as_object().ok_or("A block is not an object")?;
        match content.get("type").and_then(Value::as_str) {
            // Links and embedded resources are sent as text.
            Some("resource_link" | "resource") => Ok(SampleBlock::Text {
                text: Value::Object(content.clone()).to_string(),
            }),
            _ => block(content, false),
        }
    };
    blocks.iter().map(read).collect()
}

/// A picture or sound is what it says and whole.
fn media(mime: String, family: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/+.-".contains(c);
    if mime.starts_with(family) && mime.len() <= 100 && mime.chars().all(plain) {
        Ok(mime)
    } else {
        Err(format!("{} is not a type of {family}*", mime.escape_debug()))
    }
}

fn bytes(data: String) -> Result<String, String> {
    match STANDARD.decode(&data) {
        Ok(bytes) if !bytes.is_empty() => Ok(data),
        Ok(_) => Err("An image or sound is empty".into()),
        Err(error) => Err(format!("An image or sound is not base64: {error}")),
    }
}

fn read_tools(tools: Vec<SamplingTool>) -> Result<Vec<SampleTool>, String> {
    if tools.len() > MOST_TOOLS {
        return Err(format!("There are more than {MOST_TOOLS} tools"));
    }
    let mut names = BTreeSet::new();
    let read = |tool: SamplingTool| {
        if tool.name.is_empty() || tool.name.len() > 128 || !names.insert(tool.name.clone()) {
            return Err("A tool has no name of its own".to_owned());
        }
        Ok(SampleTool {
            name: tool.name,
            description: tool.description,
            input_schema: Value::Object(tool.input_schema),
        })
    };
    tools.into_iter().map(read).collect()
}

fn hints(hints: Vec<Hint>) -> Vec<String> {
    let names = hints.into_iter().filter_map(|hint| hint.name);
    names
        .map(|name| name.chars().take(HINT).collect::<String>())
        .filter(|name| !name.trim().is_empty())
        .take(MOST_HINTS)
        .collect()
}

#[cfg(test)]
mod tests;
