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
/// The longest MIME type: each of its two names has at most 127 characters (RFC 6838, 4.2).
const LONGEST_MIME: usize = 127 + 1 + 127;
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
    /// The content as far as it fits: a text may be cut, anything else is kept or left out. What stays in the entry when the
    /// rest of a part is stored takes room in the entry.
    fn keep(&mut self, part: ContentView) -> Option<ContentView> {
        let (size, fixed) = (size(&part), fixed_size(&part));
        if fixed > self.inline {
            self.cut_bytes += size as u64;
            return None;
        }
        let is_stored = self.places.stores(&part);
        let mut left = *self.room(is_stored);
        if !is_stored {
            left -= fixed;
        }
        let rest = size - fixed;
        match part {
            part if rest <= left => {
                self.inline -= fixed;
                *self.room(is_stored) -= rest;
                Some(part)
            }
            ContentView::Text { text } => {
                let kept = text[..text.floor_char_boundary(left)].to_owned();
                *self.room(is_stored) = 0;
                self.cut_bytes += (text.len() - kept.len()) as u64;
                Some(ContentView::Text { text: kept })
            }
            part => {
                // Its text already counted for `places`, but will not when the large parts are taken out. Without room for
                // more in the entry, no part can then change places with one that is stored.
                if !is_stored && matches!(part, ContentView::Resource { text: Some(_), .. }) {
                    self.inline = 0;
                }
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
        ContentView::Text { .. } | ContentView::Link { .. } | ContentView::Other { .. } => part,
        ContentView::Resource {
            uri,
            mime,
            text,
            bytes,
        } => ContentView::Resource {
            uri,
            mime: bounded_mime(mime),
            text,
            bytes,
        },
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

/// A text that is longer than a MIME type can be is none.
fn bounded_mime(mime: Option<String>) -> Option<String> {
    mime.filter(|mime| mime.len() <= LONGEST_MIME)
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
            mime: bounded_mime(mime),
            bytes: kept(text.len()),
            text: Some(text),
        },
        ResourceContents::Blob {
            uri,
            mime_type: mime,
            blob,
        } => ContentView::Resource {
            uri,
            mime: bounded_mime(mime),
            bytes: kept(blob.len() / 4 * 3),
            text: None,
        },
    }
}

/// Bytes of a part that its server wrote.
pub(crate) fn size(part: &ContentView) -> usize {
    let content = match part {
        ContentView::Text { text } | ContentView::Resource { text: Some(text), .. } => text.len(),
        ContentView::Image { base64, .. } | ContentView::Audio { base64, .. } => base64.len(),
        ContentView::Resource { text: None, .. }
        | ContentView::Link { .. }
        | ContentView::Stored { .. }
        | ContentView::Other { .. } => 0,
    };
    fixed_size(part) + content
}

/// How many of them stay in the entry wherever the content is kept.
fn fixed_size(part: &ContentView) -> usize {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    match part {
        ContentView::Link {
            uri,
            name,
            description,
        } => uri.len() + name.len() + length(description),
        ContentView::Resource { uri, mime, .. } => uri.len() + length(mime),
        ContentView::Stored { part } => part.beginning.len() + part.end.len(),
        ContentView::Other { kind } => kind.len(),
        // The types of media are of a short list.
        ContentView::Text { .. } | ContentView::Image { .. } | ContentView::Audio { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::stored_parts::take_large_parts;

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

    fn embedded(resource: Value) -> Value {
        json!({ "type": "resource", "resource": resource })
    }

    /// What a result leaves in its entry as JSON in bytes, what is stored beside it, and what was left out.
    fn kept(content: &[Value]) -> (usize, usize, u64) {
        let result = CallToolResult {
            content: serde_json::from_value(json!(content)).unwrap(),
            ..CallToolResult::default()
        };
        let mut view = view(result, Ok(vec![]));
        let stored = take_large_parts(&mut view);
        let bytes = stored.iter().map(|part| part.content.len()).sum();
        (json_length(&view), bytes, view.cut_bytes)
    }

    #[test]
    fn a_mime_type_that_is_too_long_is_not_kept() {
        let of = |mime: &str| embedded(json!({ "uri": "x:", "mimeType": mime, "blob": "" }));
        let (entry, stored, _) = kept(&[of(&"m".repeat(50_000_000))]);
        assert!(entry < 1_000 && stored == 0, "{entry}");

        let longest = format!("{}/{}", "a".repeat(127), "b".repeat(127));
        let whole = part(serde_json::from_value(of(&longest)).unwrap());
        assert_eq!(size(&whole), 2 + 255, "a type counts");

        let imported = checked_content(ContentView::Resource {
            uri: "x:".into(),
            mime: Some(longest + "b"),
            text: None,
            bytes: 0,
        });
        assert_eq!(size(&imported), 2);
    }

    #[test]
    fn an_address_that_stays_in_the_entry_takes_room_there() {
        let of =
            |uri: usize, text: usize| embedded(json!({ "uri": "u".repeat(uri), "text": "t".repeat(text) }));
        assert_eq!(kept(&[of(50_000_000, 300_000)]).2, 50_300_000);

        let (entry, stored, cut) = kept(&[of(3_000_000, 300_000), of(3_000_000, 300_000), of(2, 300_000)]);
        assert!(entry < MOST_INLINE, "{entry}");
        assert_eq!((stored, cut), (600_000, 3_300_000));
    }

    /// A resource that was left out had a part in the decision which texts are stored.
    #[test]
    fn what_is_left_out_moves_no_long_text_into_the_entry() {
        let text = |bytes: usize| json!({ "type": "text", "text": "t".repeat(bytes) });
        let left_out =
            embedded(json!({ "uri": "u".repeat(MOST_INLINE - 5_000), "text": "t".repeat(10_000) }));
        let mut content = vec![left_out, text(260_000)];
        content.extend(vec![text(80_000); 3]);
        content.extend(vec![text(300_000); 61]);
        content.extend(vec![text(20_000_000); 2]);
        let (entry, _, cut) = kept(&content);
        assert!(entry < 2 * MOST_INLINE && cut > 0, "{entry}");
    }
}
