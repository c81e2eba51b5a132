//! Hosts: addresses by what they reach, names by where they mean something and whom they imitate.

use super::*;

/// EU-008.
#[test]
fn an_address_is_judged_by_what_it_reaches() {
    use UrlWarning::{InsecureHttp, IpLiteral, IpNoncanonical, Loopback, PrivateAddress};
    check("https://[::1]/", &[IpLiteral, Loopback]);
    check("https://[0:0::1]/", &[IpLiteral, IpNoncanonical, Loopback]);
    check("https://[::ffff:7f00:1]/", &[IpLiteral, Loopback]);
    check("https://[::ffff:a00:1]/", &[IpLiteral, PrivateAddress]);
    check("https://[::ffff:808:808]/", &[IpLiteral]);
    check("https://[2002:a00:1::]/", &[IpLiteral, PrivateAddress]);
    check("https://[2002:808:808::]/", &[IpLiteral]);
    check("https://[64:ff9b::808:808]/", &[IpLiteral]);
    check("https://[64:ff9b:1::808:808]/", &[IpLiteral, PrivateAddress]);
    check("https://[2001::1]/", &[IpLiteral, PrivateAddress]);
    check("https://[2001:1ff:ffff::]/", &[IpLiteral, PrivateAddress]);
    check("https://[2001:200::]/", &[IpLiteral]);
    check("https://[2001:db8::1]/", &[IpLiteral, PrivateAddress]);
    check("https://[3fff:fff::]/", &[IpLiteral, PrivateAddress]);
    check("https://[3fff:1000::]/", &[IpLiteral]);
    check("https://[1fff::]/", &[IpLiteral, PrivateAddress]);
    check("https://[4000::]/", &[IpLiteral, PrivateAddress]);
    check(
        "http://2130706433/",
        &[IpLiteral, IpNoncanonical, Loopback, InsecureHttp],
    );
    for private in [
        "0.1.2.3",
        "10.255.255.255",
        "100.127.255.255",
        "169.254.169.254",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.255",
        "192.88.99.1",
        "192.168.255.255",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "255.255.255.255",
    ] {
        check(&format!("https://{private}/"), &[IpLiteral, PrivateAddress]);
    }
    for public in [
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.0.0.1",
        "128.0.0.1",
        "169.253.0.1",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.167.0.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
    ] {
        check(&format!("https://{public}/"), &[IpLiteral]);
    }
}

/// EU-007, EU-008.
#[test]
fn a_name_is_judged_by_where_it_means_something() {
    use UrlWarning::{
        DeepSubdomain, DnsLength, HostChars, IntranetName, IpInName, Loopback, PublicSuffix, TrailingDot,
        UnlistedTld,
    };
    check("https://localhost./", &[Loopback, TrailingDot]);
    check("https://localhost.com/", &[]);
    check("https://box.internal/", &[IntranetName, UnlistedTld]);
    check("https://x.test/", &[IntranetName, UnlistedTld]);
    for inner in ["home", "intranet", "localdomain", "private", "lan", "corp"] {
        check(&format!("https://box.{inner}/"), &[IntranetName, UnlistedTld]);
        check(&format!("https://{inner}.com/"), &[]);
    }
    check("https://internal.com/", &[]);
    check("https://mylocal/", &[IntranetName]);
    check("https://a.mylocal/", &[UnlistedTld]);
    check("https://co.uk/", &[PublicSuffix]);
    check("https://s3.amazonaws.com/", &[PublicSuffix]);
    check("https://a.b.ck/", &[]);
    check("https://10.0.0.1.nip.io/", &[IpInName]);
    check("https://app-10-0-0-1-x.nip.io/", &[IpInName]);
    check("https://10.0.0.256.nip.io/", &[]);
    check("https://1-2-3.nip.io/", &[]);
    check("https://1.2.3.4.5.example.com/", &[IpInName, DeepSubdomain]);
    check("https://a.b.c.d.example.com/", &[]);
    check("https://a.b.c.d.e.example.com/", &[DeepSubdomain]);
    check(&format!("https://{}.example.com/", "a".repeat(40)), &[]);
    check(
        &format!("https://{}.example.com/", "a".repeat(41)),
        &[DeepSubdomain],
    );
    check(
        &format!("https://{}.example.com/", "a".repeat(63)),
        &[DeepSubdomain],
    );
    check(&format!("https://{}.example.com/", "a".repeat(64)), &[DnsLength]);
    let long = |last: usize| {
        let labels = [63, 63, 63, last].map(|length| "a".repeat(length));
        format!("https://{}.com/", labels.join("."))
    };
    check(&long(57), &[DeepSubdomain]);
    check(&long(58), &[DnsLength]);
    check("https://a..example.com/", &[DnsLength]);
    check("https://a~b.example.com/", &[HostChars]);
    assert_eq!(
        seen("https://a.evil.github.io/x").registrable_domain.unwrap(),
        "evil.github.io"
    );
}

/// EU-008.
#[test]
fn whoever_imitates_a_known_domain_is_found_out() {
    use UrlWarning::{IdnUnsafe, Lookalike, NearKnown, Punycode, TargetEmbedding};
    check("https://www.g00gle.com/", &[Lookalike]);
    check("https://g\u{f8}\u{f8}gle.com/", &[Lookalike, IdnUnsafe, Punycode]);
    check("https://muller.de/", &[Lookalike]);
    check("https://müller.de/", &[Punycode]);
    check("https://sub.google.com/", &[]);
    check("https://gogle.com/", &[NearKnown]);
    check("https://gooogle.com/", &[NearKnown]);
    check("https://goolge.com/", &[NearKnown]);
    check("https://googla.com/", &[NearKnown]);
    check("https://google.co/", &[NearKnown]);
    check("https://ggooggle.com/", &[]);
    check("https://gozole.com/", &[]);
    check("https://gogxle.com/", &[]);
    check("https://t.cc/", &[]);
    check("https://google.com.evil.example/", &[TargetEmbedding]);
    check("https://g00gle.com.evil.example/", &[TargetEmbedding]);
    check("https://paypal.com-login.info/", &[TargetEmbedding]);
    check("https://paypal-com.info/", &[TargetEmbedding]);
    check("https://google.evil.example/", &[]);
    check("https://evil.example/google.com", &[]);
    let nobody = KnownDomains::default();
    let asking = UrlContext {
        asking: Some("mcp.acme-tools.com"),
        ..UrlContext::new(UrlSource::RemoteServer, &nobody)
    };
    let copy = inspect("https://acme-too1s.com/", &asking);
    assert_eq!(copy.warnings, [Lookalike], "the server that asks counts as known");
    for own in ["acme-tools.com", "docs.acme-tools.com", "a.b.acme-tools.com"] {
        let page = inspect(&format!("https://{own}/"), &asking);
        assert_eq!(page.warnings, [], "its neighbours belong to the same owner");
    }
    let addresses = KnownDomains::new(["10.0.0.1", "[::1]", "com"]);
    assert!(
        !addresses.covers("10.0.0.1") && !addresses.covers("com"),
        "these are nobody's names"
    );
}

/// The two ways to a skeleton are one: what is plain needs no tables.
#[test]
fn the_short_way_to_a_skeleton_leads_to_the_same_one() {
    let plain = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    let mapped: String = unicode_security::skeleton(plain)
        .flat_map(char::to_lowercase)
        .collect();
    assert_eq!(likeness::skeletons(plain), [mapped.clone(), mapped]);
}

/// L-17: a name like that of one of the user's servers is said, and such a server makes no look-alike harmless.
#[test]
fn names_like_those_of_the_users_servers_are_found() {
    let hosts = ["mcp.tidewater.example.com", "mcp.paypa1.com"];
    let known = KnownDomains::new(WELL_KNOWN).with_servers(hosts);
    let warnings = |url: &str| inspect(url, &UrlContext::new(UrlSource::RemoteServer, &known)).warnings;
    let tidewater = KnownDomains::new(WELL_KNOWN).with_servers(["mcp.tidewater.com"]);
    let near = |url: &str| inspect(url, &UrlContext::new(UrlSource::RemoteServer, &tidewater)).warnings;
    assert!(near("https://tidewatar.com/login").contains(&UrlWarning::NearKnown));
    assert!(near("https://tidewater.com.evil.com/login").contains(&UrlWarning::TargetEmbedding));
    assert_eq!(near("https://login.tidewater.com/"), []);
    assert!(
        !warnings("https://login.paypa1.com/").is_empty(),
        "it still looks like another"
    );
}
