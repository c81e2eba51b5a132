//! Error -32042 of 2025-11-25: a server that wants pages visited before it answers. The pages are data for the
//! host, which shows them like any other page a server wants opened; nothing is opened or fetched here, and an
//! error that does not say it properly stays a plain error.

use serde::Deserialize;
use vestibule_protocol::jsonrpc::{RpcError, URL_ELICITATION_REQUIRED};

/// The most pages one error may name.
const MAX_PAGES: usize = 16;
/// The longest address or id, in bytes.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// A page a server wants visited. All of it is the server's and untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequiredPage {
    /// The server's name for the visit, which it may announce as complete.
    pub elicitation_id: String,
    pub url: String,
    /// Why, in the server's words.
    #[serde(default)]
    pub message: String,
    mode: UrlMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum UrlMode {
    Url,
}

/// The pages an error names, where it is about pages.
pub(crate) fn required_pages(error: &RpcError) -> Option<Vec<RequiredPage>> {
    #[derive(Deserialize)]
    struct Data {
        elicitations: Vec<RequiredPage>,
    }
    let data = error
        .data
        .as_ref()
        .filter(|_| error.code == URL_ELICITATION_REQUIRED)?;
    let Data { elicitations: pages } = serde_json::from_str(data.get()).ok()?;
    let short = |page: &RequiredPage| page.url.len().max(page.elicitation_id.len()) <= MAX_TEXT_BYTES;
    ((1..=MAX_PAGES).contains(&pages.len()) && pages.iter().all(short)).then_some(pages)
}
