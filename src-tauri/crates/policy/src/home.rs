//! Paths in the home folder of the user.

use std::path::{Path, PathBuf};

/// A leading `~/` means the user's own folder, as in every shell.
#[must_use]
pub fn in_home(path: &str, home: &Path) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None if path == "~" => home.to_owned(),
        None => PathBuf::from(path),
    }
}
