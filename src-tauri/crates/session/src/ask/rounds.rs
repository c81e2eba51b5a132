//! A request to a modern server, over all its rounds: sent again where that is certainly harmless, and continued with the
//! input that the server wants.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RpcResultBuf;
use vestibule_protocol::modern::{InputRequired, RequestMeta, ResultKind, supported_versions};
use vestibule_transport::{Challenge, RequestFailure, Wire};

use super::{CallAnswer, RequestParams, RequestSpec, TaskMode, encode};
use crate::capabilities::Declaration;
use crate::demand::SignInDemand;
use crate::error::CallError;
use crate::error_map;
use crate::input::{InputResponses, collect_input};
use crate::link::Link;

/// A request to a modern server, over all its rounds.
struct ModernRequest<'a, P> {
    ask: &'a RequestSpec<'a>,
    own: Option<&'a P>,
    revision: Revision,
    declaration: Arc<Declaration>,
}

/// What a request carries besides its own parameters.
#[derive(Default)]
struct RequestRound {
    number: usize,
    responses: Option<InputResponses>,
    state: Option<Box<RawValue>>,
}

/// What one round comes to.
enum RoundOutcome {
    Answer(CallAnswer),
    InputRequired(InputRequired),
}

impl Link {
    /// Asks until the server has what it needs. Each round answers only the input requests of the one before.
    pub(super) async fn ask_in_rounds<P: Serialize>(
        &self,
        ask: &RequestSpec<'_>,
        own: Option<&P>,
        revision: Revision,
    ) -> Result<CallAnswer, CallError> {
        let request = self.modern_request(ask, own, revision)?;
        let mut round = RequestRound::default();
        loop {
            let (id, result) = match self.send_round(&request, &round).await {
                Ok(sent) => sent,
                Err(error) if round.number > 0 && is_settled(ask, &error).await => continue,
                Err(error) => return Err(unsent_round(round.number, error)),
            };
            let needed = match read_round(ask.task_mode, round.number, id, result)? {
                RoundOutcome::Answer(answer) => return Ok(answer),
                RoundOutcome::InputRequired(needed) => needed,
            };
            round = self.next_round(&request, round.number, needed).await?;
        }
    }

    fn modern_request<'a, P>(
        &self,
        ask: &'a RequestSpec<'a>,
        own: Option<&'a P>,
        revision: Revision,
    ) -> Result<ModernRequest<'a, P>, CallError> {
        Ok(ModernRequest {
            ask,
            own,
            revision,
            declaration: self.declaration(revision, ask.options.capabilities.as_ref())?,
        })
    }

    /// What a request says of this client: what it always does, unless the request has capabilities of its own.
    fn declaration(
        &self,
        revision: Revision,
        capabilities: Option<&Value>,
    ) -> Result<Arc<Declaration>, CallError> {
        let write =
            |capabilities| Declaration::new(revision, &self.options.client, capabilities).map(Arc::new);
        if let Some(capabilities) = capabilities {
            return write(capabilities);
        }
        if let Some(declaration) = self.declaration.get() {
            return Ok(declaration.clone());
        }
        let declaration = write(&self.options.capabilities)?;
        Ok(self.declaration.get_or_init(|| declaration).clone())
    }

    /// Collects what the server needs before it answers.
    async fn next_round<P>(
        &self,
        request: &ModernRequest<'_, P>,
        number: usize,
        needed: InputRequired,
    ) -> Result<RequestRound, CallError> {
        let ask = request.ask;
        self.require_round(ask, number)?;
        let responses = match needed.requests {
            Some(requests) => {
                Some(collect_input(self, requests, &request.declaration.capabilities, ask.origin()).await?)
            }
            None => None,
        };
        Ok(RequestRound {
            number: number + 1,
            responses,
            state: needed.state,
        })
    }

    /// Returns an error if the request may not go on after the round of this number.
    fn require_round(&self, ask: &RequestSpec<'_>, number: usize) -> Result<(), CallError> {
        if !ask.is_call {
            return Err(CallError::Malformed(format!("{} cannot need input", ask.method)));
        }
        let limit = self.options.limits.rounds;
        if number == limit {
            let why = format!("the server still wants more after {limit} rounds");
            return Err(CallError::NotContinued(why));
        }
        Ok(())
    }

    /// One round, sent a second time under a new id where that is certainly harmless.
    async fn send_round<P: Serialize>(
        &self,
        request: &ModernRequest<'_, P>,
        round: &RequestRound,
    ) -> Result<(i64, RpcResultBuf), CallError> {
        let first = self.send_modern(request, round).await;
        let again = match &first {
            Err(CallError::NotAnswered(failure)) => may_repeat(failure, request.ask.options.repeatable),
            Err(CallError::Rpc(error)) => supported_versions(error)
                .is_some_and(|names| names.iter().any(|name| name == request.revision.as_str())),
            _ => false,
        };
        let outcome = if again {
            self.send_modern(request, round).await
        } else {
            first
        };
        outcome.map_err(error_map::map_modern_error)
    }

    async fn send_modern<P: Serialize>(
        &self,
        request: &ModernRequest<'_, P>,
        round: &RequestRound,
    ) -> Result<(i64, RpcResultBuf), CallError> {
        let (id, ask) = (self.fresh_id(), request.ask);
        let params = RequestParams {
            own: request.own,
            responses: round.responses.as_ref(),
            state: round.state.as_deref(),
            _meta: self.meta(request, id),
        };
        let frame = encode(id, ask.method, Some(&params))?;
        let headers = if self.wire == Wire::Http {
            self.headers(ask, request.revision)?
        } else {
            Vec::new()
        };
        let result = self.exchange(self.plan(ask, id, frame, headers)).await?;
        Ok((id, result))
    }

    /// What every modern request says of this client.
    fn meta<'a, P>(&'a self, request: &'a ModernRequest<'_, P>, id: i64) -> RequestMeta<'a> {
        let ask = request.ask;
        let log_level = *self.log_level.borrow();
        RequestMeta {
            protocol_version: Some(request.revision),
            client_info: Some(&request.declaration.client),
            client_capabilities: Some(&request.declaration.written_capabilities),
            log_level: ask.options.log_level.or(log_level),
            progress_token: ask.is_call.then_some(id),
        }
    }
}

/// The demand to sign in with which a round was refused. A round whose answer broke off was not refused.
fn demanded(error: &CallError) -> Option<&Challenge> {
    match error {
        CallError::NotAnswered(failure) if !failure.cut => failure.challenge.as_ref(),
        _ => None,
    }
}

/// Whether this error is a demand to sign in that the caller settled, so that the same round may be sent again.
async fn is_settled(ask: &RequestSpec<'_>, error: &CallError) -> bool {
    let (Some(challenge), Some(demands)) = (demanded(error), &ask.options.demands) else {
        return false;
    };
    let (demand, is_settled) = SignInDemand::new(challenge.clone());
    demands.send(demand).await.is_ok() && is_settled.await.is_ok()
}

/// The error of the round of this number. After the first round the server has the call, also where the next was not sent
/// or was refused until a sign-in; the call may not begin again.
fn unsent_round(number: usize, error: CallError) -> CallError {
    if number > 0 && demanded(&error).is_some() {
        return CallError::NotContinued(error.to_string());
    }
    match error {
        CallError::Busy | CallError::NotSendable(_) if number > 0 => {
            CallError::NotContinued(error.to_string())
        }
        CallError::NotAnswered(mut failure) if number > 0 => {
            failure.unsent = false;
            CallError::NotAnswered(failure)
        }
        error => error,
    }
}

/// Whether a request that got no answer may be sent again. An HTTP status is an answer of a kind, and so is one
/// that was too large.
fn may_repeat(failure: &RequestFailure, repeatable: bool) -> bool {
    let was_answered = failure.too_large || (failure.status.is_some() && !failure.cut);
    failure.unsent || (repeatable && !was_answered)
}

/// What the answer to the round of this number comes to.
fn read_round(
    task_mode: TaskMode,
    number: usize,
    id: i64,
    result: RpcResultBuf,
) -> Result<RoundOutcome, CallError> {
    let kind = ResultKind::read(result.as_result()).map_err(|error| CallError::Malformed(error.0))?;
    let mut answer = CallAnswer::new(id, result);
    match kind {
        // an answer to input belongs to this round alone.
        ResultKind::Complete(cache) if number == 0 => answer.cache = cache,
        ResultKind::Complete(_) => {}
        // also after rounds.
        ResultKind::Task if matches!(task_mode, TaskMode::Offered | TaskMode::ExistingTask) => {
            answer.is_task = true;
        }
        ResultKind::Task => return Err(CallError::Malformed("a task that was not offered".into())),
        ResultKind::InputRequired(needed) => return Ok(RoundOutcome::InputRequired(needed)),
    }
    Ok(RoundOutcome::Answer(answer))
}
