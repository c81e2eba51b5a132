//! Cards about tools whose definition changed. A tool stays held until the user accepts the very definition that the card
//! shows. A server that changes many tools, or changes them all the time, causes a few cards; the other tools stay held,
//! and the user can look at each of them from the list of tools.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_consent::{Change, differences};
use vestibule_policy::Digest;

use super::definitions::approval;
use super::pace::TokenBucket;
use super::tools::CatalogTool;
use crate::servers::server::handle::ServerHandle;
use crate::view::LogSource;

/// The most cards of one server at a time that the user did not ask for.
const MAX_CARDS: usize = 8;
/// The interval in which a server can cause one more.
const CARD_EVERY: Duration = Duration::from_secs(60);

/// The reviews of one server.
pub(in crate::servers) struct ToolReviews {
    /// Withdraws the cards when the server is stopped; `None` while it does not run.
    run: Option<CancellationToken>,
    /// The tools that a card is shown for.
    open: BTreeSet<String>,
    /// The definitions that the user kept held in this run, by tool; for these no further card comes by itself.
    kept_held: BTreeMap<String, Digest>,
    /// How many cards the server can cause. Not reset with a run, because a server can end its own.
    pace: TokenBucket,
}

impl Default for ToolReviews {
    fn default() -> Self {
        Self {
            run: None,
            open: BTreeSet::new(),
            kept_held: BTreeMap::new(),
            pace: TokenBucket::new(MAX_CARDS as u32, CARD_EVERY),
        }
    }
}

impl ToolReviews {
    /// A run begins; its cards are withdrawn when `stop` is cancelled.
    pub(in crate::servers) fn begin_run(&mut self, stop: CancellationToken) {
        self.run = Some(stop);
    }

    pub(in crate::servers) fn end_run(&mut self) {
        self.run = None;
        self.open.clear();
        self.kept_held.clear();
    }

    /// Whether the server may cause a card about a tool now.
    fn admits(&mut self, name: &str, digest: Digest) -> bool {
        self.is_new(name, digest)
            && self.run.is_some()
            && self.open.len() < MAX_CARDS
            && self.pace.try_take(Instant::now())
    }

    /// Whether the user neither sees a card about this definition nor kept it held.
    fn is_new(&self, name: &str, digest: Digest) -> bool {
        !self.open.contains(name) && self.kept_held.get(name) != Some(&digest)
    }

    /// The token for a card about a tool; `None` where there is a card already or nothing runs.
    fn open(&mut self, name: &str) -> Option<CancellationToken> {
        let run = self.run.clone()?;
        self.open.insert(name.to_owned()).then_some(run)
    }
}

/// Shows the user how the held tools changed, as far as the server may cause cards.
pub(in crate::servers) fn review_held(server: &ServerHandle) {
    for (name, digest) in held_tools(server) {
        let admitted = server.reviews().admits(&name, digest);
        if admitted {
            review(server, name);
        }
    }
}

fn held_tools(server: &ServerHandle) -> Vec<(String, Digest)> {
    server.read(|snapshot| {
        let held = snapshot.tools.iter().filter(|tool| tool.held.is_some());
        held.map(|tool| (tool.tool.name.clone(), tool.digest)).collect()
    })
}

/// Shows the user the next held tool after they accepted one: they work through the changes, so that is no flood.
fn review_next(server: &ServerHandle) {
    let held = held_tools(server);
    let next = {
        let reviews = server.reviews();
        held.into_iter()
            .find(|(name, digest)| reviews.is_new(name, *digest))
    };
    if let Some((name, _)) = next {
        review(server, name);
    }
}

/// Shows the user how a tool changed. One card for each tool at a time.
pub(in crate::servers) fn review(server: &ServerHandle, name: String) {
    let Some(tool) = server.tool(&name) else { return };
    let Some(before) = tool.held.clone() else { return };
    let Some(stop) = server.reviews().open(&name) else {
        return;
    };
    let server = server.clone();
    let tasks = server.context().tasks.clone();
    let review = async move {
        let accepted = tokio::select! {
            () = stop.cancelled() => return close(&server, &tool, false),
            accepted = ask(&server, &tool, before) => accepted,
        };
        close(&server, &tool, accepted);
        if accepted {
            review_next(&server);
        } else {
            let name = tool.tool.name.clone();
            server.reviews().kept_held.insert(name, tool.digest);
        }
    };
    tasks.spawn(review.in_current_span());
}

async fn ask(server: &ServerHandle, tool: &CatalogTool, before: Value) -> bool {
    let after = tool.tool.definition().clone();
    // Without a record every member of the definition is new.
    let known = if before.is_null() {
        Value::Object(Map::new())
    } else {
        before.clone()
    };
    let change = Change {
        tool: tool.tool.name.clone(),
        differences: differences(&known, &after),
        before,
        after,
    };
    let asked = server
        .gate()
        .accept_change(server.face(), change, approval(server, tool), |_| {});
    asked.await.unwrap_or_else(|error| {
        server.note(LogSource::Host, Some("error".into()), &error.to_string());
        false
    })
}

fn close(server: &ServerHandle, tool: &CatalogTool, accepted: bool) {
    server.reviews().open.remove(&tool.tool.name);
    server.change(|snapshot| {
        // Only the very definition that was shown becomes the accepted one.
        let same =
            |listed: &&mut CatalogTool| listed.tool.name == tool.tool.name && listed.digest == tool.digest;
        if let Some(listed) = snapshot.tools.iter_mut().find(same).filter(|_| accepted) {
            listed.held = None;
        }
    });
    server.tools_changed();
}
