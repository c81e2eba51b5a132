//! A flood: what one server asks of one kind, faster than anyone can read it. It stands on one card. What waits behind
//! it can be answered together only where it is exactly the same.

use serde::Serialize;
use vestibule_policy::RequestKind;

use crate::About;

/// The most groups that are told apart on the card.
const MOST_GROUPS: usize = 5;
/// The longest words a group is named by, in characters.
const MOST_WORDS: usize = 160;

/// Many questions on one card.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Flood {
    /// What they are for.
    pub asking: RequestKind,
    /// How often the server asked within a minute. Moves on while the card stands; a yes does not depend on it.
    pub asked: u32,
    /// How many were put off unread, because enough wait. Moves on as well.
    pub turned_away: u32,
    /// How many wait for this card's answer.
    pub waiting: u32,
    /// What every single one of them asks, where that is the same.
    pub alike: Option<Box<About>>,
    /// What they are, the most frequent first; all words are the server's.
    pub groups: Vec<FloodGroup>,
}

/// Questions that ask exactly the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct FloodGroup {
    /// What they ask, in the server's words: the name of a tool, the message of a form, the host of a page.
    pub words: String,
    /// How many there are.
    pub count: u32,
}

impl About {
    /// How its pace is counted. `None` for what the person began themselves, and for the second half of what they
    /// already agreed to.
    #[must_use]
    pub fn request_kind(&self) -> Option<RequestKind> {
        match self {
            Self::CallTool(_) => Some(RequestKind::Call),
            Self::FillForm(_) => Some(RequestKind::Form),
            Self::OpenPage(_) => Some(RequestKind::Page),
            Self::SamplePrompt(_) => Some(RequestKind::Sampling),
            Self::ShareFolders(share) => share.asked.then_some(RequestKind::Roots),
            Self::Flood(flood) => Some(flood.asking),
            Self::StartServer(_)
            | Self::ConnectServer(_)
            | Self::SignIn(_)
            | Self::ToolChanged(_)
            | Self::AllowTool(_)
            | Self::SampleReply(_)
            | Self::VisitPage(_)
            | Self::KeepRules(_)
            | Self::Widen(_) => None,
        }
    }
}

/// The groups of what waits; each is named by the first of it.
pub(crate) fn groups<'a, Same: PartialEq>(
    waiting: impl Iterator<Item = (Same, &'a About)>,
) -> Vec<FloodGroup> {
    let mut found: Vec<(Same, &About, u32)> = vec![];
    for (same, about) in waiting {
        match found.iter_mut().find(|(known, ..)| *known == same) {
            Some((.., count)) => *count += 1,
            None => found.push((same, about, 1)),
        }
    }
    found.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    found.truncate(MOST_GROUPS);
    let group = |(_, about, count): (Same, &About, u32)| FloodGroup {
        words: words(about).chars().take(MOST_WORDS).collect(),
        count,
    };
    found.into_iter().map(group).collect()
}

fn words(about: &About) -> &str {
    match about {
        About::CallTool(call) => &call.tool.name,
        About::FillForm(form) => &form.message,
        About::OpenPage(page) => page.address.ascii_host.as_deref().unwrap_or_default(),
        About::SamplePrompt(prompt) => prompt
            .messages
            .last()
            .and_then(|message| message.blocks.iter().find_map(crate::SampleBlock::text))
            .unwrap_or_default(),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vestibule_protocol::ModelId;

    use super::*;
    use crate::{ShareFolders, cards};

    fn call(tool: &str) -> About {
        About::CallTool(cards::call(cards::tool(tool), &json!({})))
    }

    #[test]
    fn what_waits_is_named_by_what_it_asks_the_most_frequent_first() {
        let all = [
            (1, call("read")),
            (2, About::FillForm(cards::form(&"é".repeat(200), &[]))),
            (2, About::FillForm(cards::form("never named", &[]))),
            (3, About::OpenPage(cards::page("https://example.com/x"))),
            (
                4,
                About::SamplePrompt(cards::prompt(ModelId::new(), "What is new?")),
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

    /// What the person began is no flood, however often they do it.
    #[test]
    fn only_what_a_server_asks_is_counted() {
        let share = |asked| {
            About::ShareFolders(ShareFolders {
                folders: vec![],
                asked,
            })
        };
        assert_eq!(share(true).request_kind(), Some(RequestKind::Roots));
        assert_eq!(call("read").request_kind(), Some(RequestKind::Call));
        let own = [
            share(false),
            About::AllowTool(cards::tool("read")),
            About::SignIn(Box::new(cards::sign_in())),
            About::VisitPage(cards::visit("https://example.com/")),
        ];
        assert!(own.iter().all(|about| about.request_kind().is_none()));
    }
}
