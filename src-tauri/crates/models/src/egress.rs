//! The only place of this crate that touches the network.
//!
//! It puts the project's HTTP client behind the interface the wire library sends through, and adds what models need: a
//! time limit on every wait, a size limit on every line and reply, plain http only where it is safe or was asked for, and
//! a key that is added at the last moment, is never sent where others can read it and never appears in an error. Failures
//! leave here as [`ModelError`] inside the library's transport error, so that nothing is guessed from text later.

mod body;
mod guard;
mod headers;
mod key;
mod refusal;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use rig_core::http_client::{
    self, HttpClientExt, LazyBody, MultipartForm, Request, Response, StreamingResponse,
};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::Instant;
use url::Url;
use vestibule_egress::{
    Egress, EgressError, HttpAnswer, NetworkReach, Proxies, Route, StatusCode, is_loopback, keeps_secret,
};

use crate::ModelError;
use body::{Lingering, ReplyBody};
pub(crate) use guard::Framing;
use guard::LineGuard;
pub use headers::{is_free_header, is_header_value};
pub(crate) use refusal::failure_inside;

/// How long and how much an endpoint may take. Every limit is a guard against a broken or hostile endpoint; the
/// defaults leave room for a slow local model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelLimits {
    /// Until the connection stands. Default 10 seconds.
    pub connect: Duration,
    /// From the request to the first byte of the answer; a local model may load first. Default 5 minutes.
    pub first_byte: Duration,
    /// Between two pieces of the answer. Default 2 minutes.
    pub idle: Duration,
    /// For the whole answer. Default 1 hour.
    pub total: Duration,
    /// How long the last bytes of an answer may come after its reader has it whole; then its connection is closed.
    /// Default 250 ms.
    pub linger: Duration,
    /// How long a request waits for a connection that is about to be free. Default 20 ms.
    pub settle: Duration,
    /// One line (or one event) of the answer, in bytes. Default 1 MiB.
    pub line: usize,
    /// The whole answer, in bytes. Default 64 MiB, which is 128,000 events of 500 bytes.
    pub reply: usize,
}

impl ModelLimits {
    /// What `default` returns, for limits that are constants.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(10),
        first_byte: Duration::from_secs(300),
        idle: Duration::from_secs(120),
        total: Duration::from_secs(3600),
        linger: Duration::from_millis(250),
        settle: Duration::from_millis(20),
        line: 1024 * 1024,
        reply: 64 * 1024 * 1024,
    };
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// One endpoint, and how to reach it.
#[derive(Clone)]
pub(crate) struct ModelEgress {
    client: Result<Egress, ModelError>,
    base: Url,
    endpoint: String,
    key: Option<SecretString>,
    /// The header the key goes in, and what stands before it there.
    key_header: (&'static str, &'static str),
    /// Headers the user added to the connection.
    extra: Arc<[(String, SecretString)]>,
    model: String,
    /// How streamed answers are divided.
    framing: Framing,
    limits: ModelLimits,
    proxy: Option<Url>,
    plain_http: bool,
    lingering: Lingering,
}

impl ModelEgress {
    pub(crate) fn new(base: Url, key: Option<SecretString>, model: String, limits: ModelLimits) -> Self {
        let client = client(&base, &limits, None);
        let endpoint = endpoint(&base);
        Self {
            client,
            base,
            endpoint,
            key,
            key_header: ("authorization", "Bearer "),
            extra: Arc::default(),
            model,
            framing: Framing::Events,
            limits,
            proxy: None,
            plain_http: false,
            lingering: Lingering::default(),
        }
    }

    pub(crate) fn with_key_header(self, key_header: (&'static str, &'static str)) -> Self {
        Self { key_header, ..self }
    }

    pub(crate) fn with_framing(self, framing: Framing) -> Self {
        Self { framing, ..self }
    }

    pub(crate) fn with_headers(self, extra: Vec<(String, SecretString)>) -> Self {
        Self {
            extra: extra.into(),
            ..self
        }
    }

    /// The same endpoint and its connections, asked for another model.
    pub(crate) fn for_model(self, model: String) -> Self {
        Self { model, ..self }
    }

    /// Other limits for answers, over the same connections.
    pub(crate) fn with_answer_limits(self, limits: ModelLimits) -> Self {
        Self { limits, ..self }
    }

    pub(crate) fn with_limits(self, limits: ModelLimits) -> Self {
        Self {
            client: client(&self.base, &limits, self.proxy.as_ref()),
            limits,
            ..self
        }
    }

    pub(crate) fn through(self, proxy: Url) -> Self {
        Self {
            client: client(&self.base, &self.limits, Some(&proxy)),
            proxy: Some(proxy),
            ..self
        }
    }

    pub(crate) fn with_plain_http(self) -> Self {
        Self {
            plain_http: true,
            ..self
        }
    }

    /// Host and port, without anything secret.
    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// Whether requests go straight to the endpoint.
    pub(crate) fn is_direct(&self) -> bool {
        self.client.as_ref().is_ok_and(|client| client.proxy().is_none())
    }

    /// Whether the address may be used at all; asked before anything is sent.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let unusable = |detail| Err(unsendable(detail));
        if !self.base.username().is_empty() || self.base.password().is_some() {
            return unusable("the address contains a user name or password; enter the key in its own field");
        }
        if self.base.query().is_some() || self.base.fragment().is_some() {
            return unusable("the address has a part after ? or #; enter it without");
        }
        match self.base.scheme() {
            "https" => Ok(()),
            "http" if self.has_secrets() && !self.hides_key() => Err(ModelError::KeyOverHttp {
                endpoint: self.endpoint.clone(),
            }),
            "http" if self.plain_http || is_loopback(&self.base) => Ok(()),
            "http" => Err(ModelError::Insecure {
                endpoint: self.endpoint.clone(),
            }),
            _ => unusable("the address must begin with https:// or http://"),
        }
    }

    /// The key, unless it is empty.
    fn key(&self) -> Option<&str> {
        let key = self.key.as_ref().map(ExposeSecret::expose_secret);
        key.filter(|key| !key.is_empty())
    }

    /// Whether something goes along that others may not read.
    fn has_secrets(&self) -> bool {
        self.key().is_some() || !self.extra.is_empty()
    }

    /// Whether the key cannot be read on the way: it is encrypted, or goes directly to a near address.
    fn hides_key(&self) -> bool {
        self.base.scheme() == "https" || self.is_direct() && keeps_secret(&self.base)
    }

    /// Replaces the key and the values of headers, should the endpoint repeat them, and keeps the text short.
    pub(crate) fn quoted(&self, text: &str) -> String {
        let values = self.extra.iter().map(|(_, value)| value.expose_secret());
        let secrets = self
            .key()
            .into_iter()
            .chain(values)
            .filter(|secret| !secret.is_empty());
        let clean = secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "•••"));
        refusal::shorten(&clean)
    }

    async fn respond(self, request: Request<Bytes>) -> Result<HttpAnswer, ModelError> {
        self.check()?;
        let client = self.client.clone()?;
        let (mut head, body) = request.into_parts();
        let mut address =
            Url::parse(&head.uri.to_string()).map_err(|_| unsendable("the address cannot be used"))?;
        key::put(&mut head.headers, &mut address, self.key(), self.key_header)?;
        headers::put(&mut head.headers, &self.extra)?;
        let body = (!body.is_empty()).then(|| body.to_vec());
        self.lingering.settle(self.limits.settle).await;
        #[expect(clippy::disallowed_methods, reason = "this is the way to models")]
        let sent = client.send(head.method, &address, head.headers, body, self.limits.first_byte);
        let answer = sent.await.map_err(|error| self.unsent(error))?;
        if answer.status() != StatusCode::OK {
            return Err(refusal::refusal(&self, answer).await);
        }
        answer.check_encoding().map_err(|error| self.unsent(error))?;
        Ok(answer)
    }

    fn unsent(&self, error: EgressError) -> ModelError {
        match error {
            EgressError::TimedOut(after) => ModelError::TimedOut { after },
            EgressError::Address(detail) => ModelError::Unsendable { detail },
            EgressError::Compressed(_) | EgressError::TooLarge(_) | EgressError::Crowded => {
                ModelError::Malformed {
                    detail: self.quoted(&error.to_string()),
                }
            }
            EgressError::Unproven(detail) => ModelError::Unproven {
                endpoint: self.endpoint.clone(),
                detail: self.quoted(&detail),
            },
            EgressError::Unreachable(detail) | EgressError::Broken(detail) => ModelError::Unreachable {
                endpoint: self.endpoint.clone(),
                detail: self.quoted(&detail),
            },
        }
    }

    /// The body as it arrives, ended by the first limit it passes.
    fn bounded(
        &self,
        answer: HttpAnswer,
        guard: LineGuard,
    ) -> impl Stream<Item = Result<Bytes, ModelError>> + use<> {
        let limits = self.limits;
        let body = ReplyBody::new(answer, self.lingering.clone(), limits.linger);
        let state = Some((body, guard, Instant::now() + limits.total));
        futures::stream::unfold(state, move |state| async move {
            let (mut body, mut guard, deadline) = state?;
            let until = deadline.min(Instant::now() + limits.idle);
            let item = match tokio::time::timeout_at(until, body.next()).await {
                Err(_) if Instant::now() >= deadline => Err(ModelError::RanTooLong { after: limits.total }),
                Err(_) => Err(ModelError::TimedOut { after: limits.idle }),
                Ok(Ok(None)) => return None,
                Ok(Err(_)) => Err(ModelError::Cut),
                Ok(Ok(Some(chunk))) => guard.admit(&chunk).map(|()| chunk),
            };
            if item.is_err() {
                body.hang_up();
                return Some((item, None));
            }
            Some((item, Some((body, guard, deadline))))
        })
    }
}

impl HttpClientExt for ModelEgress {
    fn send<T, U>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let (egress, request) = (self.clone(), request.map(Into::into));
        async move {
            let response = egress.clone().respond(request).await.map_err(carried)?;
            let guard = LineGuard::whole(egress.limits.reply);
            let body = egress.bounded(response, guard).boxed();
            let body: LazyBody<U> =
                Box::pin(async move { collect(body).await.map(U::from).map_err(carried) });
            Ok(Response::new(body))
        }
    }

    fn send_multipart<U>(
        &self,
        _request: Request<MultipartForm>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        // No request of this crate has files; refusing keeps the way out narrow.
        let refused = unsendable("files are not sent to models");
        async move { Err(carried(refused)) }
    }

    fn send_streaming<T>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = http_client::Result<StreamingResponse>> + Send
    where
        T: Into<Bytes> + Send,
    {
        let (egress, request) = (self.clone(), request.map(Into::into));
        async move {
            let response = egress.clone().respond(request).await.map_err(carried)?;
            let headers = response.headers().clone();
            let guard = LineGuard::new(egress.framing, egress.limits.line, egress.limits.reply);
            let body = egress.bounded(response, guard).map(carry);
            let mut streaming = Response::new(Box::pin(body) as http_client::BoxedStream);
            *streaming.headers_mut() = headers;
            Ok(streaming)
        }
    }
}

fn client(base: &Url, limits: &ModelLimits, proxy: Option<&Url>) -> Result<Egress, ModelError> {
    let route = Route {
        connect: limits.connect,
        proxies: proxy.cloned().map(Proxies::through).unwrap_or_default(),
        ..Route::new(NetworkReach::for_model(base))
    };
    Egress::along(base, &route).map_err(|error| unsendable(&error.to_string()))
}

fn unsendable(detail: &str) -> ModelError {
    ModelError::Unsendable {
        detail: detail.to_owned(),
    }
}

fn endpoint(base: &Url) -> String {
    let host = base.host_str().unwrap_or("an address without a host");
    base.port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

async fn collect(body: impl Stream<Item = Result<Bytes, ModelError>>) -> Result<Bytes, ModelError> {
    let mut body = std::pin::pin!(body);
    let mut whole = Vec::new();
    while let Some(chunk) = body.next().await {
        whole.extend_from_slice(&chunk?);
    }
    Ok(Bytes::from(whole))
}

#[allow(
    clippy::result_large_err,
    reason = "the size of the error is the library's choice"
)]
fn carry(chunk: Result<Bytes, ModelError>) -> http_client::Result<Bytes> {
    chunk.map_err(carried)
}

fn carried(error: ModelError) -> http_client::Error {
    http_client::Error::instance(error)
}
