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

const PLACES: [UrlSource; 3] = [
    UrlSource::RemoteServer,
    UrlSource::LocalServer,
    UrlSource::OauthEndpoint,
];

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
            let seen = inspect(&url, &UrlContext::new(place, &known));
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
    inspect(url, &UrlContext::new(UrlSource::RemoteServer, &known))
}

#[track_caller]
fn check(url: &str, warnings: &[UrlWarning]) {
    let found: BTreeSet<UrlWarning> = seen(url).warnings.into_iter().collect();
    assert_eq!(found, warnings.iter().copied().collect(), "{url}");
}

/// AU-051: only the switch opens the way, and only to this computer.
#[test]
fn an_authorization_server_on_this_computer_needs_the_switch() {
    let known = KnownDomains::default();
    let strict = UrlContext::new(UrlSource::OauthEndpoint, &known);
    let switched = UrlContext {
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

mod host;
mod published;
mod text;

#[test]
fn names_that_a_reader_cannot_tell_apart_look_the_same() {
    for (one, other) in [
        ("notes", "Notes"),
        ("notes", "n\u{43e}tes"),
        ("notes", "no\u{200b}tes"),
        ("my notes", "mynotes"),
        ("mail", "rnail"),
        ("file1", "filel"),
        ("f0lder_1", "folder_l"),
    ] {
        assert!(looks_same(one, other) && looks_same(other, one), "{one} {other}");
    }
    for (one, other) in [
        ("notes", "note"),
        ("notes-2", "notes-3"),
        ("a-b", "a_b"),
        ("cafe", "café"),
        ("天气", "天氣"),
    ] {
        assert!(!looks_same(one, other), "{one} {other}");
    }
}
