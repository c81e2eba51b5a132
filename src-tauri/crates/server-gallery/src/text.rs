//! Texts of a registry, bounded. Hidden characters stay: the window shows them as what they are.

use serde_json::Value;

/// The beginning of a text; a mark at its end says where it was cut.
pub(crate) fn bounded(text: &str, most: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

/// A member that is a text and not empty.
pub(crate) fn member<'a>(value: &'a Value, names: &[&str]) -> Option<&'a str> {
    let texts = names.iter().filter_map(|name| value[*name].as_str());
    texts.map(str::trim).find(|text| !text.is_empty())
}
