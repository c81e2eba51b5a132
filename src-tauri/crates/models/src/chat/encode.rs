//! Our request in the wire library's words.
//!
//! Nothing is added to what the caller gave. A call that arrived garbled is sent back as the text it was, so that the
//! model sees its own mistake, and an image the model cannot take becomes a note that says so.

use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::message::{
    AssistantContent, AssistantMessage, CallId, DocumentSourceKind, Image, ImageMediaType, Message, MimeType,
    Text, ToolCall, ToolChoice, ToolFunction, ToolName, ToolResult, ToolResultContent, UserContent,
};

use crate::{
    CallArguments, ModelCall, ModelError, ModelMessage, ModelRequest, ResultPart, ToolSpec, ToolUse,
};

/// The request as the library sends it, or [`ModelError::Unsendable`].
pub(super) fn request(request: ModelRequest, images: bool) -> Result<CompletionRequest, ModelError> {
    let mut history = Vec::new();
    for message in request.messages {
        match message {
            ModelMessage::User { text } => history.push(user(UserContent::Text(Text::new(text)))),
            ModelMessage::UserParts { parts } => history.push(Message::User {
                content: parts.into_iter().map(|part| user_part(part, images)).collect(),
            }),
            ModelMessage::Assistant { text, calls } => history.extend(assistant(text, calls)?),
            ModelMessage::ToolResult {
                call,
                name,
                parts,
                failed,
            } => {
                let content = parts
                    .into_iter()
                    .map(|part| result_part(part, images))
                    .collect::<Vec<_>>();
                let content = if content.is_empty() {
                    vec![text_part(String::new())]
                } else {
                    content
                };
                let result = ToolResult {
                    call: CallId::from_wire(call),
                    name: tool_name(name)?,
                    content,
                    is_error: failed,
                };
                history.push(user(UserContent::ToolResult(result)));
            }
        }
    }
    let last = history
        .pop()
        .ok_or_else(|| unsendable("the conversation is empty"))?;
    let mut prepared = CompletionRequest::new(last).messages(history);
    if let Some(system) = request.system.filter(|system| !system.is_empty()) {
        prepared = prepared.preamble(system);
    }
    if !request.tools.is_empty() {
        prepared = match request.tool_use {
            ToolUse::Auto => prepared,
            ToolUse::Required => prepared.tool_choice(ToolChoice::Required),
            ToolUse::Never => prepared.tool_choice(ToolChoice::None),
        };
    }
    prepared.temperature = request.temperature;
    if !request.stop.is_empty() {
        prepared.additional_params = Some(serde_json::json!({ "stop": request.stop }));
    }
    prepared.tools = request.tools.into_iter().map(tool).collect::<Result<_, _>>()?;
    prepared.max_tokens = request.max_tokens.map(u64::from);
    Ok(prepared)
}

fn user(content: UserContent) -> Message {
    Message::User {
        content: vec![content],
    }
}

fn assistant(text: String, calls: Vec<ModelCall>) -> Result<Option<Message>, ModelError> {
    let mut content = Vec::new();
    if !text.is_empty() {
        content.push(AssistantContent::Text(Text::new(text)));
    }
    for call in calls {
        let name = tool_name(call.name)?;
        let function = match call.arguments {
            CallArguments::Parsed(arguments) => ToolFunction::new(name, arguments.into()),
            CallArguments::Invalid { raw, .. } => {
                ToolFunction::new(name, serde_json::json!({ "invalid": raw }))
            }
        };
        content.push(AssistantContent::ToolCall(ToolCall::from_wire(call.id, function)));
    }
    // A turn without words and calls says nothing, and endpoints refuse it.
    Ok((!content.is_empty()).then(|| Message::Assistant(AssistantMessage::new(content))))
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
