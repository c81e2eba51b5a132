//! From a server's record to exactly what would be connected to: the address, the transport, the headers, what a
//! card says of it, and the digest a permission binds to. Nothing is sent here.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use url::Url;
use vestibule_consent::Connection;
use vestibule_egress::{Egress, EgressError, NetworkReach, Proxies, Route, SharedClients, check};
use vestibule_policy::Digest;
use vestibule_policy::inspect::{
    KnownDomains, UrlContext, UrlInspection, UrlSource as InspectedFor, UrlVerdict, WELL_KNOWN, inspect,
};
use vestibule_protocol::TransportChoice;
use vestibule_session::MAX_RESULT_BYTES;
use vestibule_store::{Endpoint, ServerPlace, ServerRecord};
use vestibule_transport::http::{Authorization, HttpLimits, HttpOptions, HttpVariant};

use crate::config::secrets::Secrets;
use crate::config::variables;
use vestibule_app_protocol::{InputProblem, Problem, ServerProblem};

/// How long a connection to a server is kept without an exchange. Node and uvicorn close one after five seconds, and a
/// call that is sent at that moment is lost and cannot be sent again.
const IDLE: Duration = Duration::from_secs(4);
/// The longest address, in bytes.
const LONGEST: usize = 8 * 1024;

/// What would be connected to.
pub(crate) struct ConnectPlan {
    pub(crate) options: HttpOptions,
    /// The way out to this origin.
    pub(crate) egress: Egress,
    pub(crate) facts: Connection,
    pub(crate) digest: Digest,
}

/// Works out what connecting to this server would do.
pub(crate) async fn plan(
    record: &ServerRecord,
    endpoint: &Endpoint,
    secrets: &dyn Secrets,
    authorization: Option<Authorization>,
    proxies: &Proxies,
    clients: &SharedClients,
) -> Result<ConnectPlan, Problem> {
    let address = address(&endpoint.url)?;
    let egress = clients
        .along(&address, &route(&address, proxies))
        .map_err(|error| unreachable(&address, error))?;
    let headers = variables::resolve_variables(record, secrets).await?;
    let prints = variables::fingerprints(&headers, secrets).await?;
    let digest = digest(&address, endpoint, &json!(prints), egress.proxy());
    let facts = Connection {
        inspection: inspected(address.as_str()),
        origin: origin(&address),
        transport: endpoint.transport,
        headers: variables::displayed(&record.place, &headers),
        proxy: egress.proxy(),
        carries_values: address.query().is_some(),
        changed: false,
    };
    let options = HttpOptions {
        address,
        headers,
        authorization,
        shape: variant(endpoint.transport),
        limits: HttpLimits::default().with_frames_of(MAX_RESULT_BYTES),
    };
    Ok(ConnectPlan {
        options,
        egress,
        facts,
        digest,
    })
}

/// The digest that a permission to connect is bound to.
fn digest(address: &Url, endpoint: &Endpoint, headers: &Value, proxy: Option<String>) -> Digest {
    let mut connection = json!({
        "address": address.as_str(),
        "transport": endpoint.transport,
        "headers": headers,
    });
    if let Some(proxy) = proxy {
        connection["proxy"] = proxy.into();
    }
    Digest::of_connection(&connection)
}

fn variant(transport: TransportChoice) -> HttpVariant {
    match transport {
        TransportChoice::Auto => HttpVariant::Either,
        TransportChoice::Streamable => HttpVariant::Streamable,
        TransportChoice::Sse => HttpVariant::Old,
    }
}

/// An address as the user wrote it, if a server may be there at all.
pub fn address(written: &str) -> Result<Url, Problem> {
    let invalid = |detail: String| {
        Problem::Input(InputProblem::AddressInvalid {
            url: written.chars().take(200).collect(),
            detail,
        })
    };
    if written.len() > LONGEST {
        return Err(invalid(format!("it is longer than {LONGEST} bytes")));
    }
    let address = Url::parse(written.trim()).map_err(|error| invalid(error.to_string()))?;
    check(&address, NetworkReach::for_server(&address)).map_err(|error| unreachable(&address, error))?;
    refuse_deception(written.trim(), &address)?;
    Ok(address)
}

/// Judges an address as it was written, because reading it makes some of what deceives invisible.
fn refuse_deception(written: &str, address: &Url) -> Result<(), Problem> {
    let inspection = inspected(written);
    if inspection.verdict == UrlVerdict::Block {
        return Err(Problem::Input(InputProblem::AddressDeceives {
            origin: origin(address),
            warnings: inspection.warnings,
        }));
    }
    Ok(())
}

/// The proxy between this computer and an address, for showing.
pub(crate) fn proxy(written: &str, proxies: &Proxies) -> Option<String> {
    let proxy = proxies.between(&address(written).ok()?).ok()??.origin();
    Some(proxy.ascii_serialization())
}

fn route(address: &Url, proxies: &Proxies) -> Route {
    Route {
        proxies: proxies.clone(),
        idle: IDLE,
        ..Route::new(NetworkReach::for_server(address))
    }
}

fn unreachable(address: &Url, error: EgressError) -> Problem {
    match error {
        EgressError::Unreachable(detail) => Problem::Server(ServerProblem::ServerUnreachable {
            origin: origin(address),
            detail,
        }),
        error => Problem::Input(InputProblem::AddressInvalid {
            url: origin(address),
            detail: error.to_string(),
        }),
    }
}

/// Scheme, host and port: what may be shown and written down of an address that can hold secrets.
pub(crate) fn origin(address: &Url) -> String {
    address.origin().ascii_serialization()
}

/// The origin of an address as it is stored.
pub fn origin_of(written: &str) -> String {
    Url::parse(written.trim()).map_or_else(|_| String::new(), |address| origin(&address))
}

/// The host of a server that is reached at an address.
pub(crate) fn host_of(place: &ServerPlace) -> Option<String> {
    let ServerPlace::Address(endpoint) = place else {
        return None;
    };
    Some(Url::parse(endpoint.url.trim()).ok()?.host_str()?.to_owned())
}

/// What the address really says. The user wrote it, so it may lead to this computer or its network: that is said,
/// not refused. The egress keeps every name from leading there that is not written so.
pub fn inspected(address: &str) -> UrlInspection {
    let known = KnownDomains::new(WELL_KNOWN);
    inspect(address, &UrlContext::new(InspectedFor::LocalServer, &known))
}

/// Whether a text can be the name of a header.
pub fn is_header_name(name: &str) -> bool {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.len() <= 256 && name.chars().all(token)
}

/// Whether a text can be the value of a header.
pub fn is_header_value(value: &SecretString) -> bool {
    value
        .expose_secret()
        .chars()
        .all(|c| c == '\t' || !c.is_control())
}

#[cfg(test)]
mod tests;
