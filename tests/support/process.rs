//! Processes of this computer, as /proc shows them, and where this package's own programs are.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::soon;

/// A program of this package, by its name.
///
/// # Panics
/// When it was not built.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    // Tests are built into a folder inside the one that holds the programs.
    let found = own.ancestors().skip(1).take(2).map(|folder| folder.join(name));
    found
        .into_iter()
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{name} is not built; run `cargo test -p vestibule-tests`"))
}

/// The processes whose command line holds this text, with their command lines. Those that have ended and only wait
/// to be collected have none.
#[must_use]
pub fn naming(text: &str) -> Vec<(i32, String)> {
    let processes = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(text).then_some((id, line))
    });
    processes.collect()
}

/// Waits until no process names this folder on its command line.
pub async fn gone(folder: &Path) {
    none(folder, |_| true).await;
}

/// Waits until no server names this folder on its command line. Their guard may still be there: it leaves once the
/// system has collected them.
pub async fn servers_gone(folder: &Path) {
    none(folder, |line| !line.contains(" guard ")).await;
}

async fn none(folder: &Path, counts: impl Fn(&str) -> bool) {
    let folder = folder.display().to_string();
    let gone = async {
        // The system reports no end of a process that is not a child, so it is looked for again and again.
        while naming(&folder).iter().any(|(_, line)| counts(line)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(&format!("no process names {folder}"), gone).await;
}
