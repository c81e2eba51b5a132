//! Terms of a text: words in lower case without their endings, the parts of names such as `get_file` and `getFile`, and
//! pairs of neighbours in Chinese, which has no spaces between words.

/// The longest word that counts, in characters.
const MAX_WORD: usize = 40;

/// The terms of a text, in its order.
pub(super) fn terms(text: &str) -> Vec<String> {
    let mut terms = vec![];
    let mut word = String::new();
    let mut han: Vec<char> = vec![];
    let mut before = ' ';
    for c in text.chars() {
        let begins_part = c.is_uppercase() && before.is_lowercase();
        if is_han(c) || !c.is_alphanumeric() || begins_part {
            end_word(&mut word, &mut terms);
        }
        if !is_han(c) {
            end_han(&mut han, &mut terms);
        }
        if is_han(c) {
            han.push(c);
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    end_word(&mut word, &mut terms);
    end_han(&mut han, &mut terms);
    terms
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn end_word(word: &mut String, terms: &mut Vec<String>) {
    if !word.is_empty() && word.chars().count() <= MAX_WORD {
        terms.push(stem(word));
    }
    word.clear();
}

fn end_han(han: &mut Vec<char>, terms: &mut Vec<String>) {
    match han.as_slice() {
        [] => {}
        [one] => terms.push(one.to_string()),
        many => terms.extend(many.windows(2).map(|pair| pair.iter().collect::<String>())),
    }
    han.clear();
}

/// An English word without the ending of its form. What is left need not be a word.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let singular = match word.strip_suffix("ies") {
        Some(rest) if rest.len() > 1 => format!("{rest}y"),
        _ if ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) => word.to_owned(),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    };
    let plain = ["ing", "ed"]
        .iter()
        .find_map(|end| singular.strip_suffix(end).filter(|rest| rest.len() >= 3));
    let root = plain.unwrap_or(&singular);
    let bytes = root.as_bytes();
    let is_doubled = plain.is_some() && bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    let root = if is_doubled && !root.ends_with("ll") && !root.ends_with("ss") {
        &root[..root.len() - 1]
    } else {
        root
    };
    let root = if root.len() > 3 {
        root.strip_suffix('e').unwrap_or(root)
    } else {
        root
    };
    root.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_and_endings_left_out() {
        assert_eq!(
            terms("searchFiles list_open-tabs"),
            ["search", "fil", "list", "open", "tab"]
        );
        for same in ["schedule", "schedules", "scheduled", "scheduling"] {
            assert_eq!(terms(same), ["schedul"], "{same}");
        }
        assert_eq!(terms("stopped status"), ["stop", "status"]);
        assert_eq!(terms("queries"), terms("query"));
    }

    #[test]
    fn chinese_is_split_into_pairs() {
        assert_eq!(terms("查天气 API 车"), ["查天", "天气", "api", "车"]);
    }
}
