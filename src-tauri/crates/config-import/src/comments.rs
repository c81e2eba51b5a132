//! JSON with comments and trailing commas, as VS Code writes it.

/// The text with comments and trailing commas replaced by blanks, so that lines and columns stay true.
pub(super) fn without_comments(text: &str) -> String {
    let mut out: Vec<char> = text.chars().collect();
    let mut index = 0;
    let mut last_comma = None;
    while index < out.len() {
        match (out[index], out.get(index + 1).copied()) {
            ('"', _) => {
                last_comma = None;
                index = end_of_string(&out, index);
                continue;
            }
            ('/', Some('/')) => {
                let end = (index..out.len()).find(|i| out[*i] == '\n').unwrap_or(out.len());
                out[index..end].fill(' ');
                index = end;
                continue;
            }
            ('/', Some('*')) => {
                let close = (index + 2..out.len()).find(|i| out[*i] == '*' && out.get(i + 1) == Some(&'/'));
                let end = close.map_or(out.len(), |i| i + 2);
                out[index..end]
                    .iter_mut()
                    .filter(|c| **c != '\n')
                    .for_each(|c| *c = ' ');
                index = end;
                continue;
            }
            (',', _) => last_comma = Some(index),
            ('}' | ']', _) => {
                if let Some(comma) = last_comma.take() {
                    out[comma] = ' ';
                }
            }
            (c, _) if c.is_whitespace() => {}
            _ => last_comma = None,
        }
        index += 1;
    }
    out.into_iter().collect()
}

/// The place after the string that starts at `start`.
fn end_of_string(text: &[char], start: usize) -> usize {
    let mut index = start + 1;
    while index < text.len() {
        match text[index] {
            '\\' => index += 2,
            '"' => return index + 1,
            _ => index += 1,
        }
    }
    text.len()
}
