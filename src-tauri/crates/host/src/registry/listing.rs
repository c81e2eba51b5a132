//! A server's tools as they are listed: compared with what was accepted, held back where they differ, and shown to the
//! person as a change. A definition that was never seen becomes the one that later ones are compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_consent::{Change, differences};
use vestibule_protocol::ServerId;
use vestibule_protocol::mcp::Tool;
use vestibule_session::{CallError, SessionHandle};
use vestibule_store::{ApprovedTool, CheckedRow};

use super::Registry;
use super::offers::Changed;
use super::open::NotOpen;
use super::sign_in::Unsent;
use crate::catalog::{CatalogTool, ToolSchemas};
use crate::problem_from::IntoProblem;
use crate::view::{CallProblem, LogSource, Problem};

impl Registry {
    /// Lists the tools, compares them with what was accepted, and asks about those that changed.
    pub(super) async fn list(&self, server: ServerId, session: &SessionHandle) -> Result<(), NotOpen> {
        let listed = match self.authorized(server, false, || session.list_tools()).await {
            Ok(listed) => listed,
            // A server without tools is a server all the same.
            Err(Unsent::Call(CallError::NotSupported)) => return Ok(()),
            Err(Unsent::Call(error)) => return Err(error.into_problem().into()),
            Err(Unsent::SignIn(challenge)) => return Err(NotOpen::Challenged(challenge)),
            Err(Unsent::Never(problem)) => return Err(problem.into()),
        };
        for dropped in &listed.dropped {
            let text = format!("the tool {:?} is left out: {}", dropped.name, dropped.reason);
            self.note(server, LogSource::Host, Some("warning".into()), &text);
        }
        if let Some(what) = &listed.truncated {
            self.note(server, LogSource::Host, Some("warning".into()), what);
        }
        let accepted = self.accepted(server).await?;
        let Some(checks) = self.seats().get(&server).map(|seat| seat.checks.clone()) else {
            return Ok(());
        };
        let mut tools = vec![];
        for tool in listed.items {
            let schemas = ToolSchemas::build(&tool, &checks).await;
            tools.push((tool, schemas));
        }
        let known: BTreeSet<String> = accepted.keys().cloned().collect();
        let tools: Vec<CatalogTool> = tokio::task::spawn_blocking(move || {
            let listed = |(tool, schemas): (Tool, ToolSchemas)| {
                let before = accepted.get(&tool.name);
                CatalogTool::new(tool, schemas, before)
            };
            tools.into_iter().map(listed).collect()
        })
        .await
        .map_err(|error| {
            Problem::Call(CallProblem::MalformedReply {
                detail: error.to_string(),
            })
        })?;
        // What is seen for the first time is what later definitions are compared with.
        let new: Vec<ApprovedTool> = tools
            .iter()
            .filter(|tool| !known.contains(&tool.tool.name))
            .map(|tool| approval(server, tool))
            .collect();
        if !new.is_empty() {
            self.0.store.approve_tools(&new).await.map_err(Problem::from)?;
        }
        for tool in &tools {
            let input = tool.schemas.input.as_ref().err();
            let output = tool
                .schemas
                .output
                .as_ref()
                .and_then(|output| output.as_ref().err());
            for (what, reason) in [("arguments", input), ("structured results", output)] {
                let Some(reason) = reason else { continue };
                let text = format!("the {what} of {:?} are not checked: {reason}", tool.tool.name);
                self.note(server, LogSource::Host, Some("warning".into()), &text);
            }
        }
        let held: Vec<String> = tools
            .iter()
            .filter(|tool| tool.held.is_some())
            .map(|tool| tool.tool.name.clone())
            .collect();
        self.change(server, |seat| seat.tools = tools);
        self.rules_changed(server);
        held.into_iter().for_each(|name| self.review(server, name));
        Ok(())
    }

    /// The accepted definitions by name, with their digests. One whose record was changed from outside matches no
    /// definition.
    async fn accepted(&self, server: ServerId) -> Result<BTreeMap<String, (String, Value)>, Problem> {
        let rows = self.0.store.checked_tools(Some(server)).await?;
        let named = |checked: CheckedRow<ApprovedTool>| {
            let (_, name) = checked.name.as_tool()?;
            let record = checked.row.filter(|_| checked.fault.is_none());
            let accepted = record.map(|tool| (tool.digest, tool.definition));
            Some((name.to_owned(), accepted.unwrap_or_default()))
        };
        Ok(rows.into_iter().filter_map(named).collect())
    }

    /// Shows the person how a tool changed; it stays held until they accept it. One card a tool at a time.
    pub(crate) fn review(&self, server: ServerId, name: String) {
        let (Some(tool), Some(face)) = (self.tool(server, &name), self.face(server)) else {
            return;
        };
        let Some(before) = tool.held.clone() else { return };
        let token = {
            let mut seats = self.seats();
            let Some(seat) = seats.get_mut(&server) else {
                return;
            };
            let Some(run) = &seat.run else { return };
            if !seat.reviewing.insert(name.clone()) {
                return;
            }
            run.clone()
        };
        let registry = self.clone();
        self.0.tasks.spawn(async move {
            let after = tool.tool.definition().clone();
            // Without a record every member of the definition is new.
            let known = if before.is_null() { Value::Object(Map::new()) } else { before.clone() };
            let differences = differences(&known, &after);
            let change = Change { tool: name.clone(), differences, before, after };
            let accepted = tokio::select! {
                () = token.cancelled() => Ok(false),
                accepted = registry.0.gate.accept_change(face, change, approval(server, &tool), |_| {}) => accepted,
            };
            let accepted = accepted.unwrap_or_else(|error| {
                registry.note(server, LogSource::Host, Some("error".into()), &error.to_string());
                false
            });
            registry.change(server, |seat| {
                seat.reviewing.remove(&name);
                // Only the very definition that was shown becomes the accepted one.
                let same = |listed: &&mut CatalogTool| listed.tool.name == name && listed.digest == tool.digest;
                if let Some(listed) = seat.tools.iter_mut().find(same).filter(|_| accepted) {
                    listed.held = None;
                }
            });
            registry.rules_changed(server);
        }.in_current_span());
    }

    /// Lists the tools anew whenever they changed, one listing at a time: a server that says so a thousand times while
    /// one is on is asked once more. In a task of its own, because a listing waits for the server, and the server may
    /// be waiting for its next event to be heard.
    pub(super) fn list_when_changed(
        &self,
        server: ServerId,
        session: &SessionHandle,
        changed: Arc<Changed>,
        ended: CancellationToken,
    ) {
        let (registry, session) = (self.clone(), session.clone());
        let listing = async move {
            loop {
                changed.tools.notified().await;
                match registry.list(server, &session).await {
                    Err(NotOpen::Failed(problem)) => {
                        let text = problem.to_string();
                        registry.note(server, LogSource::Host, Some("error".into()), &text);
                    }
                    Err(NotOpen::Challenged(challenge)) => registry.notice(server, &challenge),
                    Ok(()) | Err(NotOpen::EndedByProbe) => {}
                }
            }
        };
        self.0.tasks.spawn(
            async move {
                tokio::select! {
                    () = ended.cancelled() => {}
                    () = listing => {}
                }
            }
            .in_current_span(),
        );
    }
}

fn approval(server: ServerId, tool: &CatalogTool) -> ApprovedTool {
    ApprovedTool {
        server,
        name: tool.tool.name.clone(),
        digest: tool.digest.to_string(),
        definition: tool.tool.definition().clone(),
        approved: Timestamp::now(),
    }
}
