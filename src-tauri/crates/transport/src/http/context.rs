//! What every exchange with one server needs: the way out, the address, the headers that go along, the limits,
//! and the inbox of the transport. Each exchange gets a copy as things stood when it began, so nothing is
//! shared but the budget.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::mpsc;
use url::Url;
use vestibule_egress::Method;
use vestibule_egress::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RequestId;

use super::events::SseEvents;
use super::{Authorization, HttpLimits};
use crate::{Incoming, RequestFailure};
use vestibule_egress::{Egress, EgressError, HttpAnswer, MemoryBudget, Share};

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const EITHER: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
/// The longest session id, in bytes.
const MAX_SESSION_ID: usize = 4096;

/// What an exchange tells its transport.
pub(super) enum HttpEvent {
    /// Frames for the session, in their order, and their share of the budget until they are taken.
    Frames(Vec<Bytes>, Share),
    /// Something else for the session.
    Received(Incoming),
    /// The server gave the session an id.
    Session(HeaderValue),
    /// The GET event stream is open, or the server may still accept one.
    Listening,
    /// The server took this request, and its answer is to come where the server is listened to.
    Accepted(RequestId),
    /// The server no longer knows the session.
    SessionLost,
    /// The server speaks the first revision's transport: where to send messages, where they come from, and the
    /// opening request, which is still to be sent.
    HttpSse {
        endpoint: Url,
        events: SseEvents,
        id: RequestId,
        frame: Vec<u8>,
    },
    /// The one stream everything comes from has ended.
    Ended(String),
}

#[derive(Clone)]
pub(super) struct HttpContext {
    pub(super) egress: Egress,
    pub(super) address: Arc<Url>,
    /// What the user configured.
    pub(super) headers: HeaderMap,
    pub(super) authorization: Option<Authorization>,
    pub(super) session: Option<HeaderValue>,
    pub(super) revision: Option<Revision>,
    /// Whether the server is listened to, and so can answer there.
    pub(super) listened: bool,
    pub(super) limits: HttpLimits,
    pub(super) budget: MemoryBudget,
    pub(super) inbox: mpsc::Sender<HttpEvent>,
}

impl HttpContext {
    /// Sends a message of the handshake revisions.
    pub(super) async fn post(&self, frame: Vec<u8>, patience: Duration) -> Result<HttpAnswer, EgressError> {
        self.send_frame(self.legacy(), frame, patience).await
    }

    /// Sends a request of the stateless revisions, whose headers the session wrote. No state goes along.
    pub(super) async fn post_modern(
        &self,
        own: &[(String, String)],
        frame: Vec<u8>,
        patience: Duration,
    ) -> Result<HttpAnswer, EgressError> {
        let mut headers = self.headers.clone();
        for (name, value) in own {
            let (name, value) = modern_header(name, value)?;
            headers.insert(name, value);
        }
        self.send_frame(headers, frame, patience).await
    }

    /// Asks for a stream of events, from the beginning or from after an event.
    pub(super) async fn get(&self, after: Option<HeaderValue>) -> Result<HttpAnswer, EgressError> {
        let mut headers = self.legacy();
        headers.insert(ACCEPT, EVENTS);
        if let Some(after) = after {
            headers.insert(LAST_EVENT_ID, after);
        }
        self.send(Method::GET, headers, None, self.limits.head).await
    }

    /// Tells the server that the session is over.
    pub(super) async fn delete(&self) -> Result<HttpAnswer, EgressError> {
        self.send(Method::DELETE, self.legacy(), None, self.limits.close)
            .await
    }

    /// A share of the budget.
    pub(super) fn share(&self) -> Share {
        self.budget.share()
    }

    /// The events of an answer.
    pub(super) fn events(
        &self,
        answer: HttpAnswer,
        quiet: Option<Duration>,
    ) -> Result<SseEvents, EgressError> {
        SseEvents::from_answer(answer, &self.limits, self.share(), quiet)
    }

    /// Hands frames of so many bytes on once there is room for them.
    pub(super) async fn emit_frames(&self, frames: Vec<Bytes>, bytes: usize) {
        let mut share = self.share();
        share.wait_for(bytes).await;
        self.send_event(HttpEvent::Frames(frames, share)).await;
    }

    pub(super) async fn emit_frame(&self, frame: Bytes) {
        let bytes = frame.len();
        self.emit_frames(vec![frame], bytes).await;
    }

    /// Hands on anything small.
    pub(super) async fn emit(&self, incoming: Incoming) {
        self.send_event(HttpEvent::Received(incoming)).await;
    }

    pub(super) async fn emit_oddity(&self, what: impl Into<String>) {
        self.emit(Incoming::Oddity(what.into())).await;
    }

    pub(super) async fn emit_failure(&self, id: RequestId, failure: RequestFailure) {
        self.emit(Incoming::RequestFailed { id, failure }).await;
    }

    pub(super) async fn send_event(&self, event: HttpEvent) {
        // Without a transport there is no receiver.
        let _ = self.inbox.send(event).await;
    }

    async fn send_frame(
        &self,
        mut headers: HeaderMap,
        frame: Vec<u8>,
        patience: Duration,
    ) -> Result<HttpAnswer, EgressError> {
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, EITHER);
        self.send(Method::POST, headers, Some(frame), patience).await
    }

    /// Sends any request, with what says on whose behalf it is sent.
    async fn send(
        &self,
        method: Method,
        mut headers: HeaderMap,
        body: Option<Vec<u8>>,
        patience: Duration,
    ) -> Result<HttpAnswer, EgressError> {
        if let Some(authorization) = &self.authorization {
            let body = body.as_deref().unwrap_or_default();
            authorization.write(&mut headers, &method, &self.address, body);
        }
        let sent = self.egress.send(method, &self.address, headers, body, patience);
        let answer = sent.await?;
        if let Some(authorization) = &self.authorization {
            authorization.answered(answer.headers());
        }
        Ok(answer)
    }

    fn legacy(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        if let Some(session) = &self.session {
            headers.insert(SESSION_ID, session.clone());
        }
        if let Some(revision) = self.revision {
            headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()));
        }
        headers
    }
}

/// The session id of an answer, when there is one that may be sent back.
pub(super) fn session_id(answer: &HttpAnswer) -> Option<Result<HeaderValue, &'static str>> {
    let mut all = answer.headers().get_all(SESSION_ID).iter();
    let id = all.next()?;
    let visible = id.as_bytes().iter().all(|byte| (0x21..=0x7e).contains(byte));
    Some(match (all.next(), id.len()) {
        (Some(_), _) => Err("the server gave more than one session id"),
        (None, 1..=MAX_SESSION_ID) if visible => {
            let mut id = id.clone();
            id.set_sensitive(true);
            Ok(id)
        }
        _ => Err("the server gave a session id with characters it may not have, or one that is too long"),
    })
}

/// A header the session may set.
fn modern_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), EgressError> {
    let refused = || EgressError::Address(format!("the header {name:?} cannot be sent as it is"));
    let header = HeaderName::try_from(name).map_err(|_| refused())?;
    let known = matches!(
        header.as_str(),
        "mcp-protocol-version" | "mcp-method" | "mcp-name"
    ) || header.as_str().starts_with("mcp-param-");
    let value = HeaderValue::try_from(value).map_err(|_| refused())?;
    if known {
        Ok((header, value))
    } else {
        Err(refused())
    }
}

/// What the user configured, as headers that are never shown.
pub(super) fn own_headers(own: &[(String, SecretString)]) -> Result<HeaderMap, EgressError> {
    let mut headers = HeaderMap::new();
    for (name, value) in own {
        let refused = |why: &str| EgressError::Address(format!("the header {name:?} {why}"));
        let header = HeaderName::try_from(name).map_err(|_| refused("has a name no header can have"))?;
        if is_ours(&header) {
            return Err(refused("is set by this app and cannot be configured"));
        }
        let mut value = HeaderValue::from_str(value.expose_secret())
            .map_err(|_| refused("has a value no header can have"))?;
        value.set_sensitive(true);
        headers.append(header, value);
    }
    Ok(headers)
}

fn is_ours(name: &HeaderName) -> bool {
    const OURS: [&str; 14] = [
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "host",
        "last-event-id",
        "origin",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    OURS.contains(&name.as_str()) || name.as_str().starts_with("mcp-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configured_headers_can_neither_break_out_nor_stand_for_ours() {
        let refused = |name: &str, value: &str| {
            own_headers(&[(name.to_owned(), value.to_owned().into())])
                .unwrap_err()
                .to_string()
        };
        for (name, value) in [
            ("X-Key", "a\r\nHost: evil"),
            ("X-Key", "a\u{0}"),
            ("X Key", "a"),
            ("", "a"),
            ("Host", "a"),
            ("Mcp-Session-Id", "a"),
            ("content-LENGTH", "1"),
        ] {
            let said = refused(name, value);
            assert!(!said.contains("evil"), "{said}");
        }
        let headers = own_headers(&[("X-Api-Key".into(), "k".to_owned().into())]).unwrap();
        assert!(headers["x-api-key"].is_sensitive());
    }

    /// TR-101, TR-102, TR-103, TR-104.
    #[test]
    fn a_modern_request_sets_its_own_kind_of_header_only() {
        assert!(modern_header("Mcp-Param-Zone", "=?base64?R3LDvMOfZQ==?=").is_ok());
        assert!(modern_header("Mcp-Name", "file:///a%20b").is_ok());
        for (name, value) in [
            ("Authorization", "x"),
            ("Mcp-Session-Id", "x"),
            ("Mcp-Param-A", "x\r\nHost: y"),
            ("Mcp-Param-A:b", "x"),
        ] {
            assert!(modern_header(name, value).is_err(), "{name}");
        }
    }
}
