//! A server's tools as they are listed: compared with what was accepted, held back where they differ, and shown to the
//! user as a change. A definition that was never seen becomes the one that later ones are compared with.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;
use vestibule_protocol::mcp::Tool;
use vestibule_session::{CallError, Listing, SessionHandle};
use vestibule_store::{ApprovedTool, CheckedRow};

use super::reviews::review_held;
use super::tools::{CatalogTool, ToolSchemas};
use crate::problem_from::IntoProblem;
use crate::servers::auth::retry::{Unsent, authorized};
use crate::servers::open::session::NotOpen;
use crate::servers::server::handle::ServerHandle;
use crate::view::{CallProblem, LogSource, Problem};

/// The most definitions of one server that are kept, over all its listings.
const MAX_DEFINITIONS: usize = 1024;

/// Digest and definition of each accepted tool, by name.
type Accepted = BTreeMap<String, (String, Value)>;

/// Lists the tools, compares them with what was accepted, and asks about those that changed.
pub(in crate::servers) async fn list(server: &ServerHandle, session: &SessionHandle) -> Result<(), NotOpen> {
    let listed = match authorized(server, false, || session.list_tools()).await {
        Ok(listed) => listed,
        // A server without tools is a server all the same.
        Err(Unsent::Call(CallError::NotSupported)) => return Ok(()),
        Err(Unsent::Call(error)) => return Err(error.into_problem().into()),
        Err(Unsent::SignIn(challenge)) => return Err(NotOpen::Challenged(challenge)),
        Err(Unsent::Never(problem)) => return Err(problem.into()),
    };
    note_left_out(server, &listed);
    let accepted = accepted(server).await?;
    let known: BTreeSet<String> = accepted.keys().cloned().collect();
    let items = within_limit(server, listed.items, &known);
    let tools = compared(server, items, accepted).await?;
    // The first definition seen is the one that later ones are compared with.
    let new: Vec<ApprovedTool> = tools
        .iter()
        .filter(|tool| !known.contains(&tool.tool.name))
        .map(|tool| approval(server, tool))
        .collect();
    if !new.is_empty() {
        let store = &server.context().options.store;
        store.approve_tools(&new).await.map_err(Problem::from)?;
    }
    tools.iter().for_each(|tool| note_unchecked(server, tool));
    server.change(|snapshot| snapshot.tools = tools);
    server.tools_changed();
    review_held(server);
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

/// The tools with their schemas, each compared with its accepted definition.
async fn compared(
    server: &ServerHandle,
    tools: Vec<Tool>,
    accepted: Accepted,
) -> Result<Vec<CatalogTool>, Problem> {
    let checks = server.checks();
    let mut built = vec![];
    for tool in tools {
        let schemas = ToolSchemas::build(&tool, checks).await;
        built.push((tool, schemas));
    }
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
        definition: tool.tool.definition().clone(),
        approved: Timestamp::now(),
    }
}
