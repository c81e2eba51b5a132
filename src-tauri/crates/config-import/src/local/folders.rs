//! The folders in which applications keep their configurations, by system. They come from the home folder and from
//! variables that are passed in, so that tests and other profiles look elsewhere.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// The variables that move the folders of applications.
const VARIABLES: [&str; 7] = [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
];

/// The operating systems that differ in where applications keep their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppSystem {
    Linux,
    Mac,
    Windows,
}

impl AppSystem {
    /// The system that this program was built for.
    #[must_use]
    pub fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Linux
        }
    }
}

/// Where the path of a file starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileBase {
    Home,
    /// The folder of settings that the system recommends.
    Settings,
    /// `~/.config` on every system, which command-line programs use.
    DotConfig,
    /// `~/.local/share`, the folder of data on Linux.
    SharedData,
    /// The folder of data on Windows that is not synchronized.
    LocalData,
    /// A folder that a variable moves, with its usual place below the home folder.
    Moved(&'static str, &'static str),
}

/// The home folder of a user and the variables that move folders of applications. The default has neither, so nothing
/// is found.
#[derive(Clone, Debug, Default)]
pub struct AppFolders(Option<HomeFolder>);

#[derive(Clone, Debug)]
struct HomeFolder {
    system: AppSystem,
    home: PathBuf,
    variables: BTreeMap<&'static str, PathBuf>,
}

impl AppFolders {
    /// The folders of one user. Variables whose value is no absolute path are ignored, as the XDG specification says.
    pub fn new(system: AppSystem, home: PathBuf, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let absolute = |name: &&'static str| {
            let path = PathBuf::from(variable(name)?);
            path.is_absolute().then_some((*name, path))
        };
        Self(Some(HomeFolder {
            system,
            home,
            variables: VARIABLES.iter().filter_map(absolute).collect(),
        }))
    }

    pub(super) fn system(&self) -> Option<AppSystem> {
        self.0.as_ref().map(|home| home.system)
    }

    /// A base as a folder; `None` without a home folder.
    pub(super) fn resolve(&self, base: FileBase) -> Option<PathBuf> {
        self.0.as_ref().map(|home| home.resolve(base))
    }
}

impl HomeFolder {
    fn resolve(&self, base: FileBase) -> PathBuf {
        match (base, self.system) {
            (FileBase::Home, _) => self.home.clone(),
            (FileBase::Settings, AppSystem::Mac) => self.home.join("Library/Application Support"),
            (FileBase::Settings, AppSystem::Windows) => self.moved("APPDATA", "AppData/Roaming"),
            (FileBase::Settings, AppSystem::Linux) | (FileBase::DotConfig, _) => {
                self.moved("XDG_CONFIG_HOME", ".config")
            }
            (FileBase::SharedData, _) => self.moved("XDG_DATA_HOME", ".local/share"),
            (FileBase::LocalData, _) => self.moved("LOCALAPPDATA", "AppData/Local"),
            (FileBase::Moved(variable, usual), _) => self.moved(variable, usual),
        }
    }

    fn moved(&self, variable: &str, usual: &str) -> PathBuf {
        let moved = self.variables.get(variable);
        moved.cloned().unwrap_or_else(|| self.home.join(usual))
    }
}
