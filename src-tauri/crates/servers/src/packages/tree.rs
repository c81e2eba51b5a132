//! The digest of everything in a folder: names, contents, links, and which files can be run. A permission to start a
//! fetched package is bound to it, so a changed file anywhere in the package is noticed before the next start.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::config::variables;

/// The most files and folders of one package with its dependencies.
const MOST_ENTRIES: usize = 200_000;
/// The most bytes of one package with its dependencies.
const MOST_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Hashes a folder, away from the async workers.
///
/// # Errors
/// When something cannot be read, or the folder is larger than any package that is started.
pub(crate) async fn digest(folder: &Path) -> io::Result<String> {
    let folder = folder.to_owned();
    let hashing = tokio::task::spawn_blocking(move || Tree::default().hash(&folder));
    hashing.await.map_err(io::Error::other)?
}

#[derive(Default)]
struct Tree {
    hasher: Sha256,
    entries: usize,
    bytes: u64,
}

impl Tree {
    fn hash(mut self, folder: &Path) -> io::Result<String> {
        self.folder(folder, Path::new(""))?;
        Ok(variables::hex(&self.hasher.finalize()))
    }

    fn folder(&mut self, root: &Path, inside: &Path) -> io::Result<()> {
        let mut entries = vec![];
        for entry in fs::read_dir(root.join(inside))? {
            entries.push(entry?);
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return Err(io::Error::other("the package has too many files"));
            }
        }
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = inside.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.part(b"folder", &path, b"");
                self.folder(root, &path)?;
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path())?;
                self.part(b"link", &path, target.as_os_str().as_encoded_bytes());
            } else if kind.is_file() {
                self.file(&entry.path(), &path)?;
            } else {
                return Err(io::Error::other("the package has something that is no file"));
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, inside: &Path) -> io::Result<()> {
        let file = File::open(path)?;
        let data = file.metadata()?;
        let kind: &[u8] = if data.permissions().mode() & 0o111 == 0 {
            b"file"
        } else {
            b"program"
        };
        let mut hasher = Sha256::new();
        let left = MOST_BYTES - self.bytes;
        let bytes = io::copy(&mut file.take(left + 1), &mut hasher)?;
        if bytes > left {
            return Err(io::Error::other("the package is too large"));
        }
        self.bytes += bytes;
        self.part(kind, inside, &hasher.finalize());
        Ok(())
    }

    /// Adds one entry. The lengths keep the parts apart.
    fn part(&mut self, kind: &[u8], path: &Path, content: &[u8]) {
        for part in [kind, path.as_os_str().as_encoded_bytes(), content] {
            self.hasher.update((part.len() as u64).to_be_bytes());
            self.hasher.update(part);
        }
    }
}
