//! The paths of an archive. One that could mean something else on another system, or beside another path, is refused.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use unicode_normalization::UnicodeNormalization;
use vestibule_app_protocol::BundleFault;
use vestibule_protocol::is_invisible;

/// The longest path, in bytes.
const LONGEST: usize = 1024;
/// The longest part of a path, in bytes.
const LONGEST_PART: usize = 255;
const DEEPEST: usize = 40;
/// Most bytes of all paths of an archive, folders that only a path names among them.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Checks a path of an archive, and gives it without the slash at the end of a folder.
///
/// # Errors
/// Where it could lead out of the folder that it is unpacked into, or is not shown as it is.
pub(crate) fn checked(raw: &[u8]) -> Result<&str, BundleFault> {
    let refused = || BundleFault::Path { path: shown(raw) };
    let path = str::from_utf8(raw).map_err(|_| refused())?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let parts: Vec<&str> = path.split('/').collect();
    let odd = |c: char| c == '\\' || c == ':' || is_invisible(c);
    let is_part = |part: &&str| !matches!(*part, "" | "." | "..") && part.len() <= LONGEST_PART;
    let fits =
        path.len() <= LONGEST && parts.len() <= DEEPEST && parts.iter().all(is_part) && !path.contains(odd);
    if fits { Ok(path) } else { Err(refused()) }
}

/// A path as it is shown in a sentence.
pub(crate) fn shown(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).chars().take(200).collect()
}

/// The paths that an archive has so far.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    known: BTreeMap<String, KnownPath>,
    /// Of what is kept for them.
    bytes: usize,
}

#[derive(Debug)]
struct KnownPath {
    written: String,
    is_file: bool,
}

impl Paths {
    /// Adds a checked path with the folders it is in.
    ///
    /// # Errors
    /// Where it has the place of another one on a system that does not tell upper case, or the forms of Unicode, apart.
    pub(crate) fn add(&mut self, path: &str, is_file: bool) -> Result<(), BundleFault> {
        let twice = || BundleFault::Twice {
            path: shown(path.as_bytes()),
        };
        for (at, _) in path.match_indices('/') {
            if !self.put(&path[..at], false) {
                return Err(twice());
            }
        }
        let is_new = !self.known.contains_key(&key(path));
        if self.put(path, is_file) && (is_new || !is_file) {
            return Ok(());
        }
        Err(twice())
    }

    pub(crate) fn has_file(&self, path: &str) -> bool {
        let known = self.known.get(&key(path));
        known.is_some_and(|known| known.is_file && known.written == path)
    }

    /// Whether unpacking would make more files and folders than `entries`, or their paths are too long together.
    pub(crate) fn are_more_than(&self, entries: usize) -> bool {
        self.known.len() > entries || self.bytes > MOST_BYTES
    }

    /// False where another path has this place.
    fn put(&mut self, path: &str, is_file: bool) -> bool {
        match self.known.entry(key(path)) {
            Entry::Occupied(known) => known.get().written == path && known.get().is_file == is_file,
            Entry::Vacant(place) => {
                self.bytes += place.key().len() + path.len();
                place.insert(KnownPath {
                    written: path.to_owned(),
                    is_file,
                });
                true
            }
        }
    }
}

/// What is the same for paths that some system cannot tell apart.
fn key(path: &str) -> String {
    path.nfkc().collect::<String>().to_lowercase().nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_too_long_together_are_too_many() {
        let mut paths = Paths {
            bytes: MOST_BYTES - 4,
            ..Paths::default()
        };
        paths.add("ab", true).unwrap();
        assert!(!paths.are_more_than(2));
        paths.add("c", true).unwrap();
        assert!(paths.are_more_than(2));
    }
}
