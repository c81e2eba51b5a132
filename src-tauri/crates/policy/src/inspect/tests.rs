//! The inspector against a list of rows whose facts were worked out by hand, and against what others publish.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

/// One URL, and what has to be found out about it in each place.
#[derive(Deserialize)]
struct Row {
    url: String,
    /// A character that follows, and how often.
    then: Option<(String, usize)>,
    host: Option<String>,
    shown: Option<String>,
    domain: Option<String>,
    domain_shown: Option<String>,
    warnings: BTreeSet<UrlWarning>,
    verdicts: [UrlVerdict; 3],
}

#[derive(Deserialize)]
struct Fixture {
    known: Vec<String>,
}

fn rows() -> (KnownDomains, Vec<Row>) {
    let text = include_str!("../../tests/data/urls.jsonl");
    let mut lines = text.lines();
    let fixture: Fixture = serde_json::from_str(lines.next().unwrap()).unwrap();
    let rows = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    (KnownDomains::new(fixture.known), rows)
}

const PLACES: [Place; 3] = [Place::RemoteServer, Place::LocalServer, Place::OauthEndpoint];

/// EU-006, EU-007, EU-008, EU-011, AU-051.
#[test]
fn every_row_is_seen_for_what_it_is() {
    let (known, rows) = rows();
    let mut wrong = vec![];
    for row in &rows {
        let url = match &row.then {
            Some((more, count)) => row.url.clone() + &more.repeat(*count),
            None => row.url.clone(),
        };
        for (place, verdict) in PLACES.into_iter().zip(row.verdicts) {
            let seen = inspect(&url, &Context::new(place, &known));
            let warnings: BTreeSet<_> = seen.warnings.iter().copied().collect();
            let domain_shown = row.domain_shown.as_ref().or(row.domain.as_ref());
            if (&seen.ascii_host, &seen.display_host, &seen.registrable_domain)
                != (&row.host, &row.shown, &row.domain)
                || seen.registrable_display.as_ref() != domain_shown
                || warnings != row.warnings
                || seen.verdict != verdict
            {
                wrong.push(format!(
                    "{} in {place:?}: {seen:?}, wanted {:?} {verdict:?}",
                    row.url, row.warnings
                ));
            }
        }
    }
    assert!(rows.len() > 150);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn seen(url: &str) -> UrlInspection {
    let known = KnownDomains::new(["google.com", "github.com", "paypal.com", "müller.de", "t.co"]);
    inspect(url, &Context::new(Place::RemoteServer, &known))
}

#[track_caller]
fn check(url: &str, warnings: &[UrlWarning]) {
    let found: BTreeSet<UrlWarning> = seen(url).warnings.into_iter().collect();
    assert_eq!(found, warnings.iter().copied().collect(), "{url}");
}

/// EU-011, AU-051.
#[test]
fn only_an_absolute_web_address_has_a_form_that_can_be_opened() {
    use UrlWarning::{InvalidUrl, SchemeNotAllowed};
    check("javascript:alert(1)", &[SchemeNotAllowed]);
    check("vbscript:x", &[SchemeNotAllowed]);
    check("github.com:443/x", &[SchemeNotAllowed]);
    check("/relative", &[InvalidUrl]);
    check("", &[InvalidUrl]);
    check("https://", &[InvalidUrl]);
    for url in ["javascript:alert(1)", "", "https://paypa1.com/"] {
        assert_eq!(seen(url).to_open(), None, "{url}");
    }
    assert_eq!(
        seen("HTTPS://Example.com").to_open(),
        Some("https://example.com/")
    );
}

/// EU-008.
#[test]
fn what_a_parser_repairs_in_silence_is_said() {
    use UrlWarning::{ControlChars, HiddenUnicode, ParserDifferential, Userinfo};
    check("https:example.com", &[ParserDifferential]);
    check("https:/example.com", &[ParserDifferential]);
    check("https:///example.com/", &[ParserDifferential]);
    check("https:/\\example.com/", &[ParserDifferential]);
    check("https://example.com/a\\b", &[ParserDifferential]);
    check("https://example.com/?a=b\\c#d\\e", &[]);
    check("https://@example.com/", &[Userinfo]);
    check("https://:@example.com/", &[Userinfo]);
    check("https://example.com/a@b?c@d", &[]);
    check("https://example\u{3002}com/", &[ParserDifferential]);
    check("https://EXAMPLE.com/", &[]);
    check("https://example.com/\u{a0}", &[HiddenUnicode]);
    check("https://example.com/\u{85}", &[ControlChars]);
    check("https://example.com/ ", &[ControlChars]);
    check("https://example.com/\u{e0041}", &[HiddenUnicode]);
    check("https://example.com/日本", &[]);
}

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
    check("https://t.cc/", &[]);
    check("https://google.com.evil.example/", &[TargetEmbedding]);
    check("https://g00gle.com.evil.example/", &[TargetEmbedding]);
    check("https://paypal.com-login.info/", &[TargetEmbedding]);
    check("https://paypal-com.info/", &[TargetEmbedding]);
    check("https://google.evil.example/", &[]);
    check("https://evil.example/google.com", &[]);
    let nobody = KnownDomains::default();
    let asking = Context {
        asking: Some("mcp.acme-tools.com"),
        ..Context::new(Place::RemoteServer, &nobody)
    };
    let copy = inspect("https://acme-too1s.com/", &asking);
    assert_eq!(copy.warnings, [Lookalike], "the server that asks counts as known");
}

/// EU-008.
#[test]
fn escapes_and_ports_and_lengths_are_read_too() {
    use UrlWarning::{
        BadPort, LongUrl, NonstandardPort, ShellMetachar, SuspiciousEscapes, UrlInPath, UrlTooLong,
    };
    check("https://example.com/?q=%00", &[SuspiciousEscapes]);
    check("https://example.com/#%E2%81%A6", &[SuspiciousEscapes]);
    check("https://example.com/%C2%85", &[SuspiciousEscapes]);
    check("https://example.com/%20%C3%A9%F0%9F%98%80", &[]);
    check("https://example.com/%2", &[ShellMetachar]);
    check("https://example.com/%zz", &[ShellMetachar]);
    check("https://example.com/${HOME}", &[ShellMetachar]);
    check("https://example.com/$5", &[]);
    check("https://example.com:443/", &[]);
    check("https://example.com:80/", &[NonstandardPort]);
    check("https://example.com:10080/", &[NonstandardPort, BadPort]);
    check("https://example.com/x/HTTP://a/b", &[UrlInPath]);
    check("https://example.com/?u=https://a/b", &[]);
    let url = |length: usize| {
        let start = "https://example.com/";
        start.to_owned() + &"a".repeat(length - start.len())
    };
    check(&url(2048), &[]);
    check(&url(2049), &[LongUrl]);
    check(&url(8192), &[LongUrl]);
    check(&url(8193), &[UrlTooLong]);
    assert!(seen(&url(READABLE)).canonical.is_some());
    let unread = seen(&url(READABLE + 1));
    assert_eq!((unread.warnings, unread.canonical), (vec![UrlTooLong], None));
}

/// EU-007: the part somebody registered can be pointed at.
#[test]
fn the_emphasis_falls_on_the_registrable_domain() {
    for (url, domain) in [
        ("https://github.com.github.com/github.com", "github.com"),
        ("http://user@a.example.co.uk:81/", "example.co.uk"),
        ("https://8.8.8.8/", "8.8.8.8"),
        ("https://bücher.de/", "xn--bcher-kva.de"),
    ] {
        let seen = seen(url);
        let (start, end) = seen.emphasis.unwrap();
        let text = &seen.canonical.unwrap()[start as usize..end as usize];
        assert_eq!(text, domain);
    }
    assert_eq!(seen("https://github.com.github.com/").emphasis, Some((19, 29)));
}

/// AU-051: only the switch opens the way, and only to this computer.
#[test]
fn an_authorization_server_on_this_computer_needs_the_switch() {
    let known = KnownDomains::default();
    let strict = Context::new(Place::OauthEndpoint, &known);
    let switched = Context {
        loopback_authorization: true,
        ..strict
    };
    let verdict = |url, context| inspect(url, context).verdict;
    for url in ["http://127.0.0.1:9000/authorize", "http://localhost:9000/"] {
        assert_eq!(verdict(url, &strict), UrlVerdict::Block, "{url}");
        assert_eq!(verdict(url, &switched), UrlVerdict::Warn, "{url}");
    }
    for url in [
        "http://10.0.0.1/",
        "http://example.com/",
        "http://127.1/",
        "http://a@127.0.0.1/",
    ] {
        assert_eq!(verdict(url, &switched), UrlVerdict::Block, "{url}");
    }
}

#[test]
fn the_weightiest_warning_stands_first() {
    let warnings = seen("http://paypa1.com:81/").warnings;
    use UrlWarning::{InsecureHttp, Lookalike, NonstandardPort};
    assert_eq!(warnings, [Lookalike, InsecureHttp, NonstandardPort]);
}

#[test]
fn what_is_shown_of_a_text_is_plain_ascii() {
    assert_eq!(
        seen("https://a/\u{202e}\té").escaped,
        "https://a/\\u{202e}\\u{9}\\u{e9}"
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

fn any_url() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("https://".to_owned()),
        Just("http:".to_owned()),
        Just("xn--".to_owned()),
        Just("google.com".to_owned()),
        Just("%E2%80%AE".to_owned()),
        Just("[::1]".to_owned()),
        Just("127.1".to_owned()),
        Just(".".to_owned()),
        Just("@".to_owned()),
        Just("/".to_owned()),
        Just("\\".to_owned()),
        Just(":".to_owned()),
        Just("%".to_owned()),
        any::<char>().prop_map(String::from),
        "[a-z0-9-]{1,8}",
        "[а-яα-ωа-ת가-힣ก-๛]{1,4}",
        "[\u{300}-\u{340}]",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// How many random URLs the tests try; `make differential` asks for a million.
fn cases() -> u32 {
    std::env::var("VESTIBULE_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(10_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_read_to_its_end(text in any_url(), after_scheme in any::<bool>()) {
        let text = if after_scheme { format!("https://{text}") } else { text };
        let found = seen(&text);
        prop_assert!(found.escaped.is_ascii());
        prop_assert!(found.canonical.as_deref().is_none_or(str::is_ascii));
        prop_assert!(found.ascii_host.is_none() || found.canonical.is_none() || found.display_host.is_some());
        prop_assert_eq!(found.verdict == UrlVerdict::Ok, found.warnings.is_empty());
        // What may be opened says the same when it is read once more.
        if let Some(canonical) = found.to_open() {
            let again = seen(canonical);
            prop_assert_eq!(again.canonical.as_deref(), Some(canonical));
            prop_assert_eq!(again.ascii_host, found.ascii_host);
            prop_assert_eq!(again.registrable_domain, found.registrable_domain);
        }
    }
}
