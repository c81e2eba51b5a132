//! What comes back from a tool, bounded and typed: one form for the user, one for the model. Both are marked as
//! the server's words; neither can make anything load, open or run.

use serde_json::Value;
use tokio::task::JoinError;
use vestibule_models::ResultPart;
use vestibule_protocol::mcp::{CallToolResult, ContentBlock, ResourceContents};

use crate::servers::CatalogTool;
use crate::view::{ContentView, ResultView};
use vestibule_schema::Unchecked;

/// The most of one result that is kept, in bytes.
const MOST_KEPT: usize = 4 * 1024 * 1024;
/// The most text of one result that a model is given, in bytes.
pub(crate) const MOST_FOR_MODEL: usize = 200 * 1024;
/// Kinds of image a webview shows without running anything.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// Kinds of sound a webview plays.
const SOUNDS: [&str; 6] = [
    "audio/wav",
    "audio/x-wav",
    "audio/mpeg",
    "audio/ogg",
    "audio/mp4",
    "audio/webm",
];

/// A result as it is shown and kept, its structured form checked against what the tool declared. `tool` is missing where
/// the server no longer lists it.
pub(crate) async fn checked_view(
    result: CallToolResult,
    tool: Option<&CatalogTool>,
) -> Result<ResultView, JoinError> {
    let check = check(&result, tool).await;
    tokio::task::spawn_blocking(move || view(result, check)).await
}

/// What does not fit in the structured form; or why that is not known.
async fn check(result: &CallToolResult, tool: Option<&CatalogTool>) -> Result<Vec<String>, Unchecked> {
    let Some(output) = tool.and_then(|tool| tool.schemas.output.as_ref()) else {
        return Ok(vec![]);
    };
    match (output, &result.structured_content) {
        // The tool itself is shown as one whose results are not checked.
        (Err(_), _) => Ok(vec![]),
        (Ok(schema), Some(value)) => Ok(schema.check(&value.to_string(), false).await?.misfits),
        (Ok(_), None) if !result.is_error => Ok(vec!["the structured result is missing".into()]),
        (Ok(_), None) => Ok(vec![]),
    }
}

fn view(result: CallToolResult, check: Result<Vec<String>, Unchecked>) -> ResultView {
    let mut room = MOST_KEPT;
    let mut cut_bytes = 0;
    let mut content = vec![];
    for block in result.content {
        let part = part(block);
        let size = size(&part);
        match part {
            part if size <= room => {
                room -= size;
                content.push(part);
            }
            ContentView::Text { text } => {
                let kept = &text[..text.floor_char_boundary(room)];
                cut_bytes += (text.len() - kept.len()) as u64;
                room = 0;
                content.push(ContentView::Text {
                    text: kept.to_owned(),
                });
            }
            _ => cut_bytes += size as u64,
        }
    }
    let (misfits, unchecked) = match check {
        Ok(misfits) => (misfits, None),
        Err(reason) => (vec![], Some(reason)),
    };
    let structured = result.structured_content.filter(|value| {
        let size = value.to_string().len();
        let fits = size <= room;
        cut_bytes += if fits { 0 } else { size as u64 };
        fits
    });
    ResultView {
        content,
        structured,
        failed: result.is_error,
        misfits,
        unchecked,
        cut_bytes,
    }
}

/// A result as a model reads it. What a link points to is named, never fetched. Structured content goes to it only as
/// what the tool declared, or where it declared nothing.
pub(crate) fn for_model(result: &ResultView) -> Vec<ResultPart> {
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
    for part in &mut parts {
        let ResultPart::Text(text) = part else { continue };
        if text.len() > room {
            let kept = text.floor_char_boundary(room);
            let left_out = text.len() - kept;
            text.truncate(kept);
            text.push_str(&format!("\n[{left_out} bytes left out]"));
        }
        room = room.saturating_sub(text.len());
    }
    if parts.is_empty() {
        parts.push(ResultPart::Text("(the tool returned nothing)".into()));
    }
    parts
}

pub(crate) fn part(block: ContentBlock) -> ContentView {
    match block {
        ContentBlock::Text { text, .. } => ContentView::Text { text },
        ContentBlock::Image { data, mime_type, .. } => media(&IMAGES, mime_type, data, |mime, base64| {
            ContentView::Image { mime, base64 }
        }),
        ContentBlock::Audio { data, mime_type, .. } => media(&SOUNDS, mime_type, data, |mime, base64| {
            ContentView::Audio { mime, base64 }
        }),
        ContentBlock::ResourceLink(link) => ContentView::Link {
            uri: link.uri,
            name: link.title.unwrap_or(link.name),
            description: link.description,
        },
        ContentBlock::EmbeddedResource { resource, .. } => resource_view(resource),
        ContentBlock::Unknown(value) => {
            let kind = value.get("type").and_then(Value::as_str).unwrap_or("unknown");
            ContentView::Other {
                kind: kind.chars().take(64).collect(),
            }
        }
    }
}

/// An image or sound of a known kind whose bytes are what they claim to be in form; anything else is only named.
fn media(
    known: &[&str],
    mime: String,
    base64: String,
    show: impl Fn(String, String) -> ContentView,
) -> ContentView {
    let mime = mime.to_ascii_lowercase();
    let is_base64 = base64
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    if known.contains(&mime.as_str()) && is_base64 {
        show(mime, base64)
    } else {
        ContentView::Other {
            kind: mime.chars().take(64).collect(),
        }
    }
}

fn resource_view(resource: ResourceContents) -> ContentView {
    let kept = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    match resource {
        ResourceContents::Text {
            uri,
            mime_type: mime,
            text,
        } => ContentView::Resource {
            uri,
            mime,
            bytes: kept(text.len()),
            text: Some(text),
        },
        ResourceContents::Blob {
            uri,
            mime_type: mime,
            blob,
        } => ContentView::Resource {
            uri,
            mime,
            bytes: kept(blob.len() / 4 * 3),
            text: None,
        },
    }
}

pub(crate) fn size(part: &ContentView) -> usize {
    match part {
        ContentView::Text { text } => text.len(),
        ContentView::Image { base64, .. } | ContentView::Audio { base64, .. } => base64.len(),
        ContentView::Link {
            uri,
            name,
            description,
        } => uri.len() + name.len() + description.as_ref().map_or(0, String::len),
        ContentView::Resource { uri, text, .. } => uri.len() + text.as_ref().map_or(0, String::len),
        ContentView::Other { kind } => kind.len(),
    }
}

pub(crate) fn model_part(part: &ContentView) -> ResultPart {
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
