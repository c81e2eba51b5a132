//! A flood: what one server asks of one kind, faster than anyone can read it. It stands on one card. What waits behind
//! it can be answered together only where it is exactly the same.

use serde::Serialize;
use vestibule_policy::RequestKind;

use crate::{PageSource, QuestionBody};

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
    pub alike: Option<Box<QuestionBody>>,
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

impl QuestionBody {
    /// How its pace is counted. `None` for what the user began themselves, and for the second half of what they
    /// already agreed to.
    #[must_use]
    pub fn request_kind(&self) -> Option<RequestKind> {
        match self {
            Self::CallTool(_) => Some(RequestKind::Call),
            Self::FillForm(_) => Some(RequestKind::Form),
            Self::OpenPage(page) => {
                matches!(page.source, PageSource::Server { .. }).then_some(RequestKind::Page)
            }
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
            | Self::LookUpIssuer(_)
            | Self::Widen(_) => None,
        }
    }
}
