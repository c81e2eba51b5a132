//! What comes back from a tool as the user sees it: bounded, typed, marked as the server's words. Nothing of it can make
//! anything load, open or run.

use serde_json::Value;
use tokio::task::JoinError;
use vestibule_consent::{Effect, EffectEnd, ResultFacts};
use vestibule_pictures::{SHOWN_KINDS, can_be_shown};
use vestibule_protocol::mcp::{CallToolResult, ContentBlock, ResourceContents};
use vestibule_protocol::{is_json_longer, json_length};

use crate::CatalogTool;
use vestibule_app_protocol::{ContentView, InlineRoom, ResultView};
use vestibule_schema::Unchecked;

/// The most of one result that is kept in the entry of its call, in bytes.
const MOST_INLINE: usize = 4 * 1024 * 1024;
/// The most of one result that is kept beside the entry, in bytes.
const MOST_STORED: usize = 64 * 1024 * 1024;
/// The longest result that is read without a thread of its own, as JSON in bytes.
const SMALL: usize = 64 * 1024;
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
    if !is_json_longer(&result, SMALL) {
        return Ok(view(result, check));
    }
    tokio::task::spawn_blocking(move || view(result, check)).await
}

/// What the ledger keeps of a result. A large one is read on a thread of its own.
pub(super) async fn result_facts(raw: Value) -> Result<ResultFacts, JoinError> {
    if !is_json_longer(&raw, SMALL) {
        return Ok(ResultFacts::of(&raw));
    }
    tokio::task::spawn_blocking(move || ResultFacts::of(&raw)).await
}

/// Ends an effect with a result, of which the ledger keeps digest and size.
pub(super) async fn finish_with_result(effect: Effect, end: EffectEnd, raw: Value) {
    match result_facts(raw).await {
        Ok(facts) => effect.finish_with(end, facts).await,
        Err(_) => effect.finish(end).await,
    }
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
    let mut room = KeptRoom::default();
    let content = result.content.into_iter().map(part);
    let content = content.filter_map(|part| room.keep(part)).collect();
    let (misfits, unchecked) = match check {
        Ok(misfits) => (misfits, None),
        Err(reason) => (vec![], Some(reason)),
    };
    ResultView {
        content,
        structured: result.structured_content.filter(|value| room.fits(value)),
        structured_stored: None,
        failed: result.is_error,
        misfits,
        unchecked,
        cut_bytes: room.cut_bytes,
        model_cut_bytes: 0,
        choice: None,
    }
}

/// What of one result can still be kept, and what was left out so far, in bytes.
struct KeptRoom {
    /// Bytes in the body of the entry.
    inline: usize,
    /// Bytes beside the entry.
    stored: usize,
    /// Which of the two a part takes.
    places: InlineRoom,
    cut_bytes: u64,
}

impl Default for KeptRoom {
    fn default() -> Self {
        Self {
            inline: MOST_INLINE,
            stored: MOST_STORED,
            places: InlineRoom::default(),
            cut_bytes: 0,
        }
    }
}

impl KeptRoom {
    /// The content as far as it fits: a text may be cut, anything else is kept or left out.
    fn keep(&mut self, part: ContentView) -> Option<ContentView> {
        let size = size(&part);
        let is_stored = self.places.stores(&part);
        let left = self.room(is_stored);
        match part {
            part if size <= *left => {
                *left -= size;
                Some(part)
            }
            ContentView::Text { text } => {
                let kept = text[..text.floor_char_boundary(*left)].to_owned();
                *left = 0;
                self.cut_bytes += (text.len() - kept.len()) as u64;
                Some(ContentView::Text { text: kept })
            }
            _ => {
                self.cut_bytes += size as u64;
                None
            }
        }
    }

    /// Whether a structured result fits. It is the last part of a result and takes no room.
    fn fits(&mut self, value: &Value) -> bool {
        let size = json_length(value);
        let is_stored = self.places.stores_text(size);
        let fits = size <= *self.room(is_stored);
        self.cut_bytes += if fits { 0 } else { size as u64 };
        fits
    }

    fn room(&mut self, is_stored: bool) -> &mut usize {
        if is_stored {
            &mut self.stored
        } else {
            &mut self.inline
        }
    }
}

pub(crate) fn part(block: ContentBlock) -> ContentView {
    match block {
        ContentBlock::Text { text, .. } => ContentView::Text { text },
        ContentBlock::Image { data, mime_type, .. } => media(&SHOWN_KINDS, mime_type, data, image),
        ContentBlock::Audio { data, mime_type, .. } => media(&SOUNDS, mime_type, data, |mime, base64| {
            ContentView::Audio { mime, base64 }
        }),
        ContentBlock::ResourceLink(link) => ContentView::Link {
            uri: link.uri,
            name: link.title.unwrap_or(link.name),
            description: link.description,
        },
        ContentBlock::EmbeddedResource { resource, .. } => resource_view(resource),
        ContentBlock::Unknown(value) => named(value.get("type").and_then(Value::as_str).unwrap_or("unknown")),
    }
}

/// Content that did not come from a server just now, held against the same limits: what a webview cannot show safely is
/// only named, and so is a reference to what is kept beside an entry.
#[must_use]
pub fn checked_content(part: ContentView) -> ContentView {
    match part {
        ContentView::Image { mime, base64 } => media(&SHOWN_KINDS, mime, base64, image),
        ContentView::Audio { mime, base64 } => media(&SOUNDS, mime, base64, |mime, base64| {
            ContentView::Audio { mime, base64 }
        }),
        ContentView::Text { .. }
        | ContentView::Link { .. }
        | ContentView::Resource { .. }
        | ContentView::Other { .. } => part,
        // A file cannot refer to what this computer keeps.
        ContentView::Stored { .. } => named("stored"),
    }
}

fn image(mime: String, base64: String) -> ContentView {
    if can_be_shown(&mime, &base64) {
        ContentView::Image { mime, base64 }
    } else {
        named(&mime)
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
        named(&mime)
    }
}

/// Content that is only named.
fn named(kind: &str) -> ContentView {
    ContentView::Other {
        kind: kind.chars().take(64).collect(),
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
        ContentView::Stored { part } => part.beginning.len() + part.end.len(),
        ContentView::Other { kind } => kind.len(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_small_result_is_read_without_a_thread_of_its_own() {
        let is_small = |result: &Value| !is_json_longer(result, SMALL);
        assert!(is_small(
            &json!({ "content": [{ "type": "text", "text": "Hello." }] })
        ));
        assert!(!is_small(
            &json!({ "content": [{ "type": "text", "text": "x".repeat(SMALL) }] })
        ));
        assert!(!is_small(&json!(vec![0; SMALL])));
        assert!(!is_small(&json!({ "x".repeat(SMALL): null })));
    }
}
