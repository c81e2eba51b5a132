//! Links in answers of models. A window names the entry and the address, and only an address that stands in that entry is
//! shown on a card. Nothing is opened before the yes.

use vestibule_client_features::LinkRequest;
use vestibule_consent::Cause;
use vestibule_protocol::{ChatId, EntryId};

use super::Host;
use super::widen::refused;
use crate::view::{ChangeEnd, ChangeOutcome, EntryBody, InputProblem, Problem, QuestionProblem, TextState};

/// Marks that can stand between an address and what follows it in a sentence.
const CLOSING: &[char] = &['.', ',', ';', ':', '!', '?', '*', '_', '~', '\'', '"'];
/// Characters with which an address goes on.
const GOING_ON: &[char] = &['/', '?', '#', '&', '=', '%', '@', '+', '-', '$', '(', '[', '\\'];

impl Host {
    /// Asks whether to open the page of a link in an answer, and returns once the question waits. An event tells how it
    /// ended.
    ///
    /// # Errors
    /// When the answer has no such link or is not whole yet, or too many questions wait.
    pub async fn link_open(
        &self,
        chat: ChatId,
        entry: EntryId,
        address: String,
    ) -> Result<ChangeOutcome, Problem> {
        let found = self.entry(entry).await?;
        let model = match found.body {
            EntryBody::Assistant {
                text,
                reasoning,
                model,
                state,
                ..
            } if found.chat == chat
                && state != TextState::Streaming
                && (has_link(&text, &address) || has_link(&reasoning, &address)) =>
            {
                model
            }
            _ => return Err(Problem::Input(InputProblem::LinkNotInAnswer { address })),
        };
        let cause = Cause {
            chat,
            chat_title: self.chat_record(chat).await?.title,
            entry: Some(entry),
            task_of: None,
        };
        let link = LinkRequest {
            cause,
            model,
            address,
        };
        let features = self.0.client_features.clone();
        self.change_or_ask(move |asking| async move {
            match features.open_link(link, |question| asking.asked(question)).await {
                Ok(None) => ChangeEnd::Done,
                Ok(Some(detail)) => ChangeEnd::Failed {
                    problem: Problem::Question(QuestionProblem::PageNotOpened { detail }),
                },
                Err(no) => refused(no),
            }
        })
        .await
    }
}

/// Whether a text has this address of a web page, and not only the beginning of another one.
fn has_link(text: &str, address: &str) -> bool {
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        address
            .get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    });
    is_web
        && text.match_indices(address).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let rest = text[at + address.len()..].trim_start_matches(CLOSING);
            let begins = !before.is_some_and(|mark| mark.is_ascii_alphanumeric());
            let goes_on = |mark: char| mark.is_ascii_alphanumeric() || GOING_ON.contains(&mark);
            begins && !rest.starts_with(goes_on)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_however_markdown_has_it() {
        let url = "https://example.com/a?b=1#c";
        for text in [
            url.to_owned(),
            format!("See {url}."),
            format!("[here]({url})"),
            format!("[here]({url} \"title\")"),
            format!("[here][1]\n\n[1]: {url}\n"),
            format!("<{url}>"),
            format!("**{url}**: yes"),
            format!("| {url}|x |"),
            format!("（{url}）"),
            format!("{url}/more and {url}, too"),
        ] {
            assert!(has_link(&text, url), "{text}");
        }
        assert!(has_link("HTTPS://EXAMPLE.COM", "HTTPS://EXAMPLE.COM"));
    }

    #[test]
    fn a_part_of_an_address_is_no_link() {
        let text = "https://user@example.com:8080/a/b?c=d";
        for part in [
            "https://user",
            "https://user@example",
            "https://user@example.com",
            "https://user@example.com:8080",
            "https://user@example.com:8080/a/b",
            "https://user@example.com:8080/a/b?c",
            "https://other.example.com",
        ] {
            assert!(!has_link(text, part), "{part}");
        }
        assert!(has_link(text, text));
    }

    #[test]
    fn only_web_pages_are_links() {
        for address in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "mailto:a@b.c",
            "",
            "http:/",
        ] {
            assert!(!has_link(&format!("[x]({address})"), address), "{address}");
        }
    }
}
