//! One message on its way and what comes back for it. A request ends in exactly one of these: a frame with its
//! answer, a failure under its id, the loss of the session, or, in the handshake revisions, the server's word
//! that the answer will come on another stream. A stream that breaks off is taken up again there; in the
//! stateless revisions it is lost, and only the session can know whether to ask once more.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::{sleep, timeout};
use vestibule_egress::StatusCode;
use vestibule_egress::header::HeaderValue;
use vestibule_protocol::jsonrpc::RequestId;

use super::batch::FrameBatch;
use super::classify::{FrameKind, classify, is_modern_error};
use super::context::{HttpContext, HttpEvent, session_id};
use super::events::{SseEvents, StreamError};
use super::resume::{ResumeState, is_about_token, is_temporary};
use super::{http_sse, takes_back};
use crate::lines::printable;
use crate::{Incoming, MAX_FAILURE_BYTES, RequestFailure};
use vestibule_egress::HttpAnswer;

/// How long a stream is listened to after its answer, so that the connection can be used again.
pub(super) const LINGER: Duration = Duration::from_millis(500);
/// The method whose stream is quiet for as long as nothing happens.
const LISTEN: &str = "subscriptions/listen";

/// A request and what it is allowed.
pub(super) struct HttpExchange {
    pub(super) context: HttpContext,
    pub(super) id: RequestId,
    pub(super) method: String,
    /// Headers of a modern request; empty otherwise.
    pub(super) headers: Vec<(String, String)>,
    pub(super) opening: bool,
    /// Whether the server may turn out to speak the first revision's transport.
    pub(super) may_be_old: bool,
}

/// How a request ended without an answer.
enum Unanswered {
    Failed(RequestFailure),
    Lost,
}

impl<E: Into<RequestFailure>> From<E> for Unanswered {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

impl From<StreamError> for RequestFailure {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::EndlessLine(limit) | StreamError::EndlessEvent(limit) => Self::too_large(limit),
            _ => Self {
                cut: true,
                ..Self::new(error.to_string())
            },
        }
    }
}

impl HttpExchange {
    pub(super) async fn run(self, frame: Vec<u8>) {
        match self.ask(frame).await {
            Ok(()) => {}
            Err(Unanswered::Failed(failure)) => self.context.emit_failure(self.id, failure).await,
            Err(Unanswered::Lost) => self.context.send_event(HttpEvent::SessionLost).await,
        }
    }

    fn is_modern(&self) -> bool {
        !self.headers.is_empty()
    }

    async fn ask(&self, frame: Vec<u8>) -> Result<(), Unanswered> {
        let context = &self.context;
        // Kept for the case that it has to be sent elsewhere.
        let again = self.may_be_old.then(|| frame.clone());
        let answer = if self.is_modern() {
            context
                .post_modern(&self.headers, frame, context.limits.answer)
                .await?
        } else {
            context.post(frame, context.limits.answer).await?
        };
        if !answer.status().is_success() {
            return self.refused(answer, again).await;
        }
        let mut context = context.clone();
        if self.opening
            && !self.is_modern()
            && let Some(session) = session_id(&answer)
        {
            let session = session.map_err(RequestFailure::new)?;
            context.session = Some(session.clone());
            context.send_event(HttpEvent::Session(session)).await;
        }
        if answer.status() == StatusCode::ACCEPTED && context.listened && !self.opening && !self.is_modern() {
            context.send_event(HttpEvent::Accepted(self.id.clone())).await;
            return Ok(());
        }
        match answer.content_type().as_deref() {
            Some("application/json") => self.read_whole(answer).await,
            Some("text/event-stream") => self.read_stream(&context, answer).await,
            other => self.read_neither(answer, other.map(str::to_owned)).await,
        }
    }

    async fn refused(&self, answer: HttpAnswer, again: Option<Vec<u8>>) -> Result<(), Unanswered> {
        let status = answer.status();
        if status == StatusCode::NOT_FOUND && self.context.session.is_some() && !self.is_modern() {
            return Err(Unanswered::Lost);
        }
        let mut failure = self.context.refusal(answer).await;
        let said = classify(failure.body.as_deref().unwrap_or_default());
        match (said, again) {
            // A demand to sign in is reported, whatever the body says.
            (FrameKind::Answers(ids), _) if failure.challenge.is_none() && ids.contains(&self.id) => {
                self.context.emit_frame(failure.body.unwrap_or_default()).await;
                return Ok(());
            }
            (FrameKind::StrayError(code), _) if is_modern_error(code) => {}
            (_, Some(frame)) if takes_back(status.as_u16()) => match http_sse::open(&self.context).await {
                Ok((endpoint, events)) => {
                    let id = self.id.clone();
                    let event = HttpEvent::HttpSse {
                        endpoint,
                        events,
                        id,
                        frame,
                    };
                    self.context.send_event(event).await;
                    return Ok(());
                }
                Err(other) => {
                    let reason = format!(
                        "{}; as an event stream it cannot be used either: {}",
                        failure.reason, other.reason
                    );
                    failure.reason = reason;
                    failure.challenge = failure.challenge.or(other.challenge);
                    failure.moved = failure.moved.or(other.moved);
                }
            },
            _ => {}
        }
        Err(failure.into())
    }

    async fn read_whole(&self, answer: HttpAnswer) -> Result<(), Unanswered> {
        let status = answer.status();
        let mut share = self.context.share();
        let body = answer
            .whole(self.context.limits.frame, self.context.limits.body, &mut share)
            .await;
        let body = body.map_err(|error| cut_body(error.into(), status))?;
        // What is handed on has a share of its own.
        drop(share);
        let mut batch = FrameBatch::new(&self.context);
        let is_answer = self.handle_event(body.clone(), &mut batch).await;
        batch.flush().await;
        if is_answer? {
            return Ok(());
        }
        Err(self.no_answer(
            "the server answered with something that is no answer to the request",
            status,
            &body,
        ))
    }

    /// Neither kind of answer: taken note of, or a wrong type.
    async fn read_neither(&self, answer: HttpAnswer, kind: Option<String>) -> Result<(), Unanswered> {
        let status = answer.status();
        let body = answer
            .beginning(MAX_FAILURE_BYTES, self.context.limits.head)
            .await;
        let reason = match kind {
            _ if body.is_empty() => "the server took the request and answered nothing".to_owned(),
            Some(kind) => format!(
                "the server answered with {}, which is no MCP; check the address",
                printable(kind.as_bytes())
            ),
            None => {
                "the server answered with something of an unknown type, which is no MCP; check the address"
                    .to_owned()
            }
        };
        Err(self.no_answer(&reason, status, &body))
    }

    fn no_answer(&self, reason: &str, status: StatusCode, body: &Bytes) -> Unanswered {
        let body = body.slice(..body.len().min(MAX_FAILURE_BYTES));
        Unanswered::Failed(RequestFailure {
            status: Some(status.as_u16()),
            body: Some(body).filter(|body| !body.is_empty()),
            ..RequestFailure::new(reason)
        })
    }

    async fn read_stream(&self, context: &HttpContext, answer: HttpAnswer) -> Result<(), Unanswered> {
        let quiet = (self.method != LISTEN).then_some(context.limits.answer);
        let mut resume = ResumeState::default();
        let mut events = context.events(answer, quiet)?;
        loop {
            let cut = match self.read(&mut events, &mut resume).await? {
                Read::Answered => {
                    // Most servers end the stream now, and an ended one leaves its connection to the next.
                    let _ = timeout(LINGER, events.next()).await;
                    return Ok(());
                }
                Read::Cut(error) => error,
            };
            drop(events);
            let lost = cut_stream(cut);
            if self.is_modern() {
                return Err(lost.into());
            }
            events = resume_stream(context, &mut resume, lost, quiet).await?;
        }
    }

    async fn read(&self, events: &mut SseEvents, resume: &mut ResumeState) -> Result<Read, Unanswered> {
        let mut batch = FrameBatch::new(&self.context);
        let read = self.read_into(&mut batch, events, resume).await;
        batch.flush().await;
        read
    }

    async fn read_into(
        &self,
        batch: &mut FrameBatch<'_>,
        events: &mut SseEvents,
        resume: &mut ResumeState,
    ) -> Result<Read, Unanswered> {
        loop {
            let event = match events.next_for(batch).await {
                Ok(Some(event)) => event,
                Ok(None) => return Ok(Read::Cut(None)),
                Err(error) if error.is_cut() => return Ok(Read::Cut(Some(error))),
                Err(error) => return Err(error.into()),
            };
            if !resume.admit(&event) {
                continue;
            }
            if let Some(message) = message(event)
                && self.handle_event(message, batch).await?
            {
                return Ok(Read::Answered);
            }
        }
    }

    /// Adds a frame to those that are handed on. True when it answers the request.
    async fn handle_event(&self, frame: Bytes, batch: &mut FrameBatch<'_>) -> Result<bool, Unanswered> {
        match classify(&frame) {
            FrameKind::Answers(ids) if ids.contains(&self.id) => {
                batch.add(frame).await;
                return Ok(true);
            }
            // A stream of its own has nothing to say to other requests.
            FrameKind::Answers(_) if self.is_modern() => {
                let reason = "an answer to another request than the one that was asked";
                self.report_junk(reason, &frame, batch).await;
            }
            FrameKind::StrayError(_) => {
                let reason = "the server answered with an error that names no request";
                return Err(self.no_answer(reason, StatusCode::OK, &frame));
            }
            FrameKind::Unreadable => {
                self.report_junk("something that is no message", &frame, batch)
                    .await;
            }
            FrameKind::Answers(_) | FrameKind::Other => batch.add(frame).await,
        }
        Ok(false)
    }

    /// In its place among the frames.
    async fn report_junk(&self, reason: &str, frame: &[u8], batch: &mut FrameBatch<'_>) {
        batch.flush().await;
        self.context.emit(junk(reason, frame)).await;
    }
}

enum Read {
    Answered,
    /// The stream ended, or broke for this reason.
    Cut(Option<StreamError>),
}

/// The message of an event, if it has one.
pub(super) fn message(event: sse_stream::Sse) -> Option<Bytes> {
    let is_message = event
        .event
        .as_deref()
        .is_none_or(|name| name.is_empty() || name == "message");
    event
        .data
        .filter(|data| is_message && !data.is_empty())
        .map(Bytes::from)
}

/// Takes up a stream that broke off, after as long as the server wants.
async fn resume_stream(
    context: &HttpContext,
    resume: &mut ResumeState,
    lost: RequestFailure,
    quiet: Option<Duration>,
) -> Result<SseEvents, Unanswered> {
    loop {
        let (Some(last), Some(pause)) = (resume.last_event_id(), resume.pause(&context.limits)) else {
            return Err(lost.into());
        };
        sleep(pause).await;
        if let Some(events) = try_resume_stream(context, last, resume, &lost, quiet).await? {
            return Ok(events);
        }
    }
}

async fn try_resume_stream(
    context: &HttpContext,
    last: HeaderValue,
    resume: &mut ResumeState,
    lost: &RequestFailure,
    quiet: Option<Duration>,
) -> Result<Option<SseEvents>, Unanswered> {
    let Ok(answer) = context.get(Some(last)).await else {
        resume.failed();
        return Ok(None);
    };
    let status = answer.status();
    if status.is_success() && answer.content_type().as_deref() == Some("text/event-stream") {
        resume.resumed();
        return Ok(Some(context.events(answer, quiet)?));
    }
    if status == StatusCode::NOT_FOUND && context.session.is_some() {
        return Err(Unanswered::Lost);
    }
    if status.is_server_error() || is_temporary(status) || is_about_token(status) {
        resume.failed();
        return Ok(None);
    }
    let refusal = context.refusal(answer).await;
    // What was refused is the stream and not the request, which the server has: no demand, no body and no address of
    // this answer is about the request.
    Err(Unanswered::Failed(RequestFailure {
        cut: true,
        status: refusal.status,
        ..RequestFailure::new(format!(
            "{}, and did not let it be taken up again: {}",
            lost.reason, refusal.reason
        ))
    }))
}

/// The failure of a request whose answer, with this status, broke off.
fn cut_body(failure: RequestFailure, status: StatusCode) -> RequestFailure {
    RequestFailure {
        cut: !failure.too_large,
        status: Some(status.as_u16()),
        ..failure
    }
}

/// The failure of a request whose stream broke off with this error, or ended without one.
fn cut_stream(error: Option<StreamError>) -> RequestFailure {
    let reason = error.map_or_else(
        || "the server ended the stream before it answered".to_owned(),
        |error| error.to_string(),
    );
    RequestFailure {
        cut: true,
        ..RequestFailure::new(reason)
    }
}

fn junk(reason: &str, frame: &[u8]) -> Incoming {
    Incoming::Junk {
        reason: reason.into(),
        sample: printable(frame),
    }
}
