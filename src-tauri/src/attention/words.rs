//! The words of a notification. The name of the server is the user's; nothing the server says gets in here.

use vestibule_host::view::{FinishedChat, Language, NoticeKind, NoticeView};

use crate::words::{plain, text_for};

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

/// Title and text for a chat whose turn ended. They hold nothing of the chat, since others may read a screen.
pub(super) fn finished_text(chat: FinishedChat, language: Language) -> (String, String) {
    let text = if chat.ended_well {
        "notice_answered"
    } else {
        "notice_stopped"
    };
    let word = |key| text_for(language, key).to_owned();
    (word("notice_finished"), word(text))
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

    /// The file is shared with the crate `policy` and with the user interface.
    #[test]
    fn what_does_not_show_is_left_out_of_a_name() {
        let rows: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/characters.json")).unwrap();
        for row in rows.as_array().unwrap() {
            let name = format!("no{}tes", row["character"].as_str().unwrap());
            let expected = format!("no{}tes", row["notification"].as_str().unwrap());
            assert_eq!(plain(&name), expected, "{}", row["name"]);
        }
    }

    #[test]
    fn a_finished_chat_has_words_in_both_languages() {
        for language in [Language::English, Language::Chinese] {
            let [well, badly] = [true, false].map(|ended_well| {
                let chat = vestibule_protocol::ChatId::new();
                finished_text(FinishedChat { chat, ended_well }, language)
            });
            assert!(!well.0.is_empty() && !well.1.is_empty());
            assert_ne!(well.1, badly.1, "an error is told from an answer");
        }
    }

    #[test]
    fn others_that_wait_are_counted() {
        let (_, text) = notification_text(&notice(NoticeKind::Form), 3, Language::English);
        assert!(text.contains('3'), "{text}");
    }
}
