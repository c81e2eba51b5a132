//! What is about to leave one server for another: read from the chat as it stands, so that it is known after a restart
//! as well. What the heuristic misses stands in [`vestibule_policy::TaintIndex`].

use std::sync::Arc;

use serde_json::{Map, Value, json};
use vestibule_consent::CarriedValue;
use vestibule_policy::TaintIndex;
use vestibule_protocol::{ServerId, json_length};

use crate::view::{
    AttachmentFrom, AttachmentView, BuiltInCall, BuiltInOutcome, CallBody, CallProblem, CallState,
    ContentView, EntryBody, EntryView, Problem, ResultView, ServerProblem, StoredForm,
};
use vestibule_chat_tools::for_model::{MAX_CHOSEN, ResultText};
use vestibule_servers::OfferedTool;

/// How much from the beginning of a result is compared, in bytes: as much as a model is given at most without asking for
/// more.
const MAX_COMPARED: usize = MAX_CHOSEN;

/// What the arguments of a call carry, as the card shows it.
pub(super) struct CallFlow {
    pub(super) carried: Vec<CarriedValue>,
    /// Whether there was too much to compare.
    pub(super) too_much: bool,
}

/// What one server returned in this chat.
struct ReturnedAnswer<'a> {
    from: ServerId,
    server_name: &'a str,
    /// The tool, prompt or resource.
    object: &'a str,
    /// The server's words, without those of their form.
    texts: Vec<Value>,
}

/// What in `arguments` for the tool another server returned earlier in this chat.
pub(super) fn find_data_flow(
    earlier: &[Arc<EntryView>],
    tool: &OfferedTool,
    arguments: &Map<String, Value>,
) -> CallFlow {
    let to = tool.server.id();
    let nothing = CallFlow {
        carried: vec![],
        too_much: false,
    };
    // Most chats have one server, whose words are then not read.
    if earlier.iter().all(|entry| is_only_of(entry, to)) {
        return nothing;
    }
    let answers: Vec<ReturnedAnswer<'_>> = earlier.iter().flat_map(|entry| answers(entry)).collect();
    if answers.iter().all(|answer| answer.from == to) {
        return nothing;
    }
    let mut returned = TaintIndex::default();
    for answer in &answers {
        for text in &answer.texts {
            returned.index_result(answer.from, answer.object, text);
        }
    }
    let definition = &tool.tool.tool;
    returned.index_definition(to, &definition.name, &json!(definition.input_schema()));
    for entry in earlier {
        if let EntryBody::User { text, .. } = &entry.body {
            returned.index_user_text(text);
        }
    }
    let name = |from| {
        let answer = answers.iter().find(|answer| answer.from == from);
        answer
            .map(|answer| answer.server_name.to_owned())
            .unwrap_or_default()
    };
    let flow = returned.find_tainted(to, &Value::Object(arguments.clone()));
    let carried = flow.carried.into_iter().map(|found| CarriedValue {
        server: name(found.from),
        tool: found.tool,
        at: found.at,
        value: found.value,
    });
    CallFlow {
        carried: carried.collect(),
        too_much: flow.too_much,
    }
}

/// Whether one entry of the chat has nothing of another server than this one.
fn is_only_of(entry: &EntryView, server: ServerId) -> bool {
    let is_its = |other: Option<ServerId>| other.is_none_or(|other| other == server);
    match &entry.body {
        EntryBody::Call(call) => is_its(call.server),
        EntryBody::BuiltInCall(call) => match &call.outcome {
            BuiltInOutcome::Read { server, .. } => is_its(*server),
            _ => true,
        },
        EntryBody::User { attachments, .. } => attachments.iter().all(|attached| is_its(attached.server)),
        _ => true,
    }
}

/// What servers returned in one entry of the chat: the answer of a call, or what the user attached.
fn answers(entry: &EntryView) -> Vec<ReturnedAnswer<'_>> {
    match &entry.body {
        EntryBody::Call(call) => answer(call).into_iter().collect(),
        EntryBody::BuiltInCall(call) => read_part(call).into_iter().collect(),
        EntryBody::User { attachments, .. } => attachments.iter().filter_map(attachment).collect(),
        _ => vec![],
    }
}

fn answer(call: &CallBody) -> Option<ReturnedAnswer<'_>> {
    let texts = match &call.state {
        CallState::Answered { result, .. } => texts(result),
        CallState::Failed { problem } => vec![words(problem)?],
        _ => return None,
    };
    Some(ReturnedAnswer {
        from: call.server?,
        server_name: &call.server_name,
        object: &call.tool,
        texts,
    })
}

/// The part of an earlier result that a model read later.
fn read_part(call: &BuiltInCall) -> Option<ReturnedAnswer<'_>> {
    let BuiltInOutcome::Read {
        server,
        server_name,
        tool,
        text,
    } = &call.outcome
    else {
        return None;
    };
    Some(ReturnedAnswer {
        from: (*server)?,
        server_name,
        object: tool,
        texts: vec![json!(text)],
    })
}

/// What a server returned for something attached. A file is of no server, so nothing of it is named on a card. Its text
/// is not taken for the user's words either: the user may have saved it without reading it, and a value that a server
/// returned would no longer be found as soon as a file has it too.
fn attachment(attachment: &AttachmentView) -> Option<ReturnedAnswer<'_>> {
    let parts = attachment.parts.iter().map(|part| &part.content);
    let object = match &attachment.from {
        AttachmentFrom::Resource { uri, .. } => uri,
        AttachmentFrom::Prompt { name, .. } => name,
        AttachmentFrom::File { .. } => return None,
    };
    Some(ReturnedAnswer {
        from: attachment.server?,
        server_name: &attachment.server_name,
        object,
        texts: vec![content(parts)],
    })
}

/// The content as far as a model was given it without asking for more, and the structured form by itself, whose values are found more surely.
fn texts(result: &ResultView) -> Vec<Value> {
    let small = |value: &&Value| json_length(value) <= MAX_COMPARED;
    let structured = result.structured.iter().filter(small).cloned();
    let mut room = MAX_COMPARED;
    let parts = result.content.iter().map(|part| match part {
        ContentView::Text { text } => {
            let text = text[..text.floor_char_boundary(room)].to_owned();
            room -= text.len();
            ContentView::Text { text }
        }
        other => other.clone(),
    });
    let parts: Vec<ContentView> = parts.collect();
    let whole = ResultText::of(result);
    // Of a longer text a model is given both ends.
    let ends = (whole.bytes() > MAX_COMPARED as u64).then(|| json!([whole.head(), whole.tail()]));
    let beginning = result
        .structured_stored
        .as_ref()
        .map(|part| json!(part.beginning));
    let content = std::iter::once(content(parts.iter()));
    content.chain(beginning).chain(ends).chain(structured).collect()
}

/// The words of a server in the reason why a call failed; `None` where they are all ours.
fn words(problem: &Problem) -> Option<Value> {
    match problem {
        Problem::Call(CallProblem::ServerError { message, .. }) => Some(json!(message)),
        Problem::Call(CallProblem::CallLost { detail, stderr }) => Some(json!([detail, stderr])),
        Problem::Server(ServerProblem::ServerEnded { stderr, .. }) => Some(json!(stderr)),
        Problem::Call(CallProblem::CallNotSent { detail })
        | Problem::Call(CallProblem::CallNotCompleted { detail })
        | Problem::Call(CallProblem::MalformedReply { detail })
        | Problem::Server(ServerProblem::ServerRefused { detail, .. }) => Some(json!(detail)),
        _ => None,
    }
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
        // A model is given no more than both ends of a stored text, and the end is compared by itself.
        ContentView::Stored { part } => match &part.form {
            StoredForm::Resource { uri, .. } => json!([uri, part.beginning]),
            _ => json!(part.beginning),
        },
        ContentView::Image { .. } | ContentView::Audio { .. } | ContentView::Other { .. } => Value::Null,
    });
    json!(parts.collect::<Vec<_>>())
}
