//! From a server's messages to a model request, and from the model's reply to the server's result.
//! Nothing of any chat is added.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vestibule_consent::{PromptEdit, SampleBlock, SampleMessage, SampleReply, SampleTool, SampleToolUse};
use vestibule_models::{
    CallArguments, FinishReason, ModelCall, ModelMessage, ModelRequest, ResultPart, ToolSpec, ToolUse,
};
use vestibule_protocol::mcp::Role;

use super::tool_names::SamplingToolNames;

/// How the model is to answer, as the server wants it.
pub(crate) struct Manner {
    /// Whether it calls tools.
    pub(crate) tool_use: SampleToolUse,
    /// How freely it chooses its words.
    pub(crate) temperature: Option<f64>,
    pub(crate) stop: Vec<String>,
}

/// The request to the model.
pub(crate) fn request(edit: &PromptEdit, tools: &[SampleTool], manner: &Manner) -> ModelRequest {
    let names = SamplingToolNames::from_tools(tools);
    let mut called = BTreeMap::new();
    let of = |message: &SampleMessage| messages(message, &names, &mut called);
    ModelRequest {
        effort: None,
        system: edit.system.clone(),
        messages: edit.messages.iter().flat_map(of).collect(),
        tools: tools.iter().map(|tool| tool_spec(tool, &names)).collect(),
        tool_use: match manner.tool_use {
            SampleToolUse::Auto => ToolUse::Auto,
            SampleToolUse::Required => ToolUse::Required,
            SampleToolUse::None => ToolUse::Never,
        },
        max_tokens: Some(edit.max_tokens),
        temperature: manner.temperature,
        stop: manner.stop.clone(),
    }
}

fn tool_spec(tool: &SampleTool, names: &SamplingToolNames) -> ToolSpec {
    ToolSpec {
        name: names.model_name_of(&tool.name),
        description: tool.description.clone().unwrap_or_default(),
        input_schema: tool.input_schema.clone(),
    }
}

/// One turn; each result of a tool is a message of its own, as providers have it.
fn messages(
    message: &SampleMessage,
    names: &SamplingToolNames,
    called: &mut BTreeMap<String, String>,
) -> Vec<ModelMessage> {
    let results = message
        .blocks
        .iter()
        .filter_map(|block| tool_result(block, called));
    let results: Vec<ModelMessage> = results.collect();
    if !results.is_empty() {
        return results;
    }
    match message.role {
        Role::User => vec![user(&message.blocks)],
        Role::Assistant => vec![assistant(&message.blocks, names, called)],
    }
}

/// The result of a tool, under the name that `called` has for its id.
fn tool_result(block: &SampleBlock, called: &BTreeMap<String, String>) -> Option<ModelMessage> {
    let SampleBlock::ToolResult {
        id,
        blocks,
        structured,
        failed,
    } = block
    else {
        return None;
    };
    Some(ModelMessage::ToolResult {
        call: id.clone(),
        name: called.get(id).cloned().unwrap_or_else(|| "tool".into()),
        parts: match (blocks.is_empty(), structured) {
            (true, Some(data)) => vec![ResultPart::Text(data.to_string())],
            _ => blocks.iter().map(part).collect(),
        },
        failed: *failed,
    })
}

fn user(blocks: &[SampleBlock]) -> ModelMessage {
    match blocks {
        [SampleBlock::Text { text }] => ModelMessage::User { text: text.clone() },
        blocks => ModelMessage::UserParts {
            parts: blocks.iter().map(part).collect(),
        },
    }
}

fn assistant(
    blocks: &[SampleBlock],
    names: &SamplingToolNames,
    called: &mut BTreeMap<String, String>,
) -> ModelMessage {
    let text: Vec<String> = blocks.iter().filter_map(words).collect();
    let calls = blocks.iter().filter_map(|block| model_call(block, names));
    let calls: Vec<ModelCall> = calls.collect();
    called.extend(calls.iter().map(|call| (call.id.clone(), call.name.clone())));
    ModelMessage::Assistant {
        text: text.join("\n"),
        calls,
        native: None,
    }
}

/// The words of a block that is no use of a tool.
fn words(block: &SampleBlock) -> Option<String> {
    match block {
        SampleBlock::ToolUse { .. } => None,
        SampleBlock::Text { text } => Some(text.clone()),
        other => Some(match part(other) {
            ResultPart::Text(note) => note,
            ResultPart::Image { mime, .. } => format!("[an image ({mime})]"),
        }),
    }
}

/// The use of a tool under the model's name for it.
fn model_call(block: &SampleBlock, names: &SamplingToolNames) -> Option<ModelCall> {
    let SampleBlock::ToolUse { id, name, input } = block else {
        return None;
    };
    Some(ModelCall {
        id: id.clone(),
        name: names.model_name_of(name),
        arguments: CallArguments::Parsed(input.clone()),
    })
}

fn part(block: &SampleBlock) -> ResultPart {
    match block {
        SampleBlock::Text { text } => ResultPart::Text(text.clone()),
        SampleBlock::Image { mime, base64 } => ResultPart::Image {
            mime: mime.clone(),
            base64: base64.clone(),
        },
        SampleBlock::Audio { mime, .. } => {
            ResultPart::Text(format!("[a sound ({mime}) that this model cannot hear]"))
        }
        SampleBlock::ToolUse { name, .. } => ResultPart::Text(format!("[a use of {name}]")),
        SampleBlock::ToolResult { .. } => ResultPart::Text("[a result]".into()),
    }
}

/// The protocol's word for why a reply ended.
pub(crate) fn stop_reason(reason: &FinishReason, calls: bool) -> String {
    match reason {
        _ if calls => "toolUse".into(),
        FinishReason::Stop | FinishReason::ToolCalls => "endTurn".into(),
        FinishReason::Length => "maxTokens".into(),
        FinishReason::Filtered => "content_filter".into(),
        FinishReason::Other(word) => word.clone(),
    }
}

/// The result for the server. `lists` says whether its revision knows several blocks.
pub(crate) fn reply(reply: &SampleReply, blocks: &[SampleBlock], lists: bool) -> Value {
    let uses = blocks
        .iter()
        .any(|block| matches!(block, SampleBlock::ToolUse { .. }));
    let content = match blocks {
        // Up to 2025-06-18 there is one block, and no tools that could ask for more.
        blocks if !lists => json!({ "type": "text", "text": joined_text(blocks) }),
        [only] if !uses => content(only),
        blocks => Value::Array(blocks.iter().map(content).collect()),
    };
    let stop_reason = match (uses, reply.stop_reason.as_str()) {
        // The user may have taken the uses out.
        (false, "toolUse") => "endTurn",
        (_, reason) => reason,
    };
    json!({ "role": "assistant", "content": content, "model": reply.model, "stopReason": stop_reason })
}

fn content(block: &SampleBlock) -> Value {
    match block {
        SampleBlock::ToolUse { id, name, input } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
        SampleBlock::Text { text } => json!({ "type": "text", "text": text }),
        other => json!({ "type": "text", "text": format!("{other:?}") }),
    }
}

fn joined_text(blocks: &[SampleBlock]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        SampleBlock::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What is wrong with a reply the user changed.
///
/// # Errors
/// The reason, for the card.
pub(crate) fn check_reply(blocks: &[SampleBlock], shown: &[SampleBlock]) -> Result<(), String> {
    if blocks.is_empty() {
        return Err("nothing is left to send".into());
    }
    for block in blocks {
        let known = match block {
            SampleBlock::Text { .. } => true,
            SampleBlock::ToolUse { id, name, .. } => shown.iter().any(
                |shown| matches!(shown, SampleBlock::ToolUse { id: i, name: n, .. } if i == id && n == name),
            ),
            _ => false,
        };
        if !known {
            return Err("only the model's words and tool uses can be sent".into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use vestibule_protocol::ModelId;

    use super::*;
    use crate::sampling::tool_names::tests::tool;

    fn text(text: &str) -> SampleBlock {
        SampleBlock::Text { text: text.into() }
    }

    fn uses(id: &str, name: &str) -> SampleBlock {
        SampleBlock::ToolUse {
            id: id.into(),
            name: name.into(),
            input: Map::new(),
        }
    }

    fn said(blocks: Vec<SampleBlock>, stop_reason: &str) -> SampleReply {
        SampleReply {
            model: "m".into(),
            scripted: false,
            blocks,
            stop_reason: stop_reason.into(),
            input_tokens: 1,
            output_tokens: 1,
            estimated: false,
            cost: None,
            currency: vestibule_app_protocol::Currency::DOLLAR,
        }
    }

    /// SA-013, SA-029: the server's tools reach the model under names a provider takes, and results as messages of
    /// their own.
    #[test]
    fn a_tool_loop_is_told_as_providers_have_it() {
        let message = |role, blocks| SampleMessage { role, blocks };
        let result = |id: &str| SampleBlock::ToolResult {
            id: id.into(),
            blocks: vec![],
            structured: Some(json!({ "c": 8 })),
            failed: false,
        };
        let edit = PromptEdit {
            system: Some("Be brief.".into()),
            messages: vec![
                message(Role::User, vec![text("weather?")]),
                message(
                    Role::Assistant,
                    vec![text("Let me see."), uses("u1", "wx.now"), uses("u2", "wx/now")],
                ),
                message(Role::User, vec![result("u1"), result("u2")]),
            ],
            model: ModelId::new(),
            max_tokens: 50,
        };
        let told = request(
            &edit,
            &[tool("wx.now"), tool("wx/now")],
            &Manner {
                tool_use: SampleToolUse::Required,
                temperature: Some(0.1),
                stop: vec!["END".into()],
            },
        );
        assert_eq!(told.stop, ["END"]);
        let names: Vec<_> = told.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["wx_now", "wx_now_2"]);
        assert_eq!((told.max_tokens, told.temperature), (Some(50), Some(0.1)));
        assert_eq!(told.tool_use, ToolUse::Required);
        assert_eq!(told.messages.len(), 4);
        let ModelMessage::ToolResult {
            call, name, parts, ..
        } = &told.messages[3]
        else {
            panic!("{:?}", told.messages[3]);
        };
        assert_eq!((call.as_str(), name.as_str()), ("u2", "wx_now_2"));
        assert_eq!(*parts, [ResultPart::Text("{\"c\":8}".into())]);
    }

    /// SA-019, SA-020, SA-030: one block for older revisions, a list where there are several or tools.
    #[test]
    fn each_revision_gets_the_shape_it_knows() {
        let one = said(vec![text("hi")], "endTurn");
        assert_eq!(
            reply(&one, &one.blocks, true),
            json!({ "role": "assistant", "content": { "type": "text", "text": "hi" }, "model": "m", "stopReason": "endTurn" })
        );
        let several = said(vec![text("hi"), uses("u1", "wx")], "toolUse");
        let told = reply(&several, &several.blocks, true);
        assert_eq!(
            told["content"][1],
            json!({ "type": "tool_use", "id": "u1", "name": "wx", "input": {} })
        );
        assert_eq!(told["stopReason"], "toolUse");
        let two = [text("a"), text("b")];
        let older = reply(&said(two.to_vec(), "maxTokens"), &two, false);
        assert_eq!(older["content"], json!({ "type": "text", "text": "a\nb" }));
        assert_eq!(older["stopReason"], "maxTokens");
    }

    #[test]
    fn a_use_that_was_taken_out_is_not_a_reason_to_wait_for_it() {
        let several = said(vec![text("hi"), uses("u1", "wx")], "toolUse");
        let told = reply(&several, &several.blocks[..1], true);
        assert_eq!(told["stopReason"], "endTurn");
    }

    #[test]
    fn a_person_can_take_away_and_not_invent_tool_uses() {
        let shown = [text("hi"), uses("u1", "wx")];
        assert_eq!(check_reply(&[text("other words")], &shown), Ok(()));
        assert_eq!(check_reply(&shown, &shown), Ok(()));
        assert!(check_reply(&[uses("u1", "rm")], &shown).is_err());
        assert!(check_reply(&[], &shown).is_err());
    }
}
