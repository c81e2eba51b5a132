//! How many tokens a request has, as estimated: its words and calls, with a little for the form of each part.

use vestibule_chat_tools::estimate::tokens;
use vestibule_models::{CallArguments, ModelCall, ModelMessage, ModelRequest, ResultPart, ToolSpec};

/// What the form of a message, a call or a tool takes beside its words, in tokens.
const FORM: u64 = 8;
/// What an image takes, in tokens: the most that vendors count for one they do not cut into tiles.
const IMAGE: u64 = 1_600;

/// The tokens of a request.
pub(super) fn request_tokens(request: &ModelRequest) -> u64 {
    let messages: u64 = request.messages.iter().map(message_tokens).sum();
    fixed_tokens(request) + messages
}

/// The tokens of a request without its messages.
pub(super) fn fixed_tokens(request: &ModelRequest) -> u64 {
    let system = request.system.as_deref().map_or(0, tokens);
    let tools: u64 = request.tools.iter().map(tool_tokens).sum();
    system + tools + FORM
}

/// The tokens of one message.
pub(super) fn message_tokens(message: &ModelMessage) -> u64 {
    let words = match message {
        ModelMessage::User { text } => tokens(text),
        ModelMessage::UserParts { parts } | ModelMessage::ToolResult { parts, .. } => {
            parts.iter().map(part_tokens).sum()
        }
        ModelMessage::Assistant { text, calls, native } => {
            let calls: u64 = calls.iter().map(call_tokens).sum();
            // With what the model thought, which goes back to it too.
            let native = native.as_ref().map(|reply| tokens(&reply.to_json().to_string()));
            (tokens(text) + calls).max(native.unwrap_or(0))
        }
    };
    words + FORM
}

/// The tokens of so many pictures.
pub(super) fn pictures_tokens(count: usize) -> u64 {
    IMAGE.saturating_mul(u64::try_from(count).unwrap_or(u64::MAX))
}

fn part_tokens(part: &ResultPart) -> u64 {
    match part {
        ResultPart::Text(text) => tokens(text),
        ResultPart::Image { .. } => IMAGE,
    }
}

/// The tokens of a call, with its place in the message.
pub(super) fn call_tokens(call: &ModelCall) -> u64 {
    let arguments = match &call.arguments {
        CallArguments::Parsed(arguments) => tokens(&serde_json::json!(arguments).to_string()),
        CallArguments::Invalid { raw, .. } => tokens(raw),
    };
    tokens(&call.id) + tokens(&call.name) + arguments + FORM
}

/// The tokens of a definition.
pub(super) fn tool_tokens(tool: &ToolSpec) -> u64 {
    tokens(&tool.name) + tokens(&tool.description) + tokens(&tool.input_schema.to_string()) + FORM
}
