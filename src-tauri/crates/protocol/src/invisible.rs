//! Which characters leave no mark of their own. One rule for every place that shows or compares foreign text. The
//! windows have it as a table, `ui/src/features/text/invisible.ts`, because the Unicode version of a web view is that of
//! the system. `make bindings` writes the table.

use icu_properties::props::{BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory};

/// A character with a mark of its own by its category, but an empty one.
const EMPTY_BRAILLE_PATTERN: char = '\u{2800}';

/// Whether a character leaves no mark of its own, or one that differs from font to font: controls (line feed and tab
/// among them), directions and joiners, letters to be ignored, separators of lines, private use, unassigned code points.
pub fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    character == EMPTY_BRAILLE_PATTERN
        || DefaultIgnorableCodePoint::for_char(character)
        || matches!(
            GeneralCategory::for_char(character),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::PrivateUse
                | GeneralCategory::Unassigned
        )
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;

    const TABLE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../ui/src/features/text/invisible.ts"
    );

    /// The file is shared with the crate `policy`, with the shell and with the user interface.
    #[test]
    fn what_does_not_show_is_the_same_everywhere() {
        let rows: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/characters.json")).unwrap();
        for row in rows.as_array().unwrap() {
            let character = row["character"].as_str().unwrap().chars().next().unwrap();
            assert_eq!(is_invisible(character), row["hidden"], "{}", row["name"]);
        }
    }

    /// First and last code points of each run, surrogates included, because a text of JavaScript can hold half of a pair.
    fn runs() -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = vec![];
        let hidden = |code: &u32| char::from_u32(*code).is_none_or(is_invisible);
        for code in (0..=u32::from(char::MAX)).filter(hidden) {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == code => *last = code,
                _ => runs.push((code, code)),
            }
        }
        runs
    }

    fn table() -> String {
        let mut text = "// Generated from `is_invisible` of the crate vestibule-protocol by `make bindings`. Do not edit.\n\n\
            /** Code points that leave no mark of their own, in runs, hexadecimal. */\nexport const INVISIBLE = `"
            .to_owned();
        let mut width = usize::MAX;
        for (first, last) in runs() {
            let run = if first == last {
                format!("{first:X}")
            } else {
                format!("{first:X}-{last:X}")
            };
            width = width.saturating_add(run.len() + 1);
            if width > 110 {
                text.push('\n');
                width = run.len();
            } else {
                text.push(' ');
            }
            write!(text, "{run}").unwrap();
        }
        text.push_str("\n`;\n");
        text
    }

    #[test]
    fn the_bindings_of_invisible_characters_are_those_of_the_rule() {
        let table = table();
        if std::env::var_os("UPDATE_BINDINGS").is_some() {
            std::fs::write(Path::new(TABLE), &table).unwrap();
        }
        let committed = std::fs::read_to_string(TABLE).unwrap_or_default();
        assert_eq!(committed, table, "{TABLE} is out of date: run `make bindings`");
    }
}
