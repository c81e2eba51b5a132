//! A reply in our words: text and reasoning as they come, calls at the end.
//!
//! Calls are held back until the whole reply has arrived, so that a reply which is cut or fails never hands out a
//! call. A call whose arguments are not one complete object comes out as [`CallArguments::Invalid`], never as what
//! could be salvaged of it.

use std::collections::{BTreeMap, HashSet, VecDeque};

use futures::StreamExt;
use rig_core::completion::{CompletionResponse, FinishReason as WireFinish};
use rig_core::message::{AssistantContent, Message, ToolCall};
use rig_core::streaming::{CompletionStream, Item, PartKind, StreamEvent};

use super::failure;
use crate::egress::ModelEgress;
use crate::nesting::Nesting;
use crate::{
    CallArguments, FinishReason, ModelCall, ModelError, ModelEvent, ModelStream, NativeReply, Usage,
};

/// The most parts (text runs, calls) of one reply.
const MOST_PARTS: usize = 512;
/// The most bytes of one call's arguments.
const LONGEST_ARGUMENTS: usize = 1024 * 1024;
/// The deepest nesting of arguments; the JSON parser stops there as well.
const DEEPEST_ARGUMENTS: usize = 128;
/// The most bytes kept of arguments that cannot be used.
const LONGEST_RAW: usize = 64 * 1024;

/// The events of `reply`. The stream ends with the finish or the first error.
pub(super) fn events(reply: CompletionStream, egress: ModelEgress) -> ModelStream {
    let reading = ReplyReader {
        parts: 0,
        calls: BTreeMap::new(),
    };
    let state = DecodeState::Reading(reply, reading);
    Box::pin(futures::stream::unfold(
        (state, egress),
        |(state, egress)| async move {
            let (item, state) = step(state, &egress).await?;
            Some((item, (state, egress)))
        },
    ))
}

enum DecodeState {
    Reading(CompletionStream, ReplyReader),
    Ending(VecDeque<ModelEvent>),
}

struct ReplyReader {
    parts: usize,
    calls: BTreeMap<usize, OpenCall>,
}

#[derive(Default)]
struct OpenCall {
    arguments: usize,
    nesting: Nesting,
    ended: Option<ToolCall>,
}

async fn step(
    state: DecodeState,
    egress: &ModelEgress,
) -> Option<(Result<ModelEvent, ModelError>, DecodeState)> {
    let over = || DecodeState::Ending(VecDeque::new());
    let (mut reply, mut reading) = match state {
        DecodeState::Ending(mut events) => {
            return events
                .pop_front()
                .map(|event| (Ok(event), DecodeState::Ending(events)));
        }
        DecodeState::Reading(reply, reading) => (reply, reading),
    };
    loop {
        match reply.next().await {
            Some(Ok(Item::Event(event))) => match reading.handle_event(event) {
                Ok(None) => {}
                Ok(Some(event)) => return Some((Ok(event), DecodeState::Reading(reply, reading))),
                Err(error) => return Some((Err(error), over())),
            },
            // A frame the protocol does not describe carries no part of the answer.
            Some(Ok(Item::Unknown(_))) => {}
            Some(Err(error)) => return Some((Err(failure::model_error(egress, &error)), over())),
            None => break,
        }
    }
    match reply.finish().await {
        Ok(response) if reading.parts == 0 && is_foreign(&response) => {
            let error = malformed("nothing in the reply is what this interface describes");
            Some((Err(error), over()))
        }
        Ok(response) => {
            let mut events = reading.finish(&response);
            events
                .pop_front()
                .map(|first| (Ok(first), DecodeState::Ending(events)))
        }
        Err(error) => Some((Err(failure::model_error(egress, &error)), over())),
    }
}

impl ReplyReader {
    /// Takes one event in; returns what can be shown already.
    fn handle_event(&mut self, event: StreamEvent) -> Result<Option<ModelEvent>, ModelError> {
        match event {
            StreamEvent::Text { text, .. } => return Ok(Some(ModelEvent::Text(text))),
            StreamEvent::Reasoning { text, .. } => return Ok(Some(ModelEvent::Reasoning(text))),
            StreamEvent::Start { part, kind, .. } => {
                self.parts += 1;
                if self.parts > MOST_PARTS {
                    return Err(malformed("the reply has too many parts"));
                }
                if kind == PartKind::ToolCall {
                    self.calls.insert(part.index(), OpenCall::default());
                }
            }
            StreamEvent::Arguments { part, json } => {
                self.calls.entry(part.index()).or_default().grow(&json)?;
            }
            StreamEvent::End {
                part,
                content: AssistantContent::ToolCall(call),
            } => {
                self.calls.entry(part.index()).or_default().ended = Some(call);
            }
            StreamEvent::End { .. } => {}
        }
        Ok(None)
    }

    fn finish(self, response: &CompletionResponse) -> VecDeque<ModelEvent> {
        let reason = response.finish_reason().map(usual);
        let cut = reason == Some(WireFinish::Length);
        let mut ids = HashSet::new();
        let mut calls = Vec::new();
        for open in self.calls.into_values() {
            if let Some(call) = open.ended {
                // The library reads arguments that never began as an empty object.
                let unstarted = cut && call.function.arguments.is_empty();
                calls.push(model_call(call, unstarted, &mut ids));
            }
        }
        let called = !calls.is_empty();
        let native = native(response, &calls);
        let mut events: VecDeque<_> = calls.into_iter().map(ModelEvent::Call).collect();
        events.extend(native.map(|native| ModelEvent::Native(Box::new(native))));
        events.extend(usage(response).map(ModelEvent::Usage));
        events.push_back(ModelEvent::Finished(finish(reason, called)));
        events
    }
}

impl OpenCall {
    fn grow(&mut self, fragment: &str) -> Result<(), ModelError> {
        self.arguments += fragment.len();
        if self.arguments > LONGEST_ARGUMENTS {
            return Err(ModelError::TooLarge {
                limit: LONGEST_ARGUMENTS,
            });
        }
        if self.nesting.after(fragment) > DEEPEST_ARGUMENTS {
            return Err(malformed("the arguments of a call are nested too deeply"));
        }
        Ok(())
    }
}

/// Whether a reply without content is that of another interface. Chat Completions ends its stream the way Responses
/// does.
fn is_foreign(response: &CompletionResponse) -> bool {
    let kind = response.raw.get("object").and_then(serde_json::Value::as_str);
    response.origin.api.as_str() == "openai.responses" && kind != Some("response")
}

/// The reply in the vendor's form, with `calls` as the calls that were handed out.
fn native(response: &CompletionResponse, calls: &[ModelCall]) -> Option<NativeReply> {
    let Some(Message::Assistant(message)) = response.message() else {
        return None;
    };
    NativeReply::new(calls.iter().map(|call| call.id.clone()).collect(), message)
}

fn usage(response: &CompletionResponse) -> Option<Usage> {
    let counted = &response.usage;
    Some(Usage {
        input: counted.input_tokens?,
        output: counted.output_tokens?,
        cached: counted.cached_input_tokens.unwrap_or(0),
        cache_written: counted.cache_creation_input_tokens.unwrap_or(0),
    })
}

fn model_call(call: ToolCall, unstarted: bool, ids: &mut HashSet<String>) -> ModelCall {
    let function = call.function;
    let arguments = match function.invalid_arguments {
        Some(raw) => CallArguments::Invalid {
            raw: shortened(raw),
            reason: "the arguments are not one complete JSON object".to_owned(),
        },
        None if unstarted => CallArguments::Invalid {
            raw: String::new(),
            reason: "the reply was cut before the arguments".to_owned(),
        },
        None => CallArguments::Parsed(function.arguments),
    };
    ModelCall {
        id: unique(call.id.wire().into_owned(), ids),
        name: function.name.into(),
        arguments,
    }
}

/// Some endpoints give every call the same id; a result must still find its call.
fn unique(id: String, ids: &mut HashSet<String>) -> String {
    let mut candidate = id.clone();
    let mut number = 2;
    while !ids.insert(candidate.clone()) {
        candidate = format!("{id}-{number}");
        number += 1;
    }
    candidate
}

fn shortened(mut raw: String) -> String {
    raw.truncate(raw.floor_char_boundary(LONGEST_RAW));
    raw
}

/// The usual reason where a server has another word for it that the library does not list. Every other unlisted word
/// stays, because most of them are failures.
fn usual(reason: WireFinish) -> WireFinish {
    let WireFinish::Other(word) = &reason else {
        return reason;
    };
    match word.to_ascii_lowercase().as_str() {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" | "complete" | "completed" => {
            WireFinish::Stop
        }
        "function_call" | "function_calls" | "tool_call" | "tool_calls" | "tool_use" => WireFinish::ToolCalls,
        "length" | "max_tokens" | "max_output_tokens" => WireFinish::Length,
        "content_filter" | "safety" => WireFinish::ContentFilter,
        _ => reason,
    }
}

fn finish(reason: Option<WireFinish>, called: bool) -> FinishReason {
    match reason {
        Some(WireFinish::Stop | WireFinish::ToolCalls) | None if called => FinishReason::ToolCalls,
        Some(WireFinish::Stop | WireFinish::ToolCalls) | None => FinishReason::Stop,
        Some(WireFinish::Length) => FinishReason::Length,
        Some(WireFinish::ContentFilter) => FinishReason::Filtered,
        Some(WireFinish::Other(word)) => FinishReason::Other(word.chars().take(100).collect()),
        // The library may learn new reasons; an unknown one is never a reason to run a call.
        Some(_) => FinishReason::Other("unknown".to_owned()),
    }
}

fn malformed(detail: &str) -> ModelError {
    ModelError::Malformed {
        detail: detail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_own_word_for_a_usual_end_is_no_failure() {
        let ended = |word: &str| finish(Some(usual(WireFinish::Other(word.to_owned()))), true);
        for word in ["FUNCTION_CALL", "tool_use", "STOP", "eos_token"] {
            assert_eq!(ended(word), FinishReason::ToolCalls, "{word}");
        }
        assert_eq!(ended("MAX_TOKENS"), FinishReason::Length);
        for word in [
            "MALFORMED_FUNCTION_CALL",
            "UNEXPECTED_TOOL_CALL",
            "RECITATION",
            "insufficient_system_resource",
        ] {
            assert_eq!(ended(word), FinishReason::Other(word.to_owned()));
        }
    }

    #[test]
    fn calls_with_the_same_id_are_told_apart() {
        let mut ids = HashSet::new();
        let given = ["a", "a", "a-2"].map(|id| unique(id.to_owned(), &mut ids));
        assert_eq!(given, ["a", "a-2", "a-2-2"]);
    }
}
