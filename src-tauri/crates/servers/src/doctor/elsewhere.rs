//! Looks for a program that is not on the search path in the folders where version managers and package managers put
//! programs. The search path of a login shell lacks them where they are set up for interactive shells only.

use std::path::{Path, PathBuf};

/// Below the home folder.
const HOME_FOLDERS: [&str; 10] = [
    ".volta/bin",
    ".asdf/shims",
    ".local/share/mise/shims",
    ".local/bin",
    ".cargo/bin",
    ".bun/bin",
    ".deno/bin",
    ".pyenv/shims",
    ".npm-global/bin",
    "go/bin",
];
/// Folders with one folder for each version, and where programs are in it.
const VERSION_FOLDERS: [(&str, &str); 2] = [
    (".nvm/versions/node", "bin"),
    (".local/share/fnm/node-versions", "installation/bin"),
];
const SYSTEM_FOLDERS: [&str; 4] = [
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/usr/local/bin",
    "/snap/bin",
];
/// How many versions are looked at.
const MAX_VERSIONS: usize = 64;

/// The first place with a file of this name. A command with a separator is looked for nowhere else.
pub(crate) fn find(command: &str, home: &Path) -> Option<PathBuf> {
    if command.is_empty() || command.contains(['/', '\\']) || command.starts_with('.') {
        return None;
    }
    let versions = VERSION_FOLDERS
        .iter()
        .flat_map(|(all, bin)| versions(&home.join(all), bin));
    let folders = HOME_FOLDERS.iter().map(|folder| home.join(folder));
    let system = SYSTEM_FOLDERS.iter().map(PathBuf::from);
    let mut places = versions
        .chain(folders)
        .chain(system)
        .map(|folder| folder.join(command));
    places.find(|place| place.is_file())
}

/// The folders of versions, the newest first as far as numbers in their names tell.
fn versions(all: &Path, bin: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(all)
        .into_iter()
        .flatten()
        .flatten()
        .take(MAX_VERSIONS);
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries
        .map(|entry| {
            (
                numbers(&entry.file_name().to_string_lossy()),
                entry.path().join(bin),
            )
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, folder)| folder).collect()
}

fn numbers(name: &str) -> Vec<u32> {
    let digits = name.split(|c: char| !c.is_ascii_digit());
    digits.filter_map(|part| part.parse().ok()).collect()
}
