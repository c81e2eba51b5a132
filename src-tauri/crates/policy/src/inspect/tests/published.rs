//! The inspector reads URLs and names as the rest of the world does: the tests of WHATWG and Unicode, as far as they
//! speak of absolute web addresses. Where they differ from the parser we build on, the difference is named here.

use serde_json::Value;

use super::super::*;

fn lines(text: &'static str) -> impl Iterator<Item = Value> {
    text.lines()
        .skip_while(|line| line.starts_with('#'))
        .map(|line| serde_json::from_str(line).unwrap())
}

fn seen(url: &str) -> UrlInspection {
    inspect(
        url,
        &UrlContext::new(UrlSource::RemoteServer, &KnownDomains::default()),
    )
}

#[test]
fn urls_mean_what_the_web_platform_tests_say() {
    let mut count = 0;
    for row in lines(include_str!("../../../tests/data/whatwg.jsonl")) {
        let written = row[0].as_str().unwrap();
        let seen = seen(written);
        assert_eq!(seen.canonical.as_deref(), row[1].as_str(), "{written:?}");
        assert_eq!(seen.ascii_host.as_deref(), row[2].as_str(), "{written:?}");
        assert_eq!(
            seen.warnings.contains(&UrlWarning::InvalidUrl),
            row[1].is_null(),
            "{written:?}"
        );
        count += 1;
    }
    assert!(count > 250);
}

/// Names that Unicode's tests refuse and our parser takes: two that are encoded twice, which are never shown decoded,
/// and four with characters that were assigned after those tests were written.
const TAKEN: [&str; 6] = [
    "xn--xn--a--gua.pt",
    "xn--xn---epa",
    "xn--5cb172r175fug38a.xn--mlj",
    "xn--20-9802c.xn--0w5a.xn--1-eg4e.",
    "xn--9-i0j5967eg3qz.ss",
    "xn--t92s.xn--znb.xn--5-y88f",
];

#[test]
fn names_mean_what_the_tests_of_unicode_say() {
    let mut wrong = vec![];
    let mut count = 0;
    for row in lines(include_str!("../../../tests/data/idna.jsonl")) {
        let name = row[0].as_str().unwrap().to_owned();
        // A name that ends in a number is an address to a browser, and an empty one is no host.
        let expected = row[1].as_str().filter(|host| !host.is_empty());
        let last = expected.unwrap_or(&name).trim_end_matches('.').rsplit('.').next();
        if last.is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit())) {
            continue;
        }
        let host = seen(&format!("https://{name}/")).ascii_host;
        if host.as_deref() != expected {
            wrong.push(name);
        }
        count += 1;
    }
    assert!(count > 1000);
    assert_eq!(wrong, TAKEN);
    for name in TAKEN {
        let seen = seen(&format!("https://{name}/"));
        assert!(seen.warnings.contains(&UrlWarning::IdnUnsafe), "{name}");
    }
}
