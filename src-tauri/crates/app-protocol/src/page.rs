//! A page that a server wants visited or a model linked to: the address as it really is, and whose it is. Nothing of it is
//! ever fetched; it is shown whole, and what was shown is what is opened.

use serde::Serialize;
use vestibule_policy::inspect::UrlInspection;

#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Page {
    /// Why, in the server's words; empty for a link.
    pub message: String,
    /// The address, taken apart.
    pub address: UrlInspection,
    pub source: PageSource,
}

/// Where the address of a page comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum PageSource {
    /// A server asks for it.
    Server {
        /// Whose it is, seen from that server.
        relation: Relation,
    },
    /// A model wrote a link to it in an answer, which the user clicked.
    Answer { model: String },
}

/// Whose a page is, seen from the server that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The server is reached under the same registered name.
    SameSite,
    /// The server is reached under another name.
    Unrelated,
    /// The server runs on this computer and has no name to compare with.
    LocalServer,
}

/// A page that was opened, or could not be, and is being visited.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Visit {
    pub page: Page,
    /// Why the browser did not start, where it did not.
    pub not_opened: Option<String>,
    /// Whether the server goes on only after the user says that they are done.
    pub held: bool,
}
