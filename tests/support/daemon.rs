//! Servers that leave a process behind: it forks, begins a session of its own and forks again, so that its parent is gone
//! and nothing leads to it. It ignores being asked to end.

use std::path::Path;

use crate::naming;

/// Starts such a process, which has the mark on its command line, and becomes the program in its arguments. The
/// substitution ends when that process closes its output, so the program starts only once the mark can be found.
const SCRIPT: &str = r#": "$(setsid sh -c 'sh -c "$1" daemon "$0" <&- 2>&- & exit' "$0" 'trap "" TERM HUP; exec >&-; while :; do sleep 1000; done')"
exec "$@""#;

/// The arguments of `/bin/sh` with which it starts such a process in a folder and becomes this program.
#[must_use]
pub fn daemonising(folder: &Path, program: &Path, args: Vec<String>) -> Vec<String> {
    let own = ["-c".to_owned(), SCRIPT.to_owned(), folder.display().to_string()];
    let program = program.display().to_string();
    own.into_iter().chain([program]).chain(args).collect()
}

/// The processes of this folder that such servers left behind.
#[must_use]
pub fn daemons(folder: &Path) -> Vec<i32> {
    let mark = format!(" daemon {}", folder.display());
    naming(&mark).into_iter().map(|(number, _)| number).collect()
}
