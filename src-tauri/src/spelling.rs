//! Marks misspelled words where the user writes, which WebKitGTK does only where it is turned on. The dictionaries are
//! those of the system; a language without one is not checked, and nothing that is written leaves the computer.

use tauri::{Runtime, WebviewWindow};

/// The dictionary that is used besides those of the user's own languages: much of what people ask tools is English.
#[cfg(target_os = "linux")]
const ENGLISH: &str = "en_US";

/// Turns the spelling checker on for a window. A field says by its `spellcheck` attribute that it holds no prose.
#[cfg(target_os = "linux")]
pub(crate) fn check<R: Runtime>(window: &WebviewWindow<R>) {
    use webkit2gtk::{WebContextExt as _, WebViewExt as _};
    let languages = dictionaries(gtk::glib::language_names().iter().map(|name| name.as_str()));
    let told = window.with_webview(move |webview| {
        if let Some(context) = webview.inner().context() {
            let languages: Vec<&str> = languages.iter().map(String::as_str).collect();
            context.set_spell_checking_languages(&languages);
            context.set_spell_checking_enabled(true);
        }
    });
    if let Err(error) = told {
        tracing::warn!(%error, window = window.label(), "failed to turn the spelling checker on");
    }
}

/// The webviews of other systems check by themselves.
#[cfg(not(target_os = "linux"))]
pub(crate) fn check<R: Runtime>(_window: &WebviewWindow<R>) {}

/// The dictionaries for the locales of the user, in their order. A locale may carry an encoding and a variant
/// ("de_AT.UTF-8@euro"), which no dictionary does.
#[cfg(target_os = "linux")]
fn dictionaries<'a>(locales: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut languages: Vec<String> = Vec::new();
    let known = locales
        .filter_map(|locale| locale.split(['.', '@']).next())
        .filter(|locale| locale.contains('_'));
    for language in known.chain([ENGLISH]) {
        if !languages.iter().any(|other| other == language) {
            languages.push(language.to_owned());
        }
    }
    languages
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::dictionaries;

    #[test]
    fn a_text_is_checked_in_the_users_languages_and_in_english() {
        let locales = ["de_AT.UTF-8@euro", "de_AT", "de", "fr_FR.UTF-8", "C"];
        assert_eq!(dictionaries(locales.into_iter()), ["de_AT", "fr_FR", "en_US"]);
        assert_eq!(dictionaries(["C.UTF-8", "C"].into_iter()), ["en_US"]);
        assert_eq!(dictionaries(["en_US.UTF-8"].into_iter()), ["en_US"]);
    }
}
