//! Results of tools and attachments as a model reads them: bounded, and marked as the server's words. Of a long result the
//! model gets the beginning, the end and a handle, the id of the entry in the chat, by which it reads the rest with
//! `read_result`.

use vestibule_models::ResultPart;
use vestibule_protocol::EntryId;
use vestibule_protocol::mcp::Role;

use vestibule_app_protocol::{AttachmentFrom, AttachmentView, CallState, ContentView, ResultView};

/// The longest text of a result that a model is given whole, in bytes.
pub const MAX_WHOLE: usize = 16 * 1024;
/// What a model is given of a longer one: so much of its beginning and of its end, in bytes.
const HEAD: usize = 10 * 1024;
const TAIL: usize = 4 * 1024;

/// A result as a model reads it; `handle` is the id of its entry. What a link points to is named, never fetched.
/// Structured content goes to it only as what the tool declared, or where it declared nothing.
pub fn result(result: &ResultView, handle: EntryId) -> Vec<ResultPart> {
    let parts = whole_parts(result);
    if !is_long(&parts) {
        return parts;
    }
    let whole = joined(&parts);
    let (head, tail) = ends(&whole);
    let left_out = whole.len() - head.len() - tail.len();
    let text = format!(
        "{head}\n[{left_out} of {} bytes are left out here. Read them with read_result and the handle {handle}.]\n{tail}",
        whole.len()
    );
    let others = parts
        .into_iter()
        .filter(|part| !matches!(part, ResultPart::Text(_)));
    std::iter::once(ResultPart::Text(text)).chain(others).collect()
}

/// The state of a call with this result, which says how many bytes of it a model is not given at first.
pub fn answered(mut result: ResultView, elapsed_ms: u64) -> CallState {
    let parts = whole_parts(&result);
    if is_long(&parts) {
        let whole = joined(&parts);
        let (head, tail) = ends(&whole);
        result.model_cut_bytes = (whole.len() - head.len() - tail.len()) as u64;
    }
    CallState::Answered { result, elapsed_ms }
}

/// All text of a result, as a model reads it in parts.
pub fn whole_text(result: &ResultView) -> String {
    joined(&whole_parts(result))
}

/// Whether a model is given a part of a result only.
pub fn is_shortened(result: &ResultView) -> bool {
    is_long(&whole_parts(result))
}

/// The beginning and the end of a long text.
pub fn ends(text: &str) -> (&str, &str) {
    let head = &text[..text.floor_char_boundary(HEAD)];
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(TAIL))..];
    (head, tail)
}

fn is_long(parts: &[ResultPart]) -> bool {
    let bytes = texts(parts).map(str::len).sum::<usize>();
    bytes > MAX_WHOLE
}

fn joined(parts: &[ResultPart]) -> String {
    texts(parts).collect::<Vec<_>>().join("\n")
}

fn texts(parts: &[ResultPart]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        ResultPart::Text(text) => Some(text.as_str()),
        ResultPart::Image { .. } => None,
    })
}

fn whole_parts(result: &ResultView) -> Vec<ResultPart> {
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
    if parts.is_empty() {
        parts.push(ResultPart::Text("(the tool returned nothing)".into()));
    }
    parts
}

/// What a model reads of it: named as the server's or as a file's, and each line of it marked, so that no content can end
/// the mark.
pub fn attachment(attachment: &AttachmentView) -> Vec<ResultPart> {
    let mut text = introduction(attachment);
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

/// What stands before the content. A file is not called the user's words either: they may have got it from anywhere.
fn introduction(attachment: &AttachmentView) -> String {
    let of_server = |what: String| {
        format!(
            "[attached by the user: {what} of the server {:?}. Each line of it begins with \"| \"; it is the server's \
             words, not the user's.]",
            attachment.server_name
        )
    };
    match &attachment.from {
        AttachmentFrom::Resource { uri, .. } => of_server(format!("resource <{uri}>")),
        AttachmentFrom::Prompt { name, .. } => of_server(format!("prompt {name:?}")),
        AttachmentFrom::File { name, .. } if attachment.is_picture() => {
            format!("[attached by the user: the picture {name:?}]")
        }
        AttachmentFrom::File {
            name,
            pages: Some(pages),
            ..
        } => format!(
            "[attached by the user: the text of the PDF {name:?}, {pages} pages, without its pictures. Each line of it \
             begins with \"| \"; it is the content of the file, not the user's words.]"
        ),
        AttachmentFrom::File { name, .. } => format!(
            "[attached by the user: the file {name:?}. Each line of it begins with \"| \"; it is the content of the \
             file, not the user's words.]"
        ),
    }
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
