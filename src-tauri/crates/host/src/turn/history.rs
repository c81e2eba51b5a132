//! Turns the entries of a chat into the messages that its model reads, with each call answered in words it can act on.
//! Server text is marked as the server's wherever it stands.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use vestibule_models::{CallArguments, ModelCall, ModelMessage, NativeReply, ResultPart};
use vestibule_protocol::EntryId;

use super::left_out::{self, LeftOut};
use crate::view::{
    AttachmentView, BuiltInCall, BuiltInOutcome, CallBody, CallState, EntryBody, EntryView, RefusedBy,
    TextState, sendable_tool_name,
};
use vestibule_chat_tools::for_model;

/// What the model reads after an answer that a limit of tokens ended, where it is to continue it. A message of the user,
/// because most vendors refuse a chat that ends with the model's own words.
const CONTINUE: &str = "Your answer was ended by a limit on its length. Continue it exactly where it ended, without \
                        repeating anything.";

/// Entries as the model reads them, without what is left out; `natives` are its own replies in its vendor's form, by
/// entry.
pub(super) fn messages(
    entries: &[Arc<EntryView>],
    natives: &HashMap<EntryId, NativeReply>,
    left_out: &LeftOut,
) -> Vec<ModelMessage> {
    // Room for a chat of messages, answers and calls in equal parts. A list that grows leaves behind as much memory as it has.
    let mut messages: Vec<ModelMessage> = Vec::with_capacity(entries.len() * 3 / 2);
    let mut results = vec![];
    // Whether the last words are those of an answer that is to be continued.
    let mut is_open = false;
    for entry in entries {
        match &entry.body {
            EntryBody::Call(call) => {
                push_call(&mut messages, as_called(call), &call.called_as);
                results.push(match left_out.has(entry.id) {
                    true => result_without(&call.call, &call.called_as, left_out::result(call, entry.id)),
                    false => result(call, entry.id),
                });
            }
            EntryBody::BuiltInCall(call) => {
                push_call(&mut messages, as_called_built_in(call), call.tool.name());
                results.push(match left_out.has(entry.id) {
                    true => result_without(&call.call, call.tool.name(), left_out::built_in_result(call)),
                    false => built_in_result(call),
                });
            }
            EntryBody::User { text, attachments } => {
                messages.append(&mut results);
                messages.push(user_message(text, attachments));
                is_open = false;
            }
            EntryBody::Assistant { text, state, .. } => {
                messages.append(&mut results);
                // A reply that broke off is tried again as a whole.
                if *state != TextState::Interrupted {
                    messages.extend(is_open.then(go_on));
                    is_open = *state == TextState::Length;
                    messages.push(match left_out.has(entry.id) {
                        true => words(left_out::WORDS, None),
                        false => words(text, natives.get(&entry.id).cloned()),
                    });
                }
            }
            EntryBody::ToolsLeftOut { .. } | EntryBody::Compaction(_) | EntryBody::Failure { .. } => {
                messages.append(&mut results);
            }
        }
    }
    messages.append(&mut results);
    messages.extend(is_open.then(go_on));
    // Whatever its vendor's form holds: a turn of thoughts alone is refused, and what a model says is in the text too.
    messages.retain(|message| {
        let silent = |text: &str, calls: &[ModelCall]| text.trim().is_empty() && calls.is_empty();
        !matches!(message, ModelMessage::Assistant { text, calls, .. } if silent(text, calls))
    });
    messages
}

fn words(text: &str, native: Option<NativeReply>) -> ModelMessage {
    ModelMessage::Assistant {
        text: text.to_owned(),
        calls: vec![],
        native,
    }
}

/// A call whose result is left out, for which a sentence stands.
fn result_without(call: &str, name: &str, sentence: String) -> ModelMessage {
    ModelMessage::ToolResult {
        call: call.to_owned(),
        name: sendable_tool_name(name).into_owned(),
        parts: vec![ResultPart::Text(sentence)],
        failed: false,
    }
}

fn go_on() -> ModelMessage {
    ModelMessage::User {
        text: CONTINUE.to_owned(),
    }
}

/// The user's words, with what they attached after them.
fn user_message(text: &str, attachments: &[AttachmentView]) -> ModelMessage {
    if attachments.is_empty() {
        return ModelMessage::User {
            text: text.to_owned(),
        };
    }
    let words = (!text.is_empty()).then(|| ResultPart::Text(text.to_owned()));
    let attached = attachments.iter().flat_map(for_model::attachment);
    ModelMessage::UserParts {
        parts: words.into_iter().chain(attached).collect(),
    }
}

/// Adds a call to the words before it. A call without them, as a damaged transcript may have it, gets empty ones. A reply
/// in its vendor's form has the name that the model wrote, so it is not sent where the vendor refuses that name.
fn push_call(messages: &mut Vec<ModelMessage>, call: ModelCall, written: &str) {
    if let Some(ModelMessage::Assistant { calls, native, .. }) = messages.last_mut() {
        if call.name != written {
            *native = None;
        }
        // Most answers have one call.
        calls.reserve_exact(1);
        calls.push(call);
        return;
    }
    messages.push(ModelMessage::Assistant {
        text: String::new(),
        calls: vec![call],
        native: None,
    });
}

fn as_called_built_in(call: &BuiltInCall) -> ModelCall {
    ModelCall {
        id: call.call.clone(),
        name: call.tool.name().to_owned(),
        arguments: CallArguments::Parsed(call.arguments.clone()),
    }
}

fn built_in_result(call: &BuiltInCall) -> ModelMessage {
    let text = match &call.outcome {
        BuiltInOutcome::Read { text, .. } => format!("{}\n{text}", call.words),
        BuiltInOutcome::Found { .. } | BuiltInOutcome::Refused => call.words.clone(),
    };
    ModelMessage::ToolResult {
        call: call.call.clone(),
        name: call.tool.name().to_owned(),
        parts: vec![ResultPart::Text(text)],
        failed: call.outcome == BuiltInOutcome::Refused,
    }
}

fn as_called(call: &CallBody) -> ModelCall {
    ModelCall {
        id: call.call.clone(),
        name: sendable_tool_name(&call.called_as).into_owned(),
        arguments: CallArguments::Parsed(call.arguments.clone()),
    }
}

fn result(call: &CallBody, entry: EntryId) -> ModelMessage {
    let words = |text: String| vec![ResultPart::Text(text)];
    let (mut parts, failed) = match &call.state {
        CallState::Answered { result, .. } => (for_model::result(result, entry), result.failed),
        CallState::Failed { problem } => (words(format!("The call failed: {problem}.")), true),
        CallState::Refused { by, reason } => (words(refusal(*by, reason.as_deref())), true),
        CallState::Cancelled { sent: true } => (
            words(
                "The user stopped waiting for this call. The server already had it; whether it took effect is not \
                 known."
                    .into(),
            ),
            true,
        ),
        CallState::Cancelled { sent: false } | CallState::Interrupted { sent: false } => (
            words("The call was stopped before it was sent; nothing happened.".into()),
            true,
        ),
        CallState::Task { .. } => (
            words("The server still works on this call as a task; its result is not there yet.".into()),
            false,
        ),
        CallState::Deciding
        | CallState::Waiting { .. }
        | CallState::Running { .. }
        | CallState::Interrupted { sent: true } => (
            words("The call was interrupted; whether it took effect is not known.".into()),
            true,
        ),
    };
    if call.edited {
        let sent = Value::Object(call.arguments.clone());
        parts.insert(
            0,
            ResultPart::Text(format!(
                "[the user changed the arguments before the call to {sent}]"
            )),
        );
    }
    ModelMessage::ToolResult {
        call: call.call.clone(),
        name: sendable_tool_name(&call.called_as).into_owned(),
        parts,
        failed,
    }
}

fn refusal(by: RefusedBy, reason: Option<&str>) -> String {
    match (by, reason.map(str::trim).filter(|words| !words.is_empty())) {
        (RefusedBy::Person, Some(words)) => format!("The user denied this call and says: {words}"),
        (RefusedBy::Person, None) => "The user denied this call.".into(),
        (RefusedBy::NotNow, _) => "This call was skipped by the user, without a decision.".into(),
        (RefusedBy::NotAsked, _) => {
            "This call was denied without asking the user, because too many questions of this server wait."
                .into()
        }
        (RefusedBy::Muted, _) => {
            "The user has muted questions of this server, so this call was denied. Do not try it again."
                .into()
        }
        (RefusedBy::Rule, _) => "A rule of the user denied this call.".into(),
        (RefusedBy::Held, _) => {
            "This call was denied: the tool has changed since the user accepted it and waits for them.".into()
        }
    }
}

#[cfg(test)]
mod tests;
