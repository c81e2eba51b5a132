//! A server's tools as they are listed: compared with what was accepted, held back where they differ, and shown to the
//! user as a change. The first listing of a server is the one that later ones are compared with; a tool that comes later
//! is held back as well.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Map, Value};
use vestibule_policy::Digest;
use vestibule_protocol::mcp::Tool;
use vestibule_session::{CallError, Dropped, Listing, SessionHandle};
use vestibule_store::{ApprovedTool, CheckedRow};

use super::last_listed;
use super::reviews::review_held;
use super::tools::{CatalogTool, ToolSchemas};
use crate::auth::retry::{Unsent, authorized};
use crate::open::session::NotOpen;
use crate::problem_from::IntoProblem;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{CallProblem, LogSource, Problem, ServerProblem};

/// The most definitions of one server that are kept, over all its listings.
const MAX_DEFINITIONS: usize = 1024;

/// The most that is shown of a server's words about why it does not list its tools, in characters.
const LONGEST_DETAIL: usize = 1000;

/// Digest and definition of each accepted tool, by name.
type Accepted = BTreeMap<String, (String, Value)>;

/// Lists the tools, compares them with what was accepted, and asks about those that changed.
pub(crate) async fn list(server: &ServerHandle, session: &SessionHandle) -> Result<(), NotOpen> {
    let Listing {
        items,
        dropped,
        truncated,
        ..
    } = match listed(server, session).await {
        Ok(listed) => listed,
        Err(NotListed::Here(error)) => {
            show_not_listed(server, &error);
            return Ok(());
        }
        Err(NotListed::Open(end)) => return Err(end),
    };
    let mut accepted = accepted(server).await?;
    let is_known = !accepted.is_empty();
    accepted.remove(ApprovedTool::INSTRUCTIONS);
    let known: BTreeSet<String> = accepted.keys().cloned().collect();
    let readable = items.len();
    let items = within_limit(server, items, &known);
    let is_whole = truncated.is_none() && items.len() == readable;
    let problem = (!is_whole).then(|| left_out(items.len()));
    if is_known {
        let new = items.iter().filter(|tool| !known.contains(&tool.name));
        accepted.extend(new.map(|tool| (tool.name.clone(), nothing())).collect::<Vec<_>>());
    }
    let tools = compared(server, items, accepted).await?;
    keep_new(server, &tools, &known, is_known).await?;
    last_listed::remember(server, &tools).await;
    tools.iter().for_each(|tool| note_unchecked(server, tool));
    show(server, tools, dropped, problem);
    review_held(server);
    Ok(())
}

/// The tools as the server lists them.
async fn listed(server: &ServerHandle, session: &SessionHandle) -> Result<Listing<Tool>, NotListed> {
    match authorized(server, false, |_| session.list_tools()).await {
        Ok(listed) => {
            note_left_out(server, &listed);
            Ok(listed)
        }
        // A server without tools is a server all the same.
        Err(Unsent::Call(CallError::NotSupported)) => Ok(Listing::empty()),
        Err(Unsent::Call(CallError::NotAnswered(failure))) if failure.too_large => {
            Err(NotListed::Here(CallError::NotAnswered(failure)))
        }
        Err(Unsent::Call(error @ (CallError::Closed(_) | CallError::NotAnswered(_)))) => {
            let problem = error.into_problem().naming(&server.origin());
            Err(NotListed::Open(problem.into()))
        }
        Err(Unsent::Call(error)) => Err(NotListed::Here(error)),
        Err(Unsent::SignIn(challenge) | Unsent::NotSignedIn { challenge, .. }) => {
            Err(NotListed::Open(NotOpen::Challenged(challenge)))
        }
        Err(Unsent::Never(problem)) => Err(NotListed::Open(problem.into())),
    }
}

/// Why the tools were not listed.
enum NotListed {
    /// The session is up; the server answered with an error, wrongly, too much or not in time.
    Here(CallError),
    /// The session cannot be used.
    Open(NotOpen),
}

/// Says that the tools could not be listed although the session is up.
fn show_not_listed(server: &ServerHandle, error: &CallError) {
    let detail = match error {
        CallError::Rpc(error) => error.message.chars().take(LONGEST_DETAIL).collect(),
        other => other.to_string(),
    };
    server.note(
        LogSource::Host,
        Some("error".into()),
        &format!("its tools could not be listed: {detail}"),
    );
    show_listing_problem(server, Problem::Server(ServerProblem::ToolsNotListed { detail }));
}

/// Shows why the tools could not be listed. Those of an earlier listing stay.
pub(super) fn show_listing_problem(server: &ServerHandle, problem: Problem) {
    server.change(|snapshot| snapshot.listing_problem = Some(problem));
    server.tools_changed();
}

/// What is said where only so many of the tools that the server lists are kept.
fn left_out(kept: usize) -> Problem {
    let kept = u32::try_from(kept).unwrap_or(u32::MAX);
    Problem::Server(ServerProblem::ToolsLeftOut { kept })
}

fn show(
    server: &ServerHandle,
    tools: Vec<CatalogTool>,
    dropped: Vec<Dropped>,
    listing_problem: Option<Problem>,
) {
    server.change(|snapshot| {
        snapshot.tools = tools;
        snapshot.dropped_tools = dropped;
        snapshot.listing_problem = listing_problem;
    });
    server.tools_changed();
}

/// Keeps a record of each tool that was not known. At the first connection that is its definition: the user just approved
/// this server for the tools it has. Later it says that nothing is accepted yet, and the tool stays held.
async fn keep_new(
    server: &ServerHandle,
    tools: &[CatalogTool],
    known: &BTreeSet<String>,
    is_known: bool,
) -> Result<(), Problem> {
    let new = tools.iter().filter(|tool| !known.contains(&tool.tool.name));
    let mut records: Vec<ApprovedTool> = new
        .map(|tool| match tool.held {
            None => approval(server, tool),
            Some(_) => no_approval(server, &tool.tool.name),
        })
        .collect();
    if !is_known {
        records.push(no_approval(server, ApprovedTool::INSTRUCTIONS));
    }
    if !records.is_empty() {
        server.context().options.store.approve_tools(&records).await?;
    }
    Ok(())
}

/// The tools as far as their definitions can be kept. A tool whose definition is not kept is not offered, because a change
/// of it would not be noticed; and no kept definition makes room, because it would then count as new when it comes back.
fn within_limit(server: &ServerHandle, tools: Vec<Tool>, known: &BTreeSet<String>) -> Vec<Tool> {
    let mut room = MAX_DEFINITIONS.saturating_sub(known.len());
    let listed = tools.len();
    let fits = |tool: &Tool| {
        if known.contains(&tool.name) {
            return true;
        }
        let fits = room > 0;
        room = room.saturating_sub(1);
        fits
    };
    let tools: Vec<Tool> = tools.into_iter().filter(fits).collect();
    if tools.len() < listed {
        let left_out = listed - tools.len();
        let text = format!(
            "{left_out} tools are left out: it has offered {MAX_DEFINITIONS} different tools so far, which is the most"
        );
        server.note(LogSource::Host, Some("warning".into()), &text);
    }
    tools
}

async fn with_schemas(server: &ServerHandle, tools: Vec<Tool>) -> Vec<(Tool, ToolSchemas)> {
    let checks = server.checks();
    let mut built = vec![];
    for tool in tools {
        let schemas = ToolSchemas::build(&tool, checks).await;
        built.push((tool, schemas));
    }
    built
}

/// The tools with their schemas, each compared with its accepted definition.
async fn compared(
    server: &ServerHandle,
    tools: Vec<Tool>,
    accepted: Accepted,
) -> Result<Vec<CatalogTool>, Problem> {
    let built = with_schemas(server, tools).await;
    let compare = move || {
        let compare = |(tool, schemas): (Tool, ToolSchemas)| {
            let before = accepted.get(&tool.name);
            CatalogTool::new(tool, schemas, before)
        };
        built.into_iter().map(compare).collect()
    };
    tokio::task::spawn_blocking(compare).await.map_err(|error| {
        Problem::Call(CallProblem::MalformedReply {
            detail: error.to_string(),
        })
    })
}

/// The accepted definitions. One whose record was changed from outside matches no definition.
async fn accepted(server: &ServerHandle) -> Result<Accepted, Problem> {
    let store = &server.context().options.store;
    let rows = store.checked_tools(Some(server.id())).await?;
    let named = |checked: CheckedRow<ApprovedTool>| {
        let (_, name) = checked.name.as_tool()?;
        let record = checked.row.filter(|_| checked.fault.is_none());
        let accepted = record.map(|tool| (tool.digest, tool.definition));
        Some((name.to_owned(), accepted.unwrap_or_default()))
    };
    Ok(rows.into_iter().filter_map(named).collect())
}

fn note_left_out(server: &ServerHandle, listed: &Listing<Tool>) {
    for dropped in &listed.dropped {
        let text = format!("the tool {:?} is left out: {}", dropped.name, dropped.reason);
        server.note(LogSource::Host, Some("warning".into()), &text);
    }
    if let Some(what) = &listed.truncated {
        server.note(LogSource::Host, Some("warning".into()), what);
    }
}

fn note_unchecked(server: &ServerHandle, tool: &CatalogTool) {
    let input = tool.schemas.input.as_ref().err();
    let output = tool.schemas.output.as_ref();
    let output = output.and_then(|output| output.as_ref().err());
    for (what, reason) in [("arguments", input), ("structured results", output)] {
        let Some(reason) = reason else { continue };
        let text = format!("the {what} of {:?} are not checked: {reason}", tool.tool.name);
        server.note(LogSource::Host, Some("warning".into()), &text);
    }
}

/// The record that makes a definition the accepted one.
pub(super) fn approval(server: &ServerHandle, tool: &CatalogTool) -> ApprovedTool {
    ApprovedTool {
        server: server.id(),
        name: tool.tool.name.clone(),
        digest: tool.digest.to_string(),
        definition: tool.tool.read_definition(),
        approved: Timestamp::now(),
    }
}

/// The record of a tool, or of the instructions, of which nothing is accepted yet.
fn no_approval(server: &ServerHandle, name: &str) -> ApprovedTool {
    let (digest, definition) = nothing();
    ApprovedTool {
        server: server.id(),
        name: name.to_owned(),
        digest,
        definition,
        approved: Timestamp::now(),
    }
}

fn nothing() -> (String, Value) {
    let definition = Value::Object(Map::new());
    (Digest::of_tool(&definition).to_string(), definition)
}
