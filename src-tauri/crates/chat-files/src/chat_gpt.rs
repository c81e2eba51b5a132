//! Reads a conversation of ChatGPT's `conversations.json`: a tree of messages, in which calls of tools and their results
//! are messages of their own.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use vestibule_app_protocol::{ChatPartFault, ContentView, EntryBody};

use crate::foreign;
use crate::left_out::Faults;
use crate::read::ChatParts;
use crate::tree::{FileNode, NodeContent};

/// What its chats name as the model and the server where they name none.
const NAME: &str = "ChatGPT";

#[derive(Deserialize)]
struct GptConversation<'a> {
    #[serde(default)]
    title: Option<String>,
    create_time: Option<f64>,
    update_time: Option<f64>,
    current_node: Option<String>,
    #[serde(borrow)]
    mapping: BTreeMap<String, &'a RawValue>,
}

#[derive(Deserialize)]
struct GptLink<'a> {
    parent: Option<String>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct GptMessage {
    author: GptAuthor,
    create_time: Option<f64>,
    content: Value,
    recipient: Option<String>,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct GptAuthor {
    role: String,
}

/// The title and the messages of a conversation.
///
/// # Errors
/// In technical words, where it has not the form of one.
pub(crate) fn read(chat: &str) -> Result<ChatParts, String> {
    let conversation: GptConversation<'_> = serde_json::from_str(chat).map_err(|error| error.to_string())?;
    let mut faults = vec![];
    let mut nodes: Vec<FileNode> = vec![];
    for (id, written) in conversation.mapping {
        match serde_json::from_str::<GptLink<'_>>(written.get()) {
            Ok(link) => nodes.push(node(id, link, &mut faults)),
            Err(error) => faults.push((ChatPartFault::EntryUnreadable, error.to_string())),
        }
    }
    // Versions of a message are in the order in which they were made.
    nodes.sort_by_key(|node| node.at_ms);
    Ok(ChatParts {
        id: String::new(),
        title: conversation.title.unwrap_or_default(),
        created_ms: conversation.create_time.map(milliseconds),
        updated_ms: conversation.update_time.map(milliseconds),
        nodes,
        shown: conversation.current_node,
        faults,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and times are brought into bounds later"
)]
fn milliseconds(seconds: f64) -> i64 {
    (seconds * 1000.0) as i64
}

fn node(id: String, link: GptLink<'_>, faults: &mut Faults) -> FileNode {
    let message = link.message.and_then(|message| {
        let message: Result<GptMessage, _> = serde_json::from_str(message.get());
        message
            .map_err(|error| faults.push((ChatPartFault::EntryUnreadable, error.to_string())))
            .ok()
    });
    FileNode {
        at_ms: message
            .as_ref()
            .and_then(|message| message.create_time)
            .map(milliseconds),
        said: message.map_or(NodeContent::Entries(vec![]), |message| said(&id, message, faults)),
        id,
        parent: link.parent,
    }
}

fn said(id: &str, message: GptMessage, faults: &mut Faults) -> NodeContent {
    let model = message
        .metadata
        .get("model_slug")
        .and_then(Value::as_str)
        .unwrap_or(NAME);
    attached_files(&message, faults);
    let is_hidden = message.metadata["is_visually_hidden_from_conversation"] == true;
    let words = words(&message.content, faults);
    let text = words.text;
    let entry = match message.author.role.as_str() {
        "tool" => {
            let content = vec![ContentView::Text { text }];
            return NodeContent::Result(foreign::result(content, words.failed));
        }
        "system" => return without(text, faults),
        "user" | "assistant" if is_hidden || words.instructions => return without(text, faults),
        "user" => foreign::user(text),
        "assistant" => match message.recipient.as_deref() {
            None | Some("all") => foreign::assistant(text, words.reasoning, model),
            Some(tool) => foreign::call(id, NAME, tool, foreign::arguments(&text)),
        },
        other => {
            faults.push((ChatPartFault::EntryUnreadable, other.to_owned()));
            return NodeContent::Entries(vec![]);
        }
    };
    NodeContent::Entries(if is_silent(&entry) { vec![] } else { vec![entry] })
}

/// Names the files of a message, whose content is never in the export. Pictures stand among the parts of the message as
/// well, where [`parts`] names them.
fn attached_files(message: &GptMessage, faults: &mut Faults) {
    let mut parts = message.content["parts"].as_array().into_iter().flatten();
    let has_pictures = parts.any(|part| part.is_object() && !part["text"].is_string());
    let attachments = message.metadata["attachments"].as_array();
    for file in attachments.into_iter().flatten() {
        let text = |member: &str| file[member].as_str();
        let mime = text("mime_type").or_else(|| text("mimeType")).unwrap_or_default();
        if !(has_pictures && mime.starts_with("image/")) {
            let name = text("name").or_else(|| text("id")).unwrap_or_default();
            faults.push((ChatPartFault::FileMissing, name.to_owned()));
        }
    }
}

/// A message that is left out because no window of ChatGPT shows it. Empty ones only hold the tree together.
fn without(text: String, faults: &mut Faults) -> NodeContent {
    if !text.trim().is_empty() {
        faults.push((ChatPartFault::Instructions, String::new()));
    }
    NodeContent::Entries(vec![])
}

fn is_silent(entry: &EntryBody) -> bool {
    match entry {
        EntryBody::User { text, .. } => text.trim().is_empty(),
        EntryBody::Assistant { text, reasoning, .. } => text.trim().is_empty() && reasoning.trim().is_empty(),
        _ => false,
    }
}

/// What a message says, by what it is.
#[derive(Default)]
struct GptWords {
    text: String,
    reasoning: String,
    /// Whether it is what the user told ChatGPT about all chats.
    instructions: bool,
    /// Whether it reports that a tool failed.
    failed: bool,
}

fn words(content: &Value, faults: &mut Faults) -> GptWords {
    let text = |member: &str| content[member].as_str().unwrap_or_default().to_owned();
    let said = |text| GptWords {
        text,
        ..GptWords::default()
    };
    match content["content_type"].as_str().unwrap_or_default() {
        "text" | "multimodal_text" => said(parts(content, faults)),
        "code" | "execution_output" | "tether_quote" => said(text("text")),
        "tether_browsing_display" => said(text("result")),
        "system_error" => GptWords {
            text: text("text"),
            failed: true,
            ..GptWords::default()
        },
        "thoughts" => GptWords {
            reasoning: thoughts(content),
            ..GptWords::default()
        },
        // It only says how long the model thought.
        "reasoning_recap" => GptWords::default(),
        "user_editable_context" | "model_editable_context" => GptWords {
            text: content.to_string(),
            instructions: true,
            ..GptWords::default()
        },
        other => {
            faults.push((ChatPartFault::EntryUnreadable, format!("content_type {other}")));
            GptWords::default()
        }
    }
}

/// The texts among the parts of a message. Pictures and other files are only named in the file.
fn parts(content: &Value, faults: &mut Faults) -> String {
    let mut texts = vec![];
    for part in content["parts"].as_array().into_iter().flatten() {
        match part.as_str().or_else(|| part["text"].as_str()) {
            Some("") => {}
            Some(text) => texts.push(text),
            None => {
                let kind = part["content_type"].as_str().unwrap_or_default().to_owned();
                faults.push((ChatPartFault::FileMissing, kind));
            }
        }
    }
    texts.join("\n\n")
}

fn thoughts(content: &Value) -> String {
    let thoughts = content["thoughts"].as_array().into_iter().flatten();
    let texts = thoughts.filter_map(|thought| thought["content"].as_str().or(thought["summary"].as_str()));
    texts.collect::<Vec<_>>().join("\n\n")
}
