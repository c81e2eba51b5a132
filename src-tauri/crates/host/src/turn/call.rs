//! One tool call inside a turn: found, checked, decided, sent, answered. Its entry in the transcript shows each
//! step, and every way it can end leaves something the model can read.

use std::time::Instant;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vestibule_consent::{
    ArgumentFindings, Call, CallRequest, CallTool, Cause, Denied, FindPaths, HeaderArgument, Permit, Validate,
};
use vestibule_models::CallArguments;
use vestibule_policy::Because;
use vestibule_protocol::ServerId;
use vestibule_protocol::header::param_headers;
use vestibule_store::{ExpectedChange, StoreError};

use super::data_flow::find_data_flow;
use super::long_results::with_choice;
use super::order::CallOrder;
use super::{AskedCall, RoundTools, Turn};
use crate::tasks::TaskCall;
use crate::view::{CallBody, CallProblem, CallState, EntryBody, EntryView, Problem, ProgressView, RefusedBy};
use vestibule_chat_tools::for_model;
use vestibule_servers::{OfferedTool, ServerHandle, TaskFollower, ToolCallOutcome};

impl Turn {
    /// A call as it stands in the transcript until it is decided.
    pub(super) fn undecided(asked: &AskedCall, offer: &RoundTools) -> EntryBody {
        let call = &asked.call;
        let offered = offer.find(&call.name);
        let arguments = match &call.arguments {
            CallArguments::Parsed(arguments) => arguments.clone(),
            CallArguments::Invalid { .. } => Map::new(),
        };
        EntryBody::Call(CallBody {
            call: call.id.clone(),
            called_as: call.name.clone(),
            server: offered.map(|offered| offered.server.id()),
            server_name: offered.map_or_else(String::new, |offered| offered.server.name()),
            tool: offered.map_or_else(|| call.name.clone(), |offered| offered.tool.tool.name.clone()),
            arguments,
            edited: false,
            as_text: asked.as_text,
            imported: false,
            because: vec![],
            state: CallState::Deciding,
        })
    }

    /// Takes a call from its entry to its end.
    pub(super) async fn call(
        &self,
        asked: AskedCall,
        entry: EntryView,
        offer: &RoundTools,
        earlier: &[Arc<EntryView>],
        order: CallOrder,
        stop: &CancellationToken,
    ) -> Result<(), Problem> {
        let stop = &self.stops.begin(entry.id, stop);
        let mut row = CallEntry {
            turn: self,
            entry,
            result: None,
        };
        let decided = tokio::select! {
            () = stop.cancelled() => None,
            decided = self.decide_and_send(&asked, &mut row, offer, earlier, &order) => Some(decided),
        };
        // The calls after this one do not wait for a task.
        drop(order);
        let outcome = match decided {
            None => Some(CallState::Cancelled { sent: row.is_sent() }),
            Some(CallDecision::Ended(state)) => Some(state),
            Some(CallDecision::Task(following)) => self.follow(following, &mut row, stop).await,
        };
        // A task that is left to its server stays as it is.
        let Some(state) = outcome else { return Ok(()) };
        let state = with_choice(self, state).await;
        row.body(|body| body.state = state);
        let result = row.result.take();
        self.transcript.put_expected(&mut row.entry, result).await?;
        self.tasks.forget(row.entry.id).await;
        Ok(())
    }

    async fn follow(
        &self,
        (server, following): (ServerId, TaskFollower),
        row: &mut CallEntry<'_>,
        stop: &CancellationToken,
    ) -> Option<CallState> {
        let call = TaskCall {
            server,
            record: following.record().clone(),
            cause: self.cause(row),
            entry: &mut row.entry,
        };
        self.tasks.begin(call, following, stop).await
    }

    async fn decide_and_send(
        &self,
        asked: &AskedCall,
        row: &mut CallEntry<'_>,
        offer: &RoundTools,
        earlier: &[Arc<EntryView>],
        order: &CallOrder,
    ) -> CallDecision {
        let call = &asked.call;
        let arguments = match &call.arguments {
            CallArguments::Parsed(arguments) => arguments.clone(),
            CallArguments::Invalid { reason, .. } => {
                return failed(Problem::Call(CallProblem::ArgumentsUnreadable {
                    detail: reason.clone(),
                }));
            }
        };
        let Some(offered) = offer.find(&call.name) else {
            let name = call.name.clone();
            return failed(Problem::Call(match offer.directory {
                Some(_) => CallProblem::NotOffered { name },
                None => CallProblem::NoSuchTool { name },
            }));
        };
        // Do not ask for a call that cannot be sent.
        if let Some(problem) = offered.server.reconnecting() {
            return failed(problem);
        }
        let (arguments, misfits) = match offered.tool.check(arguments, true).await {
            Ok(checked) => checked,
            Err(reason) => return failed(Problem::Call(CallProblem::ArgumentsUnchecked { reason })),
        };
        row.body(|body| body.arguments = arguments.clone());
        if !misfits.is_empty() {
            return failed(Problem::Call(CallProblem::ArgumentsInvalid { errors: misfits }));
        }
        // A question may wait for days. It ends with the server, because nothing could be sent any more.
        let permitted = tokio::select! {
            permitted = self.permit(offered, arguments, asked.as_text, row, earlier, order) => permitted,
            problem = offered.server.ended() => return failed(problem),
        };
        match permitted {
            Ok(PermittedCall { permit, running }) => {
                order.sending.wait().await;
                order.pass();
                // What is sent, and that it is being sent, is on disk before it goes out.
                match running.await {
                    Ok(entry) => {
                        row.entry = entry;
                        self.send(&offered.server, permit, row).await
                    }
                    Err(error) => failed(error.into()),
                }
            }
            Err(Denied::ByUser { reason }) => CallDecision::Ended(CallState::Refused {
                by: RefusedBy::Person,
                reason,
            }),
            Err(Denied::Dismissed) => CallDecision::Ended(CallState::Refused {
                by: RefusedBy::NotNow,
                reason: None,
            }),
            Err(Denied::NotAsked) => CallDecision::Ended(CallState::Refused {
                by: RefusedBy::NotAsked,
                reason: None,
            }),
            Err(Denied::Muted) => CallDecision::Ended(CallState::Refused {
                by: RefusedBy::Muted,
                reason: None,
            }),
            Err(Denied::DefinitionChanged) => CallDecision::Ended(CallState::Refused {
                by: RefusedBy::Held,
                reason: None,
            }),
            Err(Denied::ByRule(because)) => {
                row.body(|body| body.because = because);
                CallDecision::Ended(CallState::Refused {
                    by: RefusedBy::Rule,
                    reason: None,
                })
            }
            Err(Denied::LedgerFailed(error)) => failed(error.into()),
        }
    }

    async fn permit(
        &self,
        offered: &OfferedTool,
        arguments: Map<String, Value>,
        as_text: bool,
        row: &mut CallEntry<'_>,
        earlier: &[Arc<EntryView>],
        order: &CallOrder,
    ) -> Result<PermittedCall, Denied> {
        let Ok(server) = self.servers.get(offered.server.id()) else {
            return Err(Denied::Dismissed);
        };
        let flow = find_data_flow(earlier, offered, &arguments);
        let tool = offered.tool.clone();
        let folders = &self.folders;
        let (id, working) = (server.id(), server.working_folder());
        let roots = folders.roots(id).await;
        let find_paths: FindPaths = Arc::new({
            let (folders, roots) = (folders.clone(), roots.clone());
            move |arguments| {
                let (folders, roots, working) = (folders.clone(), roots.clone(), working.clone());
                Box::pin(async move { folders.argument_paths(roots, working, arguments).await })
            }
        });
        let paths = find_paths(arguments.clone()).await;
        let request = CallRequest {
            server: server.face(),
            cause: Some(self.cause(row)),
            workspace: self.workspace,
            call: Call {
                tool: offered.tool.face(),
                arguments,
                last_arguments: last_arguments(earlier, id, &offered.tool.tool.name),
                raised: None,
                carried: flow.carried,
                headers: header_arguments(offered),
                roots,
                outside: paths.outside,
                findings: ArgumentFindings {
                    flow_unchecked: flow.too_much,
                    as_text,
                    ..paths.findings
                },
            },
            definition: offered.tool.definition(),
            places: paths.places,
            find_paths,
            validate: Validate::later(move |arguments| {
                let tool = tool.clone();
                async move {
                    match tool.check(arguments, false).await {
                        Ok((_, misfits)) if misfits.is_empty() => Ok(()),
                        Ok((_, misfits)) => Err(misfits.join("; ")),
                        Err(reason) => Err(format!("the arguments were not checked: {reason}")),
                    }
                }
            }),
        };
        order.deciding.wait().await;
        let entry = row.entry.clone();
        let asked = |question| {
            row.show(CallState::Waiting { question });
            order.pass();
        };
        let queued = |call: &CallTool, because: &[Because]| {
            let written = self.transcript.queue_put(running(entry, call, because));
            order.pass_decided();
            written
        };
        let (permit, running) = request.approve_in_order(&self.gate, asked, queued).await?;
        Ok(PermittedCall {
            permit,
            running: running.boxed(),
        })
    }

    /// The place of a call, for whatever is asked because of it.
    fn cause(&self, row: &CallEntry<'_>) -> Cause {
        Cause {
            chat: self.chat,
            chat_title: self.chat_title.clone(),
            entry: Some(row.entry.id),
            task_of: None,
        }
    }

    async fn send(
        &self,
        server: &ServerHandle,
        permit: Permit<CallTool>,
        row: &mut CallEntry<'_>,
    ) -> CallDecision {
        let since = Instant::now();
        let since_ms = Timestamp::now().as_millisecond();
        let (tell, mut told) = mpsc::channel(8);
        let call = server.call(permit, Some(self.cause(row)), tell);
        tokio::pin!(call);
        let answer = loop {
            tokio::select! {
                answer = &mut call => break answer,
                Some(progress) = told.recv() => {
                    let message = progress.message.map(|words| words.chars().take(500).collect());
                    let progress = ProgressView { done: progress.progress, total: progress.total, message };
                    row.show(CallState::Running { since_ms, progress: Some(progress) });
                }
            }
        };
        match answer {
            Ok(ToolCallOutcome::Done(result, expected)) => {
                row.result = Some(expected);
                let elapsed_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
                CallDecision::Ended(for_model::answered(result, elapsed_ms))
            }
            Ok(ToolCallOutcome::Task(following)) => CallDecision::Task((server.id(), following)),
            Err(problem) => failed(problem),
        }
    }
}

/// The entry of a call, as it moves on.
struct CallEntry<'a> {
    turn: &'a Turn,
    entry: EntryView,
    /// The entry with the result, which is written together with the record of the call's end.
    result: Option<ExpectedChange>,
}

impl CallEntry<'_> {
    fn body(&mut self, change: impl FnOnce(&mut CallBody)) {
        if let EntryBody::Call(body) = &mut self.entry.body {
            change(body);
        }
    }

    /// Whether the call was sent, or was about to be.
    fn is_sent(&self) -> bool {
        matches!(&self.entry.body, EntryBody::Call(body) if matches!(body.state, CallState::Running { .. }))
    }

    fn show(&mut self, state: CallState) {
        self.body(|body| body.state = state);
        self.turn.transcript.show(&self.entry);
    }
}

/// A call that may be sent once its entry says on disk that it is. The entry is written together with the intent.
struct PermittedCall {
    permit: Permit<CallTool>,
    running: BoxFuture<'static, Result<EntryView, StoreError>>,
}

/// What became of a call that was looked at.
enum CallDecision {
    Ended(CallState),
    /// Work that goes on.
    Task((ServerId, TaskFollower)),
}

/// The entry of a call that is being sent.
fn running(mut entry: EntryView, call: &CallTool, because: &[Because]) -> EntryView {
    if let EntryBody::Call(body) = &mut entry.body {
        body.because = because.to_vec();
        body.edited = body.arguments != call.arguments;
        body.arguments.clone_from(&call.arguments);
        body.state = CallState::Running {
            since_ms: Timestamp::now().as_millisecond(),
            progress: None,
        };
    }
    entry
}

fn failed(problem: Problem) -> CallDecision {
    CallDecision::Ended(CallState::Failed { problem })
}

/// The arguments that the schema wants repeated as headers, where the server is reached over HTTP with such headers.
fn header_arguments(offered: &OfferedTool) -> Vec<HeaderArgument> {
    if !offered.server.takes_argument_headers() {
        return vec![];
    }
    let headers = param_headers(offered.tool.tool.input_schema()).unwrap_or_default();
    let sent = headers.into_iter().map(|header| HeaderArgument {
        at: header.argument().to_vec(),
        header: header.header,
    });
    sent.collect()
}

/// The arguments of the last call of this tool in this chat that was sent.
fn last_arguments(earlier: &[Arc<EntryView>], server: ServerId, tool: &str) -> Option<Map<String, Value>> {
    earlier.iter().rev().find_map(|entry| match &entry.body {
        EntryBody::Call(call)
            if call.server == Some(server)
                && call.tool == tool
                && matches!(call.state, CallState::Answered { .. }) =>
        {
            Some(call.arguments.clone())
        }
        _ => None,
    })
}
