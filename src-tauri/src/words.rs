//! The words of what a user reads and no window of ours draws, such as a notification or the system's own dialog,
//! from the catalogue of the interface.

use std::sync::LazyLock;

use serde_json::{Map, Value};
use vestibule_host::MarkdownWords;
use vestibule_host::view::Language;
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

/// A name with nothing in it that does not show, or that turns the text around it.
pub(crate) fn plain(name: &str) -> String {
    name.chars()
        .filter(|character| !is_invisible(*character))
        .take(LONGEST_NAME)
        .collect()
}

fn catalogue_of(language: Language) -> &'static Catalogue {
    let chinese = match language {
        Language::English => false,
        Language::Chinese => true,
        Language::System => ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
            .is_some_and(|locale| locale.starts_with("zh")),
    };
    if chinese { &ZH } else { &EN }
}

fn catalogue(text: &str) -> Catalogue {
    serde_json::from_str(text).expect("the catalogue is checked when the interface is built")
}
