//! Reads a conversation of Claude's `conversations.json`: messages that know the one they follow, each with parts of text,
//! thoughts, calls and results.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use vestibule_app_protocol::{ChatPartFault, ContentView, EntryBody};

use crate::foreign;
use crate::left_out::Faults;
use crate::read::ChatParts;
use crate::tree::{FileNode, NodeContent, answer};

/// What its chats name as the model and the server where they name none.
const NAME: &str = "Claude";
/// What the first messages of a conversation follow.
const ROOT: &str = "00000000-0000-4000-8000-000000000000";

#[derive(Deserialize)]
struct ClaudeConversation<'a> {
    #[serde(default)]
    name: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    current_leaf_message_uuid: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(borrow)]
    chat_messages: Vec<&'a RawValue>,
}

/// What holds the messages together. It is read apart from the rest, so that a message with a wrong member keeps its place.
#[derive(Deserialize)]
struct ClaudeLink {
    uuid: String,
    parent_message_uuid: Option<String>,
}

#[derive(Deserialize)]
struct ClaudeMessage {
    sender: String,
    created_at: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    text: String,
    #[serde(default, deserialize_with = "or_default")]
    content: Vec<Value>,
    #[serde(default, deserialize_with = "or_default")]
    attachments: Vec<Value>,
    #[serde(default, deserialize_with = "or_default")]
    files: Vec<Value>,
}

/// Exports have `null` where a message has none of something.
fn or_default<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(member: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(member)?.unwrap_or_default())
}

/// The title and the messages of a conversation.
///
/// # Errors
/// In technical words, where it has not the form of one.
pub(crate) fn read(chat: &str) -> Result<ChatParts, String> {
    let conversation: ClaudeConversation<'_> =
        serde_json::from_str(chat).map_err(|error| error.to_string())?;
    let model = conversation.model.as_deref().unwrap_or(NAME);
    let mut faults = vec![];
    let mut messages = vec![];
    for message in conversation.chat_messages {
        if let Some(link) = readable::<ClaudeLink>(message, &mut faults) {
            messages.push((link, readable::<ClaudeMessage>(message, &mut faults)));
        }
    }
    let nodes = nodes(messages, model, &mut faults);
    Ok(ChatParts {
        id: String::new(),
        title: conversation.name.unwrap_or_default(),
        created_ms: milliseconds(conversation.created_at.as_deref()),
        updated_ms: milliseconds(conversation.updated_at.as_deref()),
        nodes,
        shown: conversation.current_leaf_message_uuid,
        faults,
    })
}

fn milliseconds(time: Option<&str>) -> Option<i64> {
    Some(time?.parse::<Timestamp>().ok()?.as_millisecond())
}

/// Members of a message; a fault where they are missing or of another type.
fn readable<'a, T: Deserialize<'a>>(message: &'a RawValue, faults: &mut Faults) -> Option<T> {
    let read = serde_json::from_str(message.get());
    read.map_err(|error| faults.push((ChatPartFault::EntryUnreadable, error.to_string())))
        .ok()
}

/// The messages; where none names the one it follows, as in older files, each follows the one before it.
fn nodes(
    messages: Vec<(ClaudeLink, Option<ClaudeMessage>)>,
    model: &str,
    faults: &mut Faults,
) -> Vec<FileNode> {
    let is_line = messages
        .iter()
        .all(|(link, _)| link.parent_message_uuid.is_none());
    let mut before = None;
    let mut nodes = vec![];
    for (link, message) in messages {
        let named = link.parent_message_uuid.filter(|parent| parent != ROOT);
        let parent = if is_line { before.take() } else { named };
        before = Some(link.uuid.clone());
        let created_at = message.as_ref().and_then(|message| message.created_at.as_deref());
        nodes.push(FileNode {
            id: link.uuid,
            parent,
            at_ms: milliseconds(created_at),
            said: NodeContent::Entries(
                message.map_or_else(Vec::new, |message| bodies(message, model, faults)),
            ),
        });
    }
    nodes
}

fn bodies(message: ClaudeMessage, model: &str, faults: &mut Faults) -> Vec<EntryBody> {
    for file in &message.files {
        faults.push((ChatPartFault::FileMissing, file_name(file).to_owned()));
    }
    match message.sender.as_str() {
        "human" => {
            let text = user_text(&message, faults);
            if text.is_empty() {
                vec![]
            } else {
                vec![foreign::user(text)]
            }
        }
        "assistant" => answer_bodies(message, model, faults),
        other => {
            faults.push((ChatPartFault::EntryUnreadable, format!("sender {other}")));
            vec![]
        }
    }
}

fn file_name(file: &Value) -> &str {
    file["file_name"].as_str().unwrap_or_default()
}

/// The user's words, with the texts of attached files after them.
fn user_text(message: &ClaudeMessage, faults: &mut Faults) -> String {
    let mut texts = vec![];
    for part in &message.content {
        match (part["text"].as_str(), part["type"].as_str().unwrap_or_default()) {
            (Some(""), _) | (None, "token_budget") => {}
            (Some(text), _) => texts.push(text.to_owned()),
            (None, "image") => faults.push((ChatPartFault::FileMissing, picture_name(part).to_owned())),
            (None, kind) => faults.push((ChatPartFault::EntryUnreadable, format!("type {kind}"))),
        }
    }
    if texts.is_empty() && !message.text.is_empty() {
        texts.push(message.text.clone());
    }
    for file in &message.attachments {
        match file["extracted_content"].as_str().filter(|text| !text.is_empty()) {
            Some(text) => texts.push(format!("{}:\n\n{text}", file_name(file))),
            None => faults.push((ChatPartFault::FileMissing, file_name(file).to_owned())),
        }
    }
    texts.join("\n\n")
}

fn answer_bodies(message: ClaudeMessage, model: &str, faults: &mut Faults) -> Vec<EntryBody> {
    let mut reply = ClaudeReply {
        model,
        bodies: vec![],
        thoughts: String::new(),
    };
    for part in &message.content {
        reply.add(part, faults);
    }
    if message.content.is_empty() && !message.text.is_empty() {
        reply.say(&message.text);
    }
    reply.end_thoughts();
    reply.bodies
}

/// The entries of a reply so far.
struct ClaudeReply<'a> {
    model: &'a str,
    bodies: Vec<EntryBody>,
    /// What was thought and belongs to the next words.
    thoughts: String,
}

impl ClaudeReply<'_> {
    fn add(&mut self, part: &Value, faults: &mut Faults) {
        let text = |member: &str| part[member].as_str().unwrap_or_default();
        match text("type") {
            "text" => self.say(text("text")),
            "thinking" => self.thoughts.push_str(text("thinking")),
            "tool_use" => self.call(part),
            "tool_result" => {
                if !self.result(part, faults) {
                    faults.push((ChatPartFault::ResultWithoutCall, text("name").to_owned()));
                }
            }
            // It only says how much room the model had.
            "token_budget" => {}
            other => faults.push((ChatPartFault::EntryUnreadable, format!("type {other}"))),
        }
    }

    /// Adds words to those before them, or begins an entry.
    fn say(&mut self, said: &str) {
        match self.bodies.last_mut() {
            _ if said.is_empty() => {}
            Some(EntryBody::Assistant { text, .. }) if self.thoughts.is_empty() => {
                text.push_str("\n\n");
                text.push_str(said);
            }
            _ => {
                let thoughts = std::mem::take(&mut self.thoughts);
                self.bodies
                    .push(foreign::assistant(said.to_owned(), thoughts, self.model));
            }
        }
    }

    fn end_thoughts(&mut self) {
        if !self.thoughts.is_empty() {
            let thoughts = std::mem::take(&mut self.thoughts);
            self.bodies
                .push(foreign::assistant(String::new(), thoughts, self.model));
        }
    }

    fn call(&mut self, part: &Value) {
        self.end_thoughts();
        let text = |member: &str| part[member].as_str();
        let arguments: Map<String, Value> = match &part["input"] {
            Value::Object(arguments) => arguments.clone(),
            Value::Null => Map::new(),
            other => foreign::arguments(&other.to_string()),
        };
        let number = format!("call-{}", self.bodies.len());
        let id = text("id").unwrap_or(&number);
        let server = text("integration_name").unwrap_or(NAME);
        let name = text("name").unwrap_or("tool");
        self.bodies.push(foreign::call(id, server, name, arguments));
    }

    /// Gives the call it names its result, or the last one. Returns whether there is one.
    fn result(&mut self, part: &Value, faults: &mut Faults) -> bool {
        let id = part["tool_use_id"].as_str();
        let is_call = |body: &&mut EntryBody| matches!(body, EntryBody::Call(call) if id.is_none_or(|id| call.call == id));
        let content = match &part["content"] {
            Value::Array(parts) => parts.iter().filter_map(|part| content(part, faults)).collect(),
            Value::Null => vec![],
            part => content(part, faults).into_iter().collect(),
        };
        let result = foreign::result(content, part["is_error"] == true);
        let call = self.bodies.iter_mut().rev().find(is_call);
        call.is_some_and(|call| answer(call, result))
    }
}

/// A part of a result; a fault where it has nothing to show.
fn content(part: &Value, faults: &mut Faults) -> Option<ContentView> {
    let text = |member: &Value| member.as_str().unwrap_or_default().to_owned();
    if let Some(text) = part.as_str() {
        return Some(ContentView::Text {
            text: text.to_owned(),
        });
    }
    let kind = part["type"].as_str().unwrap_or_default();
    let words = match kind {
        "image" => {
            let base64 = text(&part["source"]["data"]);
            if base64.is_empty() {
                faults.push((ChatPartFault::FileMissing, picture_name(part).to_owned()));
                return None;
            }
            let mime = text(&part["source"]["media_type"]);
            return Some(ContentView::Image { mime, base64 });
        }
        "text" if part["text"].is_string() => {
            let text = text(&part["text"]);
            return Some(ContentView::Text { text });
        }
        // What a search found.
        "knowledge" => {
            let members = ["title", "url", "text"].map(|member| text(&part[member]));
            let members: Vec<String> = members.into_iter().filter(|member| !member.is_empty()).collect();
            members.join("\n")
        }
        _ => text(&part["text"]),
    };
    if words.is_empty() {
        faults.push((ChatPartFault::EntryUnreadable, format!("type {kind}")));
        return None;
    }
    Some(ContentView::Text { text: words })
}

/// How a picture is named that is not in the file.
fn picture_name(picture: &Value) -> &str {
    let names = ["file_name", "file_uuid"].map(|member| picture[member].as_str());
    names.into_iter().flatten().next().unwrap_or("image")
}
