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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_tilde_alone_or_before_a_slash_is_the_home_folder() {
        let home = Path::new("/home/ann");
        for (path, expected) in [
            ("~", "/home/ann"),
            ("~/notes", "/home/ann/notes"),
            ("/srv/~", "/srv/~"),
            ("~bob/notes", "~bob/notes"),
            ("notes", "notes"),
        ] {
            assert_eq!(in_home(path, home), Path::new(expected), "{path}");
        }
    }
}
