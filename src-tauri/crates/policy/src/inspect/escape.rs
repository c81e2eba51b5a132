//! Characters a reader does not see or takes for others, and the one form in which any text is safe to look at.

use icu_properties::props::{BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory};

/// Characters that read as a slash or backslash, and one that reads as nothing.
const DECEPTIVE: [char; 22] = [
    '\u{2044}', '\u{2215}', '\u{2216}', '\u{2571}', '\u{2572}', '\u{27CB}', '\u{27CD}', '\u{29F5}',
    '\u{29F6}', '\u{29F8}', '\u{29F9}', '\u{2AFB}', '\u{2AFD}', '\u{1735}', '\u{FE68}', '\u{FF0F}',
    '\u{FF3C}', '\u{2F03}', '\u{31D3}', '\u{3033}', '\u{2E4A}', '\u{2800}',
];

/// Whether a reader would not see this character, or not as what it is: ignorable, directing, separating, an odd
/// space, or like a slash.
pub(super) fn is_hidden(character: char) -> bool {
    !character.is_ascii()
        && (is_invisible(character)
            || GeneralCategory::for_char(character) == GeneralCategory::SpaceSeparator
            || DECEPTIVE.contains(&character))
}

/// Whether this character leaves no mark of its own: ignorable, directing, or a separator of lines.
pub(super) fn is_invisible(character: char) -> bool {
    !character.is_ascii()
        && (DefaultIgnorableCodePoint::for_char(character)
            || matches!(
                GeneralCategory::for_char(character),
                GeneralCategory::Format
                    | GeneralCategory::LineSeparator
                    | GeneralCategory::ParagraphSeparator
            ))
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
