//! Our request in the wire library's words.
//!
//! Nothing is added to what the caller gave. A reply in its vendor's form is sent back as it is. A call that arrived
//! garbled is sent back as the text it was, so that the model sees its own mistake, and an image the model cannot take
//! becomes a note that says so. An id of a call that is longer than every server takes is shortened.

use std::collections::{HashMap, HashSet};

use rig_core::completion::options::OnUnsupported;
use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::message::{
    AssistantContent, AssistantMessage, CallId, DocumentSourceKind, Image, ImageMediaType, Message, MimeType,
    Origin, Text, ToolCall, ToolChoice, ToolFunction, ToolName, ToolResult, ToolResultContent, UserContent,
};
use serde_json::{Map, Value, json};

use crate::{
    CallArguments, Effort, ModelCall, ModelError, ModelMessage, ModelRequest, ResultPart, ToolSpec, ToolUse,
    Wire,
};

/// What Google takes in place of the signature of a call that another model made.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The longest id of a call that every server takes; Azure refuses a request with a longer one.
const LONGEST_ID: usize = 40;

/// How this endpoint wants the conversation.
pub(super) struct RequestForm {
    /// Whether it is the common interface, whose parameters go along as they are: what a server behind it takes is
    /// not known.
    pub(super) common: bool,
    /// Set for one of OpenAI's interfaces at a server that is not known: how a level of effort is written there.
    pub(super) gateway: Option<Wire>,
    /// Whether the longest reply goes along as `max_completion_tokens`, as models that think demand it where their name
    /// is hidden behind that of a deployment.
    pub(super) completion_limit: bool,
    /// Whether images are sent.
    pub(super) images: bool,
    /// Set where calls without a signature are refused: calls of other models then go out as this origin's, with a
    /// placeholder for the signature.
    pub(super) signing_origin: Option<Origin>,
}

/// The request as the library sends it, or [`ModelError::Unsendable`].
pub(super) fn request(
    mut request: ModelRequest,
    form: &RequestForm,
) -> Result<CompletionRequest, ModelError> {
    let history = history(std::mem::take(&mut request.messages), form)?;
    if history.is_empty() {
        return Err(unsendable("the conversation is empty"));
    }
    let mut prepared = CompletionRequest::from(history);
    if let Some(system) = request.system.take().filter(|system| !system.is_empty()) {
        prepared = prepared.preamble(system);
    }
    if !request.tools.is_empty() {
        prepared = match request.tool_use {
            ToolUse::Auto => prepared,
            ToolUse::Required => prepared.tool_choice(ToolChoice::Required),
            ToolUse::Never => prepared.tool_choice(ToolChoice::None),
        };
    }
    prepared.tools = std::mem::take(&mut request.tools)
        .into_iter()
        .map(tool)
        .collect::<Result<_, _>>()?;
    prepared.temperature = request.temperature;
    prepared.max_tokens = request.max_tokens.map(u64::from);
    Ok(with_parameters(prepared, request, form))
}

/// The conversation, oldest first.
fn history(messages: Vec<ModelMessage>, form: &RequestForm) -> Result<Vec<Message>, ModelError> {
    let images = form.images;
    // The list of a long chat has its room at once, with that of the instructions: what it would leave behind as it grows is
    // as much as the chat.
    let mut history = Vec::with_capacity(messages.len() + 1);
    // The vendor's identity of the calls that wait for their results, by ours.
    let mut ids: HashMap<String, CallId> = HashMap::new();
    let mut short = ShortIds::default();
    for message in messages {
        match message {
            ModelMessage::User { text } => history.push(user(UserContent::Text(Text::new(text)))),
            ModelMessage::UserParts { parts } => history.push(Message::User {
                content: parts.into_iter().map(|part| user_part(part, images)).collect(),
            }),
            ModelMessage::Assistant {
                native: Some(native), ..
            } => {
                ids = native.call_ids();
                history.push(Message::Assistant(native.into_message()));
            }
            ModelMessage::Assistant { text, calls, .. } => {
                let calls = calls.into_iter().map(|call| short.of_call(call)).collect();
                ids.clear();
                history.extend(assistant(text, calls, form.signing_origin.as_ref())?);
            }
            ModelMessage::ToolResult {
                call,
                name,
                parts,
                failed,
            } => {
                let result = ToolResult {
                    call: match ids.get(&call) {
                        Some(id) => id.clone(),
                        None => CallId::from_wire(short.of(call)),
                    },
                    name: tool_name(name)?,
                    content: result_content(parts, images),
                    is_error: failed,
                };
                history.push(user(UserContent::ToolResult(result)));
            }
        }
    }
    Ok(history)
}

/// The ids of calls as they are sent, by what they are. The same conversation always has the same, so that the beginning
/// of a request stays the same.
#[derive(Default)]
struct ShortIds {
    by_id: HashMap<String, String>,
    taken: HashSet<String>,
}

impl ShortIds {
    fn of_call(&mut self, call: ModelCall) -> ModelCall {
        ModelCall {
            id: self.of(call.id),
            ..call
        }
    }

    /// The id itself where it is short enough and stands for no longer one, or else its beginning with a number.
    fn of(&mut self, id: String) -> String {
        if let Some(short) = self.by_id.get(&id) {
            return short.clone();
        }
        let mut short: String = id.chars().take(LONGEST_ID).collect();
        let mut number = 1;
        while !self.taken.insert(short.clone()) {
            number += 1;
            let ending = format!("-{number}");
            short = id.chars().take(LONGEST_ID - ending.len()).collect::<String>() + &ending;
        }
        self.by_id.insert(id, short.clone());
        short
    }
}

/// Adds how long the reply may be, where the model stops and how long it thinks, as the interface takes it.
fn with_parameters(
    mut prepared: CompletionRequest,
    request: ModelRequest,
    form: &RequestForm,
) -> CompletionRequest {
    let mut extra = Map::new();
    if form.completion_limit
        && let Some(limit) = prepared.max_tokens.take()
    {
        extra.insert("max_completion_tokens".to_owned(), json!(limit));
    }
    if !request.stop.is_empty() && form.common {
        extra.insert("stop".to_owned(), json!(request.stop));
    } else if !request.stop.is_empty() {
        prepared = prepared.stop(request.stop).on_unsupported(OnUnsupported::Ignore);
    }
    if let Some(effort) = request.effort {
        // The library knows no levels of a model it does not know; most servers take these words.
        if form.gateway == Some(Wire::Responses) {
            extra.insert("reasoning".to_owned(), json!({ "effort": effort.word() }));
        } else if form.gateway.is_some() {
            extra.insert("reasoning_effort".to_owned(), json!(effort.word()));
        } else {
            prepared = prepared
                .reasoning(library_effort(effort))
                .on_unsupported(OnUnsupported::Ignore);
        }
    }
    if !extra.is_empty() {
        prepared.additional_params = Some(Value::Object(extra));
    }
    prepared
}

fn library_effort(effort: Effort) -> rig_core::completion::Effort {
    match effort {
        Effort::Low => rig_core::completion::Effort::Low,
        Effort::Medium => rig_core::completion::Effort::Medium,
        Effort::High => rig_core::completion::Effort::High,
    }
}

fn user(content: UserContent) -> Message {
    Message::User {
        content: vec![content],
    }
}

fn assistant(
    text: String,
    calls: Vec<ModelCall>,
    signing: Option<&Origin>,
) -> Result<Option<Message>, ModelError> {
    let mut content = Vec::with_capacity(usize::from(!text.is_empty()) + calls.len());
    if !text.is_empty() {
        content.push(AssistantContent::Text(Text::new(text)));
    }
    for (index, call) in calls.into_iter().enumerate() {
        let name = tool_name(call.name)?;
        let function = match call.arguments {
            CallArguments::Parsed(arguments) => ToolFunction::new(name, arguments.into()),
            CallArguments::Invalid { raw, .. } => ToolFunction::new(name, json!({ "invalid": raw })),
        };
        let call = AssistantContent::ToolCall(ToolCall::from_wire(call.id, function));
        // Of parallel calls the first carries the signature.
        content.push(if signing.is_some() && index == 0 {
            call.with_native(json!({
                "type": "function",
                "extra_content": { "google": { "thought_signature": UNSIGNED } },
            }))
        } else {
            call
        });
    }
    // A turn without words and calls says nothing, and endpoints refuse it.
    let turn = (!content.is_empty()).then(|| AssistantMessage::new(content));
    Ok(turn.map(|turn| Message::Assistant(turn.with_origin(signing.cloned()))))
}

/// The content of a result, which has one part at least.
fn result_content(parts: Vec<ResultPart>, images: bool) -> Vec<ToolResultContent> {
    if parts.is_empty() {
        return vec![text_part(String::new())];
    }
    parts.into_iter().map(|part| result_part(part, images)).collect()
}

fn result_part(part: ResultPart, images: bool) -> ToolResultContent {
    match part {
        ResultPart::Text(text) => text_part(text),
        ResultPart::Image { mime, base64 } => match image(&mime, base64, images) {
            Ok(image) => ToolResultContent::Image(image),
            Err(note) => text_part(note),
        },
    }
}

fn user_part(part: ResultPart, images: bool) -> UserContent {
    match part {
        ResultPart::Text(text) => UserContent::Text(Text::new(text)),
        ResultPart::Image { mime, base64 } => match image(&mime, base64, images) {
            Ok(image) => UserContent::Image(image),
            Err(note) => UserContent::Text(Text::new(note)),
        },
    }
}

/// An image for a model that takes it, or the note that stands in its place.
fn image(mime: &str, base64: String, images: bool) -> Result<Image, String> {
    match ImageMediaType::from_mime_type(mime) {
        Some(media_type) if images => Ok(Image {
            data: DocumentSourceKind::Base64(base64),
            media_type: Some(media_type),
            ..Image::default()
        }),
        _ => Err(format!(
            "[an image ({mime}) that the user can see and this model cannot]"
        )),
    }
}

fn text_part(text: String) -> ToolResultContent {
    ToolResultContent::Text(Text::new(text))
}

fn tool(spec: ToolSpec) -> Result<ToolDefinition, ModelError> {
    Ok(ToolDefinition::new(
        tool_name(spec.name)?,
        spec.description,
        spec.input_schema,
    ))
}

fn tool_name(name: String) -> Result<ToolName, ModelError> {
    ToolName::new(name).map_err(|_| unsendable("a tool has no name"))
}

fn unsendable(detail: &str) -> ModelError {
    ModelError::Unsendable {
        detail: detail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_and_told_apart() {
        let mut short = ShortIds::default();
        let long = "x".repeat(41);
        let cut = "x".repeat(40);
        for (id, sent) in [
            ("call_1", "call_1".to_owned()),
            (&long, cut.clone()),
            (&cut, format!("{}-2", "x".repeat(38))),
            (&format!("{long}y"), format!("{}-3", "x".repeat(38))),
            (&long, cut.clone()),
        ] {
            assert_eq!(short.of(id.to_owned()), sent);
            assert!(sent.len() <= LONGEST_ID);
        }
    }
}
