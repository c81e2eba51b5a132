//! What is generated from this crate, compared with the committed files. `make bindings` writes them again.

mod bindings;
mod commands;

use std::path::Path;

/// Compares a generated text with a file, given from the root of the repository; writes it with `UPDATE_BINDINGS`.
fn assert_generated(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(file);
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, text, "{file} is out of date: run `make bindings`");
}
