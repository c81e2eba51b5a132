//! What the chats of other applications have in common once they are entries here.

use serde_json::{Map, Value};
use vestibule_app_protocol::{
    CallBody, CallState, ContentView, EntryBody, ResultView, TextState, sendable_tool_name,
};

/// Words of the user.
pub(crate) fn user(text: String) -> EntryBody {
    EntryBody::User {
        text,
        attachments: vec![],
    }
}

/// Words of a model.
pub(crate) fn assistant(text: String, reasoning: String, model: &str) -> EntryBody {
    EntryBody::Assistant {
        text,
        reasoning,
        model: model.to_owned(),
        scripted: false,
        state: TextState::Done,
        usage: None,
    }
}

/// A call without its result. `id` is the model's id for it.
pub(crate) fn call(id: &str, server_name: &str, tool: &str, arguments: Map<String, Value>) -> EntryBody {
    EntryBody::Call(CallBody {
        call: id.to_owned(),
        called_as: sendable_tool_name(tool).into_owned(),
        server: None,
        server_name: server_name.to_owned(),
        tool: tool.to_owned(),
        arguments,
        edited: false,
        as_text: false,
        imported: false,
        because: vec![],
        state: CallState::Interrupted { sent: true },
    })
}

pub(crate) fn result(content: Vec<ContentView>, failed: bool) -> ResultView {
    ResultView {
        content,
        structured: None,
        structured_stored: None,
        failed,
        misfits: vec![],
        unchecked: None,
        cut_bytes: 0,
        model_cut_bytes: 0,
        choice: None,
    }
}

/// What a model wrote as arguments, which is no JSON object for every tool of other applications.
pub(crate) fn arguments(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_else(|_| Map::from_iter([("text".to_owned(), text.into())]))
}
