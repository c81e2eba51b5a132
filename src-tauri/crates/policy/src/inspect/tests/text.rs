//! The text around the host, before and after a parser repaired it.

use super::*;

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

#[test]
fn what_is_shown_of_a_text_is_plain_ascii() {
    assert_eq!(
        seen("https://a/\u{202e}\té").escaped,
        "https://a/\\u{202e}\\u{9}\\u{e9}"
    );
}
