//! Where programs are found. A desktop app is not started from the user's shell and so lacks the folders
//! their shell adds; the only way to learn them is to ask that shell, until it has answered once. This is the one place in the app
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
pub use shell::SearchPath;

#[cfg(unix)]
mod shell {
    use std::env;
    use std::ffi::{OsStr, OsString};
    use std::io::{self, IsTerminal};
    use std::os::unix::ffi::OsStringExt;
    use std::path::{Path, PathBuf};
    use std::process::Stdio;
    use std::sync::{Arc, Mutex, OnceLock, PoisonError};
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::io::AsyncReadExt;
    use tokio::process::{Child, Command};
    use tokio::sync::watch;
    use tokio::time::{Instant, timeout, timeout_at};
    use tokio_util::sync::{CancellationToken, DropGuard};

    /// How long a start waits for the shell, and how long the shell may take to end after its answer.
    const PATIENCE: Duration = Duration::from_secs(3);
    /// How long the shell may take to read its start-up files.
    const LIMIT: Duration = Duration::from_secs(60);
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

    /// Where programs are looked for: the `PATH` of the user's login shell. Until the shell has answered, the app's own with
    /// the usual folders added.
    pub struct SearchPath {
        /// The shell that is asked.
        shell: PathBuf,
        patience: Duration,
        learned: Arc<OnceLock<OsString>>,
        meanwhile: OsString,
        question: Mutex<Option<RunningQuestion>>,
        stop: CancellationToken,
        _stop: DropGuard,
    }

    /// A shell that was asked.
    #[derive(Clone)]
    struct RunningQuestion {
        /// Until when starts wait for it.
        until: Instant,
        /// Closed once the shell has answered or was given up.
        running: watch::Receiver<()>,
    }

    impl Default for SearchPath {
        fn default() -> Self {
            Self::new(&CancellationToken::new())
        }
    }

    impl SearchPath {
        /// Nothing is asked yet. The shell is ended when the application closes.
        #[must_use]
        pub fn new(closing: &CancellationToken) -> Self {
            let shell = env::var_os("SHELL").map_or_else(|| PathBuf::from("/bin/sh"), PathBuf::from);
            let path = Self::of(shell, PATIENCE, closing);
            // Started from a terminal, we have the shell's path already, and an interactive shell in the
            // background of that terminal would only be stopped by it.
            if std::io::stdin().is_terminal() {
                let _ = path.learned.set(path.meanwhile.clone());
            }
            path
        }

        pub(super) fn of(shell: PathBuf, patience: Duration, closing: &CancellationToken) -> Self {
            let stop = closing.child_token();
            Self {
                shell,
                patience,
                learned: Arc::default(),
                meanwhile: with_usual(&env::var_os("PATH").unwrap_or_default()),
                question: Mutex::default(),
                _stop: stop.clone().drop_guard(),
                stop,
            }
        }

        /// The folders where programs are looked for now. The first calls wait some seconds for the shell. One that takes
        /// longer is waited for in the background, and one that did not answer is asked again.
        pub async fn get(&self) -> &OsString {
            if self.learned.get().is_none() {
                let RunningQuestion { until, mut running } = self.question();
                let _ = timeout_at(until, running.changed()).await;
            }
            self.learned.get().unwrap_or(&self.meanwhile)
        }

        /// The shell that is being asked; asks it where none is.
        fn question(&self) -> RunningQuestion {
            let mut question = self.question.lock().unwrap_or_else(PoisonError::into_inner);
            let running = question
                .as_ref()
                .filter(|question| question.running.has_changed().is_ok());
            if let Some(running) = running {
                return running.clone();
            }
            let (end, running) = watch::channel(());
            let asked = RunningQuestion {
                until: Instant::now() + self.patience,
                running,
            };
            let (shell, learned, stop) = (self.shell.clone(), self.learned.clone(), self.stop.clone());
            tokio::spawn(async move {
                if let Some(Some(path)) = stop.run_until_cancelled(ask(&shell, LIMIT)).await {
                    let _ = learned.set(path);
                }
                drop(end);
            });
            *question = Some(asked.clone());
            asked
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

    /// What the shell says its `PATH` is. It may end by itself after that.
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
        // The end of the output is not waited for: a start-up file may leave a process behind.
        let read = async {
            while matches!(reader.read_buf(&mut output).await, Ok(1..)) && answer(&output).is_none() {}
        };
        let _ = timeout(patience, read).await;
        let answer = answer(&output);
        let patience = if answer.is_some() {
            PATIENCE
        } else {
            Duration::ZERO
        };
        tokio::spawn(async move {
            let _ = timeout(patience, reader.read_to_end(&mut output)).await;
            drop(group);
            let _ = timeout(PATIENCE, child.wait()).await;
        });
        answer
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
