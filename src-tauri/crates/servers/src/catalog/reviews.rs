//! Cards about definitions that changed, tools that are new, and instructions. They stay held until the user accepts
//! the very definition that the card shows. A server that changes many tools, or changes them all the time, causes a few
//! cards; the other tools stay held, and the user can look at each of them from the list of tools. New tools share a card.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_consent::{Change, ChangeSubject, Difference, differences};
use vestibule_policy::Digest;
use vestibule_store::ApprovedTool;

use super::definitions::approval;
use super::instructions::{self, Instructions};
use super::pace::TokenBucket;
use super::tools::{CatalogTool, HeldTool};
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::LogSource;

/// The most cards of one server at a time that the user did not ask for.
const MAX_CARDS: usize = 8;
/// The interval in which a server can cause one more.
const CARD_EVERY: Duration = Duration::from_secs(60);
/// The most differences that the card about new tools lists; the whole definitions stand beside them.
const MAX_DIFFERENCES: usize = 200;

/// What a card is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReviewKey {
    Instructions,
    NewTools,
    Tool(String),
}

/// The reviews of one server.
pub(crate) struct Reviews {
    /// Withdraws the cards when the server is stopped; `None` while it does not run.
    run: Option<CancellationToken>,
    /// What a card is shown for.
    open: BTreeSet<ReviewKey>,
    /// What the user kept held in this run; for these no further card comes by itself.
    kept_held: BTreeMap<ReviewKey, Digest>,
    /// How many cards the server can cause. Not reset with a run, because a server can end its own.
    pace: TokenBucket,
}

impl Default for Reviews {
    fn default() -> Self {
        Self {
            run: None,
            open: BTreeSet::new(),
            kept_held: BTreeMap::new(),
            pace: TokenBucket::new(MAX_CARDS as u32, CARD_EVERY),
        }
    }
}

impl Reviews {
    /// A run begins; its cards are withdrawn when `stop` is cancelled.
    pub(crate) fn begin_run(&mut self, stop: CancellationToken) {
        self.run = Some(stop);
    }

    pub(crate) fn end_run(&mut self) {
        self.run = None;
        self.open.clear();
        self.kept_held.clear();
    }

    /// Whether the server may cause this card now.
    fn admits(&mut self, review: &Review) -> bool {
        self.is_new(review)
            && self.run.is_some()
            && self.open.len() < MAX_CARDS
            && self.pace.try_take(Instant::now())
    }

    /// Whether the user neither sees a card about this definition nor kept it held.
    fn is_new(&self, review: &Review) -> bool {
        !self.open.contains(&review.key) && self.kept_held.get(&review.key) != Some(&review.digest())
    }

    /// The token for a card; `None` where there is one already or nothing runs.
    fn open(&mut self, key: &ReviewKey) -> Option<CancellationToken> {
        let run = self.run.clone()?;
        self.open.insert(key.clone()).then_some(run)
    }
}

/// A card, and the records that a yes makes the accepted ones.
struct Review {
    key: ReviewKey,
    change: Change,
    records: Vec<ApprovedTool>,
}

impl Review {
    fn new(server: &ServerHandle, key: ReviewKey) -> Option<Self> {
        match &key {
            ReviewKey::Instructions => of_instructions(server),
            ReviewKey::NewTools => of_new_tools(server, key, held_tools(server)),
            ReviewKey::Tool(name) => {
                let tool = server.tool(name)?;
                match tool.held.clone()? {
                    HeldTool::Changed(before) => Some(of_changed_tool(server, &tool, before)),
                    HeldTool::RecordLost => Some(of_changed_tool(server, &tool, Value::Null)),
                    HeldTool::New => of_new_tools(server, key, vec![tool]),
                }
            }
        }
    }

    fn digest(&self) -> Digest {
        Digest::of_tool(&self.change.after)
    }
}

fn of_changed_tool(server: &ServerHandle, tool: &CatalogTool, before: Value) -> Review {
    let after = tool.tool.definition().clone();
    // Without a record every member of the definition is new.
    let nothing = Value::Object(Map::new());
    let known = if before.is_null() { &nothing } else { &before };
    let name = tool.tool.name.clone();
    let change = Change {
        subject: ChangeSubject::Tool { name: name.clone() },
        differences: differences(known, &after),
        before,
        after,
    };
    Review {
        key: ReviewKey::Tool(name),
        change,
        records: vec![approval(server, tool)],
    }
}

/// One card for all new tools, because a server often adds several at once.
fn of_new_tools(server: &ServerHandle, key: ReviewKey, tools: Vec<CatalogTool>) -> Option<Review> {
    let is_new = |tool: &CatalogTool| tool.held == Some(HeldTool::New);
    let tools: Vec<CatalogTool> = tools.into_iter().filter(is_new).collect();
    if tools.is_empty() {
        return None;
    }
    Some(Review {
        change: change_of_new_tools(&tools),
        records: tools.iter().map(|tool| approval(server, tool)).collect(),
        key,
    })
}

fn change_of_new_tools(tools: &[CatalogTool]) -> Change {
    let definitions = tools.iter().map(|tool| {
        let name = tool.tool.name.clone();
        (name, tool.tool.definition().clone())
    });
    let members: Vec<Vec<Difference>> = tools.iter().map(members_of).collect();
    let listed = fair_shares(&members.iter().map(Vec::len).collect::<Vec<_>>());
    let listed = std::iter::zip(members, listed).flat_map(|(members, most)| members.into_iter().take(most));
    Change {
        subject: ChangeSubject::NewTools {
            names: tools.iter().map(|tool| tool.tool.name.clone()).collect(),
        },
        before: json!({}),
        after: Value::Object(definitions.collect()),
        differences: listed.collect(),
    }
}

/// How many of these numbers of members are listed of each tool, so that one tool cannot take the places of the others.
fn fair_shares(members: &[usize]) -> Vec<usize> {
    let mut shares = vec![0; members.len()];
    let mut left = MAX_DIFFERENCES;
    while left > 0 {
        let mut more = false;
        for (share, all) in std::iter::zip(&mut shares, members) {
            if *share < *all && left > 0 {
                *share += 1;
                left -= 1;
                more = true;
            }
        }
        if !more {
            break;
        }
    }
    shares
}

/// The members of a definition, each below the name of its tool.
fn members_of(tool: &CatalogTool) -> Vec<Difference> {
    let name = tool.tool.name.replace('~', "~0").replace('/', "~1");
    let members = differences(&json!({}), tool.tool.definition());
    let below = |member: Difference| Difference {
        path: format!("/{name}{}", member.path),
        ..member
    };
    members.into_iter().map(below).collect()
}

fn of_instructions(server: &ServerHandle) -> Option<Review> {
    let instructions = server.read(|snapshot| snapshot.instructions.clone());
    let Instructions::Held { text, before } = instructions else {
        return None;
    };
    Some(Review {
        key: ReviewKey::Instructions,
        change: instructions::change(&text, before.as_deref()),
        records: vec![instructions::approval(server, &text)],
    })
}

/// Shows the user what is held of the tools, as far as the server may cause cards.
pub(crate) fn review_held(server: &ServerHandle) {
    for key in keys_of_held(server) {
        review_where_admitted(server, key);
    }
}

fn keys_of_held(server: &ServerHandle) -> impl Iterator<Item = ReviewKey> {
    let held = held_tools(server).into_iter();
    let changed = held.filter(|tool| tool.held != Some(HeldTool::New));
    let changed = changed.map(|tool| ReviewKey::Tool(tool.tool.name));
    changed.chain([ReviewKey::NewTools])
}

/// Shows the user the instructions, where they are held.
pub(crate) fn review_instructions(server: &ServerHandle) {
    review_where_admitted(server, ReviewKey::Instructions);
}

fn review_where_admitted(server: &ServerHandle, key: ReviewKey) {
    let Some(review) = Review::new(server, key) else {
        return;
    };
    let admitted = server.reviews().admits(&review);
    if admitted {
        show(server, review);
    }
}

fn held_tools(server: &ServerHandle) -> Vec<CatalogTool> {
    server.read(|snapshot| {
        let held = snapshot.tools.iter().filter(|tool| tool.held.is_some());
        held.cloned().collect()
    })
}

/// Shows the user the next held tool after they accepted one: they work through the changes, so that is no flood.
fn review_next(server: &ServerHandle) {
    let mut next = keys_of_held(server).filter_map(|key| Review::new(server, key));
    let next = {
        let reviews = server.reviews();
        next.find(|review| reviews.is_new(review))
    };
    if let Some(next) = next {
        show(server, next);
    }
}

/// Shows the user what is held, as they want to see it.
pub(crate) fn review(server: &ServerHandle, key: ReviewKey) {
    if let Some(review) = Review::new(server, key) {
        show(server, review);
    }
}

/// Shows a card. One for each key at a time.
fn show(server: &ServerHandle, review: Review) {
    let Some(stop) = server.reviews().open(&review.key) else {
        return;
    };
    let server = server.clone();
    let tasks = server.context().tasks.clone();
    let work = async move {
        let accepted = tokio::select! {
            () = stop.cancelled() => return close(&server, &review, false),
            accepted = ask(&server, &review) => accepted,
        };
        close(&server, &review, accepted);
        if accepted {
            review_next(&server);
        } else {
            let digest = review.digest();
            server.reviews().kept_held.insert(review.key, digest);
        }
    };
    tasks.spawn(work.in_current_span());
}

async fn ask(server: &ServerHandle, review: &Review) -> bool {
    let asked =
        server
            .gate()
            .rules()
            .accept_change(server.face(), review.change.clone(), &review.records, |_| {});
    asked.await.unwrap_or_else(|error| {
        server.note(LogSource::Host, Some("error".into()), &error.to_string());
        false
    })
}

fn close(server: &ServerHandle, review: &Review, accepted: bool) {
    server.reviews().open.remove(&review.key);
    server.change(|snapshot| {
        // Only the very definitions that were shown become the accepted ones.
        for record in review.records.iter().filter(|_| accepted) {
            if record.name == ApprovedTool::INSTRUCTIONS {
                snapshot.instructions.accept(&record.definition);
            }
            let same = |tool: &&mut CatalogTool| {
                tool.tool.name == record.name && tool.digest.to_string() == record.digest
            };
            if let Some(listed) = snapshot.tools.iter_mut().find(same) {
                listed.held = None;
            }
        }
    });
    server.tools_changed();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_new_tool_has_its_place_on_the_card() {
        assert_eq!(fair_shares(&[MAX_DIFFERENCES, 3, 0]), [MAX_DIFFERENCES - 3, 3, 0]);
        assert_eq!(
            fair_shares(&[MAX_DIFFERENCES, MAX_DIFFERENCES]),
            [MAX_DIFFERENCES / 2, MAX_DIFFERENCES / 2]
        );
        assert_eq!(fair_shares(&[4, 5]), [4, 5]);
        let many = fair_shares(&vec![2; MAX_DIFFERENCES + 1]);
        assert_eq!(many.iter().sum::<usize>(), MAX_DIFFERENCES);
        assert!(many.iter().all(|share| *share < 2));
    }
}
