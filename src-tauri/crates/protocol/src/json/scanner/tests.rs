//! The scanner takes what serde_json takes, and finds the same values in it.

use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;

use super::*;

/// The one value of a text, if the text is JSON and does not nest too deeply.
fn scan(text: &str) -> Result<&str, ScanError> {
    let mut scanner = Scanner::new(text);
    let value = scanner.value()?;
    scanner.end()?;
    Ok(value.get())
}

/// The same by serde_json.
fn read(text: &str) -> Option<&str> {
    serde_json::from_str::<&RawValue>(text).ok().map(RawValue::get)
}

/// The text of a string.
fn text(raw: &str) -> Option<String> {
    Scanner::new(raw).text().ok().flatten().map(Cow::into_owned)
}

/// Pieces of which JSON and nearly JSON is made.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\""),
        Just("\\"),
        Just(" "),
        Just("\n"),
        Just("\t"),
        Just("\r"),
        Just("\u{b}"),
        Just("0"),
        Just("-"),
        Just("1"),
        Just("01"),
        Just("1.5"),
        Just("1."),
        Just("1e5"),
        Just("1e"),
        Just("+1"),
        Just("true"),
        Just("tru"),
        Just("false"),
        Just("null"),
        Just("nul"),
        Just("\"a\""),
        Just("\"a\":"),
        Just("\"\\u00e9\""),
        Just("\"\\ud800\""),
        Just("\"\\u12\""),
        Just("\\u12G4"),
        Just("\"\\x\""),
        Just("天气"),
        Just("\"天气🌧\""),
        Just("\u{7f}"),
        Just("\u{1}"),
        Just("abcdefgh"),
        Just("\"abcdefg\\\"hi\""),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// How many values a tree has, with the names of members.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(|value| 1 + count(value)).sum::<usize>(),
        _ => 1,
    }
}

/// A value by the methods that go through arrays and objects.
fn walk(scanner: &mut Scanner<'_>) -> Result<Value, ScanError> {
    match scanner.peek() {
        Some(b'{') => {
            let mut members = serde_json::Map::new();
            scanner.object::<ScanError>(|scanner, name| {
                members.insert(name.into_owned(), walk(scanner)?);
                Ok(())
            })?;
            Ok(Value::Object(members))
        }
        Some(b'[') => {
            let mut items = Vec::new();
            scanner.array::<ScanError>(|scanner| {
                items.push(walk(scanner)?);
                Ok(())
            })?;
            Ok(Value::Array(items))
        }
        _ => Ok(scanner.value()?.read().expect("a value that was skipped")),
    }
}

proptest! {
    #[test]
    fn pieces_of_json_are_taken_as_serde_json_takes_them(text in any_text()) {
        prop_assert_eq!(scan(&text).ok(), read(&text));
    }

    #[test]
    fn any_text_is_taken_as_serde_json_takes_it(text in any::<String>()) {
        prop_assert_eq!(scan(&text).ok(), read(&text));
    }

    #[test]
    fn a_value_is_found_whole_however_it_is_written(value in any_value(), spaced in any::<bool>()) {
        let text = if spaced { format!("{value:#}") } else { value.to_string() };
        prop_assert_eq!(scan(&text), Ok(&*text));
        let mut scanner = Scanner::new(&text);
        prop_assert_eq!(walk(&mut scanner).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        prop_assert_eq!(scanner.end(), Ok(()));
        prop_assert_eq!(scanner.values(), count(&value));
    }

    #[test]
    fn a_value_that_is_cut_is_none(value in any_value(), at in any::<prop::sample::Index>()) {
        let text = value.to_string();
        let end = text.floor_char_boundary(at.index(text.len()));
        prop_assert_eq!(scan(&text[..end]).ok(), read(&text[..end]));
    }

    #[test]
    fn a_string_that_is_written_is_read_again(value in any::<String>(), after in any::<String>()) {
        let document = format!("{} {after}", serde_json::to_string(&value).unwrap());
        prop_assert_eq!(text(&document), Some(value));
    }

    #[test]
    fn strings_of_pieces_read_as_serde_json_reads_them(inner in any_text()) {
        let raw = format!("\"{inner}\"");
        if scan(&raw).is_ok() {
            prop_assert_eq!(text(&raw), serde_json::from_str(&raw).ok());
        }
    }

    /// What is plain can be made into a tree.
    #[test]
    fn a_plain_text_is_a_tree(text in any_text()) {
        let mut scanner = Scanner::new(&text);
        let Ok(value) = scanner.value() else { return Ok(()) };
        if scanner.is_plain() {
            prop_assert!(value.read::<Value>().is_ok(), "{}", value.get());
        }
    }
}

#[test]
fn a_string_ends_at_the_same_byte_wherever_it_begins() {
    for before in 0..9 {
        for length in 0..40 {
            for last in ["", "\\\"", "\\\\", "\\n", "é", "\u{7f}"] {
                let text = format!("{}\"{}{last}\" ", " ".repeat(before), "x".repeat(length));
                assert_eq!(scan(&text), Ok(text.trim()), "{text:?}");
            }
            for wrong in ["\u{1f}", "\n", "\\x", "\\u12", "\\"] {
                let text = format!("{}\"{}{wrong}\" ", " ".repeat(before), "x".repeat(length));
                assert!(scan(&text).is_err(), "{text:?}");
            }
        }
    }
}

#[test]
fn every_escape_reads_as_serde_json_reads_it() {
    for raw in [
        r#""""#,
        r#""a\"b\\c\/d\be\ff\ng\rh\ti""#,
        r#""gr\u00fcn \uD83d\uDE00 \u0000""#,
        r#""\ud83d""#,
        r#""\ud83d\n""#,
        r#""\ude00\ud83d""#,
        r#""\ud83dx\u0041""#,
        r#""\u+123""#,
        "17",
        "null",
    ] {
        assert_eq!(text(raw), serde_json::from_str(raw).ok(), "{raw}");
    }
}

/// P2: a long text takes no more room than it has bytes.
#[test]
fn a_long_text_is_read_whole_and_keeps_no_room() {
    for line in ["a line with \"quotes\" \\ and 天气\n", "\n", "plain"] {
        let long = line.repeat(100_000);
        let document = serde_json::to_string(&[&long, "another"]).unwrap();
        let mut texts = Vec::new();
        let mut scanner = Scanner::new(&document);
        scanner
            .array::<ScanError>(|scanner| {
                texts.extend(scanner.text()?.map(Cow::into_owned));
                Ok(())
            })
            .unwrap();
        assert_eq!(texts, [&long, "another"]);
        assert!(
            texts[0].capacity() < texts[0].len() + texts[0].len() / 8,
            "{}",
            texts[0].capacity()
        );
    }
}

#[test]
fn numbers_out_of_range_and_halves_of_characters_are_not_plain() {
    let is_plain = |text: &str| {
        let mut scanner = Scanner::new(text);
        scanner.value().expect(text);
        scanner.is_plain()
    };
    for text in ["1", "-1.5", "\"\\n\"", "[18446744073709551616]"] {
        assert!(is_plain(text), "{text}");
    }
    let long = "9".repeat(400);
    for text in ["1e400", "\"\\ud800\"", "{\"\\ud800\":1}", &long] {
        assert!(!is_plain(text), "{text}");
        assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
    }
}

/// A million brackets cost no stack.
#[test]
fn nesting_ends_at_its_limit() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    assert!(scan(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(scan(&nested(MAX_DEPTH + 1)), Err(ScanError::TooDeep));
    assert_eq!(scan(&"[".repeat(1_000_000)), Err(ScanError::TooDeep));
    assert_eq!(scan(&"{\"a\":".repeat(1_000_000)), Err(ScanError::TooDeep));
    // Levels around a value count as well.
    let mut scanner = Scanner::new("[[1]]");
    scanner.depth = MAX_DEPTH - 1;
    assert_eq!(scanner.value(), Err(ScanError::TooDeep));
    // A closed level does not.
    assert!(scan(&format!("[{}]", vec!["[{\"a\":[]},{}]"; 100].join(","))).is_ok());
}
