//! Where programs are found. A desktop app is not started from the user's shell and so lacks the folders
//! their shell adds; the only way to learn them is to ask that shell once. This is the one place in the app
//! that runs a shell, with a fixed command and no input in it. Finding a program is done
//! here by hand so that the folder an app happens to stand in is never searched.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// No program of this name was found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no program {command:?} was found (looked in {})", list(.looked_in))]
pub struct NotFound {
    /// What was looked for.
    pub command: String,
    /// The places, in order.
    pub looked_in: Vec<PathBuf>,
}

fn list(places: &[PathBuf]) -> String {
    if places.is_empty() {
        return "no folder".to_owned();
    }
    places
        .iter()
        .map(|place| place.display().to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

/// The absolute path of a program.
///
/// An absolute command is taken as it is. One with a separator is looked up from `cwd`, if one was declared.
/// Any other is searched for in the absolute folders of `search_path`; empty and relative entries of it mean
/// the current folder in a shell, and are ignored.
///
/// # Errors
/// When nothing executable is there.
pub fn resolve(command: &str, search_path: &OsStr, cwd: Option<&Path>) -> Result<PathBuf, NotFound> {
    let candidates = candidates(command, search_path, cwd);
    let found = candidates.iter().find(|candidate| is_program(candidate)).cloned();
    found.ok_or_else(|| NotFound {
        command: command.to_owned(),
        looked_in: candidates,
    })
}

/// The places where the program may be, in order.
fn candidates(command: &str, search_path: &OsStr, cwd: Option<&Path>) -> Vec<PathBuf> {
    if command.is_empty() || command.ends_with(std::path::is_separator) {
        Vec::new()
    } else if Path::new(command).is_absolute() {
        vec![PathBuf::from(command)]
    } else if command.contains(std::path::is_separator) {
        cwd.filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(command))
            .into_iter()
            .collect()
    } else if command == "." || command == ".." {
        Vec::new()
    } else {
        let folders = env::split_paths(search_path).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(command)).collect()
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(unix)]
pub use shell::login_shell_path;

#[cfg(unix)]
mod shell {
    use std::env;
    use std::ffi::{OsStr, OsString};
    use std::io::{self, IsTerminal};
    use std::os::unix::ffi::OsStringExt;
    use std::path::{Path, PathBuf};
    use std::process::Stdio;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::io::AsyncReadExt;
    use tokio::process::{Child, Command};
    use tokio::time::timeout;

    /// How long the shell may take to read its start-up files.
    const PATIENCE: Duration = Duration::from_secs(3);
    /// How much of its output is read.
    const MAX_OUTPUT: u64 = 256 * 1024;
    /// Start-up files print greetings, so the path stands between marks. Quoted in halves, so that a shell
    /// that echoes the command does not print them.
    const PRINT_PATH: &str =
        "printf '%s%s' vestibule -path-begin; printenv PATH; printf '%s%s' vestibule -path-end";
    const BEGIN: &[u8] = b"vestibule-path-begin";
    const END: &[u8] = b"vestibule-path-end";
    /// Where programs usually are when no path is given.
    const USUAL: [&str; 6] = [
        "/opt/homebrew/bin",
        "/usr/local/bin",
        "/usr/bin",
        "/bin",
        "/usr/sbin",
        "/sbin",
    ];

    /// The `PATH` of the user's login shell; the app's own with the usual folders added when the shell does
    /// not answer within three seconds. Asks again each time: keep the answer.
    pub async fn login_shell_path() -> OsString {
        let own = env::var_os("PATH").unwrap_or_default();
        // Started from a terminal, we have the shell's path already, and an interactive shell in the
        // background of that terminal would only be stopped by it.
        if std::io::stdin().is_terminal() {
            return with_usual(&own);
        }
        let shell = env::var_os("SHELL").map_or_else(|| PathBuf::from("/bin/sh"), PathBuf::from);
        match ask(&shell, PATIENCE).await {
            Some(path) => path,
            None => with_usual(&own),
        }
    }

    pub(super) fn with_usual(path: &OsStr) -> OsString {
        let mut folders: Vec<PathBuf> = env::split_paths(path).collect();
        for usual in USUAL.map(PathBuf::from) {
            if !folders.contains(&usual) {
                folders.push(usual);
            }
        }
        // Joining fails only for a folder with the separator in its name, and these were split at it.
        env::join_paths(folders).unwrap_or_else(|_| path.to_owned())
    }

    /// Starts the shell with the command, in a process group of its own.
    fn start(shell: &Path) -> io::Result<Child> {
        Command::new(shell)
            .args(["-ilc", PRINT_PATH])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
    }

    /// What the shell says its `PATH` is.
    pub(super) async fn ask(shell: &Path, patience: Duration) -> Option<OsString> {
        if !shell.is_absolute() {
            return None;
        }
        let mut child = start(shell).ok()?;
        let group = Group(
            child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(Pid::from_raw)?,
        );
        let mut output = Vec::new();
        let mut reader = child.stdout.take()?.take(MAX_OUTPUT);
        // The end of the output is not waited for beyond the time: a start-up file may leave a process behind.
        let _ = timeout(patience, reader.read_to_end(&mut output)).await;
        drop(group);
        let _ = timeout(patience, child.wait()).await;
        answer(&output)
    }

    /// Ends the shell and what its start-up files began, also when the future that reads its output is dropped.
    struct Group(Pid);

    impl Drop for Group {
        fn drop(&mut self) {
            let _ = kill_process_group(self.0, Signal::KILL);
        }
    }

    pub(super) fn answer(output: &[u8]) -> Option<OsString> {
        let begin = memchr::memmem::find(output, BEGIN)? + BEGIN.len();
        let end = begin + memchr::memmem::find(&output[begin..], END)?;
        let path = output[begin..end].trim_ascii();
        (!path.is_empty()).then(|| OsString::from_vec(path.to_vec()))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
