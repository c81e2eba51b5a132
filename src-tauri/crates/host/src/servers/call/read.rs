//! Reading a resource and expanding a prompt, each of which takes a permit. The answer goes to the caller that spent the
//! permit, and nowhere else.

use std::time::Duration;

use serde_json::Value;
use vestibule_consent::{GetPrompt, Permit, ReadResource};
use vestibule_policy::Digest;
use vestibule_protocol::mcp::{Completion, CompletionParams, GetPromptResult, ReadResourceResult};
use vestibule_session::{CallError, CallOptions};

use super::session_for;
use super::tool::{call_problem, not_answered};
use crate::servers::auth::retry::{Unsent, authorized};
use crate::servers::effect::RunningEffect;
use crate::servers::gone;
use crate::servers::server::handle::ServerHandle;
use crate::view::{CallProblem, Problem};

/// How long to wait for proposals.
const COMPLETION: Duration = Duration::from_secs(5);

/// Reads the resource the permit is for.
#[expect(clippy::disallowed_methods, reason = "the one place that reads resources")]
pub(in crate::servers) async fn read_resource(
    server: &ServerHandle,
    permit: Permit<ReadResource>,
) -> Result<ReadResourceResult, Problem> {
    let (read, receipt) = permit.spend();
    let mut effect = server.effects().begin(receipt, "cancelled");
    let session = session_for(server, read.server, &mut effect).await?.session;
    let ask = || session.read_resource(&read.uri, CallOptions::default());
    match authorized(server, true, ask).await {
        Ok(answer) => {
            let raw = serde_json::to_value(&answer.value).unwrap_or_default();
            answered(&mut effect, &raw).await;
            Ok(answer.value)
        }
        Err(Unsent::Call(error)) if error.is_not_found() => {
            effect.end("failed", None, 0).await;
            Err(Problem::Call(CallProblem::NoSuchResource { uri: read.uri }))
        }
        Err(unsent) => Err(not_answered(server, effect, unsent).await),
    }
}

/// Expands the prompt the permit is for.
#[expect(clippy::disallowed_methods, reason = "the one place that expands prompts")]
pub(in crate::servers) async fn get_prompt(
    server: &ServerHandle,
    permit: Permit<GetPrompt>,
) -> Result<GetPromptResult, Problem> {
    let (get, receipt) = permit.spend();
    let mut effect = server.effects().begin(receipt, "cancelled");
    let session = session_for(server, get.server, &mut effect).await?.session;
    let ask = || session.get_prompt(&get.prompt, &get.arguments, CallOptions::default());
    match authorized(server, true, ask).await {
        Ok(answer) => {
            let raw = serde_json::to_value(&answer).unwrap_or_default();
            answered(&mut effect, &raw).await;
            Ok(answer)
        }
        Err(unsent) => Err(not_answered(server, effect, unsent).await),
    }
}

/// Asks for proposals for a field. A server that answers too late proposes nothing.
pub(in crate::servers) async fn complete(
    server: &ServerHandle,
    params: &CompletionParams,
) -> Result<Completion, Problem> {
    let session = server.active().ok_or_else(gone)?.session;
    match tokio::time::timeout(COMPLETION, session.complete(params)).await {
        Ok(Ok(completion)) => Ok(completion),
        Ok(Err(CallError::NotSupported)) | Err(_) => Ok(Completion::default()),
        Ok(Err(error)) => Err(call_problem(server, error)),
    }
}

async fn answered(effect: &mut RunningEffect, raw: &Value) {
    let (digest, bytes) = (Digest::of_result(raw), raw.to_string().len());
    effect.end("answered", Some(digest), bytes).await;
}
