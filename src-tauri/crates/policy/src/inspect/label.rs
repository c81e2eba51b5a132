//! Whether one label of a name may be shown in its own script, or only as `xn--`. Each label is judged by itself
//! and by the top-level domain it stands under; the language of the user's computer plays no part, so that a name
//! looks the same to everybody. The rules follow Chromium's, with Mozilla's list of characters added.

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};
use unicode_script::{Script, UnicodeScript as _};
use unicode_security::{GeneralSecurityProfile as _, RestrictionLevel, RestrictionLevelDetection as _};

use super::script::{LIKE_DIGITS, LIKE_LATIN, NEEDS_COMPANY, NEVER_SHOWN, PASSING, Passing, STROKES, ZEROS};

/// Whether `label` may be shown under the top-level domain (as `xn--` and in Unicode).
pub(super) fn is_safe(label: &str, top: (&str, &str)) -> bool {
    let letters: Vec<char> = label.chars().collect();
    let level = label.detect_restriction_level();
    // Such a label would pass for the encoded form of another one.
    let twice_encoded = label.starts_with("xn--");
    let refused = twice_encoded
        || !letters.iter().all(|letter| is_shown(*letter))
        || level > RestrictionLevel::HighlyRestrictive
        || mixes_numbers(&letters)
        || repeats_a_mark(label)
        || is_out_of_place(&letters, top.0)
        || passes_for_latin(&letters, top)
        || passes_for_digits(&letters);
    let simple =
        level <= RestrictionLevel::SingleScript && !letters.iter().any(|letter| needs_a_look(*letter));
    !refused && (simple || !is_dangerous(&letters))
}

fn is_shown(letter: char) -> bool {
    let never = NEVER_SHOWN
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&letter));
    letter.identifier_allowed() && !never
}

fn mixes_numbers(letters: &[char]) -> bool {
    let mut zeros = letters.iter().filter_map(|letter| {
        let code = u32::from(*letter);
        ZEROS.into_iter().find(|zero| (*zero..zero + 10).contains(&code))
    });
    let first = zeros.next();
    zeros.any(|zero| Some(zero) != first)
}

fn repeats_a_mark(label: &str) -> bool {
    let letters: Vec<char> = label.nfd().collect();
    letters
        .windows(2)
        .any(|pair| pair[0] == pair[1] && is_combining_mark(pair[0]))
}

/// Letters that belong to one country's names alone, and pass for others elsewhere.
fn is_out_of_place(letters: &[char], top: &str) -> bool {
    letters.iter().enumerate().any(|(index, letter)| match letter {
        'þ' | 'ð' => !matches!(top, "is" | "fo"),
        'ə' => top != "az",
        '·' => {
            let between = index > 0 && letters[index - 1] == 'l' && letters.get(index + 1) == Some(&'l');
            top != "cat" || !between
        }
        _ => false,
    })
}

/// Whether the letters of some script are all such as pass for Latin ones, where that script is not at home.
fn passes_for_latin(letters: &[char], (top, top_unicode): (&str, &str)) -> bool {
    let of = |script: Script, letter: char| letter.script() == script;
    let fooled = |table: &Passing| {
        let mut own = letters
            .iter()
            .filter(|letter| of(table.script, **letter))
            .peekable();
        own.peek().is_some() && own.all(|letter| table.letters.contains(*letter))
    };
    let at_home = |table: &Passing| {
        table.at_home.contains(&top) || top_unicode.chars().any(|letter| of(table.script, letter))
    };
    PASSING.iter().any(|table| fooled(table) && !at_home(table))
}

fn passes_for_digits(letters: &[char]) -> bool {
    letters
        .iter()
        .all(|letter| letter.is_ascii_digit() || LIKE_DIGITS.contains(*letter))
        && letters.iter().any(|letter| !letter.is_ascii())
}

/// Whether a letter is a danger even among letters of its own script.
fn needs_a_look(letter: char) -> bool {
    NEEDS_COMPANY.contains(letter) || is_latin_mark(letter)
}

fn is_latin_mark(letter: char) -> bool {
    ('\u{300}'..='\u{339}').contains(&letter)
}

/// Whether some letter, among its neighbours, passes for another or for punctuation.
fn is_dangerous(letters: &[char]) -> bool {
    let latin = |letter: &char| letter.script() == Script::Latin;
    let mixed = letters.iter().any(|letter| {
        !latin(letter) && letter.script() != Script::Common && letter.script() != Script::Inherited
    });
    let accented_among_others = mixed && letters.iter().any(|letter| latin(letter) && !letter.is_ascii());
    accented_among_others
        || is_kana_in_disguise(letters)
        || (0..letters.len()).any(|index| {
            let before = index.checked_sub(1).map(|before| letters[before]);
            is_dangerous_between(letters[index], before, letters.get(index + 1).copied())
        })
}

fn is_dangerous_between(letter: char, before: Option<char>, after: Option<char>) -> bool {
    let kana = |letter: char| extends(letter, &[Script::Katakana, Script::Hiragana]);
    let japanese = |letter: char| kana(letter) || extends(letter, &[Script::Han]);
    let asian = |letter: char| japanese(letter) || extends(letter, &[Script::Bopomofo]);
    let alone = [before, after]
        .iter()
        .all(|beside| beside.is_some_and(|beside| !japanese(beside)));
    match letter {
        'ー' => !before.is_some_and(kana),
        'ヽ' | 'ヾ' => !before.is_some_and(|before| extends(before, &[Script::Katakana])),
        '・' => before.is_some_and(|before| !japanese(before)) || !after.is_some_and(japanese),
        '\u{307}' if matches!(before, Some('i' | 'j' | 'l')) => true,
        mark if is_latin_mark(mark) => !before.is_some_and(carries_marks),
        stroke if STROKES.contains(stroke) && alone => true,
        sign if LIKE_LATIN.contains(sign) => {
            [before, after].into_iter().flatten().any(|beside| !asian(beside))
        }
        _ => false,
    }
}

/// Whether marks above and below are read as part of this letter. On a dotless i they would pass for its dot.
fn carries_marks(letter: char) -> bool {
    letter != 'ı' && extends(letter, &[Script::Latin, Script::Greek, Script::Cyrillic])
}

fn extends(letter: char, scripts: &[Script]) -> bool {
    let extension = letter.script_extension();
    !extension.is_common()
        && !extension.is_inherited()
        && scripts.iter().any(|script| extension.contains_script(*script))
}

/// へ and ヘ look the same: one of them alone among the other kana is a disguise.
fn is_kana_in_disguise(letters: &[char]) -> bool {
    let all_but = |odd: &str, script: Script| {
        let mut odd_seen = false;
        letters.iter().all(|letter| {
            let is_odd = odd.contains(*letter);
            odd_seen |= is_odd;
            is_odd || extends(*letter, &[script])
        }) && odd_seen
            && letters.iter().any(|letter| !odd.contains(*letter))
    };
    all_but("へべぺ", Script::Katakana) || all_but("ヘベペ", Script::Hiragana)
}

#[cfg(test)]
mod tests;
