//! The files whose bytes decide what a launch runs, each with its hash: the program, the interpreters that first lines
//! lead to, every argument that is a file, and every file that a variable names as code. All of it is read again for
//! every plan, because size, time and inode of a file can be kept while its bytes change.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use vestibule_consent::{LaunchGap, LaunchGapKind};
use vestibule_policy::{BoundFile, FileRole};
use vestibule_transport::{guard::CheckedFile, path};

use super::{runner, variable_code};
use crate::config::variables;

/// The largest file that is hashed, in bytes.
const LARGEST: u64 = 256 * 1024 * 1024;
/// The most that is hashed for one plan, in bytes.
const LARGEST_TOGETHER: u64 = 512 * 1024 * 1024;
/// The most files of one plan.
const MOST_FILES: usize = 64;
/// How many interpreters may run one another; Linux follows as many.
const DEEPEST: usize = 4;
/// How much of a script is searched for the end of its first line; more than any system reads.
const FIRST_LINE: u64 = 4096;
/// How long reading all files may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest argument that is looked at as a path, in bytes.
const LONGEST_PATH: usize = 4096;

/// What was bound, and what was not.
#[derive(Debug, Default)]
pub(super) struct Bound {
    pub(super) files: Vec<BoundFile>,
    pub(super) gaps: Vec<LaunchGap>,
    /// Those with a known hash, which is compared once more right before the start.
    pub(super) checked: Vec<CheckedFile>,
}

/// A launch as far as its files go.
pub(super) struct Files {
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) folder: PathBuf,
    /// The search path that the program is given.
    pub(super) search_path: OsString,
    /// The variables that it is given, with their values.
    pub(super) variables: Vec<(String, String)>,
    /// The bundle that it is run from. All its files are bound with it.
    pub(super) bundle: Option<PathBuf>,
}

/// Hashes the files of a launch, away from the async workers. What is not read in time counts as not bound.
pub(super) async fn bind(files: Files) -> Bound {
    let program = files.program.clone();
    let reading = tokio::task::spawn_blocking(move || Binder::new(files).run());
    match tokio::time::timeout(PATIENCE, reading).await {
        Ok(Ok(bound)) => bound,
        Ok(Err(_)) | Err(_) => Bound {
            files: vec![],
            gaps: vec![LaunchGap {
                kind: LaunchGapKind::Unreadable,
                what: text(&program),
            }],
            checked: vec![],
        },
    }
}

/// A path as text; one that is not text keeps apart from every other.
pub(super) fn text(path: &Path) -> String {
    os_text(path.as_os_str())
}

pub(super) fn os_text(text: &OsStr) -> String {
    text.to_str().map_or_else(
        || format!("bytes:{}", variables::hex(text.as_encoded_bytes())),
        str::to_owned,
    )
}

struct Binder {
    launch: Files,
    bound: Bound,
    bytes_left: u64,
}

impl Binder {
    fn new(launch: Files) -> Self {
        Self {
            launch,
            bound: Bound::default(),
            bytes_left: LARGEST_TOGETHER,
        }
    }

    fn run(mut self) -> Bound {
        let program = self.launch.program.clone();
        self.add(FileRole::Program, &program);
        self.interpreters(&program, DEEPEST);
        let args = std::mem::take(&mut self.launch.args);
        let code = runner::code(&program, &args, &self.launch.folder).files;
        for arg in args {
            for path in paths_in(&arg) {
                let path = self.launch.folder.join(path);
                let is_data = || is_database(&path) && !code.contains(&path);
                if path.metadata().is_ok_and(|data| data.is_file()) && !is_data() {
                    self.add(FileRole::Argument, &path);
                }
            }
        }
        let named = variable_code::named_in(
            &self.launch.variables,
            &self.launch.folder,
            self.launch.bundle.as_deref(),
        );
        for path in named.files {
            self.add(FileRole::Argument, &path);
        }
        for gap in named.gaps {
            self.gap(gap.kind, gap.what);
        }
        self.bound
    }

    /// Adds a file, once for each of its roles.
    fn add(&mut self, role: FileRole, path: &Path) {
        let name = text(path);
        let is_same = |file: &BoundFile| file.role == role && file.path == name;
        if self.bound.files.iter().any(is_same) {
            return;
        }
        if self.bound.files.len() == MOST_FILES {
            return self.gap(LaunchGapKind::TooManyFiles, String::new());
        }
        let sha256 = self.hashed(path, &name);
        self.bound.files.push(BoundFile {
            role,
            resolved: path
                .canonicalize()
                .map_or_else(|_| name.clone(), |path| text(&path)),
            path: name,
            sha256,
            runner: role != FileRole::Argument && runner::is_runner(path),
        });
    }

    /// The hash of a file, which is compared again before the launch; a gap where it cannot be made.
    fn hashed(&mut self, path: &Path, name: &str) -> Option<String> {
        match hash(path, self.bytes_left.min(LARGEST)) {
            Ok((hash, bytes)) => {
                self.bytes_left -= bytes;
                self.check(path, &hash);
                Some(hash)
            }
            Err(kind) => {
                self.gap(kind, name.to_owned());
                None
            }
        }
    }

    fn check(&mut self, path: &Path, sha256: &str) {
        if !self.bound.checked.iter().any(|file| file.path == *path) {
            self.bound.checked.push(CheckedFile {
                path: path.into(),
                sha256: sha256.to_owned(),
            });
        }
    }

    fn gap(&mut self, kind: LaunchGapKind, what: String) {
        let gap = LaunchGap { kind, what };
        if !self.bound.gaps.contains(&gap) {
            self.bound.gaps.push(gap);
        }
    }

    /// Adds what the first line of a script leads to.
    fn interpreters(&mut self, script: &Path, deepest: usize) {
        let next = match first_line(script) {
            FirstLine::NotAScript => return,
            FirstLine::Unreadable => None,
            FirstLine::Shell => Some((PathBuf::from("/bin/sh"), None)),
            FirstLine::Interpreter { path, arg } => Some((self.launch.folder.join(path), arg)),
        };
        let Some((interpreter, arg)) = next.filter(|_| deepest > 0) else {
            return self.gap(LaunchGapKind::UnknownInterpreter, text(script));
        };
        self.add(FileRole::Interpreter, &interpreter);
        if runner::family_name(&interpreter) != "env" {
            return self.interpreters(&interpreter, deepest - 1);
        }
        let command = arg.as_deref().and_then(command_of_env);
        let Some(program) = command.and_then(|command| self.found(command)) else {
            return self.gap(LaunchGapKind::UnknownInterpreter, text(script));
        };
        self.add(FileRole::Interpreter, &program);
        self.interpreters(&program, deepest - 1);
    }

    /// Finds a program as `env` does: a relative folder of the search path is one in the folder of the launch.
    fn found(&self, command: &str) -> Option<PathBuf> {
        let folder = &self.launch.folder;
        let folders = std::env::split_paths(&self.launch.search_path).map(|entry| folder.join(entry));
        let search_path = std::env::join_paths(folders).ok()?;
        path::resolve(command, &search_path, Some(folder)).ok()
    }
}

/// Whether the file begins as an SQLite database does. A server changes its own database at every run. Python and some
/// shells run a file that begins so, so one that an interpreter is given as code is bound nevertheless.
fn is_database(path: &Path) -> bool {
    let mut head = [0; 16];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut head))
        .is_ok_and(|()| head == *b"SQLite format 3\0")
}

/// The paths that an argument may name: itself, and what follows the first `=`.
fn paths_in(arg: &str) -> impl Iterator<Item = &str> {
    let value = arg.split_once('=').map(|(_, value)| value);
    let usable = |path: &&str| !path.is_empty() && path.len() <= LONGEST_PATH && !path.contains('\0');
    [Some(arg), value]
        .into_iter()
        .flatten()
        .map(|path| path.strip_prefix("file://").unwrap_or(path))
        .filter(usable)
}

/// SHA-256 of a file and how many bytes it has, if that is at most `limit`.
fn hash(path: &Path, limit: u64) -> Result<(String, u64), LaunchGapKind> {
    let unreadable = |_| LaunchGapKind::Unreadable;
    let file = File::open(path).map_err(unreadable)?;
    let data = file.metadata().map_err(unreadable)?;
    if !data.is_file() {
        return Err(LaunchGapKind::Unreadable);
    }
    if data.len() > limit {
        return Err(LaunchGapKind::TooLarge);
    }
    let mut hasher = Sha256::new();
    // A file that grows while it is read is cut off after one byte more than is allowed.
    let bytes = io::copy(&mut file.take(limit + 1), &mut hasher).map_err(unreadable)?;
    if bytes > limit {
        return Err(LaunchGapKind::TooLarge);
    }
    Ok((variables::hex(&hasher.finalize()), bytes))
}

#[derive(Debug, PartialEq, Eq)]
enum FirstLine {
    /// The system runs the file itself.
    NotAScript,
    /// It could not be read, or has no end.
    Unreadable,
    /// It names none, and the file is text: `execvp` gives that to the shell.
    Shell,
    /// What stands after `#!`.
    Interpreter { path: String, arg: Option<String> },
}

fn first_line(script: &Path) -> FirstLine {
    let mut start = vec![];
    let read = File::open(script).and_then(|file| file.take(FIRST_LINE).read_to_end(&mut start));
    if read.is_err() {
        return FirstLine::Unreadable;
    }
    if let Some(rest) = start.strip_prefix(b"#!") {
        return interpreter_line(rest);
    }
    let is_text = !start.iter().take(128).any(|byte| *byte == 0);
    if is_text {
        FirstLine::Shell
    } else {
        FirstLine::NotAScript
    }
}

/// What stands after `#!`, up to the end of the line.
fn interpreter_line(rest: &[u8]) -> FirstLine {
    let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
        return FirstLine::Unreadable;
    };
    let Ok(line) = str::from_utf8(&rest[..end]) else {
        return FirstLine::Unreadable;
    };
    let line = line.trim_matches([' ', '\t', '\r']);
    if line.is_empty() {
        return FirstLine::Unreadable;
    }
    let (path, arg) = match line.split_once([' ', '\t']) {
        Some((path, arg)) => (path, Some(arg.trim_matches([' ', '\t']).to_owned())),
        None => (line, None),
    };
    FirstLine::Interpreter {
        path: path.to_owned(),
        arg,
    }
}

/// The program that `env` runs, given what stands after it on a first line. `None` where options or variables of it
/// could change which one that is.
fn command_of_env(arg: &str) -> Option<&str> {
    let words = match arg
        .strip_prefix("-S")
        .or_else(|| arg.strip_prefix("--split-string"))
    {
        Some(words) => words.trim_start_matches(['=', ' ', '\t']),
        // Without `-S` all of it is the name of one program.
        None if arg.contains([' ', '\t']) => return None,
        None => arg,
    };
    let command = words.split_ascii_whitespace().next()?;
    let is_plain = !command.starts_with('-') && !command.contains(['=', '"', '\'', '\\', '$']);
    is_plain.then_some(command)
}

#[cfg(test)]
mod tests;
