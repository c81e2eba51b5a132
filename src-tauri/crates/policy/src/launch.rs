//! What a permission to start a program is bound to: the record of a launch, its digest, and what differs between two
//! records. The host fills it in; nothing here reads a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::Digest;

/// The version of the record. It is part of the digest: a version that binds more ends the permissions of the one
/// before. Version 1 had no files, no search path and no version.
pub const LAUNCH_VERSION: u32 = 2;

/// Everything that decides what a start runs, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchRecord {
    /// [`LAUNCH_VERSION`] of the build that made it.
    pub version: u32,
    /// The executable's full path.
    pub program: String,
    /// Its arguments, in order.
    pub args: Vec<String>,
    /// The folder it starts in.
    pub folder: String,
    /// Keyed fingerprints of the values of its variables, by name.
    pub env: BTreeMap<String, String>,
    /// The search path that it is given.
    pub search_path: String,
    /// The files whose bytes are part of the record, the program first.
    pub files: Vec<BoundFile>,
    /// The downloaded package that it starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<BoundPackage>,
}

/// A downloaded package with all that it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundPackage {
    /// The arguments of the command line that it was downloaded for.
    pub args: Vec<String>,
    pub name: String,
    /// The exact version that was fetched.
    pub version: String,
    /// SHA-256 of the lock file in hexadecimal digits.
    pub lock: String,
    /// SHA-256 of every file of it, in hexadecimal digits.
    pub tree: String,
}

/// A file that a launch reads as code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct BoundFile {
    /// How the launch uses it.
    pub role: FileRole,
    /// Its path as it is used.
    pub path: String,
    /// The path behind symbolic links.
    pub resolved: String,
    /// SHA-256 of its bytes in hexadecimal digits; `None` where they are not known.
    pub sha256: Option<String>,
    /// Whether its name is that of a program that runs other code, such as `node`. Such programs are updated often.
    pub runner: bool,
}

/// How a launch uses a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// It is the program.
    Program,
    /// The first line of a script names it.
    Interpreter,
    /// An argument names it.
    Argument,
}

/// Why a launch is asked although one was allowed for longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum LaunchChange {
    /// Nothing that was bound changed; this version of Vestibule binds more.
    BindsMore,
    /// Only programs that run other code have other bytes.
    RunnersUpdated { runners: Vec<String> },
    Changed {
        /// What; empty where the earlier record is not known.
        parts: Vec<LaunchPart>,
    },
}

/// A part of a launch that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum LaunchPart {
    /// Another program, or other bytes of it.
    Program,
    /// A script is run by another interpreter.
    Interpreter {
        /// The one it is run by now.
        path: String,
    },
    /// A file among the arguments.
    File {
        path: String,
    },
    Arguments,
    /// The folder it starts in.
    Folder,
    /// Variables, or their values.
    Variables {
        names: Vec<String>,
    },
    SearchPath,
    /// The downloaded package, or a file of it.
    Package {
        name: String,
        version: String,
    },
}

impl LaunchRecord {
    /// What a permission for this launch is bound to.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_launch(&json!(self))
    }

    /// Whether it is the start of what was downloaded under `fetch`, with everything else as it was there.
    #[must_use]
    pub fn is_fetched_under(&self, fetch: &Self) -> bool {
        let is_package = |package: &BoundPackage| package.args == fetch.args;
        fetch.package.is_none()
            && self.package.as_ref().is_some_and(is_package)
            && self.folder == fetch.folder
            && self.env == fetch.env
            && self.search_path == fetch.search_path
    }

    /// What differs from an earlier record that was allowed.
    #[must_use]
    pub fn change_since(&self, before: &Self) -> LaunchChange {
        let mut parts = vec![];
        let mut runners = vec![];
        match &self.package {
            Some(package) if self.package != before.package => parts.push(LaunchPart::Package {
                name: package.name.clone(),
                version: package.version.clone(),
            }),
            _ => {
                if self.program != before.program {
                    parts.push(LaunchPart::Program);
                }
                if self.args != before.args {
                    parts.push(LaunchPart::Arguments);
                }
                self.compare_files(before, &mut parts, &mut runners);
            }
        }
        self.compare_settings(before, &mut parts);
        match (parts.is_empty(), runners.is_empty()) {
            (true, false) => LaunchChange::RunnersUpdated { runners },
            (true, true) if self.version != before.version => LaunchChange::BindsMore,
            _ => LaunchChange::Changed { parts },
        }
    }

    /// Adds what differs in how the program is started.
    fn compare_settings(&self, before: &Self, parts: &mut Vec<LaunchPart>) {
        if self.folder != before.folder {
            parts.push(LaunchPart::Folder);
        }
        let names = self.changed_variables(before);
        if !names.is_empty() {
            parts.push(LaunchPart::Variables { names });
        }
        if self.search_path != before.search_path {
            parts.push(LaunchPart::SearchPath);
        }
    }

    fn compare_files(&self, before: &Self, parts: &mut Vec<LaunchPart>, runners: &mut Vec<String>) {
        for file in &self.files {
            let same_place = |old: &&BoundFile| old.role == file.role && old.path == file.path;
            match before.files.iter().find(same_place) {
                Some(old) if old == file => {}
                Some(old) if file.runner && old.runner && file.sha256.is_some() => {
                    runners.push(file.path.clone());
                }
                _ => add_once(parts, file.as_part()),
            }
        }
        for old in &before.files {
            let is_same = |file: &BoundFile| file.role == old.role && file.path == old.path;
            if old.role == FileRole::Argument && !self.files.iter().any(is_same) {
                add_once(parts, old.as_part());
            }
        }
    }

    fn changed_variables(&self, before: &Self) -> Vec<String> {
        let mut names: Vec<String> = self.env.keys().chain(before.env.keys()).cloned().collect();
        names.sort();
        names.dedup();
        names.retain(|name| self.env.get(name) != before.env.get(name));
        names
    }
}

impl BoundFile {
    fn as_part(&self) -> LaunchPart {
        let path = self.path.clone();
        match self.role {
            FileRole::Program => LaunchPart::Program,
            FileRole::Interpreter => LaunchPart::Interpreter { path },
            FileRole::Argument => LaunchPart::File { path },
        }
    }
}

fn add_once(parts: &mut Vec<LaunchPart>, part: LaunchPart) {
    if !parts.contains(&part) {
        parts.push(part);
    }
}

#[cfg(test)]
mod tests;
