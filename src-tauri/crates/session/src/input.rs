//! What a modern server needs before it answers a call, as questions to the host. They look like the requests
//! a legacy server makes, so the host has one way to deal with both; the answers are collected here and go
//! back with the call. While that lasts no request is on its way, so no clock runs. When the call is dropped
//! or one answer is refused, the other questions are withdrawn.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vestibule_protocol::Revision;
use vestibule_protocol::json::RawJson;
use vestibule_protocol::modern::InputRequests;

use crate::error::CallError;
use crate::event::ServerRequest;
use crate::link::Link;
use crate::message::SessionSignal;
use crate::responder::{InputAnswer, Origin, Responder};
use crate::validate_request::validate_request;

/// Answers by the names of the server's input requests.
pub(crate) type InputResponses = BTreeMap<String, Box<RawValue>>;

/// Asks the host for everything a server needs.
///
/// # Errors
/// [`CallError::NotContinued`] when the server wants what was not declared to it, when too much waits
/// already, or when one answer was refused; [`CallError::Closed`] when the session ends first.
pub(crate) async fn collect_input(
    link: &Link,
    requests: InputRequests,
    declared: &Value,
    origin: Origin,
) -> Result<InputResponses, CallError> {
    let requests = input_requests(requests, declared)?;
    let count = u32::try_from(requests.len()).unwrap_or(u32::MAX);
    let _places = link.inputs.try_acquire_many(count).map_err(|_| {
        CallError::NotContinued("too many input requests of the server wait for an answer".into())
    })?;
    let token = CancellationToken::new();
    let _withdrawal = token.clone().drop_guard();
    let missing = requests.len();
    let answers = send_questions(link, requests, &token, &origin);
    receive_answers(link, answers, missing).await
}

/// Waits for `missing` answers. Returns an error after the first refusal.
async fn receive_answers(
    link: &Link,
    mut answers: mpsc::UnboundedReceiver<InputAnswer>,
    mut missing: usize,
) -> Result<InputResponses, CallError> {
    let mut responses = InputResponses::new();
    while missing > 0 {
        // The end of a session drops the questions, which looks like refusing them.
        let answer = tokio::select! {
            biased;
            reason = link.closed() => return Err(CallError::Closed(reason)),
            answer = answers.recv() => answer,
        };
        let (name, answer) =
            answer.ok_or_else(|| CallError::NotContinued("the app is shutting down".into()))?;
        let result = answer.map_err(|error| CallError::NotContinued(error.message))?;
        responses.insert(name, result);
        missing -= 1;
    }
    Ok(responses)
}

fn send_questions(
    link: &Link,
    requests: Vec<(String, ServerRequest)>,
    token: &CancellationToken,
    origin: &Origin,
) -> mpsc::UnboundedReceiver<InputAnswer> {
    // As many answers as input requests, and those are counted.
    let (sender, answers) = mpsc::unbounded_channel();
    for (name, request) in requests {
        let reply = Responder::for_call(name, sender.clone(), token.clone(), origin.clone());
        // Without a session the responder answers when it is dropped here.
        let _ = link
            .signals
            .send(SessionSignal::Inquire(Box::new((request, reply))));
    }
    answers
}

/// Returns an error, and asks nothing, while one of the requests is not allowed.
fn input_requests(
    requests: InputRequests,
    declared: &Value,
) -> Result<Vec<(String, ServerRequest)>, CallError> {
    let admitted = requests.0.into_iter().map(|(name, request)| {
        let params = request.params.as_deref().map(RawJson::from);
        let params = params.filter(|params| !params.is_null());
        let request =
            validate_request(Revision::NEWEST, declared, &request.method, params).map_err(|error| {
                CallError::NotContinued(format!(
                    "the server wants what cannot be asked: {}",
                    error.message
                ))
            })?;
        Ok((name, request))
    });
    admitted.collect()
}
