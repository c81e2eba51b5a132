//! The HTTP client of this program, and the only one: servers, authorization servers and models are reached through it. A
//! client belongs to one origin: it follows no redirect, keeps no cookie, unpacks nothing, asks a proxy only where one was
//! handed in, judges every address before it connects, and puts a limit on every wait and every body. What it brings back
//! is not read here; what failed says whether anything can have reached the other side.
//!
//! Behind a proxy, where a name leads is the proxy's to find out, so only what stands in the address itself is
//! judged; [`Egress::proxy`] says whether that is so.

mod address;
mod answer;
mod budget;
mod error;
mod event_limiter;
mod proxies;
mod refusal;
mod resolve;
mod shared;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use url::{Host, Url};

pub use address::{AddressClass, NetworkReach, classify, is_loopback, keeps_secret};
pub use answer::HttpAnswer;
pub use budget::{MemoryBudget, Share};
pub use error::EgressError;
pub use event_limiter::{Endless, EventLimiter, EventPiece};
pub use proxies::Proxies;
pub use reqwest::header::{self, HeaderMap};
pub use reqwest::{Method, StatusCode};
pub use resolve::{Lookup, SystemLookup};
pub use shared::SharedClients;

/// Until a connection stands, with TLS.
const CONNECT: Duration = Duration::from_secs(15);
/// How soon a connection whose other end has silently gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How long a connection without an exchange is kept.
const IDLE: Duration = Duration::from_secs(60);
const AGENT: &str = concat!("vestibule/", env!("CARGO_PKG_VERSION"));

/// How a server is reached.
#[derive(Clone)]
pub struct Route {
    /// How far requests may reach.
    pub reach: NetworkReach,
    /// Where addresses of names come from.
    pub lookup: Arc<dyn Lookup>,
    /// Which proxies stand between.
    pub proxies: Proxies,
    /// Certificates (DER) of authorities that are trusted besides those this computer trusts.
    pub authorities: Vec<Vec<u8>>,
    /// How long a connection may take, with TLS.
    pub connect: Duration,
    /// How long a connection without an exchange is kept. A request is lost that is sent while the other end closes it.
    pub idle: Duration,
}

impl Route {
    /// The direct way, with the names and the trust of this computer.
    #[must_use]
    pub fn new(reach: NetworkReach) -> Self {
        Self {
            reach,
            lookup: Arc::new(SystemLookup),
            proxies: Proxies::default(),
            authorities: Vec::new(),
            connect: CONNECT,
            idle: IDLE,
        }
    }
}

/// The way to one origin. Copies share their connections, so a caller that talks to one server in several sessions
/// gives each of them a copy.
#[derive(Clone)]
pub struct Egress(Arc<ClientEnds>);

/// A client and where its way leads.
struct ClientEnds {
    client: reqwest::Client,
    origin: Url,
    proxy: Option<Url>,
}

impl Egress {
    /// The way to the origin of this address.
    ///
    /// # Errors
    /// [`EgressError::Address`] when the address may not be used at all.
    pub fn new(address: &Url, reach: NetworkReach) -> Result<Self, EgressError> {
        Self::along(address, &Route::new(reach))
    }

    /// The same with addresses from elsewhere than the system.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_lookup(
        address: &Url,
        reach: NetworkReach,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, EgressError> {
        let route = Route {
            lookup,
            ..Route::new(reach)
        };
        Self::along(address, &route)
    }

    /// The way to the origin of this address along a route.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when a proxy or an authority on the route is none.
    pub fn along(address: &Url, route: &Route) -> Result<Self, EgressError> {
        let encrypted = check(address, route.reach)?;
        let proxy = route.proxies.between(address)?.cloned();
        let filter = resolve::Filter {
            lookup: route.lookup.clone(),
            reach: route.reach,
            encrypted,
            proxied: proxy.is_some(),
        };
        #[expect(clippy::disallowed_methods, reason = "this is the one HTTP client")]
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
            .connect_timeout(route.connect)
            .pool_idle_timeout(route.idle)
            .tcp_keepalive(KEEP_ALIVE)
            .tcp_keepalive_interval(KEEP_ALIVE)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .http2_keep_alive_timeout(KEEP_ALIVE);
        if let Some(proxy) = &proxy {
            let proxy = reqwest::Proxy::all(proxy.clone());
            builder =
                builder.proxy(proxy.map_err(|_| EgressError::Address("the proxy cannot be used".into()))?);
        }
        let builder = with_trust(builder, encrypted, &route.authorities)?;
        let client = builder
            .build()
            .map_err(|error| EgressError::Unreachable(error::innermost(&error)))?;
        let origin = address.clone();
        Ok(Self(Arc::new(ClientEnds {
            client,
            origin,
            proxy,
        })))
    }

    /// The origin of the proxy in between, for showing. Behind it, where the server's name leads cannot be
    /// checked.
    #[must_use]
    pub fn proxy(&self) -> Option<String> {
        let proxy = self.0.proxy.as_ref()?;
        Some(proxy.origin().ascii_serialization())
    }

    /// Whether an address has the origin this way leads to.
    #[must_use]
    pub fn leads_to(&self, address: &Url) -> bool {
        // Only http and https get here, whose origin is these three.
        let origin = &self.0.origin;
        address.scheme() == origin.scheme()
            && address.host() == origin.host()
            && address.port_or_known_default() == origin.port_or_known_default()
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
    ) -> Result<HttpAnswer, EgressError> {
        if !self.leads_to(address) {
            return Err(EgressError::Address(
                "the request would leave the server's origin".into(),
            ));
        }
        let mut request = self.0.client.request(method, address.clone()).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = timeout(patience, request.send())
            .await
            .map_err(|_| EgressError::TimedOut(patience))?
            .map_err(|error| error::failed(&error))?;
        Ok(HttpAnswer { response })
    }
}

impl fmt::Debug for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The rest of the address can hold secrets.
        f.debug_tuple("Egress")
            .field(&self.0.origin.origin().ascii_serialization())
            .finish()
    }
}

/// Judges what stands in the address itself, before anything is looked up or sent. True when the way is encrypted.
///
/// # Errors
/// [`EgressError::Address`] when the address may not be used at all.
pub fn check(address: &Url, reach: NetworkReach) -> Result<bool, EgressError> {
    let refuse = |why: String| Err(EgressError::Address(why));
    if !address.username().is_empty() || address.password().is_some() {
        return refuse("the address contains a user name or password; enter them as a header".into());
    }
    let encrypted = match address.scheme() {
        "https" => true,
        "http" if reach.admits_plain_http() => false,
        "http" => return refuse("a server on the internet is reached over https:// only".into()),
        other => return refuse(format!("an address begins with https://, not with {other}:")),
    };
    let literal = match address.host() {
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip),
        Some(Host::Domain(name)) if !reach.admits_name(name) && address::is_localhost(name) => {
            return refuse(format!("{name} is this computer, not a server on the internet"));
        }
        Some(Host::Domain(name)) if !reach.admits_name(name) => {
            return refuse(format!(
                "{name} is a name of an inner network, where this server may not be"
            ));
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

/// What proves who is at the other end.
fn with_trust(
    builder: reqwest::ClientBuilder,
    encrypted: bool,
    authorities: &[Vec<u8>],
) -> Result<reqwest::ClientBuilder, EgressError> {
    if !encrypted {
        // Nothing to verify, so a computer without a certificate store still reaches its own servers.
        return Ok(builder.tls_certs_only([]));
    }
    if authorities.is_empty() {
        return Ok(builder);
    }
    let read = authorities
        .iter()
        .map(|der| reqwest::tls::Certificate::from_der(der));
    let read: Result<Vec<_>, _> = read.collect();
    let read = read.map_err(|_| EgressError::Address("an authority to trust is none".into()))?;
    Ok(builder.tls_certs_merge(read))
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
            ("https://127.0.0.1/", NetworkReach::Public, "127.0.0.1"),
            ("https://2130706433/", NetworkReach::Public, "127.0.0.1"),
            ("https://[::ffff:10.0.0.1]/", NetworkReach::Public, "may not be"),
            ("https://169.254.169.254/", NetworkReach::Public, "169.254"),
            ("https://wiki.corp/", NetworkReach::Foreign, "inner network"),
            ("https://localhost/", NetworkReach::Foreign, "this computer"),
            ("https://localhost/", NetworkReach::Public, "this computer"),
            ("http://example.com/", NetworkReach::Public, "https://"),
            ("http://1.1.1.1/", NetworkReach::Local, "may not be"),
            ("http://0.0.0.0/", NetworkReach::Local, "may not be"),
            (
                "https://me:secret@example.com/",
                NetworkReach::Public,
                "user name",
            ),
            ("ftp://example.com/", NetworkReach::Local, "ftp:"),
            ("file:///etc/passwd", NetworkReach::Local, "file:"),
        ];
        for (text, reach, why) in cases {
            let said = refused(text, reach);
            assert!(said.contains(why), "{text}: {said}");
            assert!(!said.contains("secret"), "{said}");
        }
        for (text, reach) in [
            ("https://example.com/mcp", NetworkReach::Public),
            ("http://127.0.0.1:1/", NetworkReach::Local),
            ("http://localhost/", NetworkReach::Local),
            ("https://192.168.1.1/", NetworkReach::Local),
        ] {
            assert!(Egress::new(&text.parse().unwrap(), reach).is_ok(), "{text}");
        }
    }
}
