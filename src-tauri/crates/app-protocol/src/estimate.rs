//! About how many tokens a text has, without the tokenizer of the model. Each run of characters of one class is counted
//! by what byte-pair tokenizers make of such runs. The counts in `estimate/tests.rs` show how far it is off.

#[cfg(test)]
mod tests;

/// Costs are counted in hundredths of a token.
const TOKEN: u64 = 100;

/// What a run of characters consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// ASCII letters. An identifier is split before each capital that follows a small letter.
    Letter,
    Digit,
    Space,
    /// Other ASCII: brackets, quotes, commas, control characters.
    Punctuation,
    /// Letters of scripts with spaces between words, as accented Latin, Cyrillic and Arabic.
    OtherLetter,
    /// Chinese characters, also those in Japanese.
    Han,
    /// Syllables of Japanese and Korean.
    Syllable,
    /// The punctuation of Chinese, Japanese and Korean.
    WidePunctuation,
    /// Emoji and whatever else has no class of its own.
    Symbol,
}

/// About how many tokens a text has; never 0 for a text that is not empty. One pass, no allocation.
pub fn tokens(text: &str) -> u64 {
    let mut cost = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = class_of(first);
        let run = run_of(rest, class);
        cost += cost_of(run, class);
        rest = &rest[run.len()..];
    }
    let least = u64::from(!text.is_empty());
    cost.div_ceil(TOKEN).max(least)
}

/// The characters of one class that a text begins with.
fn run_of(text: &str, class: Class) -> &str {
    let mut was_small = false;
    let end = text.char_indices().find(|(_, char)| {
        let begins_word = class == Class::Letter && was_small && char.is_ascii_uppercase();
        was_small = char.is_ascii_lowercase();
        begins_word || class_of(*char) != class
    });
    end.map_or(text, |(end, _)| &text[..end])
}

fn cost_of(run: &str, class: Class) -> u64 {
    let length = run.chars().count() as u64;
    match class {
        Class::Letter => TOKEN + length.saturating_sub(8) * 20,
        Class::Digit => length.div_ceil(3) * TOKEN,
        // One space belongs to the word after it.
        Class::Space => {
            if run == " " {
                0
            } else {
                TOKEN
            }
        }
        Class::Punctuation if length == 1 => 80,
        Class::Punctuation => TOKEN + length.saturating_sub(3) * 30,
        Class::OtherLetter => (length * 33).max(TOKEN),
        Class::Han => length * 78,
        Class::Syllable => length * 80,
        Class::WidePunctuation => length * 95,
        Class::Symbol => length * 150,
    }
}

fn class_of(char: char) -> Class {
    match char {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        ' ' | '\t' | '\r' | '\n' => Class::Space,
        '\0'..='\x7f' => Class::Punctuation,
        '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff65}' => Class::WidePunctuation,
        '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' => Class::Syllable,
        '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Class::Han,
        other if other.is_alphabetic() => Class::OtherLetter,
        _ => Class::Symbol,
    }
}
