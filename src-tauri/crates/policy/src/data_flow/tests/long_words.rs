//! Words that are longer than a value that is kept: base64, tokens, a line of Chinese.

use super::*;

/// A word of 6,000 bytes in which no two places look alike.
fn token() -> String {
    (0..1500).map(|number| format!("{number:04x}")).collect()
}

fn index_of(mail: ServerId, text: &str) -> TaintIndex {
    let mut index = TaintIndex::default();
    index.index_result(mail, "read", &json!(text));
    index
}

fn is_found(index: &TaintIndex, to: ServerId, text: &str) -> bool {
    let flow = index.find_tainted(to, &json!({ "text": text }));
    assert!(!flow.too_much);
    !flow.carried.is_empty()
}

#[test]
fn a_word_longer_than_a_kept_value_is_found() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    for word in ["aB3x".repeat(1250), "汉".repeat(2000), token()] {
        let index = index_of(mail, &word);
        assert!(is_found(&index, web, &word));
        let index = index_of(mail, &format!("{word}=="));
        assert!(is_found(&index, web, &word));
        assert!(is_found(&index, web, &format!("{word}==")));
        assert!(!is_found(&index, mail, &word), "its own server may have it back");
    }
}

#[test]
fn a_long_word_is_found_within_longer_texts_and_in_parts() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let token = token();
    let index = index_of(mail, &format!("The key is {token}."));
    for around in [
        format!("data:text/plain;base64,{token}"),
        format!("https://example.org/{token}/x"),
        format!("x{token}x"),
        format!("a note with the key: {token}, and more"),
        // Over the place at which the kept word was cut.
        token[2000..5700].to_owned(),
        token[1..].to_owned(),
        token[..4500].to_owned(),
        token[100..120].to_owned(),
    ] {
        assert!(is_found(&index, web, &around), "{around}");
    }
    assert!(!is_found(
        &index,
        web,
        &"another word, as long".replace(", ", "-").repeat(300)
    ));
}

#[test]
fn a_long_word_that_is_nobodys_secret_is_not_found() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let token = token();
    let mut index = index_of(mail, &token);
    index.index_user_text(&format!("Store {token} for me"));
    assert!(!is_found(&index, web, &token));

    let mut index = index_of(mail, &token);
    index.index_result(web, "list", &json!(format!("x{token}")));
    assert!(!is_found(&index, web, &format!("x{token}")));
}
