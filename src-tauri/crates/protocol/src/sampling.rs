//! What a server may send when it wants a model's answer, and what it gets back. A request is read whole or
//! refused whole: a message that would reach a model differently from how the server meant it helps nobody,
//! and a person is never shown half of one. Nothing here chooses a model, runs a tool or trusts a hint.

mod content;
mod rules;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::lenient;
use crate::prompt::Role;
use crate::tool::Tool;
pub use content::SamplingContent;

/// The longest request, in bytes of JSON.
const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;
/// The most messages of one request.
const MAX_MESSAGES: usize = 1024;
/// The most tools a request may bring.
const MAX_TOOLS: usize = 128;
/// The most hints, and the most texts at which to stop.
const MAX_WORDS: usize = 64;
/// The longest of these, in bytes.
const MAX_WORD_BYTES: usize = 1024;

/// A server's wish for a model's answer. All texts are the server's. SA-007.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessage {
    /// What was said so far.
    pub messages: Vec<SamplingMessage>,
    /// The most tokens the answer may have; at least one.
    pub max_tokens: u64,
    /// What kind of model is wanted.
    pub model_preferences: Option<ModelPreferences>,
    /// What the model is to be told first. May be changed or left out.
    pub system_prompt: Option<String>,
    /// Whose context is wanted besides. May be left out.
    pub include_context: IncludeContext,
    /// How freely the model is to answer. May be left out.
    pub temperature: Option<f64>,
    /// Texts at which the model is to stop. May be left out.
    pub stop_sequences: Vec<String>,
    /// Anything for the model's provider. May be left out.
    pub metadata: Option<Value>,
    /// Tools the model may use. They are the server's: nobody but the server ever runs them. SA-013.
    pub tools: Vec<Tool>,
    /// Whether the model has to use one; `Auto` when it is not said.
    pub tool_choice: ToolChoice,
    /// What else the server attached.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said: one block or several. SA-008.
    #[serde(deserialize_with = "content::one_or_more")]
    pub content: Vec<SamplingContent>,
    /// What else the server attached.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// What kind of model a server would like. Advice, not an order. SA-012.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelPreferences {
    /// Parts of names, best first.
    pub hints: Vec<ModelHint>,
    /// How much costs matter, from 0 to 1.
    pub cost_priority: Option<f64>,
    /// How much speed matters, from 0 to 1.
    pub speed_priority: Option<f64>,
    /// How much ability matters, from 0 to 1.
    pub intelligence_priority: Option<f64>,
}

/// A model by a part of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(default)]
pub struct ModelHint {
    /// The part.
    #[serde(deserialize_with = "lenient::or_default")]
    pub name: Option<String>,
}

/// Whose context a server wants in a prompt. SA-011.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub enum IncludeContext {
    /// Nobody's.
    #[default]
    None,
    /// Its own.
    ThisServer,
    /// Everybody's.
    AllServers,
}

/// Whether a model has to use a tool. SA-015.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// At least one.
    Required,
    /// None.
    None,
}

/// A model's answer for a server. SA-019.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// Always the assistant.
    pub role: Role,
    /// What the model said. One block is written as itself, several as a list. SA-020.
    #[serde(serialize_with = "one_by_itself")]
    pub content: Vec<SamplingContent>,
    /// Which model it was.
    pub model: String,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or another word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
}

impl CreateMessageResult {
    /// The same for servers older than 2025-11-25, which know neither lists nor tools: the texts joined, or
    /// else the first block they know. SA-030.
    #[must_use]
    pub fn in_one_block(mut self) -> Self {
        let texts: Vec<&str> = self.content.iter().filter_map(SamplingContent::as_text).collect();
        let block = match texts.is_empty() {
            false => SamplingContent::text(texts.join("\n\n")),
            true => {
                let known = self.content.drain(..).find(|block| !block.is_about_tools());
                known.unwrap_or_else(|| SamplingContent::text(String::new()))
            }
        };
        self.content = vec![block];
        self
    }
}

fn one_by_itself<S: Serializer>(content: &[SamplingContent], serializer: S) -> Result<S::Ok, S::Error> {
    match content {
        [block] => block.serialize(serializer),
        blocks => blocks.serialize(serializer),
    }
}

/// Why a request of a server is refused. Short enough to be told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BrokenRequest(pub String);

impl BrokenRequest {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members {
    #[serde(deserialize_with = "few_messages")]
    messages: Vec<SamplingMessage>,
    max_tokens: u64,
    #[serde(default)]
    model_preferences: Option<ModelPreferences>,
    #[serde(default)]
    system_prompt: Option<String>,
    #[serde(default)]
    include_context: Option<IncludeContext>,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default)]
    stop_sequences: Option<Vec<String>>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    #[serde(default)]
    tools: Option<Vec<Value>>,
    #[serde(default)]
    tool_choice: Option<Choice>,
    #[serde(rename = "_meta", default)]
    meta: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    mode: ToolChoice,
}

fn few_messages<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<SamplingMessage>, D::Error> {
    lenient::at_most(deserializer, MAX_MESSAGES)
}

impl CreateMessage {
    /// Reads the parameters of a request. `with_tools` says whether tools were offered to the server.
    ///
    /// # Errors
    /// When something is missing, too long, not what it claims to be or in the wrong order. SA-014, SA-016,
    /// SA-017, SA-018, SA-025.
    pub fn read(params: &RawValue, with_tools: bool) -> Result<Self, BrokenRequest> {
        if params.get().len() > MAX_REQUEST_BYTES {
            return Err(BrokenRequest(format!(
                "the request is longer than {MAX_REQUEST_BYTES} bytes"
            )));
        }
        let members: Members =
            serde_json::from_str(params.get()).map_err(|error| BrokenRequest(error.to_string()))?;
        if !with_tools && (members.tools.is_some() || members.tool_choice.is_some()) {
            return Err(BrokenRequest::new("the client did not declare sampling.tools"));
        }
        rules::check(&members.messages)?;
        check_advice(&members)?;
        let tools = members.tools.unwrap_or_default();
        Ok(Self {
            messages: members.messages,
            max_tokens: members.max_tokens,
            model_preferences: members.model_preferences,
            system_prompt: members.system_prompt,
            include_context: members.include_context.unwrap_or_default(),
            temperature: members.temperature,
            stop_sequences: members.stop_sequences.unwrap_or_default(),
            metadata: members.metadata.map(Value::Object),
            tools: read_tools(tools)?,
            tool_choice: members.tool_choice.map(|choice| choice.mode).unwrap_or_default(),
            meta: members.meta,
        })
    }
}

fn check_advice(members: &Members) -> Result<(), BrokenRequest> {
    if members.max_tokens == 0 {
        return Err(BrokenRequest::new("\"maxTokens\" is zero"));
    }
    let short = |words: &mut dyn Iterator<Item = &String>| {
        words
            .enumerate()
            .all(|(index, word)| index < MAX_WORDS && word.len() <= MAX_WORD_BYTES)
    };
    if !short(&mut members.stop_sequences.iter().flatten()) {
        return Err(BrokenRequest::new("\"stopSequences\" is too long"));
    }
    let Some(preferences) = &members.model_preferences else {
        return Ok(());
    };
    if preferences.hints.len() > MAX_WORDS
        || !short(&mut preferences.hints.iter().filter_map(|hint| hint.name.as_ref()))
    {
        return Err(BrokenRequest::new("\"hints\" is too long"));
    }
    let priorities = [
        preferences.cost_priority,
        preferences.speed_priority,
        preferences.intelligence_priority,
    ];
    match priorities
        .into_iter()
        .flatten()
        .all(|priority| (0.0..=1.0).contains(&priority))
    {
        true => Ok(()),
        false => Err(BrokenRequest::new("a priority is not between 0 and 1")),
    }
}

fn read_tools(tools: Vec<Value>) -> Result<Vec<Tool>, BrokenRequest> {
    if tools.len() > MAX_TOOLS {
        return Err(BrokenRequest(format!("more than {MAX_TOOLS} tools")));
    }
    let mut read: Vec<Tool> = Vec::with_capacity(tools.len());
    for tool in tools {
        let tool =
            Tool::read(tool).map_err(|error| BrokenRequest(format!("a tool can not be read: {error}")))?;
        if read.iter().any(|other| other.name == tool.name) {
            return Err(BrokenRequest::new("two tools have the same name"));
        }
        read.push(tool);
    }
    Ok(read)
}

#[cfg(test)]
mod tests;
