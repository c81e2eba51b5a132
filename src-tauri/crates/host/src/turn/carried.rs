//! What is about to leave one server for another: read from the chat as it stands, so that it is known after a restart
//! as well. What the heuristic misses stands in [`vestibule_policy::Returned`].

use serde_json::{Map, Value, json};
use vestibule_consent::CarriedValue;
use vestibule_policy::Returned;
use vestibule_protocol::ServerId;

use crate::view::{
    AttachmentFrom, AttachmentView, CallBody, CallState, ContentView, EntryBody, EntryView, ResultView,
};

/// What in `arguments` for a tool of `to` another server returned earlier in this chat.
pub(super) fn carried(
    earlier: &[EntryView],
    to: ServerId,
    arguments: &Map<String, Value>,
) -> Vec<CarriedValue> {
    let answered = || earlier.iter().filter_map(answer);
    let attached = || earlier.iter().flat_map(attachments);
    if answered().all(|(_, from, _)| from == to) && attached().all(|one| one.server == to) {
        return vec![];
    }
    let mut returned = Returned::default();
    for (call, from, result) in answered() {
        returned.remember(from, &call.tool, &texts(result));
    }
    for one in attached() {
        let parts = one.parts.iter().map(|part| &part.content);
        returned.remember(one.server, origin(one), &content(parts));
    }
    for entry in earlier {
        if let EntryBody::User { text, .. } = &entry.body {
            returned.written_by_person(text);
        }
    }
    let name = |from| {
        let call = answered().find(|(_, server, _)| *server == from);
        let called = call.map(|(call, _, _)| call.server_name.clone());
        let attachment = || attached().find(|one| one.server == from);
        called
            .or_else(|| attachment().map(|one| one.server_name.clone()))
            .unwrap_or_default()
    };
    let found = returned.carried(to, &Value::Object(arguments.clone()));
    let carried = found.into_iter().map(|found| CarriedValue {
        server: name(found.from),
        tool: found.tool,
        at: found.at,
        value: found.value,
    });
    carried.collect()
}

fn answer(entry: &EntryView) -> Option<(&CallBody, ServerId, &ResultView)> {
    match &entry.body {
        EntryBody::Call(call) => match &call.state {
            CallState::Answered { result, .. } => Some((call, call.server?, result)),
            _ => None,
        },
        _ => None,
    }
}

/// The server's words in a result, without those of its form.
fn texts(result: &ResultView) -> Value {
    json!([result.structured, content(result.content.iter())])
}

fn content<'a>(parts: impl Iterator<Item = &'a ContentView>) -> Value {
    let parts = parts.map(|part| match part {
        ContentView::Text { text } => json!(text),
        ContentView::Link {
            uri,
            name,
            description,
        } => json!([uri, name, description]),
        ContentView::Resource { uri, text, .. } => json!([uri, text]),
        ContentView::Image { .. } | ContentView::Audio { .. } | ContentView::Other { .. } => Value::Null,
    });
    json!(parts.collect::<Vec<_>>())
}

/// What the person attached is its server's, not the person's. HO-008, RS-013.
fn attachments(entry: &EntryView) -> &[AttachmentView] {
    match &entry.body {
        EntryBody::User { attachments, .. } => attachments,
        _ => &[],
    }
}

fn origin(attachment: &AttachmentView) -> &str {
    match &attachment.from {
        AttachmentFrom::Resource { uri, .. } => uri,
        AttachmentFrom::Prompt { name, .. } => name,
    }
}
