//! MCP bundles (`.mcpb`, formerly `.dxt`): ZIP archives with a server and a `manifest.json` that says how it is started.
//! An archive is read whole within limits before anything of it is shown, and unpacked by the same code, so what was refused
//! at reading is never written. Nothing is started here, no signature is checked, and no file of an archive decides where
//! it is unpacked.

mod archive;
mod launch;
mod limits;
mod manifest;
mod path;
mod settings;
mod tail;
mod template;
mod unpack;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use vestibule_app_protocol::{BundleDraft, BundleFault, BundleManifest, BundleSetting, BundleView, EnvPair};

use archive::Archive;
use launch::ManifestLaunch;
pub use limits::BundleLimits;
pub use settings::ValueRefused;

/// The name of the manifest in an archive.
const MANIFEST: &str = "manifest.json";

/// Where a bundle would be started.
#[derive(Clone, Debug)]
pub struct BundlePlace {
    /// The folder that its files are unpacked into.
    pub folder: PathBuf,
    /// The folder that the server works in.
    pub working_folder: PathBuf,
    /// The home folder of the user.
    pub home: PathBuf,
}

/// The name of the system of this computer in manifests.
#[must_use]
pub fn this_system() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

/// A bundle whose archive was read whole and is within the limits.
#[derive(Debug)]
pub struct Bundle {
    sha256: String,
    bytes: u64,
    unpacked_bytes: u64,
    files: u32,
    has_signature: bool,
    manifest: BundleManifest,
    settings: Vec<BundleSetting>,
    launch: ManifestLaunch,
}

/// What is started with the values of the user in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleProgram {
    pub command: String,
    pub args: Vec<String>,
    /// Variables. Those that the user did not type whole hold text of the manifest, and are marked as pasted.
    pub env: Vec<EnvPair>,
}

impl Bundle {
    /// Reads an archive whole. Nothing is written.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn read(file: &mut File, system: &str, limits: &BundleLimits) -> Result<Self, BundleFault> {
        let (sha256, bytes) = digest(file, limits)?;
        let mut archive = Archive::open(file, limits)?;
        let found = archive.read_all(MANIFEST)?;
        let manifest = found.kept.ok_or(BundleFault::NoManifest)?;
        let value = manifest::parse(&manifest, limits)?;
        let mut launch = ManifestLaunch::read(&value, system)?;
        launch.keep_lock(|path| archive.has_file(path));
        let settings = settings::read(&value, &launch)?;
        if let Some(path) = launch.entry_point(&value)
            && !archive.has_file(&path)
        {
            return Err(BundleFault::EntryPoint { path });
        }
        Ok(Self {
            sha256,
            bytes,
            unpacked_bytes: found.bytes,
            files: found.files,
            has_signature: archive.has_signature(),
            manifest: manifest::read(&value, system)?,
            settings,
            launch,
        })
    }

    /// SHA-256 of the archive in hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// What its author says of it.
    #[must_use]
    pub fn manifest(&self) -> &BundleManifest {
        &self.manifest
    }

    /// What the user is shown before it is added.
    #[must_use]
    pub fn view(&self, source: &str, place: &BundlePlace) -> BundleView {
        BundleView {
            source: source.to_owned(),
            sha256: self.sha256.clone(),
            bytes: self.bytes,
            unpacked_bytes: self.unpacked_bytes,
            files: self.files,
            manifest: self.manifest.clone(),
            launch: self.launch.view(place),
            settings: self
                .settings
                .iter()
                .map(|setting| settings::proposed(setting, place))
                .collect(),
            folder: place.folder.display().to_string(),
            has_signature: self.has_signature,
        }
    }

    /// What is started with these values.
    ///
    /// # Errors
    /// Which value does not fit.
    pub fn program(&self, draft: &BundleDraft, place: &BundlePlace) -> Result<BundleProgram, ValueRefused> {
        let values = settings::checked(&self.settings, &draft.values, place)?;
        let typed = settings::typed(&self.settings, &values, place);
        Ok(self.launch.program(&values, &typed, place))
    }

    /// Unpacks the archive into a new folder. Where something fails, the caller removes what was written.
    ///
    /// # Errors
    /// Why the archive is refused, or what could not be written.
    pub fn unpack(&self, file: &mut File, folder: &Path, limits: &BundleLimits) -> Result<(), UnpackError> {
        let (found, _) = digest(file, limits)?;
        if found != self.sha256 {
            return Err(UnpackError::Refused(BundleFault::Digest {
                expected: self.sha256.clone(),
                found,
            }));
        }
        unpack::unpack(&mut Archive::open(file, limits)?, folder)
    }
}

/// Why an archive was not unpacked.
#[derive(Debug)]
pub enum UnpackError {
    Refused(BundleFault),
    Io(std::io::Error),
}

impl From<BundleFault> for UnpackError {
    fn from(fault: BundleFault) -> Self {
        Self::Refused(fault)
    }
}

impl From<std::io::Error> for UnpackError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// SHA-256 and length of a file that is not longer than an archive may be.
fn digest(file: &mut File, limits: &BundleLimits) -> Result<(String, u64), BundleFault> {
    let damaged = |error: std::io::Error| BundleFault::Damaged {
        detail: error.to_string(),
    };
    file.seek(SeekFrom::Start(0)).map_err(damaged)?;
    let mut hasher = Sha256::new();
    let bytes = std::io::copy(&mut file.take(limits.archive + 1), &mut hasher).map_err(damaged)?;
    if bytes > limits.archive {
        return Err(limits.too_large());
    }
    let digits = hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok((digits, bytes))
}

#[cfg(test)]
mod tests;
