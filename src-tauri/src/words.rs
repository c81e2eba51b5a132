//! The words of what a user reads and no window of ours draws, such as a notification or the system's own dialog,
//! from the catalogue of the interface.

use std::sync::LazyLock;

use serde_json::{Map, Value};
use vestibule_host::view::Language;

type Catalogue = Map<String, Value>;

static EN: LazyLock<Catalogue> = LazyLock::new(|| catalogue(include_str!("../../ui/messages/en.json")));
static ZH: LazyLock<Catalogue> = LazyLock::new(|| catalogue(include_str!("../../ui/messages/zh-CN.json")));

/// A message without values.
pub(crate) fn text_for(language: Language, key: &str) -> &'static str {
    catalogue_of(language)
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
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
