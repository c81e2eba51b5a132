//! A server's sampling request, read and checked before the user is asked. What breaks the protocol's
//! rules is refused here in words the server's author understands; nothing is repaired and nothing is dropped
//! silently.

mod blocks;

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};
use vestibule_consent::{SampleBlock, SampleMessage, SampleTool, SampleToolUse};
use vestibule_protocol::json::RawJson;
use vestibule_protocol::mcp::Role;

use blocks::block;

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

/// The `costPriority`, `speedPriority` and `intelligencePriority` of the request, each from 0 to 1.
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
pub(crate) fn read(params: RawJson<'_>, tools: bool) -> Result<SamplingRequest, String> {
    let params = read_params(params, tools)?;
    let max_tokens = most_tokens(params.max_tokens)?;
    let messages = read_messages(params.messages)?;
    let preferences = params.model_preferences.unwrap_or_default();
    Ok(SamplingRequest {
        system: params.system_prompt.filter(|text| !text.is_empty()),
        messages,
        tools: read_tools(params.tools.unwrap_or_default())?,
        tool_use: params
            .tool_choice
            .and_then(|choice| choice.mode)
            .unwrap_or_default(),
        priorities: priorities(&preferences),
        hints: hints(preferences.hints.unwrap_or_default()),
        max_tokens,
        context: params.include_context.filter(|context| context != "none"),
        temperature: params.temperature.filter(|value| value.is_finite()),
        stop: stops(params.stop_sequences.unwrap_or_default())?,
    })
}

fn read_params(params: RawJson<'_>, tools: bool) -> Result<SamplingParams, String> {
    if params.get().len() > MOST_BYTES {
        return Err(format!("The request is larger than {} MiB", MOST_BYTES >> 20));
    }
    let params: SamplingParams = params.read().map_err(|error| error.to_string())?;
    if !tools && (params.tools.is_some() || params.tool_choice.is_some()) {
        return Err("Tools were not declared by the client".into());
    }
    Ok(params)
}

fn read_messages(messages: Vec<SamplingMessage>) -> Result<Vec<SampleMessage>, String> {
    let messages = messages.into_iter().map(message).collect::<Result<Vec<_>, _>>()?;
    check(&messages)?;
    Ok(messages)
}

fn most_tokens(wanted: f64) -> Result<u32, String> {
    if !(wanted.is_finite() && wanted >= 1.0) {
        return Err("maxTokens must be at least 1".into());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it was cut to a small positive number"
    )]
    let most = wanted.min(MOST_TOKENS) as u32;
    Ok(most)
}

fn priorities(preferences: &Preferences) -> Priorities {
    let share = |value: Option<f64>| value.filter(|v| v.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0);
    Priorities {
        cost: share(preferences.cost_priority),
        speed: share(preferences.speed_priority),
        intelligence: share(preferences.intelligence_priority),
    }
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
    check_tools(messages)
}

/// Each use of a tool has its result in the next message, and each result such a use. No message is empty.
fn check_tools(messages: &[SampleMessage]) -> Result<(), String> {
    let mut open: Option<BTreeSet<&str>> = None;
    for message in messages {
        let (uses, results) = tool_ids(message)?;
        check_role(message, &uses, &results)?;
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

/// The ids of the tool uses of a message, and those of its results.
fn tool_ids(message: &SampleMessage) -> Result<(BTreeSet<&str>, BTreeSet<&str>), String> {
    let uses = ids(message, |block| match block {
        SampleBlock::ToolUse { id, .. } => Some(id),
        _ => None,
    })?;
    let results = ids(message, |block| match block {
        SampleBlock::ToolResult { id, .. } => Some(id),
        _ => None,
    })?;
    Ok((uses, results))
}

/// Whose turn tool uses and results may stand in, and that nothing else stands beside results.
fn check_role(
    message: &SampleMessage,
    uses: &BTreeSet<&str>,
    results: &BTreeSet<&str>,
) -> Result<(), String> {
    match message.role {
        Role::Assistant if !results.is_empty() => Err("Tool results belong in a user message".into()),
        Role::User if !uses.is_empty() => Err("Tool uses belong in an assistant message".into()),
        Role::User if !results.is_empty() && results.len() != message.blocks.len() => {
            Err("Tool results mixed with other content".into())
        }
        Role::Assistant | Role::User => Ok(()),
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
