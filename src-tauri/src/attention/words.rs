//! The words of a notification. The name of the server is the user's; nothing the server says gets in here.

use vestibule_host::view::{Language, NoticeKind, NoticeView};

use crate::words::text_for;

/// The longest name that is shown, in characters.
const LONGEST_NAME: usize = 60;

/// Title and text for a question, one of so many that wait.
pub(super) fn notification_text(notice: &NoticeView, waiting: usize, language: Language) -> (String, String) {
    let title = text_for(language, "notice_title").replace("{server}", &plain(&notice.server));
    let mut text = text_for(language, key(notice.kind)).to_owned();
    if waiting > 1 {
        text.push(' ');
        text.push_str(&text_for(language, "notice_more").replace("{count}", &waiting.to_string()));
    }
    (title, text)
}

fn key(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Start => "notice_start",
        NoticeKind::Connect => "notice_connect",
        NoticeKind::SignIn => "notice_sign_in",
        NoticeKind::Tool => "notice_tool",
        NoticeKind::Change => "notice_change",
        NoticeKind::Rules => "notice_rules",
        NoticeKind::Form => "notice_form",
        NoticeKind::Page => "notice_page",
        NoticeKind::Model => "notice_model",
        NoticeKind::Folders => "notice_folders",
        NoticeKind::Widening => "notice_widening",
        NoticeKind::Flood => "notice_flood",
    }
}

/// A name with nothing in it that does not show, or that turns the text around it.
fn plain(name: &str) -> String {
    let shows = |c: &char| {
        !c.is_control()
            && !matches!(*c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
    };
    name.chars().filter(shows).take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vestibule_protocol::QuestionId;

    const ALL: [NoticeKind; 12] = [
        NoticeKind::Start,
        NoticeKind::Connect,
        NoticeKind::SignIn,
        NoticeKind::Tool,
        NoticeKind::Change,
        NoticeKind::Rules,
        NoticeKind::Form,
        NoticeKind::Page,
        NoticeKind::Model,
        NoticeKind::Folders,
        NoticeKind::Widening,
        NoticeKind::Flood,
    ];

    fn notice(kind: NoticeKind) -> NoticeView {
        NoticeView {
            question: QuestionId::new(),
            server: "no\u{202E}tes\n".into(),
            kind,
        }
    }

    #[test]
    fn every_kind_of_question_has_words_in_both_languages() {
        for language in [Language::English, Language::Chinese] {
            for kind in ALL {
                let (title, text) = notification_text(&notice(kind), 1, language);
                assert!(title.contains("notes") && !title.contains('{'), "{title}");
                assert!(
                    text.chars().count() > 3 && !text.contains('{'),
                    "{kind:?}: {text}"
                );
            }
        }
    }

    #[test]
    fn others_that_wait_are_counted() {
        let (_, text) = notification_text(&notice(NoticeKind::Form), 3, Language::English);
        assert!(text.contains('3'), "{text}");
    }
}
