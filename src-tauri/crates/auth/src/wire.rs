//! The way to authorization servers, and the only place of this crate that sends anything. Addresses that come
//! from documents are judged before they are used: TLS except on this computer, nothing private for a server on
//! the internet, no characters that mean something elsewhere. Documents are small, waits are short. A redirect
//! of a document is followed within its origin and a few times; one of a request that carries secrets never is.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use url::Url;
use vestibule_egress::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use vestibule_egress::{
    Egress, EgressError, HeaderMap, HttpAnswer, Lookup, MemoryBudget, Method, NetworkReach, Proxies, Route,
    StatusCode, check, is_loopback,
};

use crate::error::{AuthError, Reason, Step, quoted};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");
const MAX_ADDRESS: usize = 2048;

/// How long and how much an authorization server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthLimits {
    /// One document or answer, in bytes. Default 256 KiB.
    pub document: usize,
    /// Until an answer begins, and again for the whole of it. Default 20 seconds.
    pub answer: Duration,
    /// How often a document may point elsewhere within its origin. Default 3.
    pub redirects: usize,
    /// For the user to sign in. Default 10 minutes.
    pub person: Duration,
}

impl Default for AuthLimits {
    fn default() -> Self {
        Self {
            document: 256 * 1024,
            answer: Duration::from_secs(20),
            redirects: 3,
            person: Duration::from_secs(600),
        }
    }
}

/// The way out for the sign-ins of one server.
#[derive(Clone)]
pub(crate) struct AuthHttp {
    /// The server's own address, which decides how near an authorization server may be.
    pub(crate) server: Url,
    pub(crate) limits: AuthLimits,
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) proxies: Proxies,
}

/// The fields of a form in their order.
pub(crate) type FormFields = Vec<(&'static str, String)>;

/// An answer that was read to its end.
pub(crate) struct AuthReply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Vec<u8>,
}

impl AuthReply {
    /// The body as JSON.
    pub(crate) fn json(&self, step: Step) -> Result<Value, AuthError> {
        serde_json::from_slice(&self.body)
            // The words of the parser only: what stands in the body can be a secret.
            .map_err(|error| {
                AuthError::malformed(step, format!("the answer is not JSON ({})", category(&error)))
            })
    }
}

impl AuthHttp {
    #[cfg(test)]
    pub(crate) fn new(server: Url, limits: AuthLimits) -> Self {
        let lookup = Arc::new(vestibule_egress::SystemLookup);
        Self {
            server,
            limits,
            lookup,
            proxies: Proxies::default(),
        }
    }

    /// An address from a document, fit to be used.
    pub(crate) fn address(&self, step: Step, what: &str, text: &str) -> Result<Url, AuthError> {
        let checked = self.checked_address(what, text);
        checked.map_err(|why| AuthError::new(step, Reason::Unsafe(why)))
    }

    /// The address, or why it may not be used.
    fn checked_address(&self, what: &str, text: &str) -> Result<Url, String> {
        if text.len() > MAX_ADDRESS {
            return Err(format!("{what} is longer than {MAX_ADDRESS} bytes"));
        }
        let shown = quoted(text);
        let fault = |why: &str| format!("{what} \u{201c}{shown}\u{201d} {why}");
        if !text.chars().all(is_plain) {
            return Err(fault("has characters no address needs"));
        }
        let address = Url::parse(text).map_err(|_| fault("is no address"))?;
        let secure = address.scheme() == "https" || (address.scheme() == "http" && is_loopback(&address));
        if !secure {
            return Err(fault("does not begin with https://"));
        }
        if address.fragment().is_some() {
            return Err(fault("has a fragment"));
        }
        let checked = check(&address, self.reach(&address));
        checked.map_err(|error| fault(&format!("may not be used: {error}")))?;
        Ok(address)
    }

    /// A public document; `None` when there is none at this address.
    pub(crate) async fn document(
        &self,
        step: Step,
        address: &Url,
        mut headers: HeaderMap,
    ) -> Result<Option<Value>, AuthError> {
        headers.insert(ACCEPT, JSON);
        let mut here = address.clone();
        for _ in 0..=self.limits.redirects {
            let answer = self.send(step, Method::GET, &here, headers.clone(), None).await?;
            if !answer.status().is_redirection() {
                return self.read_document(step, &here, answer).await;
            }
            here = next_hop(step, &here, &answer)?;
        }
        let why = format!("{} keeps pointing elsewhere", origin(address));
        Err(AuthError::malformed(step, why))
    }

    /// The document in an answer; `None` when the answer says that there is none.
    async fn read_document(
        &self,
        step: Step,
        address: &Url,
        answer: HttpAnswer,
    ) -> Result<Option<Value>, AuthError> {
        let status = answer.status();
        if status.is_client_error() && !is_passing(status) {
            return Ok(None);
        }
        // A gateway in front of a server that is down answers with a page, which does not mean that there is no document.
        if !status.is_success() {
            let why = format!("{} answered with status {}", origin(address), status.as_u16());
            return Err(AuthError::new(step, Reason::Network(why)));
        }
        if is_page(&answer) {
            return Ok(None);
        }
        self.read(step, answer).await?.json(step).map(Some)
    }

    /// Sends a form, which may carry secrets.
    pub(crate) async fn form(
        &self,
        step: Step,
        address: &Url,
        form: &FormFields,
        mut headers: HeaderMap,
    ) -> Result<AuthReply, AuthError> {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        headers.insert(CONTENT_TYPE, FORM);
        self.ask(step, Method::POST, address, headers, Some(body.into_bytes()))
            .await
    }

    /// Sends a JSON document.
    pub(crate) async fn json(
        &self,
        step: Step,
        address: &Url,
        document: &Value,
    ) -> Result<AuthReply, AuthError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, JSON);
        let body = document.to_string().into_bytes();
        self.ask(step, Method::POST, address, headers, Some(body)).await
    }

    /// Withdraws what stands at an address, with headers that may carry secrets.
    pub(crate) async fn delete(
        &self,
        step: Step,
        address: &Url,
        headers: HeaderMap,
    ) -> Result<AuthReply, AuthError> {
        self.ask(step, Method::DELETE, address, headers, None).await
    }

    async fn ask(
        &self,
        step: Step,
        method: Method,
        address: &Url,
        mut headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<AuthReply, AuthError> {
        headers.insert(ACCEPT, JSON);
        let answer = self.send(step, method, address, headers, body).await?;
        if answer.status().is_redirection() {
            let why = format!(
                "{} wants this sent elsewhere, which is never done with secrets",
                origin(address)
            );
            return Err(AuthError::new(step, Reason::Unsafe(why)));
        }
        self.read(step, answer).await
    }

    async fn send(
        &self,
        step: Step,
        method: Method,
        address: &Url,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<HttpAnswer, AuthError> {
        let failed = |error: EgressError| AuthError::network(step, &error);
        let egress = Egress::along(address, &self.route(address)).map_err(failed)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the way to authorization servers"
        )]
        let sent = egress.send(method, address, headers, body, self.limits.answer);
        sent.await.map_err(failed)
    }

    async fn read(&self, step: Step, answer: HttpAnswer) -> Result<AuthReply, AuthError> {
        let (status, headers) = (answer.status(), answer.headers().clone());
        let AuthLimits {
            document,
            answer: patience,
            ..
        } = self.limits;
        let mut share = MemoryBudget::new(document).share();
        let body = answer.whole(document, patience, &mut share).await;
        let body = body.map_err(|error| AuthError::network(step, &error))?.to_vec();
        Ok(AuthReply {
            status,
            headers,
            body,
        })
    }

    fn route(&self, address: &Url) -> Route {
        Route {
            lookup: Arc::clone(&self.lookup),
            proxies: self.proxies.clone(),
            ..Route::new(self.reach(address))
        }
    }

    fn reach(&self, address: &Url) -> NetworkReach {
        NetworkReach::for_sign_in(&self.server, address)
    }
}

pub(crate) fn origin(address: &Url) -> String {
    address.origin().ascii_serialization()
}

fn next_hop(step: Step, here: &Url, answer: &HttpAnswer) -> Result<Url, AuthError> {
    let target = answer.location().and_then(|text| here.join(text).ok());
    match target {
        Some(target) if target.origin() == here.origin() => Ok(target),
        Some(target) => {
            let why = format!(
                "{} points to {}, another server",
                origin(here),
                quoted(&origin(&target))
            );
            Err(AuthError::new(step, Reason::Unsafe(why)))
        }
        None => Err(AuthError::malformed(
            step,
            format!("{} points nowhere", origin(here)),
        )),
    }
}

/// Whether a status says only that there is no answer now.
pub(crate) fn is_passing(status: StatusCode) -> bool {
    status.is_server_error()
        || matches!(
            status,
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS
        )
}

/// Sites that answer everything with their start page have no document there.
fn is_page(answer: &HttpAnswer) -> bool {
    answer.content_type().as_deref() == Some("text/html")
}

/// What an address consists of, without what has a meaning to a shell or in markup.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?#[]@&*+,=%".contains(c)
}

fn category(error: &serde_json::Error) -> &'static str {
    use serde_json::error::Category;
    match error.classify() {
        Category::Io => "it could not be read",
        Category::Syntax => "it has an error in it",
        Category::Data => "it has another shape",
        Category::Eof => "it breaks off",
    }
}

#[cfg(test)]
mod tests;
