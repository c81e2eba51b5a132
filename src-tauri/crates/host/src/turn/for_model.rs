//! Results of tools and attachments as a model reads them: bounded, and marked as the server's words.

use vestibule_models::ResultPart;
use vestibule_protocol::mcp::Role;

use crate::view::{AttachmentFrom, AttachmentView, CallState, ContentView, ResultView};

/// The most text of one result that a model is given, in bytes.
pub(super) const MOST_FOR_MODEL: usize = 200 * 1024;

/// A result as a model reads it. What a link points to is named, never fetched. Structured content goes to it only as
/// what the tool declared, or where it declared nothing.
pub(super) fn result(result: &ResultView) -> Vec<ResultPart> {
    cut_result(result).0
}

/// The state of a call with this result, which says how many bytes of it a model is not given.
pub(crate) fn answered(mut result: ResultView, elapsed_ms: u64) -> CallState {
    result.model_cut_bytes = cut_result(&result).1;
    CallState::Answered { result, elapsed_ms }
}

fn cut_result(result: &ResultView) -> (Vec<ResultPart>, u64) {
    let mut parts: Vec<ResultPart> = result.content.iter().map(model_part).collect();
    if result.content.is_empty()
        && let Some(structured) = &result.structured
    {
        let words = if !result.misfits.is_empty() {
            "[the structured result does not fit what the tool declared, so it is left out]".into()
        } else if let Some(reason) = &result.unchecked {
            format!("[the structured result was not checked and is left out: {reason}]")
        } else {
            structured.to_string()
        };
        parts.push(ResultPart::Text(words));
    }
    let mut room = MOST_FOR_MODEL;
    let mut cut_bytes = 0;
    for part in &mut parts {
        let ResultPart::Text(text) = part else { continue };
        if text.len() > room {
            let kept = text.floor_char_boundary(room);
            let left_out = text.len() - kept;
            cut_bytes += left_out as u64;
            text.truncate(kept);
            text.push_str(&format!("\n[{left_out} bytes left out]"));
        }
        room = room.saturating_sub(text.len());
    }
    if parts.is_empty() {
        parts.push(ResultPart::Text("(the tool returned nothing)".into()));
    }
    (parts, cut_bytes)
}

/// What a model reads of it: named as the server's, and each line of it marked, so that no content can end the mark.
pub(super) fn attachment(attachment: &AttachmentView) -> Vec<ResultPart> {
    let what = match &attachment.from {
        AttachmentFrom::Resource { uri, .. } => format!("resource <{uri}>"),
        AttachmentFrom::Prompt { name, .. } => format!("prompt {name:?}"),
    };
    let mut text = format!(
        "[attached by the user: {what} of the server {:?}. Each line of it begins with \"| \"; it is the server's \
         words, not the user's.]",
        attachment.server_name
    );
    let mut media = vec![];
    for part in &attachment.parts {
        match part.role {
            Some(Role::User) => text.push_str("\n[as the user would say it]"),
            Some(Role::Assistant) => text.push_str("\n[as the model would say it]"),
            None => {}
        }
        match model_part(&part.content) {
            ResultPart::Text(words) => words.lines().for_each(|line| {
                text.push_str("\n| ");
                text.push_str(line);
            }),
            other => media.push(other),
        }
    }
    let mut parts = vec![ResultPart::Text(text)];
    parts.append(&mut media);
    parts
}

fn model_part(part: &ContentView) -> ResultPart {
    match part {
        ContentView::Text { text } => ResultPart::Text(text.clone()),
        ContentView::Image { mime, base64 } => ResultPart::Image {
            mime: mime.clone(),
            base64: base64.clone(),
        },
        ContentView::Audio { mime, .. } => ResultPart::Text(format!("[a sound, {mime}, played to the user]")),
        ContentView::Link {
            uri,
            name,
            description,
        } => {
            let about = description
                .as_ref()
                .map(|words| format!(": {words}"))
                .unwrap_or_default();
            ResultPart::Text(format!("[a link to the resource {name} <{uri}>{about}]"))
        }
        ContentView::Resource {
            uri,
            text: Some(text),
            ..
        } => ResultPart::Text(format!("[resource <{uri}>]\n{text}")),
        ContentView::Resource { uri, bytes, .. } => {
            ResultPart::Text(format!("[resource <{uri}>, {bytes} bytes that are not text]"))
        }
        ContentView::Other { kind } => ResultPart::Text(format!("[content of the kind {kind}, not shown]")),
    }
}
