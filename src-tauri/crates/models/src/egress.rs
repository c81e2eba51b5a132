//! The only place of this crate that touches the network.
//!
//! It wraps our own HTTP client in the interface the wire library sends through, and adds what that library leaves
//! out: no redirects, a time limit on every wait, a size limit on every line and reply, plain http only where it is
//! safe or was asked for, a proxy only where one was handed in, and a key that is added at the last moment and never
//! appears in an error. Failures leave
//! here as [`ModelError`] inside the library's transport error, so that nothing is guessed from text later.

mod guard;
mod refusal;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use rig_core::http_client::{
    self, HttpClientExt, LazyBody, MultipartForm, Request, Response, StreamingResponse,
};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::Instant;
use url::{Host, Url};

use crate::ModelError;
use guard::LineGuard;
pub(crate) use refusal::message as error_message;

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
    /// One line (or one event) of the answer, in bytes. Default 1 MiB.
    pub line: usize,
    /// The whole answer, in bytes. Default 16 MiB.
    pub reply: usize,
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(120),
            total: Duration::from_secs(3600),
            line: 1024 * 1024,
            reply: 16 * 1024 * 1024,
        }
    }
}

/// One endpoint, and how to reach it.
#[derive(Clone)]
pub(crate) struct ModelEgress {
    client: Result<reqwest::Client, ModelError>,
    base: Url,
    endpoint: String,
    key: Option<SecretString>,
    model: String,
    limits: ModelLimits,
    proxy: Option<Url>,
    plain_http: bool,
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
            model,
            limits,
            proxy: None,
            plain_http: false,
        }
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

    /// Whether the address may be used at all; asked before anything is sent.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let unusable = |detail: &str| {
            Err(ModelError::Unsendable {
                detail: detail.to_owned(),
            })
        };
        if !self.base.username().is_empty() || self.base.password().is_some() {
            return unusable("the address contains a user name or password; enter the key in its own field");
        }
        if self.base.query().is_some() || self.base.fragment().is_some() {
            return unusable("the address has a part after ? or #; enter it without");
        }
        match self.base.scheme() {
            "https" => Ok(()),
            "http" if self.plain_http || is_loopback(&self.base) => Ok(()),
            "http" => Err(ModelError::Insecure {
                endpoint: self.endpoint.clone(),
            }),
            _ => unusable("the address must begin with https:// or http://"),
        }
    }

    /// Replaces the key, should the endpoint repeat it, and keeps the text short.
    pub(crate) fn quoted(&self, text: &str) -> String {
        let key = self
            .key
            .as_ref()
            .map(ExposeSecret::expose_secret)
            .filter(|key| !key.is_empty());
        let clean = key.map_or_else(|| text.to_owned(), |key| text.replace(key, "•••"));
        refusal::shorten(&clean)
    }

    async fn respond(self, request: Request<Bytes>) -> Result<reqwest::Response, ModelError> {
        self.check()?;
        let request = self.prepare(request)?;
        let client = self.client.clone()?;
        let response = tokio::time::timeout(self.limits.first_byte, client.execute(request))
            .await
            .map_err(|_| ModelError::TimedOut {
                after: self.limits.first_byte,
            })?
            .map_err(|error| self.unsent(error))?;
        if response.status() == reqwest::StatusCode::OK {
            return Ok(response);
        }
        Err(refusal::refusal(&self, response).await)
    }

    fn prepare(&self, request: Request<Bytes>) -> Result<reqwest::Request, ModelError> {
        let mut request = reqwest::Request::try_from(request.map(reqwest::Body::from)).map_err(|_| {
            ModelError::Unsendable {
                detail: "the address cannot be used".to_owned(),
            }
        })?;
        if request.url().origin() != self.base.origin() {
            return Err(ModelError::Unsendable {
                detail: "the request would leave the endpoint".to_owned(),
            });
        }
        if let Some(key) = self
            .key
            .as_ref()
            .map(ExposeSecret::expose_secret)
            .filter(|key| !key.is_empty())
        {
            let mut value =
                HeaderValue::try_from(format!("Bearer {key}")).map_err(|_| ModelError::Unsendable {
                    detail: "the key contains characters a key cannot have".to_owned(),
                })?;
            value.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        Ok(request)
    }

    fn unsent(&self, error: reqwest::Error) -> ModelError {
        if error.is_timeout() && !error.is_connect() {
            return ModelError::TimedOut {
                after: self.limits.first_byte,
            };
        }
        let endpoint = self.endpoint.clone();
        ModelError::Unreachable {
            endpoint,
            detail: self.quoted(&innermost(&error.without_url())),
        }
    }

    /// The body as it arrives, ended by the first limit it passes.
    fn bounded(&self, response: reqwest::Response) -> impl Stream<Item = Result<Bytes, ModelError>> + use<> {
        let limits = self.limits;
        let body = response.bytes_stream().boxed();
        let guard = LineGuard::new(limits.line, limits.reply);
        let state = Some((body, guard, Instant::now() + limits.total));
        futures::stream::unfold(state, move |state| async move {
            let (mut body, mut guard, deadline) = state?;
            let until = deadline.min(Instant::now() + limits.idle);
            let item = match tokio::time::timeout_at(until, body.next()).await {
                Err(_) if Instant::now() >= deadline => Err(ModelError::TimedOut { after: limits.total }),
                Err(_) => Err(ModelError::TimedOut { after: limits.idle }),
                Ok(None) => return None,
                Ok(Some(Err(_))) => Err(ModelError::Cut),
                Ok(Some(Ok(chunk))) => guard.admit(&chunk).map(|()| chunk),
            };
            let next = item.is_ok().then_some((body, guard, deadline));
            Some((item, next))
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
            // One document is one line to the guard: only the size of the reply bounds it.
            let whole = ModelLimits {
                line: egress.limits.reply,
                ..egress.limits
            };
            let body = Self {
                limits: whole,
                ..egress
            }
            .bounded(response)
            .boxed();
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
        let refused = ModelError::Unsendable {
            detail: "files are not sent to models".to_owned(),
        };
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
            let body = egress.bounded(response).map(carry);
            let mut streaming = Response::new(Box::pin(body) as http_client::BoxedStream);
            *streaming.headers_mut() = headers;
            Ok(streaming)
        }
    }
}

/// Whether a URL can only reach this computer.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn client(base: &Url, limits: &ModelLimits, proxy: Option<&Url>) -> Result<reqwest::Client, ModelError> {
    #[expect(clippy::disallowed_methods, reason = "this is the egress module")]
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(limits.connect)
        .no_proxy()
        .referer(false);
    if is_loopback(base) {
        // `localhost` must mean this computer.
        let port = base.port_or_known_default().unwrap_or(80);
        let here = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        builder = builder.resolve_to_addrs("localhost", &here.map(|ip| SocketAddr::new(ip, port)));
    } else if let Some(proxy) = proxy {
        let proxy = reqwest::Proxy::all(proxy.clone()).map_err(|_| ModelError::Unsendable {
            detail: "the proxy cannot be used".to_owned(),
        })?;
        builder = builder.proxy(proxy);
    }
    if base.scheme() == "http" {
        // Nothing to verify, so a computer without a certificate store can still use its own models.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| ModelError::Unsendable {
        detail: innermost(&error),
    })
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

/// The last error of the chain: the one that says what the network did.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
