//! The text of a result as a model reads it in parts. Of a stored part both ends are here, which is all that a model is
//! given without asking for more.

use std::borrow::Cow;

use vestibule_app_protocol::estimate::tokens;
use vestibule_app_protocol::{ContentView, MAX_INLINE, ResultView, StoredForm, StoredPart};
use vestibule_models::ResultPart;
use vestibule_servers::stored_parts::{BEGINNING, END};

use crate::for_model::MAX_CHOSEN;

/// What a model is given of a long text: so much of its beginning and of its end, in bytes.
const HEAD: usize = 10 * 1024;
const TAIL: usize = 4 * 1024;
const _: () = assert!(
    BEGINNING >= HEAD && END >= TAIL && MAX_INLINE >= MAX_CHOSEN,
    "both ends of a stored text are here, and it is never given whole"
);

/// The texts of a result in their order, with a line end between two of them.
pub struct ResultText<'a>(Vec<TextPart<'a>>);

/// A text of a result, wherever it is kept.
pub(crate) enum TextPart<'a> {
    Here(Cow<'a, str>),
    /// A text whose middle is kept beside the entry, after some words of ours.
    Stored(String, &'a StoredPart),
}

impl TextPart<'_> {
    fn bytes(&self) -> u64 {
        match self {
            Self::Here(text) => text.len() as u64,
            Self::Stored(before, part) => before.len() as u64 + part.bytes,
        }
    }

    fn beginning(&self) -> Cow<'_, str> {
        match self {
            Self::Here(text) => Cow::Borrowed(text.as_ref()),
            Self::Stored(before, part) => Cow::Owned(format!("{before}{}", part.beginning)),
        }
    }

    fn end(&self) -> &str {
        match self {
            Self::Here(text) => text.as_ref(),
            Self::Stored(_, part) => &part.end,
        }
    }

    fn tokens(&self) -> u64 {
        match self {
            Self::Here(text) => tokens(text),
            // As many for each byte as its beginning has.
            Self::Stored(before, part) => {
                let known = (part.beginning.len() as u64).max(1);
                tokens(before) + tokens(&part.beginning).saturating_mul(part.bytes) / known
            }
        }
    }
}

impl<'a> ResultText<'a> {
    pub fn of(result: &'a ResultView) -> Self {
        let mut texts: Vec<TextPart<'a>> = result
            .content
            .iter()
            .filter(|part| !is_picture(part))
            .map(part_text)
            .collect();
        if result.content.is_empty() {
            texts.push(structured_text(result));
        }
        Self(texts)
    }

    /// How many bytes the whole has.
    pub fn bytes(&self) -> u64 {
        let texts: u64 = self.0.iter().map(TextPart::bytes).sum();
        texts + (self.0.len() as u64).saturating_sub(1)
    }

    /// About how many tokens the whole has.
    pub fn tokens(&self) -> u64 {
        self.0.iter().map(TextPart::tokens).sum()
    }

    /// Whether nothing of it is kept beside the entry.
    pub fn is_here(&self) -> bool {
        self.0.iter().all(|text| matches!(text, TextPart::Here(_)))
    }

    /// What a model is given of the beginning of a long text.
    pub fn head(&self) -> String {
        let mut head = String::new();
        for (number, text) in self.0.iter().enumerate() {
            if number > 0 {
                head.push('\n');
            }
            let beginning = text.beginning();
            head.push_str(&beginning[..beginning.floor_char_boundary(HEAD)]);
            if head.len() >= HEAD {
                break;
            }
        }
        head.truncate(head.floor_char_boundary(HEAD));
        head
    }

    /// What a model is given of the end of a long text.
    pub fn tail(&self) -> String {
        let mut tail = String::new();
        for (number, text) in self.0.iter().rev().enumerate() {
            if number > 0 {
                tail.insert(0, '\n');
            }
            let end = text.end();
            tail.insert_str(0, &end[end.ceil_char_boundary(end.len().saturating_sub(TAIL))..]);
            if tail.len() >= TAIL {
                break;
            }
        }
        tail.split_off(tail.ceil_char_boundary(tail.len().saturating_sub(TAIL)))
    }

    /// All of it, where it is here; of a stored part its beginning.
    pub fn joined(&self) -> String {
        let texts: Vec<_> = self.0.iter().map(TextPart::beginning).collect();
        texts.join("\n")
    }

    pub(crate) fn into_parts(self) -> impl Iterator<Item = ResultPart> {
        self.0.into_iter().map(|text| ResultPart::Text(words(text)))
    }
}

/// A text as far as it is here.
pub(crate) fn words(text: TextPart<'_>) -> String {
    match text {
        TextPart::Here(text) => text.into_owned(),
        TextPart::Stored(..) => text.beginning().into_owned(),
    }
}

fn is_picture(part: &ContentView) -> bool {
    match part {
        ContentView::Image { .. } => true,
        ContentView::Stored { part } => matches!(part.form, StoredForm::Image { .. }),
        _ => false,
    }
}

/// What a model reads of a part that is no picture.
pub(crate) fn part_text(part: &ContentView) -> TextPart<'_> {
    let text = match part {
        ContentView::Text { text } => return TextPart::Here(Cow::Borrowed(text)),
        ContentView::Stored { part } => return stored_text(part),
        ContentView::Image { mime, .. } => format!("[a picture, {mime}]"),
        ContentView::Audio { mime, .. } => sound(mime),
        ContentView::Link {
            uri,
            name,
            description,
        } => {
            let about = description
                .as_ref()
                .map(|words| format!(": {words}"))
                .unwrap_or_default();
            format!("[a link to the resource {name} <{uri}>{about}]")
        }
        ContentView::Resource {
            uri,
            text: Some(text),
            ..
        } => format!("{}{text}", resource(uri)),
        ContentView::Resource { uri, bytes, .. } => {
            format!("[resource <{uri}>, {bytes} bytes that are not text]")
        }
        ContentView::Other { kind } => format!("[content of the kind {kind}, not shown]"),
    };
    TextPart::Here(Cow::Owned(text))
}

fn stored_text(part: &StoredPart) -> TextPart<'_> {
    match &part.form {
        StoredForm::Text | StoredForm::Structured => TextPart::Stored(String::new(), part),
        StoredForm::Resource { uri, .. } => TextPart::Stored(resource(uri), part),
        StoredForm::Audio { mime } => TextPart::Here(Cow::Owned(sound(mime))),
        StoredForm::Image { mime } => TextPart::Here(Cow::Owned(format!("[a picture, {mime}]"))),
    }
}

fn sound(mime: &str) -> String {
    format!("[a sound, {mime}, played to the user]")
}

fn resource(uri: &str) -> String {
    format!("[resource <{uri}>]\n")
}

/// The structured form of a result without content.
fn structured_text(result: &ResultView) -> TextPart<'_> {
    let text = match (&result.structured, &result.structured_stored) {
        (None, None) => "(the tool returned nothing)".to_owned(),
        _ if !result.misfits.is_empty() => {
            "[the structured result does not fit what the tool declared, so it is left out]".to_owned()
        }
        (None, Some(part)) if result.unchecked.is_none() => return TextPart::Stored(String::new(), part),
        (Some(structured), _) if result.unchecked.is_none() => structured.to_string(),
        _ => {
            let reason = result.unchecked.as_ref().map(ToString::to_string);
            format!(
                "[the structured result was not checked and is left out: {}]",
                reason.unwrap_or_default()
            )
        }
    };
    TextPart::Here(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vestibule_protocol::EntryId;
    use vestibule_servers::stored_parts::take_large_parts;

    use super::*;
    use crate::for_model;

    fn text(text: String) -> ContentView {
        ContentView::Text { text }
    }

    fn long(letter: char) -> String {
        format!("begins{}ends", letter.to_string().repeat(400_000))
    }

    fn result(content: Vec<ContentView>, structured: Option<serde_json::Value>) -> ResultView {
        ResultView {
            content,
            structured,
            structured_stored: None,
            failed: false,
            misfits: vec![],
            unchecked: None,
            cut_bytes: 0,
            model_cut_bytes: 0,
            choice: None,
        }
    }

    /// A request stays the same whether a text is stored or was kept in its entry by an earlier version.
    #[test]
    fn a_model_reads_the_same_of_a_stored_text() {
        let handle = EntryId::new();
        let resource = ContentView::Resource {
            uri: "note:1".into(),
            mime: None,
            bytes: 0,
            text: Some(long('é')),
        };
        for (content, structured) in [
            (vec![text(long('a'))], None),
            (vec![text(long('长'))], None),
            (
                vec![text("short".into()), resource.clone(), text("end".into())],
                None,
            ),
            (vec![text(long('a')), text(long('b'))], Some(json!({ "a": 1 }))),
            (vec![], Some(json!({ "all": long('c') }))),
        ] {
            let here = result(content, structured);
            let mut stored = here.clone();
            let taken = take_large_parts(&mut stored).len();
            assert!(taken > 0);
            let (text, same) = (ResultText::of(&stored), ResultText::of(&here));
            assert_eq!(text.bytes(), same.bytes());
            assert_eq!((text.head(), text.tail()), (same.head(), same.tail()));
            assert!(!text.is_here() && text.head().len() <= HEAD && text.tail().len() <= TAIL);
            assert_eq!(
                for_model::result(&stored, handle),
                for_model::result(&here, handle)
            );
            assert_eq!(take_large_parts(&mut stored), [], "nothing is taken twice");
        }
    }

    #[test]
    fn a_stored_picture_has_a_name_until_it_is_read() {
        let handle = EntryId::new();
        let picture = ContentView::Image {
            mime: "image/png".into(),
            base64: "AAAA".repeat(100_000),
        };
        let mut stored = result(vec![picture], None);
        assert_eq!(take_large_parts(&mut stored).len(), 1);
        let [ResultPart::Image { mime, base64 }] = &for_model::result(&stored, handle)[..] else {
            panic!()
        };
        assert_eq!(mime, "image/png");
        assert_eq!(for_model::named_picture(base64), Some((handle, 0)));
        assert_eq!(for_model::named_picture("AAAA"), None);
    }
}
