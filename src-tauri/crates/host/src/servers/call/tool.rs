//! Calling a tool on a connected server, which takes a permit. The accepted definition is compared again right before
//! sending, and the outcome is written to the ledger, also after the caller is gone.

use tokio::sync::{mpsc, oneshot};
use vestibule_consent::{CallTool, Cause, Permit};
use vestibule_policy::Digest;
use vestibule_protocol::mcp::{CallToolResult, Progress};
use vestibule_session::{CallError, CallOptions, Called, Challenge, RequiredPage, SessionHandle};

use super::session_for;
use super::task::TaskFollower;
use crate::problem_from::IntoProblem;
use crate::results;
use crate::servers::auth::retry::{Unsent, authorized, sign_in_needed};
use crate::servers::catalog::tools::CatalogTool;
use crate::servers::effect::RunningEffect;
use crate::servers::requests::{ClientRequestBody, PageVisits};
use crate::servers::server::handle::ServerHandle;
use crate::servers::server::state::ActiveSession;
use crate::view::{CallProblem, Problem, ResultView};

/// How many times one call is sent again after pages were visited.
const VISITS: usize = 3;

/// What became of a call.
pub(crate) enum ToolCallOutcome {
    Done(ResultView),
    /// Work that goes on.
    Task(TaskFollower),
}

/// Calls the tool the permit is for, with exactly its arguments.
pub(in crate::servers) async fn call(
    server: &ServerHandle,
    permit: Permit<CallTool>,
    cause: Option<Cause>,
    progress: mpsc::Sender<Progress>,
) -> Result<ToolCallOutcome, Problem> {
    let (call, receipt) = permit.spend();
    let mut effect = server.effects().begin(receipt, "cancelled");
    let active = session_for(server, call.server, &mut effect).await?;
    let in_flight = server.calls().begin(cause.clone());
    let is_accepted = |tool: &CatalogTool| tool.digest == call.definition && tool.held.is_none();
    let Some(tool) = server.tool(&call.tool).filter(is_accepted) else {
        effect.end("not sent", None, 0).await;
        return Err(Problem::Call(CallProblem::ToolChangedMeanwhile {
            tool: call.tool,
        }));
    };
    let visit = |pages| visit_all(server, &active, cause.clone(), pages);
    let send = || send(&active.session, &call, progress.clone(), visit);
    match authorized(server, true, send).await {
        Ok(Called::Task(task)) => {
            effect.end("became a task", None, 0).await;
            let follower = TaskFollower::new(server, active.number, task, in_flight);
            Ok(ToolCallOutcome::Task(follower))
        }
        Ok(Called::Done(result)) => answered(&mut effect, result, &tool)
            .await
            .map(ToolCallOutcome::Done),
        Err(unsent) => Err(not_answered(server, effect, unsent).await),
    }
}

async fn answered(
    effect: &mut RunningEffect,
    result: CallToolResult,
    tool: &CatalogTool,
) -> Result<ResultView, Problem> {
    let raw = serde_json::to_value(&result).unwrap_or_default();
    let (digest, bytes) = (Digest::of_result(&raw), raw.to_string().len());
    let ended = if result.is_error { "failed" } else { "answered" };
    effect.end(ended, Some(digest), bytes).await;
    results::checked_view(result, Some(tool)).await.map_err(|error| {
        Problem::Call(CallProblem::MalformedReply {
            detail: error.to_string(),
        })
    })
}

/// Ends the effect of a request that was not answered, and says what to tell the caller.
pub(super) async fn not_answered(
    server: &ServerHandle,
    mut effect: RunningEffect,
    unsent: Unsent,
) -> Problem {
    let (word, problem) = match unsent {
        Unsent::Call(error) => (word(&error), call_problem(server, error)),
        Unsent::SignIn(challenge) => {
            sign_in_demanded(server, &challenge);
            ("not signed in", sign_in_needed(server, &challenge))
        }
        Unsent::Never(problem) => ("not signed in", problem),
    };
    effect.end(word, None, 0).await;
    problem
}

/// Sends the call, and sends it again each time after pages that the server wanted visited first. It is the same call
/// that was approved, because none before it was carried out.
#[expect(clippy::disallowed_methods, reason = "the one place that calls tools")]
async fn send<V: Future<Output = bool>>(
    session: &SessionHandle,
    call: &CallTool,
    progress: mpsc::Sender<Progress>,
    visit: impl Fn(Vec<RequiredPage>) -> V,
) -> Result<Called, CallError> {
    let mut visits = 0;
    loop {
        let options = CallOptions {
            progress: Some(progress.clone()),
            as_task: true,
            ..CallOptions::default()
        };
        match session
            .start_tool(&call.tool, call.arguments.clone(), options)
            .await
        {
            Err(CallError::PagesRequired { pages, error }) => {
                visits += 1;
                if visits > VISITS || !visit(pages.clone()).await {
                    return Err(CallError::PagesRequired { pages, error });
                }
            }
            outcome => return outcome,
        }
    }
}

/// Whether the user visited all of these pages. The reader of the stream of requests asks, and stops asking when this is
/// dropped.
async fn visit_all(
    server: &ServerHandle,
    active: &ActiveSession,
    cause: Option<Cause>,
    pages: Vec<RequiredPage>,
) -> bool {
    let (visited, are_visited) = oneshot::channel();
    server.request(ClientRequestBody::VisitPages(PageVisits {
        pages,
        cause,
        session_over: active.over.clone(),
        visited,
    }));
    are_visited.await.unwrap_or(false)
}

/// The problem of a call without an answer: above all whether it may have happened. It is never sent again.
pub(in crate::servers) fn call_problem(server: &ServerHandle, error: CallError) -> Problem {
    match error {
        CallError::Closed(reason) => Problem::Call(CallProblem::CallLost {
            detail: reason.to_string(),
            stderr: reason.diagnostics,
        }),
        CallError::NotAnswered(failure) => {
            if failure.status.is_none() {
                server.probe_now();
            }
            let (detail, stderr) = (failure.reason.clone(), vec![]);
            match failure.status {
                None if failure.unsent => Problem::Call(CallProblem::CallNotSent { detail }),
                None => Problem::Call(CallProblem::CallLost { detail, stderr }),
                Some(_) if failure.cut => Problem::Call(CallProblem::CallLost { detail, stderr }),
                Some(_) => (*failure).into_problem().naming(&server.origin()),
            }
        }
        error => error.into_problem(),
    }
}

/// A demand for a sign-in ends the session; one for more than was granted concerns this request alone.
pub(in crate::servers) fn sign_in_demanded(server: &ServerHandle, challenge: &Challenge) {
    if challenge.status == 401 {
        server.challenged(challenge.clone());
    }
}

/// How a call ended, for the ledger.
fn word(error: &CallError) -> &'static str {
    match error {
        CallError::TimedOut { .. } => "timed out",
        CallError::Closed(_) => "server ended",
        CallError::Busy | CallError::NotSupported | CallError::NotSendable(_) => "not sent",
        CallError::NotAnswered(failure) if failure.unsent => "not sent",
        CallError::PagesRequired { .. } => "page not visited",
        CallError::Rpc(_)
        | CallError::Malformed(_)
        | CallError::CapabilitiesRequired { .. }
        | CallError::TaskCancelled
        | CallError::TaskGone
        | CallError::NotAnswered(_)
        | CallError::NotContinued(_) => "failed",
    }
}
