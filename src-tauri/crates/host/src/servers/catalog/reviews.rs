//! Cards about tools whose definition changed. A tool stays held until the user accepts the very definition that the card
//! shows.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_consent::{Change, differences};

use super::definitions::approval;
use super::tools::CatalogTool;
use crate::servers::server::handle::ServerHandle;
use crate::view::LogSource;

/// The reviews of the current run.
#[derive(Default)]
pub(in crate::servers) struct ToolReviews {
    /// Withdraws the cards when the server is stopped; `None` while it does not run.
    run: Option<CancellationToken>,
    /// The tools that a card is shown for.
    open: BTreeSet<String>,
}

impl ToolReviews {
    /// A run begins; its cards are withdrawn when `stop` is cancelled.
    pub(in crate::servers) fn begin_run(&mut self, stop: CancellationToken) {
        self.run = Some(stop);
    }

    pub(in crate::servers) fn end_run(&mut self) {
        *self = Self::default();
    }

    /// The token for a card about a tool; `None` where there is a card already or nothing runs.
    fn open(&mut self, name: &str) -> Option<CancellationToken> {
        let run = self.run.clone()?;
        self.open.insert(name.to_owned()).then_some(run)
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
            () = stop.cancelled() => false,
            accepted = ask(&server, &tool, before) => accepted,
        };
        close(&server, &tool, accepted);
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
