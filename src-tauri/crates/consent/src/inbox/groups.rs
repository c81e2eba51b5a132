//! What the card of a flood says of the questions behind it.

use crate::{FloodGroup, QuestionBody, SampleBlock};

/// The most groups on the card.
const MOST_GROUPS: usize = 5;
/// The longest words a group is named by, in characters.
const MOST_WORDS: usize = 160;

/// The groups of what waits; each is named by the first of it.
pub(super) fn groups<'a, Same: PartialEq>(
    waiting: impl Iterator<Item = (Same, &'a QuestionBody)>,
) -> Vec<FloodGroup> {
    let mut found: Vec<(Same, &QuestionBody, u32)> = vec![];
    for (same, about) in waiting {
        match found.iter_mut().find(|(known, ..)| *known == same) {
            Some((.., count)) => *count += 1,
            None => found.push((same, about, 1)),
        }
    }
    found.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    found.truncate(MOST_GROUPS);
    let group = |(_, about, count): (Same, &QuestionBody, u32)| FloodGroup {
        words: words(about).chars().take(MOST_WORDS).collect(),
        count,
    };
    found.into_iter().map(group).collect()
}

fn words(about: &QuestionBody) -> &str {
    match about {
        QuestionBody::CallTool(call) => &call.tool.name,
        QuestionBody::FillForm(form) => &form.message,
        QuestionBody::OpenPage(page) => page.address.ascii_host.as_deref().unwrap_or_default(),
        QuestionBody::SamplePrompt(prompt) => prompt
            .messages
            .last()
            .and_then(|message| message.blocks.iter().find_map(SampleBlock::text))
            .unwrap_or_default(),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vestibule_policy::RequestKind;
    use vestibule_protocol::ModelId;

    use super::*;
    use crate::ShareFolders;
    use crate::tests::cards;

    fn call(tool: &str) -> QuestionBody {
        QuestionBody::CallTool(cards::call(cards::tool(tool), &json!({})))
    }

    #[test]
    fn what_waits_is_named_by_what_it_asks_the_most_frequent_first() {
        let all = [
            (1, call("read")),
            (2, QuestionBody::FillForm(cards::form(&"é".repeat(200), &[]))),
            (2, QuestionBody::FillForm(cards::form("never named", &[]))),
            (3, QuestionBody::OpenPage(cards::page("https://example.com/x"))),
            (
                4,
                QuestionBody::SamplePrompt(cards::prompt(ModelId::new(), "What is new?")),
            ),
            (2, call("never named")),
            (3, call("never named")),
        ];
        let groups = groups(all.iter().map(|(same, about)| (*same, about)));
        let named: Vec<_> = groups
            .iter()
            .map(|group| (group.words.as_str(), group.count))
            .collect();
        let long = "é".repeat(160);
        assert_eq!(
            named,
            [
                (long.as_str(), 3),
                ("example.com", 2),
                ("read", 1),
                ("What is new?", 1)
            ]
        );
    }

    /// What the user began is no flood, however often they do it.
    #[test]
    fn only_what_a_server_asks_is_counted() {
        let share = |asked| {
            QuestionBody::ShareFolders(ShareFolders {
                folders: vec![],
                asked,
            })
        };
        assert_eq!(share(true).request_kind(), Some(RequestKind::Roots));
        assert_eq!(call("read").request_kind(), Some(RequestKind::Call));
        let own = [
            share(false),
            QuestionBody::AllowTool(cards::tool("read")),
            QuestionBody::SignIn(Box::new(cards::sign_in())),
            QuestionBody::VisitPage(cards::visit("https://example.com/")),
        ];
        assert!(own.iter().all(|about| about.request_kind().is_none()));
    }
}
