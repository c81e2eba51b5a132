//! Packages of `npx` and `uvx`, downloaded as a step of its own: the user's npm or uv resolves and fetches a package into a
//! folder of its own, with a lock file and hashes, and the server is then started from that folder without either. So the
//! version that runs is the one that was shown, a start needs no network, and a download has limits of its own. Which
//! registry is asked, through which proxy and with which credentials, is decided by the settings of the user's npm or uv.
//! No code of a package runs while it is downloaded. A command line that is not understood is not handled here.

mod command;
mod folder;
mod npm;
mod tool;
mod tree;
mod uv;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use vestibule_app_protocol::{Problem, ServerProblem};
use vestibule_transport::SpawnError;

pub(crate) use command::recognise;
pub use folder::PackageFolder;
pub(crate) use folder::read as read_text;
pub(crate) use folder::{NewVersion, Pin};
pub(crate) use tool::{DownloadProgress, GuardedRunner, ToolError, Tools};
#[cfg(test)]
pub(crate) use tool::{RunTool, ToolLaunch};
pub(crate) use tree::digest as tree_digest;

/// The tool that resolves and fetches a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Runner {
    Npm,
    Uv,
}

/// What a command line asks to be fetched. It has nothing of the arguments of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackageRequest {
    pub(crate) runner: Runner,
    /// The packages, as the tool reads them. The first has the version that is shown.
    pub(crate) packages: Vec<String>,
    /// The name of the first package without its version.
    pub(crate) name: String,
    /// The version, range or tag of the first package; empty where the newest is meant.
    pub(crate) wanted: String,
    /// The program of the package; `None` where the package decides.
    pub(crate) executable: Option<String>,
    /// The Python to run it with, where the command names one.
    pub(crate) python: Option<String>,
}

/// A command line that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageCommand {
    pub(crate) request: PackageRequest,
    /// The arguments of the server.
    pub(crate) args: Vec<String>,
}

/// A package of a lock file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LockedPackage {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Whether it brings a script that npm runs where it is installed.
    pub(crate) has_script: bool,
}

/// What a lock file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lock {
    /// Every package, sorted by name and version.
    pub(crate) packages: Vec<LockedPackage>,
    /// SHA-256 of the file in hexadecimal digits.
    pub(crate) sha256: String,
    /// The exact version of the first package of the request.
    pub(crate) version: String,
}

/// Why a package was not fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("its folder could not be written: {0}")]
    Folder(#[from] std::io::Error),
    /// The files are not what the tool should have written.
    #[error("{0}")]
    Unexpected(String),
    #[error("the download was stopped")]
    Stopped,
    /// The package cannot be installed without running code of it.
    #[error("it runs code where it is installed")]
    RunsCode,
    /// The package has no program of this name, or it is not clear which one is meant.
    #[error("the package has these programs: {found:?}")]
    NoSuchProgram { found: Vec<String> },
}

impl FetchError {
    pub(crate) fn not_started(error: SpawnError) -> Self {
        Self::Tool(ToolError::NotStarted(error))
    }
}

/// The problem that a download ended with.
pub(crate) fn not_downloaded(package: &str, error: FetchError) -> Problem {
    let detail = error.to_string();
    let stderr = match error {
        FetchError::Tool(ToolError::Failed { lines, .. }) => lines,
        _ => vec![],
    };
    Problem::Server(ServerProblem::NotDownloaded {
        package: package.to_owned(),
        detail,
        stderr,
    })
}

impl PackageRequest {
    /// Resolves and fetches the package into an empty folder.
    pub(crate) async fn fetch(&self, tools: &Tools<'_>, folder: &Path) -> Result<Lock, FetchError> {
        let lock = self.resolve(tools, folder).await?;
        if lock.packages.iter().any(|package| package.has_script) {
            return Err(FetchError::RunsCode);
        }
        self.install(tools, folder).await?;
        Ok(lock)
    }

    /// Asks the registry which versions fit and writes the lock file into an empty folder. Only descriptions of packages are
    /// fetched.
    pub(crate) async fn resolve(&self, tools: &Tools<'_>, folder: &Path) -> Result<Lock, FetchError> {
        match self.runner {
            Runner::Npm => npm::resolve(self, tools, folder).await,
            Runner::Uv => uv::resolve(self, tools, folder).await,
        }
    }

    /// Fetches exactly what the lock file of the folder names. No code of a package runs.
    pub(crate) async fn install(&self, tools: &Tools<'_>, folder: &Path) -> Result<(), FetchError> {
        match self.runner {
            Runner::Npm => npm::install(tools, folder).await,
            Runner::Uv => uv::install(tools, folder).await,
        }
    }

    /// Who may publish a version of the first package, as the registry lists them. Empty where that is not known: uv does
    /// not tell.
    pub(crate) async fn maintainers(&self, version: &str, tools: &Tools<'_>, folder: &Path) -> Vec<String> {
        match self.runner {
            Runner::Npm => {
                let found = npm::maintainers(&self.name, version, tools, folder).await;
                found.unwrap_or_default()
            }
            Runner::Uv => vec![],
        }
    }

    /// Reads the lock file of a folder.
    pub(crate) fn lock(&self, folder: &Path) -> Result<Lock, FetchError> {
        match self.runner {
            Runner::Npm => npm::read_lock(&self.name, folder),
            Runner::Uv => uv::read_lock(&self.name, folder),
        }
    }

    /// What starts the fetched program: paths inside the folder, the program first.
    pub(crate) fn entry(&self, folder: &Path) -> Result<Vec<PathBuf>, FetchError> {
        match self.runner {
            Runner::Npm => npm::entry(self, folder).map(|program| vec![program]),
            Runner::Uv => uv::entry(self, folder),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
