//! What an address, or what stands before it, says where no connection comes about or a request is refused.

use url::Url;
use vestibule_app_protocol::{
    CertificateFault, Correction, Diagnosis, FailureCause, FormPart, NextStep, ServerProblem,
};
use vestibule_protocol::TransportChoice;
use vestibule_store::Endpoint;

use super::diagnosis;
use super::steps::{correct, edit};

/// Where most servers are.
const USUAL_PATH: &str = "/mcp";

/// Sentences of our own HTTP client about a certificate.
const CERTIFICATES: &[(&str, CertificateFault)] = &[
    (
        "by an authority this computer trusts",
        CertificateFault::UnknownIssuer,
    ),
    ("self-signed", CertificateFault::SelfSigned),
    ("for another name", CertificateFault::OtherName),
    ("not valid yet", CertificateFault::NotYetValid),
    ("has expired", CertificateFault::Expired),
    ("was revoked", CertificateFault::Revoked),
];

pub(super) fn diagnose(problem: &ServerProblem, endpoint: &Endpoint) -> Option<Diagnosis> {
    let url = Url::parse(endpoint.url.trim()).ok()?;
    match problem {
        ServerProblem::ServerUnreachable { detail, .. } => unreachable(&detail.to_ascii_lowercase(), &url),
        // The address took the connection and then said nothing.
        ServerProblem::StartTimedOut { .. } => diagnosis(
            FailureCause::NetworkUnreachable { host: host(&url) },
            NextStep::Retry,
        ),
        ServerProblem::SignInNeeded { status, .. } => sign_in(*status, &url, endpoint),
        ServerProblem::ServerRefused {
            status,
            detail,
            moved,
            said,
            retry_after,
            ..
        } => {
            let said = said.as_deref().unwrap_or_default();
            if is_page(detail, said) {
                return diagnosis(
                    FailureCause::WebPage { host: host(&url) },
                    edit(FormPart::Address),
                );
            }
            match moved {
                Some(to) => redirected(to, &url),
                None => refused(*status, *retry_after, said, &url, endpoint),
            }
        }
        ServerProblem::UnsupportedRevision { answered } => {
            let revision = answered.chars().take(40).collect();
            diagnosis(FailureCause::OtherProtocol { revision }, NextStep::Log)
        }
        _ => None,
    }
}

/// Host and port as the address has them.
fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn unreachable(detail: &str, url: &Url) -> Option<Diagnosis> {
    let has = |texts: &[&str]| texts.iter().any(|text| detail.contains(text));
    let host = host(url);
    if has(&["proxy authorization required", "proxy authentication", "(407)"]) {
        return diagnosis(FailureCause::ProxySignIn, NextStep::Retry);
    }
    if has(&["could not prove who it is"]) {
        return unproven(detail, host);
    }
    if has(&[
        "lookup address",
        "name or service not known",
        "dns error",
        "name resolution",
    ]) {
        return diagnosis(FailureCause::NameUnknown { host }, edit(FormPart::Address));
    }
    if has(&["connection refused"]) {
        return diagnosis(FailureCause::ConnectionRefused { host }, NextStep::Retry);
    }
    if has(&["unreachable", "no route to host", "timed out", "said nothing for"]) {
        return diagnosis(FailureCause::NetworkUnreachable { host }, NextStep::Retry);
    }
    None
}

fn unproven(detail: &str, host: String) -> Option<Diagnosis> {
    if detail.contains("no encrypted connection came about") {
        return diagnosis(FailureCause::NotEncrypted { host }, edit(FormPart::Address));
    }
    let known = CERTIFICATES.iter().find(|(text, _)| detail.contains(text));
    let why = known.map_or(CertificateFault::Invalid, |(_, fault)| *fault);
    diagnosis(
        FailureCause::CertificateRefused { host, why },
        edit(FormPart::Address),
    )
}

/// A server that got a header of the user refuses what is in it; any other wants a sign-in.
fn sign_in(status: u16, url: &Url, endpoint: &Endpoint) -> Option<Diagnosis> {
    let host = host(url);
    let keys: Vec<String> = endpoint
        .headers
        .iter()
        .filter(|name| is_key(name))
        .cloned()
        .collect();
    match (keys.is_empty(), status) {
        (false, _) => diagnosis(
            FailureCause::KeyRefused { headers: keys },
            edit(FormPart::Headers),
        ),
        (true, 403) => diagnosis(FailureCause::Forbidden { host }, NextStep::SignIn),
        (true, _) => diagnosis(FailureCause::SignInWanted { host }, NextStep::SignIn),
    }
}

fn is_key(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["authorization", "key", "token", "secret"]
        .iter()
        .any(|word| name.contains(word))
}

fn is_page(detail: &str, said: &str) -> bool {
    let said = said.trim_start().to_ascii_lowercase();
    detail.contains("text/html,") || (detail.contains("no MCP") && said.starts_with("<!doctype html"))
}

/// The form gets the other address only where it is on the same host, shows no password and does not give up encryption.
fn redirected(to: &str, url: &Url) -> Option<Diagnosis> {
    let target = Url::parse(to).ok()?;
    let is_near = target.host_str() == url.host_str()
        && target.username().is_empty()
        && target.password().is_none()
        && (target.scheme() == "https" || target.scheme() == url.scheme());
    let step = if is_near {
        let url = target.to_string();
        correct(FormPart::Address, Correction::Address { url })
    } else {
        edit(FormPart::Address)
    };
    let to = target.as_str().chars().take(200).collect();
    diagnosis(FailureCause::Moved { to }, step)
}

fn refused(
    status: u16,
    retry_after: Option<u32>,
    said: &str,
    url: &Url,
    endpoint: &Endpoint,
) -> Option<Diagnosis> {
    let said = said.to_ascii_lowercase();
    if matches!(status, 400 | 403 | 421) && (said.contains("invalid host") || said.contains("invalid origin"))
    {
        return diagnosis(FailureCause::HostNameRefused, edit(FormPart::Address));
    }
    match status {
        405 if endpoint.transport == TransportChoice::Streamable => {
            let transport = TransportChoice::Sse;
            let step = correct(FormPart::Transport, Correction::Transport { transport });
            diagnosis(FailureCause::OlderTransport, step)
        }
        404 | 405 | 410 => nothing_there(url),
        403 => diagnosis(
            FailureCause::Forbidden { host: host(url) },
            edit(FormPart::Headers),
        ),
        406 | 415 => diagnosis(FailureCause::FormRefused { status }, NextStep::Log),
        407 => diagnosis(FailureCause::ProxySignIn, NextStep::Retry),
        408 | 425 | 429 => diagnosis(FailureCause::AsksToWait { seconds: retry_after }, NextStep::Retry),
        503 if retry_after.is_some() => {
            diagnosis(FailureCause::AsksToWait { seconds: retry_after }, NextStep::Retry)
        }
        500..=599 => diagnosis(FailureCause::ServerBroken { status }, NextStep::Retry),
        _ => None,
    }
}

fn nothing_there(url: &Url) -> Option<Diagnosis> {
    let path = url.path().chars().take(120).collect();
    let mut usual = url.clone();
    usual.set_path(USUAL_PATH);
    let step = if url.path() == USUAL_PATH {
        edit(FormPart::Address)
    } else {
        let url = usual.to_string();
        correct(FormPart::Address, Correction::Address { url })
    };
    diagnosis(FailureCause::NothingAtPath { path }, step)
}
