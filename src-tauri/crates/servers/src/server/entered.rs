//! What the user entered into a form does not stay readable in the view of traffic: its values are replaced before a frame
//! of ours is kept. Everything else of the frame stays as it was sent.

use std::borrow::Cow;

use serde_json::Value;

/// Stands in the place of a value.
const HIDDEN: &str = "(entered in a form, not kept)";

/// A frame of ours without what was entered into forms. `is_answer` says that it answers a request of the server.
pub(super) fn without_entered(frame: &[u8], is_answer: bool) -> Cow<'_, [u8]> {
    if !is_answer && !contains(frame, b"\"inputResponses\"") {
        return Cow::Borrowed(frame);
    }
    let Ok(mut message) = serde_json::from_slice::<Value>(frame) else {
        return Cow::Borrowed(frame);
    };
    if is_answer {
        hide_content(message.get_mut("result"));
    }
    let responses = message.pointer_mut("/params/inputResponses");
    for response in responses.into_iter().filter_map(Value::as_object_mut) {
        response
            .values_mut()
            .for_each(|response| hide_content(Some(response)));
    }
    Cow::Owned(message.to_string().into_bytes())
}

/// Hides the content of an answer to a form, which alone has an action.
fn hide_content(answer: Option<&mut Value>) {
    let answer = answer.filter(|answer| answer["action"].is_string());
    let content = answer.and_then(|answer| answer.get_mut("content"));
    for value in content
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(|all| all.values_mut())
    {
        *value = HIDDEN.into();
    }
}

fn contains(frame: &[u8], word: &[u8]) -> bool {
    frame.windows(word.len()).any(|part| part == word)
}
