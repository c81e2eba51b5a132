//! Which texts are placeholders, and which only look like some.

use super::*;

fn asked(text: &str, at: TextPlace<'_>) -> (String, Vec<String>) {
    let inputs = Inputs::default();
    let mut gaps = Gaps::new(&inputs);
    let rewritten = gaps.rewrite(text, at);
    (rewritten, gaps.fills.into_iter().map(|fill| fill.name).collect())
}

#[test]
fn every_spelling_asks_for_a_value() {
    for text in [
        "${TOKEN}",
        "$TOKEN",
        "${env:TOKEN}",
        "{env:TOKEN}",
        "${{ secrets.TOKEN }}",
        "%TOKEN%",
        "${input:TOKEN}",
        "${user_config.TOKEN}",
        "${TOKEN:-none}",
        "<TOKEN>",
    ] {
        let expected = ("${TOKEN}".to_owned(), vec!["TOKEN".to_owned()]);
        assert_eq!(asked(text, TextPlace::Word), expected, "{text}");
    }
}

#[test]
fn a_placeholder_is_found_inside_a_longer_text() {
    let (text, names) = asked("--key=${env:A}/<part of it>?%B_C%", TextPlace::Word);
    assert_eq!(text, "--key=${A}/${part of it}?${B_C}");
    assert_eq!(names, ["A", "part of it", "B_C"]);
}

#[test]
fn other_texts_are_left_alone() {
    for (text, at) in [
        ("https://example.com/%E4%BD%A0", TextPlace::Address),
        ("https://example.com/%DB_HOST%", TextPlace::Address),
        ("p$ssw0rd", TextPlace::Value("PASSWORD")),
        ("$HOME/x", TextPlace::Word),
        ("a < b > c", TextPlace::Word),
        ("100%", TextPlace::Word),
        ("%20%", TextPlace::Word),
        ("${}", TextPlace::Word),
        ("{}", TextPlace::Word),
        ("{\"a\": 1}", TextPlace::Word),
        ("your-server-name", TextPlace::Word),
        ("[\"a\"]", TextPlace::Value("LIST")),
        ("xx", TextPlace::Value("LOCALE")),
    ] {
        assert_eq!(asked(text, at), (text.to_owned(), vec![]), "{text}");
    }
}

#[test]
fn sample_values_ask_under_the_name_of_what_they_are_for() {
    for text in [
        "<your key>",
        "YOUR_API_KEY",
        "your-api-key-here",
        "xxxx",
        "sk-...",
        "ghp_xxxxxxxx",
        "",
        "CHANGEME",
    ] {
        assert_eq!(asked(text, TextPlace::Value("API_KEY")).1, ["API_KEY"], "{text}");
    }
    assert_eq!(
        asked("Bearer YOUR_TOKEN", TextPlace::Value("Authorization")).0,
        "Bearer ${Authorization}"
    );
}
