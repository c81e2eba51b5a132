//! What "Find in chat" finds: the places of a text in the branch that a chat shows.

use serde::Serialize;
use vestibule_protocol::EntryId;

/// The places of a text in a chat, in the order of the chat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ChatFindView {
    pub hits: Vec<ChatFindHit>,
    /// False where a bound on time or number ended the search. The newest entries are searched first.
    pub complete: bool,
}

/// A part of an entry that has the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ChatFindHit {
    pub entry: EntryId,
    /// The place of the entry, as in its view.
    #[ts(type = "number")]
    pub position: i64,
    pub place: ChatFindPlace,
    /// How often the text is in a message; 1 for the other places, which are shown folded.
    pub count: u32,
}

/// The part of an entry where a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ChatFindPlace {
    /// The words of the user or of the model.
    Message,
    /// What the model thought aloud.
    Thoughts,
    /// The server, the tool and the arguments of a call.
    Call,
    /// What a call returned, or why the user denied it.
    Result,
}
