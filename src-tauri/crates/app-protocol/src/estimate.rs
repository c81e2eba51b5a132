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
    while !rest.is_empty() {
        let run = first_run(rest);
        cost += cost_of(&run);
        rest = &rest[run.text.len()..];
    }
    let least = u64::from(!text.is_empty());
    cost.div_ceil(TOKEN).max(least)
}

/// Characters of one class that follow each other.
struct Run<'a> {
    class: Class,
    text: &'a str,
    /// How many characters it has.
    length: u64,
}

/// The characters of one class that a text begins with. The text is not empty.
fn first_run(text: &str) -> Run<'_> {
    let bytes = text.as_bytes();
    match ascii_class(bytes[0]) {
        // Each byte is one character, so that nothing has to be decoded.
        Some(class) => {
            let same = |at: &usize| {
                let begins_word = bytes[at - 1].is_ascii_lowercase() && bytes[*at].is_ascii_uppercase();
                ascii_class(bytes[*at]) == Some(class) && !begins_word
            };
            let end = 1 + (1..bytes.len()).take_while(same).count();
            Run {
                class,
                text: &text[..end],
                length: end as u64,
            }
        }
        None => {
            let class = text.chars().next().map_or(Class::Symbol, wide_class);
            let other = |char: &char| char.is_ascii() || wide_class(*char) != class;
            let end = text.find(|char| other(&char)).unwrap_or(text.len());
            let text = &text[..end];
            Run {
                class,
                text,
                length: text.chars().count() as u64,
            }
        }
    }
}

fn cost_of(run: &Run<'_>) -> u64 {
    let length = run.length;
    match run.class {
        Class::Letter => TOKEN + length.saturating_sub(8) * 20,
        Class::Digit => length.div_ceil(3) * TOKEN,
        // One space belongs to the word after it.
        Class::Space => {
            if run.text == " " {
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

/// The class of each byte that is a character of ASCII.
const ASCII: [Option<Class>; 256] = {
    let mut classes = [None; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        classes[byte as usize] = Some(match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t' | b'\r' | b'\n' => Class::Space,
            _ => Class::Punctuation,
        });
        byte += 1;
    }
    classes
};

fn ascii_class(byte: u8) -> Option<Class> {
    ASCII[usize::from(byte)]
}

/// The class of a character that is not of ASCII.
fn wide_class(char: char) -> Class {
    match char {
        '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff65}' => Class::WidePunctuation,
        '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' => Class::Syllable,
        '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Class::Han,
        other if other.is_alphabetic() => Class::OtherLetter,
        _ => Class::Symbol,
    }
}
