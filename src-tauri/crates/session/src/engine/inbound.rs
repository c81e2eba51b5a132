//! What a server says, one message at a time: answers to us, requests of its own, notifications, and things
//! that are none of these. Requests that we never said we would take are refused here, so the host sees only
//! what it offered.

use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use vestibule_protocol::Revision;
use vestibule_protocol::elicitation::ElicitUrl;
use vestibule_protocol::json::RawJson;
use vestibule_protocol::jsonrpc::{
    Frame, INTERNAL_ERROR, INVALID_REQUEST, Message, ParseError, RequestId, RpcError, RpcResult,
    encode_error, encode_result, parse_and_count,
};
use vestibule_protocol::modern::subscription_of;
use vestibule_transport::{CloseCause, response_id};

use super::announce::Announcer;
use super::params::{Cancelled, PlainReport, Report, VisitCompleted, brief, read_params, related_task};
use super::pending::Match;
use super::size::sample;
use super::{EndReason, Engine};
use crate::capabilities::capabilities_for;
use crate::error::CallError;
use crate::event::{PASSED_OVER, ServerRequest, SessionEvent};
use crate::responder::Responder;
use crate::validate_request::validate_request;

impl Engine {
    pub(super) fn on_frame(&mut self, frame: &[u8]) -> Result<(), EndReason> {
        let (parsed, values) = parse_and_count(frame);
        if let Some(failure) = self.wrong_size(&parsed, values, frame) {
            return self.on_wrong_size(&parsed, frame, failure);
        }
        match parsed {
            Ok(Frame::One(message)) => self.on_message(message),
            Ok(Frame::Batch(messages)) => self.on_batch(messages),
            Err(error) => self.on_broken(error, frame),
        }
    }

    fn on_batch(&mut self, messages: Vec<Result<Message<'_>, ParseError>>) -> Result<(), EndReason> {
        if !self.outbound.revision.is_some_and(Revision::has_batches) {
            return self.on_stray_batch(&messages);
        }
        for message in messages {
            match message {
                Ok(message) => self.on_message(message)?,
                Err(error) => self.on_broken(error, b"")?,
            }
        }
        Ok(())
    }

    /// Several messages in one where that is no message. The requests that are answered in it fail, because no other answer
    /// comes.
    fn on_stray_batch(&mut self, messages: &[Result<Message<'_>, ParseError>]) -> Result<(), EndReason> {
        let reason = "several messages in one, which the agreed revision does not have";
        for message in messages {
            let answered = match message {
                Ok(Message::Response { id, .. }) => id.as_ref(),
                Ok(Message::Request { .. } | Message::Notification { .. }) => None,
                Err(error) => error.answers.as_ref(),
            };
            if let Some(id) = answered.and_then(own_id) {
                self.on_malformed(id, reason);
            }
        }
        self.on_junk(reason, "")
    }

    /// The answer to the request of this id cannot be used.
    fn on_malformed(&mut self, id: i64, reason: &str) {
        let error = CallError::Malformed(reason.to_owned());
        if self.listening.owns(id) {
            return self.on_listening_ended(id, Err(error));
        }
        // An answer to a withdrawn request is ignored, whatever it is.
        self.outbound.pending.answer(id, Err(error));
    }

    /// A message that cannot be read; the request it answers fails.
    fn on_broken(&mut self, error: ParseError, frame: &[u8]) -> Result<(), EndReason> {
        let answers = error.answers.or_else(|| response_id(frame));
        if let Some(id) = answers.as_ref().and_then(own_id) {
            self.on_malformed(id, &error.reason);
        }
        if let Some(id) = error.asks
            && self.outbound.may_answer()
        {
            self.refuse(&id, RpcError::new(INVALID_REQUEST, error.reason.clone()))?;
        }
        self.on_junk(&error.reason, &sample(frame))
    }

    pub(super) fn on_junk(&mut self, reason: &str, sample: &str) -> Result<(), EndReason> {
        self.unasked(Instant::now());
        let sample: String = sample.chars().filter(|c| !c.is_control()).collect();
        self.announcer.oddity(format!("{PASSED_OVER}{reason}: {sample}"));
        self.junk += 1;
        if self.junk >= self.outbound.options.limits.junk {
            return Err(EndReason::Wanted(CloseCause::OnlyJunk(self.junk)));
        }
        Ok(())
    }

    fn on_message(&mut self, message: Message<'_>) -> Result<(), EndReason> {
        self.junk = 0;
        match message {
            Message::Response { id, outcome } => {
                self.on_response(id, outcome);
                Ok(())
            }
            Message::Notification { method, params } => {
                self.on_notification(&method, params, Instant::now());
                Ok(())
            }
            Message::Request { id, method, params } => {
                self.unasked(Instant::now());
                if self.outbound.may_answer() {
                    return self.on_request(id, &method, params);
                }
                self.announcer.oddity(format!(
                    "a request {:?} of the server, which this revision does not have",
                    brief(&method)
                ));
                Ok(())
            }
        }
    }

    fn on_response(&mut self, id: Option<RequestId>, outcome: Result<RpcResult<'_>, RpcError>) {
        match id {
            Some(RequestId::Number(id)) => self.on_answer(id, outcome),
            Some(RequestId::Text(id)) => {
                self.announcer.oddity(format!(
                    "an answer to request {:?}, which was never sent",
                    brief(&id)
                ));
            }
            None => {
                let said = outcome
                    .err()
                    .map(|error| brief(&error.message))
                    .unwrap_or_default();
                self.announcer
                    .oddity(format!("an error that belongs to no request: {said}"));
            }
        }
    }

    fn on_answer(&mut self, id: i64, outcome: Result<RpcResult<'_>, RpcError>) {
        if self.listening.owns(id) {
            return self.on_listening_ended(id, outcome.map(drop).map_err(CallError::Rpc));
        }
        if let Err(error) = &outcome
            && self.has_visits()
        {
            self.visits.asked_for_by(error);
        }
        let outcome = outcome.map(RpcResult::to_buf).map_err(CallError::Rpc);
        if self.outbound.pending.answer(id, outcome) == Match::Unknown {
            self.announcer
                .oddity(format!("an answer to request {id}, which waits for none"));
        }
    }

    pub(super) fn on_listening_ended(&mut self, id: i64, outcome: Result<(), CallError>) {
        self.listening
            .on_ended(id, outcome, &mut self.outbound, &mut self.announcer);
    }

    fn on_notification(&mut self, method: &str, params: Option<RawJson<'_>>, now: Instant) {
        self.unasked(now);
        match method {
            "notifications/progress" => self.on_progress(params, now),
            _ if self.outbound.is_modern() => self.on_modern_notification(method, params),
            _ => self.on_legacy_notification(method, params),
        }
    }

    fn on_legacy_notification(&mut self, method: &str, params: Option<RawJson<'_>>) {
        match method {
            "notifications/cancelled" => self.on_cancelled(params),
            "notifications/message" => self.on_log(params),
            "notifications/tools/list_changed" => self.announcer.tools_changed(),
            "notifications/resources/list_changed" => self.announcer.resources_changed(),
            "notifications/prompts/list_changed" => self.announcer.prompts_changed(),
            "notifications/resources/updated" => announce_update(&mut self.announcer, params),
            "notifications/elicitation/complete" if self.has_visits() => self.on_visited(params),
            // Nothing depends on it: tasks are asked for.
            "notifications/tasks/status" => {}
            other => self
                .announcer
                .oddity(format!("an unknown notification {:?}", brief(other))),
        }
    }

    /// In the modern era changes are sent to the request that asked for them, under its id.
    fn on_modern_notification(&mut self, method: &str, params: Option<RawJson<'_>>) {
        match method {
            "notifications/message" => self.on_log(params),
            "notifications/cancelled" => {
                self.listening
                    .on_cancelled(params, &mut self.outbound, &mut self.announcer);
            }
            other => match params.and_then(subscription_of) {
                Some(RequestId::Number(id)) if self.listening.owns(id) => {
                    let (outbound, announcer) = (&mut self.outbound, &mut self.announcer);
                    self.listening.on_change(id, other, params, outbound, announcer);
                }
                _ => self.announcer.oddity(format!(
                    "a notification {:?} that belongs to nothing that was asked",
                    brief(other)
                )),
            },
        }
    }

    fn on_progress(&mut self, params: Option<RawJson<'_>>, now: Instant) {
        // Reports for other or finished requests are ordinary latecomers.
        let Some((id, progress)) = read_params::<PlainReport>(params)
            .map(PlainReport::parts)
            .or_else(|| read_params::<Report>(params).and_then(Report::parts))
        else {
            return;
        };
        if let Some(due) = self.outbound.pending.progress(id, progress, now) {
            self.outbound.wake_by(due);
        }
    }

    /// One revision lets a server say that a visit is over.
    fn has_visits(&self) -> bool {
        self.outbound.revision == Some(Revision::V2025_11_25)
    }

    fn on_visited(&mut self, params: Option<RawJson<'_>>) {
        match read_params::<VisitCompleted>(params) {
            Some(VisitCompleted { elicitation_id }) if self.visits.is_over(&elicitation_id) => {
                self.announcer.completed(elicitation_id);
            }
            // Unknown or over already.
            Some(_) => {}
            None => self.announcer.oddity("a visit that is over, without its name"),
        }
    }

    /// The server no longer wants an answer; forgetting the request tells its responder.
    fn on_cancelled(&mut self, params: Option<RawJson<'_>>) {
        if let Some(Cancelled { request_id }) = read_params(params) {
            self.asked.remove(&request_id);
        }
    }

    fn on_log(&mut self, params: Option<RawJson<'_>>) {
        let length = params.map_or(0, |raw| raw.get().len());
        if length > self.outbound.options.limits.log_bytes {
            return self
                .announcer
                .oddity(format!("a log message of {length} bytes was left out"));
        }
        match read_params(params) {
            Some(message) => self.announcer.line(SessionEvent::Log(message)),
            None => self.announcer.oddity("a log message without a level"),
        }
    }

    fn on_request(
        &mut self,
        id: RequestId,
        method: &str,
        params: Option<RawJson<'_>>,
    ) -> Result<(), EndReason> {
        if method == "ping" {
            return match encode_result(&id, &json!({})) {
                Ok(frame) => self.outbound.answer(id, frame),
                Err(error) => self.refuse(&id, RpcError::new(INTERNAL_ERROR, error.to_string())),
            };
        }
        let revision = self.outbound.revision.unwrap_or(Revision::NEWEST_HANDSHAKE);
        let declared = capabilities_for(revision, &self.outbound.options.capabilities);
        match validate_request(revision, &declared, method, params) {
            Ok(_) if self.asked.contains_key(&id) => {
                // Two answers under one id would be ambiguous.
                let id = brief(&id.to_string());
                let oddity = format!("a second request {id} while the first waits");
                self.announcer.oddity(oddity);
            }
            Ok(request) => self.take_request(id, request, related_task(params)),
            Err(error) => return self.refuse(&id, error),
        }
        Ok(())
    }

    /// Hands a request to the host, which owes it an answer from now on.
    fn take_request(&mut self, id: RequestId, request: ServerRequest, task: Option<String>) {
        let is_full = self.asked.len() >= self.outbound.options.limits.server_requests;
        let token = CancellationToken::new();
        self.asked.insert(id.clone(), token.clone().drop_guard());
        let reply = Responder::on_the_wire(id, self.signals.clone(), token, task);
        if is_full {
            // The answer is a signal, and signals come before the next frame.
            return self.announcer.turn_away(request.kind(), reply);
        }
        if let ServerRequest::ElicitUrl(ElicitUrl {
            elicitation_id: Some(id),
            ..
        }) = &request
        {
            self.visits.asked_for(id);
        }
        self.announcer.request(request, reply);
    }

    pub(super) fn refuse(&mut self, id: &RequestId, error: RpcError) -> Result<(), EndReason> {
        match encode_error(id, &error) {
            Ok(frame) => self.outbound.answer(id.clone(), frame),
            Err(error) => {
                tracing::error!(%error, "failed to encode an error response");
                Ok(())
            }
        }
    }
}

/// The request of ours that an answer names. All of ours have numbers, and an id counts with its type.
fn own_id(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(id) => Some(*id),
        RequestId::Text(_) => None,
    }
}

/// A resource that is watched changed.
pub(super) fn announce_update(announcer: &mut Announcer, params: Option<RawJson<'_>>) {
    #[derive(Deserialize)]
    struct Updated {
        uri: String,
    }
    match read_params::<Updated>(params) {
        Some(Updated { uri }) => announcer.resource_updated(uri),
        None => announcer.oddity("an update of a resource without its address"),
    }
}
