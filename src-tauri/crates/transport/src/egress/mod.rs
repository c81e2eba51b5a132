//! The way out to servers over HTTP, and the only one in this crate. A client belongs to one origin and one
//! server: it follows no redirect, keeps no cookie, unpacks nothing, asks no proxy, judges every address before
//! it connects, and puts a limit on every wait and every body. What it brings back is not read here; what
//! failed says whether anything can have reached the server.

mod address;
mod budget;
mod resolve;

use std::error::Error as _;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::CONTENT_ENCODING;
use thiserror::Error;
use tokio::time::{Instant, timeout, timeout_at};
use url::{Host, Url};

pub use address::{AddressClass, Reach, classify};
pub use budget::{Budget, Share};
pub use reqwest::header::{self, HeaderMap};
pub use reqwest::{Method, StatusCode};
pub use resolve::{Lookup, SystemLookup};

/// Until a connection stands, with TLS.
const CONNECT: Duration = Duration::from_secs(15);
/// How soon a connection whose other end has silently gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How long a connection without an exchange is kept.
const POOL_IDLE: Duration = Duration::from_secs(60);
const AGENT: &str = concat!("vestibule/", env!("CARGO_PKG_VERSION"));

/// Why nothing came back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EgressError {
    /// The address may not be used. Nothing was sent.
    #[error("{0}")]
    Address(String),
    /// No connection came about. Nothing was sent.
    #[error("the server could not be reached: {0}")]
    Unreachable(String),
    /// The server said nothing for this long.
    #[error("the server said nothing for {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// The connection broke. The server may have acted.
    #[error("the connection to the server broke: {0}")]
    Broken(String),
    /// The answer is longer than this many bytes; the rest was not read.
    #[error("the answer is longer than {0} bytes")]
    TooLarge(usize),
    /// The server says more at once than is kept for it.
    #[error("the server says more at once than is kept for it")]
    Crowded,
    /// The answer is compressed, which was not asked for.
    #[error("the answer is compressed ({0}), which was not asked for")]
    Compressed(String),
}

impl EgressError {
    /// Whether certainly nothing reached the server.
    #[must_use]
    pub fn is_unsent(&self) -> bool {
        matches!(self, Self::Address(_) | Self::Unreachable(_))
    }
}

/// The way to one origin.
#[derive(Clone)]
pub struct Egress {
    client: reqwest::Client,
    origin: Url,
}

impl Egress {
    /// The way to the origin of this address.
    ///
    /// # Errors
    /// [`EgressError::Address`] when the address may not be used at all.
    pub fn new(address: &Url, reach: Reach) -> Result<Self, EgressError> {
        Self::with_lookup(address, reach, Arc::new(SystemLookup))
    }

    /// The same with addresses from elsewhere than the system.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_lookup(address: &Url, reach: Reach, lookup: Arc<dyn Lookup>) -> Result<Self, EgressError> {
        let encrypted = check(address, reach)?;
        let filter = resolve::Filter {
            lookup,
            reach,
            encrypted,
        };
        #[expect(clippy::disallowed_methods, reason = "this is the egress module")]
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .dns_resolver(filter)
            .https_only(encrypted)
            .user_agent(AGENT)
            .connect_timeout(CONNECT)
            .pool_idle_timeout(POOL_IDLE)
            .tcp_keepalive(KEEP_ALIVE)
            .tcp_keepalive_interval(KEEP_ALIVE)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .http2_keep_alive_timeout(KEEP_ALIVE);
        if !encrypted {
            // Nothing to verify, so a computer without a certificate store still reaches its own servers.
            builder = builder.tls_certs_only([]);
        }
        let client = builder
            .build()
            .map_err(|error| EgressError::Unreachable(innermost(&error)))?;
        Ok(Self {
            client,
            origin: address.clone(),
        })
    }

    /// Whether an address has the origin this way leads to.
    #[must_use]
    pub fn leads_to(&self, address: &Url) -> bool {
        address.origin() == self.origin.origin()
    }

    /// Sends one request and waits for the head of the answer, whatever its status.
    ///
    /// # Errors
    /// See [`EgressError`].
    pub async fn send(
        &self,
        method: Method,
        address: &Url,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
        patience: Duration,
    ) -> Result<Answer, EgressError> {
        if !self.leads_to(address) {
            return Err(EgressError::Address(
                "the request would leave the server's origin".into(),
            ));
        }
        let mut request = self.client.request(method, address.clone()).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = timeout(patience, request.send())
            .await
            .map_err(|_| EgressError::TimedOut(patience))?
            .map_err(|error| failed(&error))?;
        Ok(Answer { response })
    }
}

impl fmt::Debug for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The rest of the address can hold secrets.
        f.debug_tuple("Egress")
            .field(&self.origin.origin().ascii_serialization())
            .finish()
    }
}

/// The head of an answer, and the way to its body.
pub struct Answer {
    response: reqwest::Response,
}

impl Answer {
    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The type of the body without parameters, in lower case.
    #[must_use]
    pub fn content_type(&self) -> Option<String> {
        let value = self.headers().get(reqwest::header::CONTENT_TYPE)?.to_str().ok()?;
        let essence = value.split(';').next().unwrap_or_default().trim();
        Some(essence.to_ascii_lowercase())
    }

    /// Whether the body can be read as it is.
    ///
    /// # Errors
    /// [`EgressError::Compressed`].
    pub fn check_encoding(&self) -> Result<(), EgressError> {
        let mut encodings = self.headers().get_all(CONTENT_ENCODING).iter();
        match encodings.find(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity")) {
            Some(value) => Err(EgressError::Compressed(crate::lines::printable(value.as_bytes()))),
            None => Ok(()),
        }
    }

    /// The next piece of the body; `None` at its end. May be dropped without losing anything.
    ///
    /// # Errors
    /// [`EgressError::Broken`], also when the body ends before it should.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, EgressError> {
        let chunk = self.response.chunk().await;
        chunk.map_err(|error| EgressError::Broken(innermost(&error)))
    }

    /// The whole body of at most `limit` bytes, counted against `share` while it arrives.
    ///
    /// # Errors
    /// [`EgressError::TooLarge`], [`EgressError::Crowded`], [`EgressError::Broken`], and
    /// [`EgressError::TimedOut`] when the whole takes longer than `patience`.
    pub async fn whole(
        mut self,
        limit: usize,
        patience: Duration,
        share: &mut Share,
    ) -> Result<Bytes, EgressError> {
        self.check_encoding()?;
        if self
            .response
            .content_length()
            .is_some_and(|announced| announced > limit as u64)
        {
            return Err(EgressError::TooLarge(limit));
        }
        let deadline = Instant::now() + patience;
        let mut body = BytesMut::new();
        loop {
            let chunk = timeout_at(deadline, self.chunk())
                .await
                .map_err(|_| EgressError::TimedOut(patience))?;
            let Some(chunk) = chunk? else {
                return Ok(body.freeze());
            };
            if body.len() + chunk.len() > limit {
                return Err(EgressError::TooLarge(limit));
            }
            share.grow_to(body.len() + chunk.len())?;
            body.extend_from_slice(&chunk);
        }
    }

    /// At most `limit` bytes from the beginning of the body, as far as they come in time. Nothing of a body
    /// that is compressed.
    pub async fn beginning(mut self, limit: usize, patience: Duration) -> Bytes {
        let deadline = Instant::now() + patience;
        let mut body = BytesMut::new();
        while self.check_encoding().is_ok() && body.len() < limit {
            let Ok(Ok(Some(chunk))) = timeout_at(deadline, self.chunk()).await else {
                break;
            };
            body.extend_from_slice(&chunk[..chunk.len().min(limit - body.len())]);
        }
        body.freeze()
    }
}

/// Judges what stands in the address itself, before anything is looked up or sent. True when the way is encrypted.
///
/// # Errors
/// [`EgressError::Address`] when the address may not be used at all.
pub fn check(address: &Url, reach: Reach) -> Result<bool, EgressError> {
    let refuse = |why: String| Err(EgressError::Address(why));
    if !address.username().is_empty() || address.password().is_some() {
        return refuse("the address contains a user name or password; enter them as a header".into());
    }
    let encrypted = match address.scheme() {
        "https" => true,
        "http" if reach == Reach::Local => false,
        "http" => return refuse("a server on the internet is reached over https:// only".into()),
        other => return refuse(format!("an address begins with https://, not with {other}:")),
    };
    let literal = match address.host() {
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip),
        Some(Host::Domain(name)) if address::is_localhost(name) && reach == Reach::Public => {
            return refuse(format!("{name} is this computer, not a server on the internet"));
        }
        Some(Host::Domain(_)) => return Ok(encrypted),
        None => return refuse("the address names no server".into()),
    };
    if reach.admits_literal(literal, encrypted) {
        Ok(encrypted)
    } else {
        refuse(format!("{literal} is an address where this server may not be"))
    }
}

fn failed(error: &reqwest::Error) -> EgressError {
    let detail = innermost(error);
    if error.is_connect() || error.is_builder() {
        EgressError::Unreachable(detail)
    } else {
        EgressError::Broken(detail)
    }
}

/// The last error of the chain: the one that says what the network did. Never the address, which may hold a
/// secret.
fn innermost(error: &reqwest::Error) -> String {
    let Some(mut last) = error.source() else {
        return "the request could not be made".into();
    };
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_judged_before_anything_is_looked_up() {
        let refused = |text: &str, reach| {
            Egress::new(&text.parse().unwrap(), reach)
                .map(drop)
                .unwrap_err()
                .to_string()
        };
        let cases = [
            ("https://127.0.0.1/", Reach::Public, "127.0.0.1"),
            ("https://2130706433/", Reach::Public, "127.0.0.1"),
            ("https://[::ffff:10.0.0.1]/", Reach::Public, "may not be"),
            ("https://169.254.169.254/", Reach::Public, "169.254"),
            ("https://localhost/", Reach::Public, "this computer"),
            ("http://example.com/", Reach::Public, "https://"),
            ("http://1.1.1.1/", Reach::Local, "may not be"),
            ("http://0.0.0.0/", Reach::Local, "may not be"),
            ("https://me:secret@example.com/", Reach::Public, "user name"),
            ("ftp://example.com/", Reach::Local, "ftp:"),
            ("file:///etc/passwd", Reach::Local, "file:"),
        ];
        for (text, reach, why) in cases {
            let said = refused(text, reach);
            assert!(said.contains(why), "{text}: {said}");
            assert!(!said.contains("secret"), "{said}");
        }
        for (text, reach) in [
            ("https://example.com/mcp", Reach::Public),
            ("http://127.0.0.1:1/", Reach::Local),
            ("http://localhost/", Reach::Local),
            ("https://192.168.1.1/", Reach::Local),
        ] {
            assert!(Egress::new(&text.parse().unwrap(), reach).is_ok(), "{text}");
        }
    }
}
