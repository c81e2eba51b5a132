//! Host names: what the resolver cannot take, what only means something nearby, who registered the name, and how
//! it is shown. Whom a name resembles and which letters can be shown is decided elsewhere; here it is put together.

use super::likeness::{self, KnownDomains, Likeness};
use super::suffix::{self, is_at_or_below};
use super::{UrlFindings, UrlWarning, label};

/// Suffixes that are resolved inside a network, never by the public tree.
const NEARBY: [&str; 12] = [
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "onion",
    "private",
    "svc",
    "test",
];
/// Longest label and longest name, in bytes (RFC 1035).
const LABEL: usize = 63;
const NAME: usize = 253;
/// More labels than this before the registrable domain, or a longer one, and a user does not read the end.
const LABELS_READ: usize = 4;
const LABEL_READ: usize = 40;

/// A host name with what was found out about its parts.
struct HostName<'a> {
    /// Without the dot at its end.
    bare: &'a str,
    labels: Vec<&'a str>,
    /// How many labels at the end are the registrable domain.
    registrable: Option<usize>,
}

impl<'a> HostName<'a> {
    fn parse(host: &'a str) -> Self {
        let bare = host.strip_suffix('.').unwrap_or(host);
        let labels: Vec<&str> = bare.split('.').collect();
        let whole = !labels.iter().any(|label| label.is_empty());
        let registrable = (whole && !is_localhost(&labels))
            .then(|| suffix::registrable(bare))
            .flatten()
            .map(|domain| domain.split('.').count());
        Self {
            bare,
            labels,
            registrable,
        }
    }

    fn top(&self) -> &'a str {
        self.labels.last().copied().unwrap_or_default()
    }

    /// How many labels stand before the registrable domain.
    fn before(&self) -> usize {
        self.labels.len() - self.registrable.unwrap_or(self.labels.len())
    }

    fn is_too_long(&self) -> bool {
        self.bare.len() > NAME
            || self
                .labels
                .iter()
                .any(|label| label.is_empty() || label.len() > LABEL)
    }

    fn is_nearby(&self) -> bool {
        self.labels.len() == 1 || NEARBY.iter().any(|suffix| is_at_or_below(self.bare, suffix))
    }
}

pub(super) fn inspect(host: &str, known: &[&KnownDomains], found: &mut UrlFindings) {
    let name = HostName::parse(host);
    found.ascii_host = Some(host.to_owned());
    found.warn_if(host.ends_with('.'), UrlWarning::TrailingDot);
    found.warn_if(name.is_too_long(), UrlWarning::DnsLength);
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    found.warn_if(!host.bytes().all(plain), UrlWarning::HostChars);
    inspect_reach(&name, found);
    found.warn_if(spells_an_address(name.bare), UrlWarning::IpInName);
    let (unicode, _) = idna::domain_to_unicode(name.bare);
    let unicode: Vec<&str> = unicode.split('.').collect();
    let alike = inspect_likeness(&name, &unicode, known, found);
    show(&name, &unicode, alike, host.ends_with('.'), found);
}

fn inspect_reach(name: &HostName<'_>, found: &mut UrlFindings) {
    if is_localhost(&name.labels) {
        return found.warn(UrlWarning::Loopback);
    }
    found.warn_if(name.is_nearby(), UrlWarning::IntranetName);
    if name.labels.iter().any(|label| label.is_empty()) {
        return;
    }
    found.warn_if(
        name.registrable.is_none() && suffix::is_public(name.bare),
        UrlWarning::PublicSuffix,
    );
    found.warn_if(
        name.labels.len() > 1 && !suffix::exists(name.top()),
        UrlWarning::UnlistedTld,
    );
    let unread = name.before() > LABELS_READ || name.labels.iter().any(|label| label.len() > LABEL_READ);
    found.warn_if(
        name.registrable.is_some() && unread && !found.has(UrlWarning::DnsLength),
        UrlWarning::DeepSubdomain,
    );
}

fn is_localhost(labels: &[&str]) -> bool {
    labels.last() == Some(&"localhost")
}

/// Four numbers in a row that are an IPv4 address, whatever is between and around them.
fn spells_an_address(name: &str) -> bool {
    let octet = |part: &&str| {
        (1..=3).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u8>().is_ok()
    };
    let parts: Vec<&str> = name.split(['.', '-']).collect();
    parts.windows(4).any(|four| four.iter().all(octet))
}

fn inspect_likeness(
    name: &HostName<'_>,
    unicode: &[&str],
    known: &[&KnownDomains],
    found: &mut UrlFindings,
) -> bool {
    let Some(length) = name.registrable else {
        return false;
    };
    let likeness = likeness::find_likenesses(name.bare, unicode, length, known);
    found.warn_if(likeness.contains(&Likeness::Same), UrlWarning::Lookalike);
    found.warn_if(likeness.contains(&Likeness::Near), UrlWarning::NearKnown);
    found.warn_if(likeness.contains(&Likeness::Inside), UrlWarning::TargetEmbedding);
    likeness.contains(&Likeness::Same)
}

/// Decides label by label which form is shown. A name that looks like a known one shows none of its Unicode.
fn show(name: &HostName<'_>, unicode: &[&str], alike: bool, dot: bool, found: &mut UrlFindings) {
    let top = (name.top(), unicode.last().copied().unwrap_or_default());
    let mut shown = Vec::with_capacity(name.labels.len());
    for (ascii, unicode) in name.labels.iter().zip(unicode) {
        let encoded = ascii.starts_with("xn--");
        let refused = encoded && (alike || !label::is_safe(unicode, top));
        found.warn_if(encoded, UrlWarning::Punycode);
        found.warn_if(refused, UrlWarning::IdnUnsafe);
        shown.push(if encoded && !refused { *unicode } else { *ascii });
    }
    found.display_host = Some(shown.join(".") + if dot { "." } else { "" });
    if let Some(length) = name.registrable {
        let start = name.labels.len() - length;
        found.registrable_domain = Some(name.labels[start..].join("."));
        found.registrable_display = shown.get(start..).map(|labels| labels.join("."));
    }
}
