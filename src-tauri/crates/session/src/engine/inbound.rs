//! What a server says, one message at a time: answers to us, requests of its own, notifications, and things
//! that are none of these. Requests that we never said we would take are refused here, so the host sees only
//! what it offered.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{
    Frame, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message, ParseError, RequestId,
    RpcError, encode_error, encode_result, parse,
};
use vestibule_protocol::mcp::Progress;
use vestibule_transport::CloseCause;

use super::pending::Match;
use super::{End, Engine};
use crate::error::CallError;
use crate::event::{Responder, ServerRequest, SessionEvent};
use crate::open::capabilities_for;

/// How much of a name a server made up is repeated.
const MAX_NAME_CHARS: usize = 80;
/// How much of something that is no message is repeated.
const MAX_SAMPLE_BYTES: usize = 200;

impl Engine {
    pub(super) fn on_frame(&mut self, frame: &[u8]) -> Result<(), End> {
        match parse(frame) {
            Ok(Frame::One(message)) => self.on_message(message),
            Ok(Frame::Batch(messages)) => self.on_batch(messages),
            Err(error) => self.on_broken(error, frame),
        }
    }

    fn on_batch(&mut self, messages: Vec<Result<Message, ParseError>>) -> Result<(), End> {
        if !self.revision.is_some_and(Revision::has_batches) {
            return self.on_junk(
                "several messages in one, which the agreed revision does not have",
                "",
            );
        }
        for message in messages {
            match message {
                Ok(message) => self.on_message(message)?,
                Err(error) => self.on_broken(error, b"")?,
            }
        }
        Ok(())
    }

    /// A message that can not be read; whoever it concerns is told.
    fn on_broken(&mut self, error: ParseError, frame: &[u8]) -> Result<(), End> {
        if let Some(RequestId::Number(id)) = error.answers {
            self.pending
                .answer(id, Err(CallError::Malformed(error.reason.clone())));
        }
        if let Some(id) = error.asks {
            self.refuse(&id, RpcError::new(INVALID_REQUEST, error.reason.clone()))?;
        }
        let sample = &frame[..frame.len().min(MAX_SAMPLE_BYTES)];
        self.on_junk(&error.reason, &String::from_utf8_lossy(sample))
    }

    pub(super) fn on_junk(&mut self, reason: &str, sample: &str) -> Result<(), End> {
        self.unasked();
        let sample: String = sample.chars().filter(|c| !c.is_control()).collect();
        self.announcer.oddity(format!("passed over: {reason}: {sample}"));
        self.junk += 1;
        if self.junk >= self.limits.junk {
            return Err(End::Wanted(CloseCause::OnlyJunk(self.junk)));
        }
        Ok(())
    }

    fn on_message(&mut self, message: Message) -> Result<(), End> {
        self.junk = 0;
        match message {
            Message::Response { id, outcome } => {
                self.on_response(id, outcome);
                Ok(())
            }
            Message::Notification { method, params } => {
                self.unasked();
                self.on_notification(&method, params.as_deref());
                Ok(())
            }
            Message::Request { id, method, params } => {
                self.unasked();
                self.on_request(id, &method, params)
            }
        }
    }

    fn on_response(&mut self, id: Option<RequestId>, outcome: Result<Box<RawValue>, RpcError>) {
        match id {
            Some(RequestId::Number(id)) => {
                if self.pending.answer(id, outcome.map_err(CallError::Rpc)) == Match::Unknown {
                    self.announcer
                        .oddity(format!("an answer to request {id}, which waits for none"));
                }
            }
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

    fn on_notification(&mut self, method: &str, params: Option<&RawValue>) {
        match method {
            "notifications/progress" => self.on_progress(params),
            "notifications/cancelled" => self.on_cancelled(params),
            "notifications/message" => self.on_log(params),
            "notifications/tools/list_changed" => self.announcer.tools_changed(),
            "notifications/resources/list_changed" => self.announcer.resources_changed(),
            "notifications/prompts/list_changed" => self.announcer.prompts_changed(),
            "notifications/resources/updated" => match read::<Updated>(params) {
                Some(Updated { uri }) => self.announcer.resource_updated(uri),
                None => self
                    .announcer
                    .oddity("an update of a resource without its address"),
            },
            other => self
                .announcer
                .oddity(format!("an unknown notification {:?}", brief(other))),
        }
    }

    fn on_progress(&mut self, params: Option<&RawValue>) {
        // Reports for other or finished requests are ordinary latecomers.
        let Some(Report {
            progress_token: RequestId::Number(id),
            progress,
        }) = read(params)
        else {
            return;
        };
        if let Some(due) = self.pending.progress(id, progress)
            && due < self.timer.deadline()
        {
            self.timer.as_mut().reset(due);
        }
    }

    /// The server no longer wants an answer; forgetting the request tells its responder.
    fn on_cancelled(&mut self, params: Option<&RawValue>) {
        if let Some(Cancelled { request_id }) = read(params) {
            self.asked.remove(&request_id);
        }
    }

    fn on_log(&mut self, params: Option<&RawValue>) {
        let length = params.map_or(0, |raw| raw.get().len());
        if length > self.limits.log_bytes {
            return self
                .announcer
                .oddity(format!("a log message of {length} bytes was left out"));
        }
        match read(params) {
            Some(message) => self.announcer.line(SessionEvent::Log(message)),
            None => self.announcer.oddity("a log message without a level"),
        }
    }

    fn on_request(&mut self, id: RequestId, method: &str, params: Option<Box<RawValue>>) -> Result<(), End> {
        if method == "ping" {
            return match encode_result(&id, &json!({})) {
                Ok(frame) => self.answer(id, frame),
                Err(error) => self.refuse(&id, RpcError::new(INTERNAL_ERROR, error.to_string())),
            };
        }
        let request = match self.admit(method, params) {
            Ok(request) => request,
            Err(error) => return self.refuse(&id, error),
        };
        if self.asked.contains_key(&id) {
            // Two answers under one id would help nobody.
            self.announcer.oddity(format!(
                "a second request {} while the first waits",
                brief(&id.to_string())
            ));
            return Ok(());
        }
        if self.asked.len() >= self.limits.server_requests {
            return self.refuse(
                &id,
                RpcError::new(INTERNAL_ERROR, "too many requests wait for an answer"),
            );
        }
        let token = CancellationToken::new();
        self.asked.insert(id.clone(), token.clone().drop_guard());
        let reply = Responder::new(id, self.notes.clone(), token);
        self.announcer.request(SessionEvent::Request { request, reply });
        Ok(())
    }

    /// What the server may ask, given what we declared and what was agreed.
    fn admit(&self, method: &str, params: Option<Box<RawValue>>) -> Result<ServerRequest, RpcError> {
        let revision = self.revision.unwrap_or(Revision::NEWEST_HANDSHAKE);
        let declared = capabilities_for(revision, &self.capabilities);
        let require = |name: &str| {
            if declared.get(name).is_some() {
                Ok(())
            } else {
                Err(not_supported(name))
            }
        };
        let params = || params.ok_or_else(|| RpcError::new(INVALID_PARAMS, "parameters are missing"));
        match method {
            "roots/list" => require("roots").map(|()| ServerRequest::ListRoots),
            "sampling/createMessage" => {
                require("sampling")?;
                params().map(ServerRequest::CreateMessage)
            }
            "elicitation/create" => {
                require("elicitation")?;
                let params = params()?;
                require_mode(&declared["elicitation"], &params)?;
                Ok(ServerRequest::Elicit(params))
            }
            _ => Err(RpcError::new(METHOD_NOT_FOUND, "there is no such method")),
        }
    }

    fn refuse(&mut self, id: &RequestId, error: RpcError) -> Result<(), End> {
        match encode_error(id, &error) {
            Ok(frame) => self.answer(id.clone(), frame),
            Err(error) => {
                tracing::error!(%error, "a refusal could not be written");
                Ok(())
            }
        }
    }
}

/// An empty capability means forms, as does a request without a mode.
fn require_mode(declared: &Value, params: &RawValue) -> Result<(), RpcError> {
    #[derive(Deserialize)]
    struct Mode {
        #[serde(default)]
        mode: Option<String>,
    }
    let invalid = |message: &str| RpcError::new(INVALID_PARAMS, message);
    let mode: Mode = read(Some(params)).ok_or_else(|| invalid("the mode is not text"))?;
    let none_named = declared.as_object().is_none_or(serde_json::Map::is_empty);
    match mode.mode.as_deref().unwrap_or("form") {
        "form" if none_named || declared.get("form").is_some() => Ok(()),
        "url" if declared.get("url").is_some() => Ok(()),
        _ => Err(invalid("this mode was not declared")),
    }
}

fn not_supported(name: &str) -> RpcError {
    let reason = json!({ "reason": format!("the client did not declare the capability {name}") });
    RpcError {
        data: serde_json::value::to_raw_value(&reason).ok(),
        ..RpcError::new(METHOD_NOT_FOUND, format!("{name} is not supported"))
    }
}

#[derive(Deserialize)]
struct Updated {
    uri: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled {
    request_id: RequestId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    progress_token: RequestId,
    #[serde(flatten)]
    progress: Progress,
}

fn read<T: serde::de::DeserializeOwned>(params: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(params?.get()).ok()
}

fn brief(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(MAX_NAME_CHARS)
        .collect()
}
