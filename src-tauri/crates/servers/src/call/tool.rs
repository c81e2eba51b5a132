//! Calling a tool on a connected server, which takes a permit. The accepted definition is compared again right before
//! sending, and the outcome is written to the ledger, also after the caller is gone.

use tokio::sync::mpsc;
use vestibule_consent::{CallTool, Cause, Effect, EffectEnd, Permit};
use vestibule_protocol::mcp::{CallToolResult, Progress};
use vestibule_session::{CallError, CallOptions, Called, Challenge, SessionHandle, SignInDemand};
use vestibule_store::ExpectedChange;

use super::pages::{send_after_visits, visit_all};
use super::result::{checked_view, result_facts};
use super::session_for;
use super::task::TaskFollower;
use crate::auth::retry::{Unsent, authorized, sign_in_needed};
use crate::catalog::tools::CatalogTool;
use crate::problem_from::IntoProblem;
use crate::server::handle::ServerHandle;
use crate::server::liveness::is_reason_to_probe;
use vestibule_app_protocol::{CallProblem, Problem, ResultView, ServerProblem};

/// What became of a call.
pub enum ToolCallOutcome {
    /// Its result. The record of its end waits a little for what the caller writes of it, until the expectation is dropped.
    Done(ResultView, ExpectedChange),
    /// Work that goes on.
    Task(TaskFollower),
}

/// Calls the tool the permit is for, with exactly its arguments.
pub(crate) async fn call(
    server: &ServerHandle,
    permit: Permit<CallTool>,
    cause: Option<Cause>,
    progress: mpsc::Sender<Progress>,
) -> Result<ToolCallOutcome, Problem> {
    let (call, effect) = permit.begin().split();
    let (active, effect) = session_for(server, call.server, effect).await?;
    let in_flight = server.calls().begin(&call.tool, cause.clone());
    let is_accepted = |tool: &CatalogTool| tool.digest == call.definition && tool.held.is_none();
    let Some(tool) = server.tool(&call.tool).filter(is_accepted) else {
        effect.finish(EffectEnd::NotSent).await;
        return Err(Problem::Call(CallProblem::ToolChangedMeanwhile {
            tool: call.tool,
        }));
    };
    let visit = |pages| visit_all(server, &active, cause.clone(), pages);
    let send = |demands: mpsc::Sender<SignInDemand>| {
        let (session, call, progress) = (&active.session, &call, &progress);
        send_after_visits(
            move || send_once(session, call, progress.clone(), demands.clone()),
            visit,
        )
    };
    match authorized(server, true, send).await {
        Ok(Called::Task(task)) => {
            effect.finish(EffectEnd::BecameTask).await;
            let follower = TaskFollower::new(server, active.number, task, in_flight);
            Ok(ToolCallOutcome::Task(follower))
        }
        Ok(Called::Done(result)) => {
            let expected = server.context().options.store.expect_change();
            let result = answered(effect, result, &tool).await?;
            Ok(ToolCallOutcome::Done(result, expected))
        }
        Err(unsent) => Err(undone_or_lost(not_answered(server, effect, unsent).await)),
    }
}

/// The problem of a call that was refused. A status which says that something broke behind the address does not say that
/// nothing happened: a gateway that waited too long has handed the call on.
fn undone_or_lost(problem: Problem) -> Problem {
    match problem {
        Problem::Server(ServerProblem::ServerRefused {
            status, detail, said, ..
        }) if matches!(status, 500..=599) && !matches!(status, 501 | 503 | 505) => lost_with(detail, said),
        other => other,
    }
}

/// A call that may have happened, with what the answer said instead.
pub(super) fn lost_with(detail: String, said: Option<String>) -> Problem {
    Problem::Call(CallProblem::CallLost {
        detail: match said {
            Some(said) if !said.trim().is_empty() => format!("{detail}: {said}"),
            _ => detail,
        },
        stderr: vec![],
    })
}

async fn answered(effect: Effect, result: CallToolResult, tool: &CatalogTool) -> Result<ResultView, Problem> {
    let end = end_of(&result);
    let raw = serde_json::to_value(&result).unwrap_or_default();
    let record = async {
        match result_facts(raw).await {
            // Its caller writes the result afterwards, and both can be written at once.
            Ok(facts) => effect.queue_finish_with(end, facts),
            Err(_) => effect.finish(end).await,
        }
    };
    let ((), view) = tokio::join!(record, checked_view(result, Some(tool)));
    view.map_err(|error| {
        Problem::Call(CallProblem::MalformedReply {
            detail: error.to_string(),
        })
    })
}

/// Ends the effect of a request that was not answered, and says what to tell the caller.
pub(super) async fn not_answered(server: &ServerHandle, effect: Effect, unsent: Unsent) -> Problem {
    let (end, problem) = match unanswered(server, unsent) {
        Unanswered::Call(error) => (end_without_answer(&error), call_problem(server, error)),
        Unanswered::SignIn(problem) => (EffectEnd::NotSignedIn, problem),
    };
    effect.finish(end).await;
    problem
}

/// Why a request was not answered, without a demand that is still to be passed on.
pub(crate) enum Unanswered {
    /// It failed by itself.
    Call(CallError),
    /// The server wants another sign-in, or signing in failed.
    SignIn(Problem),
}

/// Passes on a demand for a sign-in, which ends the session.
pub(crate) fn unanswered(server: &ServerHandle, unsent: Unsent) -> Unanswered {
    match unsent {
        Unsent::Call(error) => Unanswered::Call(error),
        Unsent::SignIn(challenge) => {
            sign_in_demanded(server, &challenge);
            Unanswered::SignIn(sign_in_needed(server, &challenge))
        }
        Unsent::NotSignedIn { challenge, problem } => {
            sign_in_demanded(server, &challenge);
            Unanswered::SignIn(problem)
        }
        Unsent::Never(problem) => Unanswered::SignIn(problem),
    }
}

/// Sends the call once.
#[expect(clippy::disallowed_methods, reason = "the one place that calls tools")]
async fn send_once(
    session: &SessionHandle,
    call: &CallTool,
    progress: mpsc::Sender<Progress>,
    demands: mpsc::Sender<SignInDemand>,
) -> Result<Called, CallError> {
    let options = CallOptions {
        progress: Some(progress),
        demands: Some(demands),
        as_task: true,
        ..CallOptions::default()
    };
    session
        .start_tool(&call.tool, call.arguments.clone(), options)
        .await
}

/// The problem of a call without an answer: above all whether it may have happened. It is never sent again.
pub(crate) fn call_problem(server: &ServerHandle, error: CallError) -> Problem {
    if is_reason_to_probe(&error) {
        server.probe_now();
    }
    match error {
        CallError::Closed(reason) => Problem::Call(CallProblem::CallLost {
            detail: reason.to_string(),
            stderr: reason.diagnostics,
        }),
        CallError::NotAnswered(failure) if failure.too_large => (*failure).into_problem(),
        CallError::NotAnswered(failure) => {
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
pub(crate) fn sign_in_demanded(server: &ServerHandle, challenge: &Challenge) {
    if challenge.status == 401 {
        server.challenged(challenge.clone());
    }
}

/// How a call ended that has a result.
pub(super) fn end_of(result: &CallToolResult) -> EffectEnd {
    if result.is_error {
        EffectEnd::Failed
    } else {
        EffectEnd::Answered
    }
}

fn end_without_answer(error: &CallError) -> EffectEnd {
    match error {
        CallError::TimedOut { .. } => EffectEnd::TimedOut,
        CallError::Closed(_) => EffectEnd::ServerEnded,
        CallError::Busy | CallError::NotSupported | CallError::NotSendable(_) => EffectEnd::NotSent,
        CallError::NotAnswered(failure) if failure.unsent => EffectEnd::NotSent,
        CallError::PagesRequired { .. } => EffectEnd::PageNotVisited,
        CallError::Rpc(_)
        | CallError::Malformed(_)
        | CallError::CapabilitiesRequired { .. }
        | CallError::TaskCancelled
        | CallError::TaskGone
        | CallError::NotAnswered(_)
        | CallError::NotContinued(_) => EffectEnd::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, said: Option<&str>) -> Problem {
        Problem::Server(ServerProblem::ServerRefused {
            origin: "https://notes.example".into(),
            status,
            detail: format!("it failed ({status})"),
            moved: None,
            said: said.map(str::to_owned),
            retry_after: None,
        })
    }

    /// "Try again" would have the user pay twice.
    #[test]
    fn a_call_that_broke_behind_the_address_is_told_as_one_that_may_have_happened() {
        for (status, said, expected) in [
            (500, Some("no room"), "it failed (500): no room"),
            (502, Some(" "), "it failed (502)"),
            (504, None, "it failed (504)"),
            (524, None, "it failed (524)"),
        ] {
            let lost = CallProblem::CallLost {
                detail: expected.into(),
                stderr: vec![],
            };
            assert_eq!(undone_or_lost(refused(status, said)), Problem::Call(lost));
        }
        for status in [400, 404, 429, 501, 503] {
            let refused = refused(status, Some("no"));
            assert_eq!(undone_or_lost(refused.clone()), refused);
        }
    }
}
