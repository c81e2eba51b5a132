//! Web addresses in arguments, by the host they lead to. An address with anything wrong about it is not judged:
//! where two programs could read two hosts out of it, no rule can know which of them will be asked.

use super::{Judged, NoCondition};
use crate::inspect::{KnownDomains, UrlContext, UrlSource, UrlVerdict, UrlWarning, inspect};

pub(super) fn check(hosts: &[String]) -> Result<(), NoCondition> {
    hosts
        .iter()
        .all(|host| is_owned(host))
        .then_some(())
        .ok_or(NoCondition::Host)
}

/// A registered host in its canonical spelling: not a public suffix, not an address.
fn is_owned(host: &str) -> bool {
    let nobody = KnownDomains::default();
    let seen = inspect(
        &format!("https://{host}/"),
        &UrlContext::new(UrlSource::RemoteServer, &nobody),
    );
    seen.ascii_host.as_deref() == Some(host)
        && seen.registrable_domain.is_some()
        && seen.verdict != UrlVerdict::Block
        && !seen.warnings.contains(&UrlWarning::TrailingDot)
}

pub(super) fn judge(hosts: &[String], url: &str) -> Judged {
    if has_second_host(url) {
        return Judged::Unclear;
    }
    let nobody = KnownDomains::default();
    let seen = inspect(url, &UrlContext::new(UrlSource::RemoteServer, &nobody));
    match (seen.verdict, seen.ascii_host) {
        (UrlVerdict::Block, _) | (_, None) => Judged::Unclear,
        (_, Some(host)) => {
            let host = host.strip_suffix('.').unwrap_or(&host);
            let below = |root: &String| {
                let before = host.strip_suffix(root.as_str());
                before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
            };
            Judged::from_bool(hosts.iter().any(below))
        }
    }
}

/// Whether some programs read another host out of it than a browser: they take what stands before an `@` for a name and
/// password up to the first slash, also behind a `?` or `#`, or read letters outside ASCII by older rules.
fn has_second_host(url: &str) -> bool {
    let before_path = url.split_once("://").map_or(url, |(_, after)| after);
    let before_path = before_path.split('/').next().unwrap_or_default();
    let host = before_path.split(['?', '#']).next().unwrap_or_default();
    !host.is_ascii() || (before_path.len() > host.len() && before_path.contains('@'))
}
