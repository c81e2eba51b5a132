//! Where the packages of a server are: `packages/<server>` in the data folder, with a folder for each version and the file
//! `pin.json`, which names the one that is started. The file is replaced as one step, so a version is either the old one or
//! the new one. What the file says is not trusted: the record of a launch has the digests of what it leads to.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use vestibule_protocol::ServerId;

use super::{FetchError, PackageRequest, tree};
use crate::config::variables;

const PIN: &str = "pin.json";
/// The largest file of JSON or text that is read as a whole, in bytes.
const LARGEST: u64 = 32 * 1024 * 1024;

/// The folder of the packages of one server.
#[derive(Clone, Debug)]
pub struct PackageFolder(PathBuf);

/// Which version of a package a server is started from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    /// What the command line asked for when it was fetched.
    pub(crate) request: PackageRequest,
    /// The exact version of the package.
    pub(crate) version: String,
    /// The name of its folder.
    pub(crate) folder: String,
    /// When it was fetched, in milliseconds since 1970.
    pub(crate) fetched_ms: i64,
    /// Whether the package runs code where it is installed, so that npx or uvx is left to fetch it.
    #[serde(default)]
    pub(crate) left_to_runner: bool,
}

impl PackageFolder {
    pub(crate) fn new(data_folder: &Path, server: ServerId) -> Self {
        Self(data_folder.join("packages").join(server.to_string()))
    }

    /// The version that a request was last fetched as; `None` where it has to be fetched.
    pub(crate) fn pin(&self, request: &PackageRequest) -> Option<Pin> {
        let text = read(&self.0.join(PIN)).ok()?;
        let pin: Pin = serde_json::from_str(&text).ok()?;
        let is_name = !pin.folder.is_empty() && pin.folder.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_there = pin.left_to_runner || (is_name && self.path(&pin).is_dir());
        (is_there && pin.request == *request).then_some(pin)
    }

    /// Where the files of a pin are.
    pub(crate) fn path(&self, pin: &Pin) -> PathBuf {
        self.0.join(&pin.folder)
    }

    /// Makes an empty folder for another version.
    pub(crate) fn make(&self) -> io::Result<NewVersion> {
        vestibule_store::make_folder_private(&self.0)?;
        let name = uuid::Uuid::new_v4().simple().to_string();
        let path = self.0.join(&name);
        vestibule_store::make_folder_private(&path)?;
        Ok(NewVersion {
            name,
            path,
            kept: false,
        })
    }

    /// Has the server started from a new version from now on, and removes every other.
    pub(crate) fn switch(
        &self,
        new: NewVersion,
        request: &PackageRequest,
        version: &str,
        now_ms: i64,
    ) -> io::Result<Pin> {
        let pin = Pin {
            request: request.clone(),
            version: version.to_owned(),
            folder: new.name.clone(),
            fetched_ms: now_ms,
            left_to_runner: false,
        };
        self.write(&pin)?;
        new.keep();
        self.remove_others(&pin);
        Ok(pin)
    }

    /// Has npx or uvx itself fetch the package from now on.
    pub(crate) fn leave_to_runner(&self, request: &PackageRequest, now_ms: i64) -> io::Result<()> {
        let pin = Pin {
            request: request.clone(),
            version: String::new(),
            folder: String::new(),
            fetched_ms: now_ms,
            left_to_runner: true,
        };
        self.write(&pin)?;
        self.remove_others(&pin);
        Ok(())
    }

    /// Replaces the file of the pin as one step.
    fn write(&self, pin: &Pin) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(pin).map_err(io::Error::other)?;
        let written = self.0.join("pin.new");
        let _ = fs::remove_file(&written);
        let mut file = vestibule_store::create_private_file(&written)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&written, self.0.join(PIN))
    }

    /// Removes what the pin does not name: older versions, and what a crash left behind.
    fn remove_others(&self, pin: &Pin) {
        let Ok(entries) = fs::read_dir(&self.0) else {
            return;
        };
        for entry in entries.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && entry.file_name() != *pin.folder {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Removes every downloaded package of this server.
    ///
    /// # Errors
    /// When something of it cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The digest of all files of a pin.
    pub(crate) async fn tree(&self, pin: &Pin) -> io::Result<String> {
        tree::digest(&self.path(pin)).await
    }
}

/// The folder of a version that no server is started from yet. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct NewVersion {
    name: String,
    path: PathBuf,
    kept: bool,
}

impl NewVersion {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for NewVersion {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Reads a file of text that a tool or a package wrote.
pub(crate) fn read(path: &Path) -> Result<String, FetchError> {
    let mut text = String::new();
    let read = File::open(path)?.take(LARGEST + 1).read_to_string(&mut text)?;
    if read as u64 > LARGEST {
        return Err(FetchError::Unexpected(format!("{} is too large", path.display())));
    }
    Ok(text)
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    variables::hex(&Sha256::digest(bytes))
}

/// A path that a package names, where it leads nowhere but into the package.
pub(super) fn inside(path: &str) -> Option<PathBuf> {
    let parts = Path::new(path)
        .components()
        .filter(|part| *part != Component::CurDir);
    let path: PathBuf = parts
        .map(|part| matches!(part, Component::Normal(_)).then_some(part))
        .collect::<Option<_>>()?;
    (!path.as_os_str().is_empty()).then_some(path)
}
