//! The words of what a user reads and no window of ours draws, such as a notification or the system's own dialog,
//! from the catalogue of the interface.

use std::sync::LazyLock;

use serde_json::{Map, Value};
use vestibule_host::view::Language;
use vestibule_host::{CallbackPage, MarkdownWords};
use vestibule_protocol::is_invisible;

type Catalogue = Map<String, Value>;

static EN: LazyLock<Catalogue> = LazyLock::new(|| catalogue(include_str!("../../ui/messages/en.json")));
static ZH: LazyLock<Catalogue> = LazyLock::new(|| catalogue(include_str!("../../ui/messages/zh-CN.json")));

/// The longest name that is shown, in characters.
const LONGEST_NAME: usize = 60;

/// A message without values.
pub(crate) fn text_for(language: Language, key: &str) -> &'static str {
    catalogue_of(language)
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The words of a chat that is written as Markdown.
pub(crate) fn markdown_words(language: Language) -> MarkdownWords {
    let word = |key| text_for(language, key).to_owned();
    MarkdownWords {
        you: word("you"),
        thoughts: word("thoughts"),
        call: word("markdown_call"),
        arguments: word("arguments_sent"),
        result: word("result"),
        failed: word("markdown_failed"),
        denied: word("markdown_denied"),
        unfinished: word("markdown_unfinished"),
        attachment: word("markdown_attachment"),
        picture: word("markdown_picture"),
        sound: word("markdown_sound"),
        problem: word("markdown_problem"),
        untitled: word("untitled_chat"),
    }
}

/// The page that a browser shows at the end of a sign-in.
pub(crate) fn callback_page(language: Language) -> CallbackPage {
    CallbackPage {
        language: if is_chinese(language) { "zh-CN" } else { "en" }.to_owned(),
        title: "Vestibule".to_owned(),
        text: text_for(language, "sign_in_page_end").to_owned(),
    }
}

/// A name with nothing in it that does not show, or that turns the text around it.
pub(crate) fn plain(name: &str) -> String {
    name.chars()
        .filter(|character| !is_invisible(*character))
        .take(LONGEST_NAME)
        .collect()
}

fn catalogue_of(language: Language) -> &'static Catalogue {
    if is_chinese(language) { &ZH } else { &EN }
}

fn is_chinese(language: Language) -> bool {
    match language {
        Language::English => false,
        Language::Chinese => true,
        Language::System => ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
            .is_some_and(|locale| locale.starts_with("zh")),
    }
}

fn catalogue(text: &str) -> Catalogue {
    serde_json::from_str(text).expect("the catalogue is checked when the interface is built")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_at_the_end_of_a_sign_in_has_words_in_both_languages() {
        let pages = [Language::English, Language::Chinese].map(callback_page);
        assert_eq!(
            pages.each_ref().map(|page| page.language.as_str()),
            ["en", "zh-CN"]
        );
        assert!(pages[0].text.contains("close this page"), "{:?}", pages[0]);
        assert!(pages[1].text.contains("关闭此网页"), "{:?}", pages[1]);
    }
}
