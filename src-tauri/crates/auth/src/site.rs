//! Whose an address is. Hosts under one registrable domain (login.example.com and auth.example.com) have one owner;
//! what stands under a shared suffix (a.github.io and b.github.io) has not. The public suffix list is compiled in.

use url::{Host, Url};

use vestibule_egress::is_loopback;

/// Whether two addresses have the same owner: one registrable domain, one host, or both on this computer.
pub(crate) fn same_site(one: &Url, other: &Url) -> bool {
    if is_loopback(one) || is_loopback(other) {
        return is_loopback(one) && is_loopback(other);
    }
    match (owned(one), owned(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.host().is_some() && one.host() == other.host(),
    }
}

/// The registrable domain of a named host.
fn owned(address: &Url) -> Option<String> {
    match address.host()? {
        Host::Domain(name) => psl::domain_str(name.strip_suffix('.').unwrap_or(name)).map(str::to_owned),
        Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let read = |text: &str| Url::parse(text).unwrap();
        let found = same_site(&read(one), &read(other));
        assert_eq!(same_site(&read(other), &read(one)), found, "{one} {other}");
        found
    }

    #[test]
    fn hosts_of_one_registrable_domain_are_one_site_and_others_are_not() {
        for (one, other) in [
            ("https://login.example.com", "https://auth.example.com/token"),
            ("https://example.com", "https://a.b.example.com:8443"),
            ("https://example.com.", "https://www.example.com"),
            ("https://login.example.co.uk", "https://example.co.uk"),
            ("http://127.0.0.1:1", "http://localhost:2"),
            ("http://[::1]:1", "http://127.0.0.1:1"),
            ("https://203.0.113.7", "https://203.0.113.7:8443"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("https://login.attacker.example", "https://accounts.real.example"),
            ("https://example.com.evil.test", "https://example.com"),
            ("https://notexample.com", "https://example.com"),
            ("https://a.github.io", "https://b.github.io"),
            ("https://one.co.uk", "https://two.co.uk"),
            ("https://203.0.113.7", "https://203.0.113.8"),
            ("http://localhost:1", "https://example.com"),
            ("http://127.0.0.1", "https://10.0.0.1"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }
}
