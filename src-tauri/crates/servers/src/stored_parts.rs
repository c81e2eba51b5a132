//! Large parts of results on their way to the disk and back. An entry has only references to them; what a model reads in
//! parts, a file of chats and a saved picture get the parts again.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use sha2::{Digest, Sha256};
use vestibule_protocol::EntryId;
use vestibule_store::{BlobKind, NewBlob, Store, StoreError};

use vestibule_app_protocol::{
    CallBody, CallState, ContentView, EntryBody, InlineRoom, ResultView, StoredForm, StoredPart,
};

/// How much of the beginning and of the end of a text stays in its entry, in bytes.
pub const BEGINNING: usize = 16 * 1024;
pub const END: usize = 4 * 1024;

/// Base64 as servers write it, with its end filled up or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Which stored parts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredParts {
    Texts,
    All,
}

/// The result of a call that was answered.
pub fn result_of(body: &mut EntryBody) -> Option<&mut ResultView> {
    match body {
        EntryBody::Call(CallBody {
            state: CallState::Answered { result, .. },
            ..
        }) => Some(result),
        _ => None,
    }
}

/// Whether an entry refers to stored texts.
pub fn has_texts(body: &EntryBody) -> bool {
    let EntryBody::Call(CallBody {
        state: CallState::Answered { result, .. },
        ..
    }) = body
    else {
        return false;
    };
    let mut parts = result.content.iter();
    result.structured_stored.is_some()
        || parts.any(|part| matches!(part, ContentView::Stored { part } if part.form.is_text()))
}

/// Takes the large parts out of a result, and leaves references to them.
pub fn take_large_parts(result: &mut ResultView) -> Vec<NewBlob> {
    let taken = result.content.iter().filter_map(|part| match part {
        ContentView::Stored { part } => Some(part.number + 1),
        _ => None,
    });
    let structured = result.structured_stored.iter().map(|part| part.number + 1);
    let next = taken.chain(structured).max().unwrap_or_default();
    let mut parts = LargeParts { next, blobs: vec![] };
    let mut room = InlineRoom::default();
    for part in &mut result.content {
        if room.stores(part) {
            parts.take(part);
        }
    }
    let structured = result.structured.as_ref().map(ToString::to_string);
    if let Some(text) = structured.filter(|text| room.stores_text(text.len())) {
        result.structured = None;
        result.structured_stored = Some(parts.text(text, StoredForm::Structured));
    }
    parts.blobs
}

/// The parts that were taken out of one result.
struct LargeParts {
    /// The number of the next one.
    next: u32,
    blobs: Vec<NewBlob>,
}

impl LargeParts {
    fn take(&mut self, part: &mut ContentView) {
        let nothing = ContentView::Other { kind: String::new() };
        *part = match std::mem::replace(part, nothing) {
            ContentView::Text { text } => stored(self.text(text, StoredForm::Text)),
            ContentView::Resource {
                uri,
                mime,
                text: Some(text),
                ..
            } => stored(self.text(text, StoredForm::Resource { uri, mime })),
            ContentView::Image { mime, base64 } => self.media(&base64, BlobKind::Image, mime),
            ContentView::Audio { mime, base64 } => self.media(&base64, BlobKind::Audio, mime),
            other => other,
        };
    }

    fn text(&mut self, text: String, form: StoredForm) -> StoredPart {
        let end = text.ceil_char_boundary(text.len().saturating_sub(END));
        let part = StoredPart {
            lines: text.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1,
            beginning: text[..text.floor_char_boundary(BEGINNING)].to_owned(),
            end: text[end..].to_owned(),
            ..empty(form)
        };
        self.add(part, BlobKind::Text, None, text.into_bytes())
    }

    /// What cannot be decoded is no picture and no sound, and is only named.
    fn media(&mut self, base64: &str, kind: BlobKind, mime: String) -> ContentView {
        let Ok(content) = BASE64.decode(base64) else {
            return ContentView::Other { kind: mime };
        };
        let form = match kind {
            BlobKind::Image => StoredForm::Image { mime: mime.clone() },
            BlobKind::Audio | BlobKind::Text => StoredForm::Audio { mime: mime.clone() },
        };
        stored(self.add(empty(form), kind, Some(mime), content))
    }

    fn add(
        &mut self,
        part: StoredPart,
        kind: BlobKind,
        mime: Option<String>,
        content: Vec<u8>,
    ) -> StoredPart {
        let (number, bytes) = (self.next, content.len() as u64);
        let sha256 = Sha256::digest(&content)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let blob = NewBlob {
            number,
            kind,
            mime,
            content,
        };
        let pieces = blob.pieces();
        self.next += 1;
        self.blobs.push(blob);
        StoredPart {
            number,
            bytes,
            sha256,
            pieces,
            ..part
        }
    }
}

fn empty(form: StoredForm) -> StoredPart {
    StoredPart {
        number: 0,
        form,
        bytes: 0,
        sha256: String::new(),
        pieces: 0,
        lines: 0,
        beginning: String::new(),
        end: String::new(),
    }
}

fn stored(part: StoredPart) -> ContentView {
    ContentView::Stored { part }
}

/// Puts stored parts back into a result. One that is not there stays a reference.
///
/// # Errors
/// When they cannot be read.
pub async fn put_back(
    store: &Store,
    entry: EntryId,
    result: &mut ResultView,
    wanted: StoredParts,
) -> Result<(), StoreError> {
    for content in &mut result.content {
        if let ContentView::Stored { part } = content
            && (wanted == StoredParts::All || part.form.is_text())
            && let Some(whole) = whole_part(store, entry, part).await?
        {
            *content = whole;
        }
    }
    if let Some(part) = &result.structured_stored
        && let Some(text) = text_of(store, entry, part.number).await?
        && let Ok(value) = serde_json::from_str(&text)
    {
        result.structured = Some(value);
        result.structured_stored = None;
    }
    Ok(())
}

/// A stored part as it was before it was stored.
pub async fn whole_part(
    store: &Store,
    entry: EntryId,
    part: &StoredPart,
) -> Result<Option<ContentView>, StoreError> {
    let number = part.number;
    let content = match part.form.clone() {
        StoredForm::Text | StoredForm::Structured => text_of(store, entry, number)
            .await?
            .map(|text| ContentView::Text { text }),
        StoredForm::Resource { uri, mime } => {
            text_of(store, entry, number)
                .await?
                .map(|text| ContentView::Resource {
                    uri,
                    mime,
                    bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
                    text: Some(text),
                })
        }
        StoredForm::Image { mime } => media_of(store, entry, number, BlobKind::Image)
            .await?
            .map(|base64| ContentView::Image { mime, base64 }),
        StoredForm::Audio { mime } => media_of(store, entry, number, BlobKind::Audio)
            .await?
            .map(|base64| ContentView::Audio { mime, base64 }),
    };
    Ok(content)
}

async fn text_of(store: &Store, entry: EntryId, number: u32) -> Result<Option<String>, StoreError> {
    let blob = store.blob(entry, number).await?;
    let text = blob.filter(|blob| blob.kind == BlobKind::Text);
    Ok(text.and_then(|blob| String::from_utf8(blob.content).ok()))
}

/// The bytes of a picture or sound as Base64.
pub async fn media_of(
    store: &Store,
    entry: EntryId,
    number: u32,
    kind: BlobKind,
) -> Result<Option<String>, StoreError> {
    let blob = store.blob(entry, number).await?;
    let media = blob.filter(|blob| blob.kind == kind);
    Ok(media.map(|blob| base64_of(&blob.content)))
}

pub fn base64_of(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result(content: Vec<ContentView>) -> ResultView {
        ResultView {
            content,
            structured: None,
            structured_stored: None,
            failed: false,
            misfits: vec![],
            unchecked: None,
            cut_bytes: 0,
            model_cut_bytes: 0,
            choice: None,
        }
    }

    fn image(base64: String) -> ContentView {
        let mime = "image/png".into();
        ContentView::Image { mime, base64 }
    }

    #[test]
    fn what_is_short_stays_and_what_is_long_leaves_a_reference() {
        let text = "a line\n".repeat(100_000);
        let short = ContentView::Text { text: "short".into() };
        let mut view = result(vec![short.clone(), ContentView::Text { text: text.clone() }]);
        view.structured = Some(json!({ "all": text }));
        let blobs = take_large_parts(&mut view);
        assert_eq!(blobs.iter().map(|blob| blob.number).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(blobs[0].content, text.as_bytes());
        assert_eq!(view.content[0], short);
        let ContentView::Stored { part } = &view.content[1] else {
            panic!()
        };
        assert_eq!((part.bytes, part.lines), (700_000, 100_001));
        assert_eq!(part.pieces, blobs[0].pieces());
        assert_eq!(part.sha256.len(), 64);
        assert!(text.starts_with(&part.beginning) && text.ends_with(&part.end));
        assert!(view.structured.is_none());
        assert_eq!(
            view.structured_stored.map(|part| part.form),
            Some(StoredForm::Structured)
        );
    }

    /// Servers leave out what fills up the end of Base64; what is no Base64 is no picture.
    #[test]
    fn a_picture_is_stored_as_its_bytes() {
        let base64 = "AAAA".repeat(100_000);
        let mut view = result(vec![image(format!("{base64}AA")), image(format!("{base64}A"))]);
        let blobs = take_large_parts(&mut view);
        assert_eq!(blobs.len(), 1);
        assert_eq!(blobs[0].content, vec![0; 300_001]);
        assert_eq!(base64_of(&blobs[0].content), format!("{base64}AA=="));
        assert!(matches!(&view.content[1], ContentView::Other { kind } if kind == "image/png"));
    }
}
