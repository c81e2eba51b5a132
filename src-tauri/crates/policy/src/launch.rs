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
}

impl LaunchRecord {
    /// What a permission for this launch is bound to.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_launch(&json!(self))
    }

    /// What differs from an earlier record that was allowed.
    #[must_use]
    pub fn change_since(&self, before: &Self) -> LaunchChange {
        let mut parts = vec![];
        let mut runners = vec![];
        if self.program != before.program {
            parts.push(LaunchPart::Program);
        }
        self.compare_files(before, &mut parts, &mut runners);
        self.compare_settings(before, &mut parts);
        match (parts.is_empty(), runners.is_empty()) {
            (true, false) => LaunchChange::RunnersUpdated { runners },
            (true, true) if self.version != before.version => LaunchChange::BindsMore,
            _ => LaunchChange::Changed { parts },
        }
    }

    /// Adds what differs in how the program is started.
    fn compare_settings(&self, before: &Self, parts: &mut Vec<LaunchPart>) {
        if self.args != before.args {
            parts.push(LaunchPart::Arguments);
        }
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
mod tests {
    use super::*;

    fn file(role: FileRole, path: &str, bytes: &str, runner: bool) -> BoundFile {
        BoundFile {
            role,
            path: path.into(),
            resolved: path.into(),
            sha256: Some(bytes.into()),
            runner,
        }
    }

    fn record() -> LaunchRecord {
        LaunchRecord {
            version: LAUNCH_VERSION,
            program: "/usr/bin/node".into(),
            args: vec!["/srv/server.js".into()],
            folder: "/srv".into(),
            env: BTreeMap::from([("TOKEN".into(), "a".into())]),
            search_path: "/usr/bin".into(),
            files: vec![
                file(FileRole::Program, "/usr/bin/node", "1", true),
                file(FileRole::Argument, "/srv/server.js", "2", false),
            ],
        }
    }

    /// What `change` does to the record is what a card says of it, and it ends the permission.
    #[track_caller]
    fn says(change: impl FnOnce(&mut LaunchRecord), expected: LaunchChange) {
        let mut after = record();
        change(&mut after);
        assert_ne!(after.digest(), record().digest());
        assert_eq!(after.change_since(&record()), expected);
    }

    fn only(part: LaunchPart) -> LaunchChange {
        LaunchChange::Changed { parts: vec![part] }
    }

    #[test]
    fn each_part_that_changes_is_named_and_changes_the_digest() {
        let script = || "/srv/server.js".to_owned();
        says(
            |r| r.files[1].sha256 = Some("3".into()),
            only(LaunchPart::File { path: script() }),
        );
        says(
            |r| r.files[1].resolved = "/tmp/other.js".into(),
            only(LaunchPart::File { path: script() }),
        );
        says(|r| drop(r.files.pop()), only(LaunchPart::File { path: script() }));
        says(|r| r.args.push("-v".into()), only(LaunchPart::Arguments));
        says(|r| r.folder = "/".into(), only(LaunchPart::Folder));
        let names = vec!["TOKEN".to_owned()];
        says(
            |r| drop(r.env.insert("TOKEN".into(), "b".into())),
            only(LaunchPart::Variables { names: names.clone() }),
        );
        says(|r| r.env.clear(), only(LaunchPart::Variables { names }));
        says(
            |r| r.search_path = "/tmp:/usr/bin".into(),
            only(LaunchPart::SearchPath),
        );
        says(|r| r.program = "/tmp/node".into(), only(LaunchPart::Program));
    }

    #[test]
    fn an_updated_runner_is_told_apart_from_a_changed_program() {
        let runners = vec!["/usr/bin/node".to_owned()];
        says(
            |r| r.files[0].sha256 = Some("9".into()),
            LaunchChange::RunnersUpdated { runners },
        );
        says(
            |r| {
                r.files[0].sha256 = Some("9".into());
                r.files[1].sha256 = Some("9".into());
            },
            only(LaunchPart::File {
                path: "/srv/server.js".into(),
            }),
        );
        says(|r| r.files[0].sha256 = None, only(LaunchPart::Program));
        says(
            |r| {
                r.files[0].runner = false;
                r.files[0].sha256 = Some("9".into());
            },
            only(LaunchPart::Program),
        );
    }

    #[test]
    fn an_interpreter_in_another_place_is_no_update() {
        let path = "/home/ann/.local/bin/node".to_owned();
        let mut before = record();
        before
            .files
            .push(file(FileRole::Interpreter, "/usr/bin/node", "1", true));
        let mut after = record();
        after.files.push(file(FileRole::Interpreter, &path, "1", true));
        assert_eq!(
            after.change_since(&before),
            only(LaunchPart::Interpreter { path })
        );
    }

    #[test]
    fn a_record_that_only_binds_more_says_so() {
        says(|r| r.version += 1, LaunchChange::BindsMore);
    }

    #[test]
    fn a_record_reads_back_as_it_was_written() {
        let written = json!(record());
        let read: LaunchRecord = serde_json::from_value(written).unwrap();
        assert_eq!(read.digest(), record().digest());
    }
}
