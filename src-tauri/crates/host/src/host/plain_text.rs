//! Markdown as it is read: the words without the marks around them. The window draws the answers of models in the same way
//! (`ui/src/features/markdown`), so that a hit of the search looks like what is in its chat.

use pulldown_cmark::{Event, Options, Parser, TagEnd};

/// The longest text that is read, in bytes; a longer one stays as it was written.
const MAX_TEXT: usize = 64 * 1024;

/// The words of a Markdown text, each block in a line of its own.
pub(super) fn plain_text(markdown: &str) -> String {
    if markdown.len() > MAX_TEXT {
        return markdown.to_owned();
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
    let mut plain = String::with_capacity(markdown.len());
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(text)
            | Event::Code(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::Html(text)
            | Event::InlineHtml(text) => plain.push_str(&text),
            Event::End(TagEnd::TableCell) => plain.push(' '),
            Event::SoftBreak | Event::HardBreak | Event::Rule => plain.push('\n'),
            Event::End(tag) if is_block(tag) => plain.push('\n'),
            Event::Start(_) | Event::End(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

fn is_block(tag: TagEnd) -> bool {
    !matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_stay_and_the_marks_around_them_go() {
        for (markdown, plain) in [
            ("**bold** and `code`", "bold and code"),
            ("# Trams\n\nLine *12*", "Trams Line 12"),
            ("- one\n- two\n\n1. three", "one two three"),
            ("| a | b |\n|---|---|\n| 1 | ~~2~~ |", "a b 1 2"),
            ("[Oslo](https://oslo.example)", "Oslo"),
            ("```rust\nlet a = 1;\n```", "let a = 1;"),
            ("2 * 3 * 4 <b>x</b> a_b_c", "2 * 3 * 4 <b>x</b> a_b_c"),
            ("今天**北京**天气", "今天北京天气"),
        ] {
            let read = plain_text(markdown);
            let words: Vec<&str> = read.split_whitespace().collect();
            assert_eq!(words.join(" "), plain, "{markdown}");
        }
    }

    #[test]
    fn a_text_that_is_too_long_to_be_read_stays_as_it_was_written() {
        let long = format!("{}**", "*a* ".repeat(MAX_TEXT / 4));
        assert_eq!(plain_text(&long), long);
        assert!(!plain_text(&long[4..]).contains("*a*"));
    }
}
