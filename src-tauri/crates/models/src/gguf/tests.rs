//! What is read of a GGUF file, and that no file makes the reader use more than its bounds.

use super::*;

const TEXT: u32 = 8;

/// A file of these entries, each as its name, kind and bytes.
fn file(entries: &[(&str, u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    for (name, kind, value) in entries {
        bytes.extend(text(name));
        bytes.extend(kind.to_le_bytes());
        bytes.extend(value);
    }
    bytes
}

fn text(text: &str) -> Vec<u8> {
    let length = (text.len() as u64).to_le_bytes();
    [length.as_slice(), text.as_bytes()].concat()
}

fn list(kind: u32, count: u64, items: &[u8]) -> Vec<u8> {
    [kind.to_le_bytes().as_slice(), &count.to_le_bytes(), items].concat()
}

fn read(bytes: &[u8]) -> Result<GgufHeader, GgufError> {
    read_header(bytes)
}

#[test]
fn a_header_says_what_the_model_is_called_and_can() {
    let words = [text("a"), text("b")].concat();
    let bytes = file(&[
        ("general.name", TEXT, text(" Small One ")),
        ("general.alignment", 4, 32_u32.to_le_bytes().to_vec()),
        ("llama.context_length", 4, 32_768_u32.to_le_bytes().to_vec()),
        ("tokenizer.ggml.tokens", 9, list(TEXT, 2, &words)),
        ("tokenizer.ggml.scores", 9, list(6, 2, &[0; 8])),
        ("tokenizer.chat_template", TEXT, text("{% if tools %}{% endif %}")),
    ]);
    let expected = GgufHeader {
        name: Some("Small One".to_owned()),
        context: Some(32_768),
        has_template: true,
        speaks_of_tools: true,
    };
    assert_eq!(read(&bytes).unwrap(), expected);
}

#[test]
fn a_model_without_a_template_is_told_apart() {
    let header = read(&file(&[("general.name", TEXT, text("Base"))])).unwrap();
    assert!(!header.has_template && !header.speaks_of_tools);
    assert_eq!(header.context, None);
}

#[test]
fn what_is_no_model_file_is_refused_with_a_reason() {
    let version = [b"GGUF".as_slice(), &1_u32.to_be_bytes()].concat();
    let part = file(&[("split.no", 2, 1_u16.to_le_bytes().to_vec())]);
    let kind = file(&[("general.odd", 99, vec![])]);
    for (bytes, reason) in [
        (b"".to_vec(), "this is not a GGUF file"),
        (b"PK\x03\x04 and more".to_vec(), "this is not a GGUF file"),
        (version, "version 16777216 of the format is not supported"),
        (part, "it is a later part of a model; choose the first part"),
        (kind, "its header is damaged"),
    ] {
        assert_eq!(read(&bytes).unwrap_err().to_string(), reason);
    }
}

/// Cut anywhere, it is refused and never read as less than it says.
#[test]
fn a_header_that_ends_early_is_refused() {
    let bytes = file(&[
        ("general.name", TEXT, text("Small")),
        ("a", 9, list(9, 1, &list(4, 1, &[0; 4]))),
    ]);
    assert!(read(&bytes).is_ok());
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end}");
    }
}

#[test]
fn claims_that_no_computer_could_hold_cost_nothing() {
    let mut entries = b"GGUF".to_vec();
    entries.extend(3_u32.to_le_bytes());
    entries.extend([0xff; 16]);
    let long_text = file(&[("general.name", TEXT, u64::MAX.to_le_bytes().to_vec())]);
    let long_list = file(&[("tokenizer.ggml.tokens", 9, list(TEXT, u64::MAX, &[0xff; 16]))]);
    for bytes in [entries, long_text, long_list] {
        assert!(matches!(read(&bytes), Err(GgufError::TooLarge)));
    }
    let mut nested = list(4, 0, &[]);
    for _ in 0..8 {
        nested = list(9, 1, &nested);
    }
    assert!(matches!(
        read(&file(&[("a", 9, nested)])),
        Err(GgufError::Damaged)
    ));
}

#[test]
fn a_length_that_cannot_be_true_is_not_believed() {
    let bytes = file(&[("llama.context_length", 10, u64::MAX.to_le_bytes().to_vec())]);
    assert_eq!(read(&bytes).unwrap().context, None);
}
