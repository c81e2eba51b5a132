//! Reading a resource and expanding a prompt, each of which takes a permit. The answer goes to the caller that spent the
//! permit, and nowhere else.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::mpsc;
use vestibule_consent::{CompleteFields, Effect, EffectEnd, GetPrompt, Permit, ReadResource};
use vestibule_protocol::mcp::{
    Completion, CompletionParams, CompletionTarget, GetPromptResult, ReadResourceResult,
};
use vestibule_session::{CallError, CallOptions, SignInDemand};

use super::pages::{send_after_visits, visit_all};
use super::result::finish_with_result;
use super::session_for;
use super::tool::{Unanswered, call_problem, not_answered, unanswered};
use crate::auth::retry::{Unsent, authorized};
use crate::catalog::features;
use crate::gone;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{CallProblem, Problem};

/// How long to wait for proposals.
const COMPLETION: Duration = Duration::from_secs(5);

/// The most prompts and templates of one server that are filled in under an effect of their own.
const MAX_FILLED_IN: usize = 64;

/// The prompts and templates that the user filled in while the server ran, each with the effect that covers the requests
/// for proposals. There is one for each, because there is a request for almost every key.
#[derive(Default)]
pub(crate) struct FilledIn(BTreeMap<String, Effect<CompleteFields>>);

impl FilledIn {
    /// Ends the effects of a run.
    pub(crate) fn end_run(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, effect: Effect<CompleteFields>) {
        if self.0.len() >= MAX_FILLED_IN {
            self.0.pop_first();
        }
        self.0.insert(effect.what().of.clone(), effect);
    }
}

/// Reads the resource the permit is for.
#[expect(clippy::disallowed_methods, reason = "the one place that reads resources")]
pub(crate) async fn read_resource(
    server: &ServerHandle,
    permit: Permit<ReadResource>,
) -> Result<ReadResourceResult, Problem> {
    let (read, effect) = permit.begin().split();
    let (active, effect) = session_for(server, read.server, effect).await?;
    let visit = |pages| visit_all(server, &active, None, pages);
    let ask = |demands: mpsc::Sender<SignInDemand>| {
        let (session, uri) = (&active.session, &read.uri);
        send_after_visits(
            move || session.read_resource(uri, telling(demands.clone())),
            visit,
        )
    };
    match authorized(server, true, ask).await {
        Ok(answer) => {
            let raw = serde_json::to_value(&answer.value).unwrap_or_default();
            finish_with_result(effect, EffectEnd::Answered, raw).await;
            Ok(answer.value)
        }
        Err(Unsent::Call(error)) if error.is_not_found() => {
            effect.finish(EffectEnd::Failed).await;
            Err(Problem::Call(CallProblem::NoSuchResource { uri: read.uri }))
        }
        Err(unsent) => Err(not_answered(server, effect, unsent).await),
    }
}

/// Expands the prompt the permit is for.
#[expect(clippy::disallowed_methods, reason = "the one place that expands prompts")]
pub(crate) async fn get_prompt(
    server: &ServerHandle,
    permit: Permit<GetPrompt>,
) -> Result<GetPromptResult, Problem> {
    let (get, effect) = permit.begin().split();
    let (active, effect) = session_for(server, get.server, effect).await?;
    let visit = |pages| visit_all(server, &active, None, pages);
    let ask = |demands: mpsc::Sender<SignInDemand>| {
        let (session, get) = (&active.session, &get);
        let expand = move || session.get_prompt(&get.prompt, &get.arguments, telling(demands.clone()));
        send_after_visits(expand, visit)
    };
    match authorized(server, true, ask).await {
        Ok(answer) => {
            let raw = serde_json::to_value(&answer).unwrap_or_default();
            finish_with_result(effect, EffectEnd::Answered, raw).await;
            Ok(answer)
        }
        Err(unsent) => Err(not_answered(server, effect, unsent).await),
    }
}

/// How to make a call that tells the demands to sign in with which the server refuses to go on.
fn telling(demands: mpsc::Sender<SignInDemand>) -> CallOptions {
    CallOptions {
        demands: Some(demands),
        ..CallOptions::default()
    }
}

/// Asks for proposals for a field. A server that answers too late proposes nothing, and one that does not know the request
/// is not asked again in this session.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that asks for proposals; it is recorded first"
)]
pub(crate) async fn complete(
    server: &ServerHandle,
    params: &CompletionParams,
) -> Result<Completion, Problem> {
    let active = server.active().ok_or_else(gone)?;
    if !server.read(features::completes) {
        return Ok(Completion::default());
    }
    record_filling_in(server, &params.target).await?;
    let asking = authorized(server, false, |_| active.session.complete(params));
    let Ok(outcome) = tokio::time::timeout(COMPLETION, asking).await else {
        return Ok(Completion::default());
    };
    match outcome.map_err(|unsent| unanswered(server, unsent)) {
        Ok(completion) => Ok(completion),
        Err(Unanswered::Call(CallError::NotSupported)) => {
            features::completes_nothing(server, active.number);
            Ok(Completion::default())
        }
        Err(Unanswered::Call(error)) => Err(call_problem(server, error)),
        Err(Unanswered::SignIn(problem)) => Err(problem),
    }
}

/// Writes to the ledger that the user fills in a prompt or a template, once in a run of the server.
async fn record_filling_in(server: &ServerHandle, target: &CompletionTarget) -> Result<(), Problem> {
    let (CompletionTarget::Prompt { name: of } | CompletionTarget::Resource { uri: of }) = target;
    if server.filled_in().0.contains_key(of) {
        return Ok(());
    }
    let permit = server.gate().complete_fields(server.id(), of.clone()).await?;
    server
        .filled_in()
        .add(permit.begin().if_dropped(EffectEnd::Stopped));
    Ok(())
}
