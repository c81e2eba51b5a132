//! What a card says of a program that will be started: all that decides what runs, what of it a permission would be
//! bound to, and what it would not.

use serde::Serialize;
use vestibule_policy::{BoundFile, LaunchChange, Scope};

use super::NamedValue;

/// What will be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct Launch {
    /// The executable's full path.
    pub program: String,
    /// The command as it was written, where it differs from the path.
    pub command: String,
    /// Every argument, in order.
    pub args: Vec<String>,
    /// The folder it starts in.
    pub folder: String,
    /// The variables it is given.
    pub variables: Vec<NamedValue>,
    /// The files whose bytes a permission is bound to, the program first.
    pub files: Vec<BoundFile>,
    /// What will run and is not bound. With any of these the card offers no lasting permission.
    pub gaps: Vec<LaunchGap>,
    /// Whether it loads further files or packages that no permission is bound to.
    pub loads_more: bool,
    /// What deserves a second look.
    pub risks: Vec<LaunchRisk>,
    /// Why it is asked although it was allowed for longer.
    pub change: Option<LaunchChange>,
    /// Whether it serves a model of the user. Then it ends when it is idle, and each start is asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub serves_model: bool,
    /// The package of `npx` or `uvx`, where the command line is understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub package: Option<LaunchPackage>,
}

/// The package that a launch starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct LaunchPackage {
    pub name: String,
    /// The version, range or tag that the command line asks for; empty where it is the newest.
    pub wanted: String,
    pub state: PackageState,
}

/// What starting does with a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PackageState {
    /// It is downloaded and then started. No code of it runs before the start.
    ToFetch {
        /// The program that downloads it: npm or uv.
        tool: String,
    },
    /// It was downloaded, and is started without the network.
    Fetched {
        /// The exact version that was fetched.
        version: String,
        /// How many packages it is with all that it depends on.
        packages: u32,
        /// SHA-256 of the lock file in hexadecimal digits.
        lock: String,
    },
    /// It is an MCP bundle that was unpacked from an archive. Its signature was not checked.
    Bundle {
        /// SHA-256 of the archive in hexadecimal digits.
        sha256: String,
    },
    /// It cannot be installed without running code of it, so `npx` or `uvx` fetches it at each start.
    LeftToRunner,
}

impl Launch {
    /// The scopes its card offers. A lasting permission needs to know what it permits.
    #[must_use]
    pub fn scopes(&self) -> Vec<Scope> {
        let fetches = matches!(
            &self.package,
            Some(LaunchPackage {
                state: PackageState::ToFetch { .. },
                ..
            })
        );
        let lasts = !fetches && self.gaps.is_empty() && !self.risks.contains(&LaunchRisk::ActsOnEveryProgram);
        if lasts {
            vec![Scope::Once, Scope::Always]
        } else {
            vec![Scope::Once]
        }
    }
}

/// Code that will run and that a permission cannot be bound to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct LaunchGap {
    pub kind: LaunchGapKind,
    /// What it is: a path, a package, an image, a word of the command; empty where there is no name for it.
    pub what: String,
}

/// Why code that will run is not bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum LaunchGapKind {
    /// The file is too large to be read at each start.
    TooLarge,
    /// The file could not be read, or not in time.
    Unreadable,
    /// It is a folder.
    Folder,
    /// The command names more files than are read at a start.
    TooManyFiles,
    /// A package is fetched, and its version is not exact or its source is not the usual one.
    UnpinnedPackage,
    /// The version of a package is exact, and the versions of its dependencies are chosen at each start.
    FloatingDependencies,
    /// A container image is named by a tag, not by its digest.
    ImageByTag,
    /// The code is not a file that the command names.
    NotAFile,
    /// The command starts other programs.
    OtherPrograms,
    /// The first line of a script names an interpreter that was not found.
    UnknownInterpreter,
}

/// A form of starting that can do more than it seems to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum LaunchRisk {
    /// A variable acts on every program that starts: it injects code, or decides which programs are found.
    ActsOnEveryProgram,
    /// A variable changes what runs, where it comes from or whom it talks to.
    VariableChangesCode,
    /// Code stands on the command line itself (`-c`, `-e`, a shell).
    InlineCode,
    /// A package runner fetches what it runs, and the version is not fixed.
    UnpinnedPackage,
    /// The command names the place that packages are fetched from.
    OtherPackageSource,
    /// A container or remote command can reach beyond this folder.
    ReachesFurther,
    /// Text with characters that do not show.
    HiddenCharacters,
}
