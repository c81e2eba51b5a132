//! The titles of the two windows: the main window says how many questions wait, the consent window who asks for what.

use tauri::{AppHandle, Manager, Runtime};
use vestibule_host::Host;
use vestibule_host::view::{FrontCard, Language, NoticeKind};

use super::CONSENT;
use crate::windows::MAIN;
use crate::words::{plain, text_for};

const NAME: &str = "Vestibule";

/// The titles as they were set last.
#[derive(Default)]
pub(super) struct Titles {
    main: String,
    consent: String,
}

impl Titles {
    /// Sets the titles that are others now.
    pub(super) fn follow<R: Runtime>(&mut self, app: &AppHandle<R>, host: &Host) {
        let waiting = host.questions_waiting().len();
        let front = host.front_card();
        let language = host.settings().language;
        set(app, MAIN, &mut self.main, counted(waiting));
        let title = front.map_or_else(|| NAME.to_owned(), |card| asking(&card, language));
        set(app, CONSENT, &mut self.consent, title);
    }
}

fn set<R: Runtime>(app: &AppHandle<R>, label: &str, last: &mut String, title: String) {
    if *last == title {
        return;
    }
    let Some(window) = app.get_webview_window(label) else {
        return;
    };
    // A title that cannot be set is no reason to disturb anyone.
    if window.set_title(&title).is_ok() {
        *last = title;
    }
}

fn counted(waiting: usize) -> String {
    match waiting {
        0 => NAME.to_owned(),
        _ => format!("({waiting}) {NAME}"),
    }
}

/// What is asked and who asks. The name of a tool is the server's word, so it is bounded and has nothing in it that
/// does not show.
fn asking(card: &FrontCard, language: Language) -> String {
    let what = match (&card.tool, card.notice.kind) {
        (Some(tool), NoticeKind::Change) => text_for(language, "tab_changed").replace("{tool}", &plain(tool)),
        (Some(tool), _) => plain(tool),
        (None, kind) => text_for(language, key(kind)).to_owned(),
    };
    // Only the message itself is searched for gaps, so that the name of a tool cannot bring one of its own.
    let (before, after) = text_for(language, "consent_window_title")
        .split_once("{what}")
        .unwrap_or_default();
    let server = plain(&card.notice.server);
    format!("{before}{what}{}", after.replace("{server}", &server))
}

fn key(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Start => "tab_start",
        NoticeKind::Connect => "tab_connect",
        NoticeKind::SignIn => "tab_sign_in",
        NoticeKind::Tool | NoticeKind::Change => "family_call",
        NoticeKind::Rules => "family_rules",
        NoticeKind::Form => "tab_form",
        NoticeKind::Page => "tab_page",
        NoticeKind::Model => "tab_sample",
        NoticeKind::Folders => "tab_folders",
        NoticeKind::Widening => "family_widening",
        NoticeKind::Flood => "family_flood",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vestibule_host::view::NoticeView;
    use vestibule_protocol::QuestionId;

    fn card(tool: Option<&str>, kind: NoticeKind) -> FrontCard {
        FrontCard {
            notice: NoticeView {
                question: QuestionId::new(),
                server: "tour".into(),
                kind,
            },
            tool: tool.map(str::to_owned),
        }
    }

    #[test]
    fn the_title_names_what_is_asked_and_who_asks_in_both_languages() {
        let call = card(Some("weather"), NoticeKind::Tool);
        assert_eq!(
            asking(&call, Language::English),
            "weather · tour – Vestibule needs your OK"
        );
        for language in [Language::English, Language::Chinese] {
            for kind in [
                NoticeKind::Start,
                NoticeKind::Form,
                NoticeKind::Flood,
                NoticeKind::Widening,
            ] {
                let title = asking(&card(None, kind), language);
                assert!(title.contains("tour") && title.contains(NAME), "{title}");
                assert!(!title.contains('{') && !title.starts_with(' '), "{title}");
            }
        }
    }

    #[test]
    fn the_name_of_a_tool_cannot_hide_who_asks() {
        let long = format!("a\u{202E}b\n{{server}} – Vestibule{}", "x".repeat(500));
        let title = asking(&card(Some(&long), NoticeKind::Tool), Language::English);
        assert!(!title.contains('\u{202E}') && !title.contains('\n'), "{title}");
        assert!(title.ends_with(" · tour – Vestibule needs your OK"), "{title}");
        assert!(title.chars().count() < 140, "{title}");
    }
}
