//! What a URL really says, before a user or an HTTP client acts on it. One pure function reads the text as it was
//! written and as a browser would read it, and names everything that could make a reader believe in another host.
//! It looks nothing up and opens nothing, and it does not say that a host can be trusted: a name may lead anywhere,
//! so the code that connects judges the address once more. No words for people are made here, only facts.

mod address;
mod escape;
mod extras;
mod label;
mod likeness;
mod name;
mod script;
mod suffix;
mod warning;
mod well_known;
mod written;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

pub use address::{AddressKind, kind_of};
pub use likeness::{KnownDomains, looks_same, plain_letters};
pub use warning::{UrlVerdict, UrlWarning};
pub use well_known::WELL_KNOWN;

use written::Written;

/// Longest text that is taken apart, in bytes; anything longer is refused unread.
const READABLE: usize = 64 * 1024;

/// Who wants the URL used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrlSource {
    /// A server on another computer asks for a page.
    RemoteServer,
    /// A server on this computer asks for a page; it may mean a page of its own.
    LocalServer,
    /// An endpoint of an authorization server, or where one is looked for.
    OauthEndpoint,
}

/// What surrounds the URL.
#[derive(Clone, Copy, Debug)]
pub struct UrlContext<'a> {
    /// Who wants it used.
    pub place: UrlSource,
    /// Domains that others may want to look like. See [`WELL_KNOWN`].
    pub known: &'a KnownDomains,
    /// Host of the server that asks, where it has one: it counts as known.
    pub asking: Option<&'a str>,
    /// The user switched on that an authorization server may run on this very computer.
    pub loopback_authorization: bool,
}

impl<'a> UrlContext<'a> {
    /// The usual context: no particular asker, and no switch is on.
    #[must_use]
    pub fn new(place: UrlSource, known: &'a KnownDomains) -> Self {
        Self {
            place,
            known,
            asking: None,
            loopback_authorization: false,
        }
    }
}

/// The facts about one URL, for cards, for the code that opens it, and for the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct UrlInspection {
    /// The URL as a browser would write it: ASCII, and the only form that is ever opened. `None` where the text is
    /// no absolute http or https URL.
    pub canonical: Option<String>,
    /// The text as it came, with everything that is not plain visible ASCII written as `\u{…}`. Safe to show.
    pub escaped: String,
    /// The host in ASCII; an IPv6 address stands in brackets.
    pub ascii_host: Option<String>,
    /// The host as it may be shown: a label that could deceive stays in its `xn--` form.
    pub display_host: Option<String>,
    /// The registered part of the host, in ASCII. An address or a name of this network has none.
    pub registrable_domain: Option<String>,
    /// The same as it may be shown.
    pub registrable_display: Option<String>,
    /// Where in `canonical` the registrable domain (or the whole host, where there is none) stands: first byte, and
    /// the byte after the last.
    pub emphasis: Option<(u32, u32)>,
    /// The port, where the URL names one that is not its scheme's.
    pub port: Option<u16>,
    /// What is odd, the weightiest first.
    pub warnings: Vec<UrlWarning>,
    /// What follows from the warnings in this context.
    pub verdict: UrlVerdict,
}

impl UrlInspection {
    /// The URL to open, unless it is blocked.
    #[must_use]
    pub fn to_open(&self) -> Option<&str> {
        self.canonical
            .as_deref()
            .filter(|_| self.verdict != UrlVerdict::Block)
    }
}

/// Reads `raw` as a browser would and says what is odd about it.
#[must_use]
pub fn inspect(raw: &str, context: &UrlContext<'_>) -> UrlInspection {
    let mut found = UrlFindings::default();
    if raw.len() > READABLE {
        let beginning: String = raw.chars().take(256).collect();
        found.warn(UrlWarning::UrlTooLong);
        return found.conclude(&beginning, context);
    }
    written::inspect_raw(raw, &mut found);
    inspect_parsed(raw, context, &mut found);
    found.conclude(raw, context)
}

/// Inspects the address as a browser reads it.
fn inspect_parsed(raw: &str, context: &UrlContext<'_>, found: &mut UrlFindings) {
    let written = Written::parse(raw);
    match Url::parse(raw) {
        Err(_) => {
            found.warn(UrlWarning::InvalidUrl);
            extras::inspect_length(raw.len(), found);
        }
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            found.warn(UrlWarning::SchemeNotAllowed);
            found.ascii_host = url.host_str().map(str::to_owned);
            extras::inspect_length(raw.len(), found);
        }
        Ok(url) => inspect_web(&url, &written, context, found),
    }
}

fn inspect_web(url: &Url, written: &Written, context: &UrlContext<'_>, found: &mut UrlFindings) {
    found.warn_if(url.scheme() == "http", UrlWarning::InsecureHttp);
    written.inspect(found);
    let asking = KnownDomains::new(context.asking);
    match url.host() {
        Some(Host::Ipv4(ip)) => address::inspect(ip.into(), url.host_str(), written, found),
        Some(Host::Ipv6(ip)) => address::inspect(ip.into(), url.host_str(), written, found),
        Some(Host::Domain(host)) => name::inspect(host, &[context.known, &asking], found),
        // The parser gives every http and https URL a host.
        None => found.warn(UrlWarning::InvalidUrl),
    }
    extras::inspect(url, written, &[context.known, &asking], found);
    found.emphasis = emphasis(url, found.registrable_domain.as_deref());
    found.canonical = Some(url.as_str().to_owned());
}

/// Where the registrable domain stands in the canonical text.
fn emphasis(url: &Url, registrable: Option<&str>) -> Option<(u32, u32)> {
    let host = url.host_str()?;
    let before = &url[..url::Position::BeforeHost];
    let (start, length) = match registrable {
        Some(part) => (before.len() + host.rfind(part)?, part.len()),
        None => (before.len(), host.len()),
    };
    Some((u32::try_from(start).ok()?, u32::try_from(start + length).ok()?))
}

/// The inspection while it is being made.
#[derive(Debug, Default)]
struct UrlFindings {
    canonical: Option<String>,
    ascii_host: Option<String>,
    display_host: Option<String>,
    registrable_domain: Option<String>,
    registrable_display: Option<String>,
    emphasis: Option<(u32, u32)>,
    port: Option<u16>,
    warnings: BTreeSet<UrlWarning>,
}

impl UrlFindings {
    fn warn(&mut self, warning: UrlWarning) {
        self.warnings.insert(warning);
    }

    fn warn_if(&mut self, condition: bool, warning: UrlWarning) {
        if condition {
            self.warn(warning);
        }
    }

    fn has(&self, warning: UrlWarning) -> bool {
        self.warnings.contains(&warning)
    }

    fn conclude(self, raw: &str, context: &UrlContext<'_>) -> UrlInspection {
        let verdict = warning::verdict(&self.warnings, context);
        let mut warnings: Vec<UrlWarning> = self.warnings.into_iter().collect();
        // The set is in the order of weight within one severity already, and the sort is stable.
        warnings.sort_by_key(|warning| std::cmp::Reverse(warning.severity(context)));
        UrlInspection {
            canonical: self.canonical,
            escaped: escape::visible(raw),
            ascii_host: self.ascii_host,
            display_host: self.display_host,
            registrable_domain: self.registrable_domain,
            registrable_display: self.registrable_display,
            emphasis: self.emphasis,
            port: self.port,
            warnings,
            verdict,
        }
    }
}

#[cfg(test)]
mod tests;
