//! What the Ledger screen looks for, in the store's terms.

use jiff::Timestamp;
use serde_json::json;
use vestibule_policy::{Mention, mentions};
use vestibule_store::{LedgerFilter, LedgerKind};

use crate::view::LedgerQuery;

/// Longest text that is looked for, in characters.
const WORDS: usize = 400;

/// What a query looks for.
pub(super) fn filter(query: LedgerQuery) -> LedgerFilter {
    let words: String = query.words.chars().take(WORDS).collect();
    let is_wanted = |kind: &LedgerKind| query.kinds.iter().any(|wanted| wanted == kind.as_str());
    LedgerFilter {
        before: query.before,
        server: query.server,
        object: query.object.filter(|object| !object.is_empty()),
        kinds: LedgerKind::ALL.into_iter().filter(is_wanted).collect(),
        words: words.split_whitespace().map(str::to_owned).collect(),
        file: query.file.and_then(|path| sought_file(path.trim())),
        host: query.host.and_then(|host| sought_host(host.trim())),
        since: query.since_ms.and_then(time),
        until: query.until_ms.and_then(time),
        ..LedgerFilter::default()
    }
}

/// A time of the window; one that no calendar knows is no bound.
fn time(ms: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(ms).ok()
}

/// A path as the ledger writes it; what is no absolute path is sought as it is, and not found.
fn sought_file(path: &str) -> Option<String> {
    match Mention::file(path) {
        Some(Mention::File(path)) => Some(path),
        _ => (!path.is_empty()).then(|| path.to_owned()),
    }
}

/// The host of an address or of a name, as the ledger writes it.
fn sought_host(text: &str) -> Option<String> {
    let of_address = mentions(&json!(text)).into_iter().find_map(|name| match name {
        Mention::Host(host) => Some(host),
        Mention::File(_) => None,
    });
    let of_name = || match Mention::host(text) {
        Some(Mention::Host(host)) => Some(host),
        _ => None,
    };
    of_address
        .or_else(of_name)
        .or_else(|| (!text.is_empty()).then(|| text.to_owned()))
}
