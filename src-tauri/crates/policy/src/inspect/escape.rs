//! Characters a reader does not see or takes for others, and the one form in which any text is safe to look at.

use icu_properties::props::{EnumeratedProperty, GeneralCategory};
use vestibule_protocol::is_invisible;

/// Characters that read as a slash or backslash.
const DECEPTIVE: [char; 21] = [
    '\u{2044}', '\u{2215}', '\u{2216}', '\u{2571}', '\u{2572}', '\u{27CB}', '\u{27CD}', '\u{29F5}',
    '\u{29F6}', '\u{29F8}', '\u{29F9}', '\u{2AFB}', '\u{2AFD}', '\u{1735}', '\u{FE68}', '\u{FF0F}',
    '\u{FF3C}', '\u{2F03}', '\u{31D3}', '\u{3033}', '\u{2E4A}',
];

/// Whether a reader would not see this character, or not as what it is: invisible, an odd space, or like a
/// slash. Controls have a warning of their own.
pub(super) fn is_hidden(character: char) -> bool {
    !character.is_ascii()
        && !character.is_control()
        && (is_invisible(character)
            || GeneralCategory::for_char(character) == GeneralCategory::SpaceSeparator
            || DECEPTIVE.contains(&character))
}

/// The text with everything that is not visible ASCII written as `\u{…}`.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_graphic() || character == ' ' {
            shown.push(character);
        } else {
            shown.extend(character.escape_unicode());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file is shared with the shell and with the user interface.
    #[test]
    fn what_does_not_show_in_an_address_is_found_and_spelled_out() {
        let rows: serde_json::Value =
            serde_json::from_str(include_str!("../../../../../tests/characters.json")).unwrap();
        for row in rows.as_array().unwrap() {
            let (text, name) = (row["character"].as_str().unwrap(), &row["name"]);
            let character = text.chars().next().unwrap();
            let hidden = row["hidden"].as_bool().unwrap();
            assert!(
                !hidden || character.is_control() || is_hidden(character),
                "{name}"
            );
            assert_eq!(visible(text), row["address"], "{name}");
        }
    }
}
