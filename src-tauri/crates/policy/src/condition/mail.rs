//! E-mail addresses in arguments: exactly one, in the plain form every mail server reads in one way. A name beside it,
//! quotes, a list, a route (`a%b@c`, `a!b@c`) or letters outside ASCII are not judged.

use super::{Judged, NoCondition};

/// Longest address and longest part before the `@`, in bytes (RFC 5321).
const LONGEST: usize = 254;
const LONGEST_LOCAL: usize = 64;

/// `wanted` lists addresses, and domains with an `@` before them.
pub(super) fn check(wanted: &[String]) -> Result<(), NoCondition> {
    wanted
        .iter()
        .all(|one| {
            split(one)
                .is_some_and(|(local, domain)| (local.is_empty() || is_local(local)) && is_domain(domain))
        })
        .then_some(())
        .ok_or(NoCondition::Mail)
}

pub(super) fn judge(wanted: &[String], text: &str) -> Judged {
    let address = split(text).filter(|(local, domain)| is_local(local) && is_domain(domain));
    let Some((local, domain)) = address else {
        return Judged::Unclear;
    };
    let judged: Vec<Judged> = wanted
        .iter()
        .filter_map(|one| split(one))
        .filter(|(_, at)| at.eq_ignore_ascii_case(domain))
        .map(|(wanted, _)| judge_local(wanted, local))
        .collect();
    [Judged::Passes, Judged::Unclear]
        .into_iter()
        .find(|judgement| judged.contains(judgement))
        .unwrap_or(Judged::Fails)
}

/// Whether an address of the wanted domain is the wanted one by its local part; an empty one stands for all.
fn judge_local(wanted: &str, local: &str) -> Judged {
    if wanted.is_empty() || wanted == local {
        Judged::Passes
    } else if wanted.eq_ignore_ascii_case(local) {
        // Most servers read both as one address, and some do not.
        Judged::Unclear
    } else {
        Judged::Fails
    }
}

fn split(address: &str) -> Option<(&str, &str)> {
    (address.len() <= LONGEST)
        .then(|| address.rsplit_once('@'))
        .flatten()
}

fn is_local(local: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    (1..=LONGEST_LOCAL).contains(&local.len())
        && local.bytes().all(allowed)
        && !local.starts_with(['.', '-'])
        && !local.ends_with('.')
        && !local.contains("..")
}

fn is_domain(domain: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    domain.contains('.') && domain.split('.').all(label)
}
