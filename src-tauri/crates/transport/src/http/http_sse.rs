//! The transport of the first revision: one event stream from the server, whose first event names the address
//! that takes our messages. That address must have the stream's own origin, because everything secret goes
//! there. When the stream ends, the session has ended.

#![allow(
    clippy::result_large_err,
    reason = "a failure is rare and told once, and its size is what it tells"
)]

use std::time::Duration;

use tokio::time::timeout;
use url::Url;
use vestibule_egress::StatusCode;
use vestibule_protocol::jsonrpc::RequestId;

use super::batch::FrameBatch;
use super::context::{HttpContext, HttpEvent};
use super::events::SseEvents;
use super::exchange::{LINGER, message};
use crate::lines::printable;
use crate::{MAX_FAILURE_BYTES, RequestFailure};

/// The longest address that is taken, in bytes.
const MAX_ENDPOINT_BYTES: usize = 8192;

/// Opens the stream and reads where to send messages.
pub(super) async fn open(context: &HttpContext) -> Result<(Url, SseEvents), RequestFailure> {
    let answer = context.get(None).await?;
    let status = answer.status();
    if status != StatusCode::OK {
        return Err(context.refusal(answer).await);
    }
    let kind = answer.content_type().unwrap_or_default();
    if kind != "text/event-stream" {
        let kind = printable(kind.as_bytes());
        return Err(RequestFailure {
            status: Some(status.as_u16()),
            ..RequestFailure::new(format!("it answered with {kind:?} and not with an event stream"))
        });
    }
    // A server with nothing to say may be silent for as long as it likes.
    let mut events = context.events(answer, None)?;
    let first = first_within(context.limits.head, &mut events).await?;
    let endpoint = endpoint(context, &first)?;
    Ok((endpoint, events))
}

async fn first_within(patience: Duration, events: &mut SseEvents) -> Result<String, RequestFailure> {
    timeout(patience, first(events)).await.unwrap_or_else(|_| {
        let seconds = patience.as_secs();
        Err(RequestFailure::new(format!(
            "the stream said nothing for {seconds} seconds"
        )))
    })
}

/// The data of the first event, which must be the endpoint.
async fn first(events: &mut SseEvents) -> Result<String, RequestFailure> {
    loop {
        let Some(event) = events.next().await? else {
            return Err(RequestFailure::new("the stream ended at once"));
        };
        match (event.event.as_deref(), event.data) {
            (Some("endpoint"), Some(data)) => return Ok(data),
            (_, None) => {}
            _ => {
                return Err(RequestFailure::new(
                    "the stream does not begin by naming where to send messages",
                ));
            }
        }
    }
}

fn endpoint(context: &HttpContext, said: &str) -> Result<Url, RequestFailure> {
    let refuse = |why: &str| Err(refused_endpoint(said, why));
    if said.len() > MAX_ENDPOINT_BYTES {
        return refuse("which is too long");
    }
    let Ok(mut endpoint) = context.address.join(said.trim()) else {
        return refuse("which is no address");
    };
    if !context.egress.leads_to(&endpoint) {
        return refuse("which is not the same server; nothing was sent there");
    }
    if !endpoint.username().is_empty() || endpoint.password().is_some() {
        return refuse("which holds a user name or password");
    }
    endpoint.set_fragment(None);
    Ok(endpoint)
}

fn refused_endpoint(said: &str, why: &str) -> RequestFailure {
    let said = printable(said.as_bytes());
    RequestFailure::new(format!("it wants messages sent to {said}, {why}"))
}

/// Opens the stream for the opening request.
pub(super) async fn begin_session(context: HttpContext, id: RequestId, frame: Vec<u8>) {
    match open(&context).await {
        Ok((endpoint, events)) => {
            let event = HttpEvent::HttpSse {
                endpoint,
                events,
                id,
                frame,
            };
            context.send_event(event).await;
        }
        Err(failure) => context.emit_failure(id, failure).await,
    }
}

/// Reads the stream until it ends.
pub(super) async fn read_events(context: HttpContext, mut events: SseEvents) {
    let mut batch = FrameBatch::new(&context);
    let why = loop {
        match events.next_for(&mut batch).await {
            Ok(Some(event)) if event.event.as_deref() == Some("endpoint") => {
                context
                    .emit_oddity("the server named another address for messages, which is not used")
                    .await;
            }
            Ok(Some(event)) => {
                if let Some(message) = message(event) {
                    batch.add(message).await;
                }
            }
            Ok(None) => break String::new(),
            Err(error) => break error.to_string(),
        }
    };
    batch.flush().await;
    context.send_event(HttpEvent::Ended(why)).await;
}

/// Sends a request, whose answer comes on the stream. Servers on the Java SDK answer the POST itself only once the tool
/// has run, so it may take as long as the answer.
pub(super) async fn post(context: HttpContext, id: RequestId, frame: Vec<u8>) {
    match context.post(frame, context.limits.answer).await {
        Ok(answer) if answer.status().is_success() => {
            // Whatever it says there is no answer; read to its end, the connection serves again.
            answer.beginning(MAX_FAILURE_BYTES, LINGER).await;
        }
        Ok(answer) => {
            let failure = context.refusal(answer).await;
            context.emit_failure(id, failure).await;
        }
        Err(error) => context.emit_failure(id, error.into()).await,
    }
}
