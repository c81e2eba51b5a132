//! The last look at the files of a launch, in the parent process, right before the program is run. The application hashed
//! them when the user approved the launch; between that and the start another program could replace one. They are
//! hashed again here, and their change times are compared once more when the program runs: no program can set the
//! change time of a file. What remains: a folder on the path that is renamed away and back in the moment of the start,
//! and writes through a memory mapping that was made before. Running the opened descriptor instead would not help against
//! writes into the file, and scripts could not be run so at all.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// How much is hashed at a time. Orders are obeyed in between.
const CHUNK: usize = 1024 * 1024;

/// A file that a launch depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedFile {
    /// Its path as it is used.
    pub path: OsString,
    /// SHA-256 of its bytes in hexadecimal digits.
    pub sha256: String,
}

/// Files that were as expected when they were hashed.
#[derive(Debug, Default)]
pub(super) struct Unchanged(Vec<(OsString, Version)>);

/// Which file a path led to, and when that was last changed.
#[derive(Debug, PartialEq, Eq)]
struct Version([i64; 2], u64, u64, u64);

impl Unchanged {
    /// Hashes each of the files.
    ///
    /// # Errors
    /// The first that is not as expected.
    pub(super) async fn check(files: &[CheckedFile]) -> Result<Self, OsString> {
        let mut unchanged = Vec::with_capacity(files.len());
        for file in files {
            match hash(Path::new(&file.path)).await {
                Ok((hash, version)) if hash == file.sha256 => unchanged.push((file.path.clone(), version)),
                _ => return Err(file.path.clone()),
            }
        }
        Ok(Self(unchanged))
    }

    /// The first file that was changed or replaced since it was hashed.
    pub(super) fn changed(&self) -> Option<&OsStr> {
        let is_same = |path: &OsStr, version: &Version| {
            std::fs::metadata(path).is_ok_and(|data| Version::of(&data) == *version)
        };
        let changed = self.0.iter().find(|(path, version)| !is_same(path, version));
        changed.map(|(path, _)| path.as_os_str())
    }
}

impl Version {
    fn of(data: &Metadata) -> Self {
        Self(
            [data.ctime(), data.ctime_nsec()],
            data.dev(),
            data.ino(),
            data.len(),
        )
    }
}

async fn hash(path: &Path) -> io::Result<(String, Version)> {
    let mut file = open(path)?;
    let version = Version::of(&file.metadata()?);
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            count => hasher.update(&chunk[..count]),
        }
        tokio::task::yield_now().await;
    }
    let hash = hasher.finalize();
    let hexadecimal = hash.iter().map(|byte| format!("{byte:02x}"));
    Ok((hexadecimal.collect(), version))
}

/// Opens a regular file. Opening anything else must not wait.
fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn expected(path: &Path) -> [CheckedFile; 1] {
        [CheckedFile {
            path: path.into(),
            sha256: EMPTY.into(),
        }]
    }

    #[tokio::test]
    async fn a_file_that_changed_before_or_after_it_was_hashed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, "").unwrap();
        let unchanged = Unchanged::check(&expected(&path)).await.unwrap();
        assert_eq!(unchanged.changed(), None);
        // The same bytes in another file, as after a swap there and back.
        std::fs::write(folder.path().join("other"), "").unwrap();
        std::fs::rename(folder.path().join("other"), &path).unwrap();
        assert_eq!(unchanged.changed(), Some(path.as_os_str()));
        std::fs::write(&path, "evil").unwrap();
        assert_eq!(Unchanged::check(&expected(&path)).await.unwrap_err(), *path);
    }

    #[tokio::test]
    async fn what_is_no_regular_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        for path in [&pipe, &folder.path().join("missing")] {
            assert_eq!(Unchanged::check(&expected(path)).await.unwrap_err(), **path);
        }
    }
}
