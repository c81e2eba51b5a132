//! Finds and reads the configuration files of the table, within bounds: in number, in bytes, and in the entries of a
//! folder. Only regular files are read, and opening anything else does not wait. Links are followed, because users
//! keep such files elsewhere and link them.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use vestibule_app_protocol::InputProblem;

use super::apps::FILES;
use super::folders::AppFolders;
use crate::format::ConfigFormat;

/// The longest file that is read, in bytes. Claude Code keeps its history beside its servers.
pub(super) const LONGEST_FILE: usize = 8 * 1024 * 1024;
/// The most files that are read.
pub(super) const MOST_FILES: usize = 64;
/// The most entries of a folder that are looked at for a `*`.
const MOST_ENTRIES: usize = 256;

/// A file of an application that is there.
#[derive(Clone, Debug)]
pub(super) struct ConfigFile {
    pub(super) app: &'static str,
    pub(super) path: PathBuf,
}

impl ConfigFile {
    /// The format, which each application says with the extension.
    pub(super) fn format(&self) -> ConfigFormat {
        match self.path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => ConfigFormat::Toml,
            Some("yaml" | "yml") => ConfigFormat::Yaml,
            _ => ConfigFormat::Json,
        }
    }
}

/// The files of the table that are there, in its order.
pub(super) fn find(folders: &AppFolders) -> Vec<ConfigFile> {
    let Some(system) = folders.system() else {
        return vec![];
    };
    let files = FILES.iter().filter(|file| file.systems.has(system));
    let found = files.flat_map(|file| {
        let paths = folders.resolve(file.base).map(|base| expand(&base, file.path));
        let there = paths
            .unwrap_or_default()
            .into_iter()
            .filter(|path| is_there(path));
        there.map(|path| ConfigFile {
            app: file.app,
            // With the separators of the system.
            path: path.components().collect(),
        })
    });
    found.take(MOST_FILES).collect()
}

/// Whether something has this name; also a link that leads nowhere, so that it is named.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The paths that a path of the table stands for.
fn expand(base: &Path, path: &str) -> Vec<PathBuf> {
    let parts: Vec<&str> = path.split('/').collect();
    let Some(place) = parts.iter().position(|part| part.contains('*')) else {
        return vec![base.join(path)];
    };
    let folder = parts[..place]
        .iter()
        .fold(base.to_owned(), |path, part| path.join(part));
    let rest = &parts[place + 1..];
    let names = matching_names(&folder, parts[place]);
    let below = |name: &String| rest.iter().fold(folder.join(name), |path, part| path.join(part));
    names.iter().map(below).collect()
}

/// The names in a folder that a pattern with one `*` fits, sorted. A folder that cannot be read has none.
fn matching_names(folder: &Path, pattern: &str) -> Vec<String> {
    let (start, end) = pattern.split_once('*').unwrap_or((pattern, ""));
    let Ok(entries) = std::fs::read_dir(folder) else {
        return vec![];
    };
    let names = entries
        .take(MOST_ENTRIES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let fits = |name: &String| name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end));
    let mut names: Vec<String> = names.filter(fits).collect();
    names.sort();
    names
}

/// The text of a file.
///
/// # Errors
/// Where it cannot be opened, is no regular file, is too long, or is no text.
pub(super) fn read(path: &Path) -> Result<String, InputProblem> {
    let unreadable = |detail: String| InputProblem::ConfigUnreadable { detail };
    let file = open_regular(path).map_err(|error| unreadable(error.to_string()))?;
    let mut bytes = vec![];
    let limit = LONGEST_FILE as u64 + 1;
    let read = file.take(limit).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() > LONGEST_FILE {
        return Err(InputProblem::ConfigTooLong {
            limit_kb: (LONGEST_FILE / 1024) as u32,
        });
    }
    String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".to_owned()))
}

/// Opens a regular file. Opening anything else does not wait.
///
/// # Errors
/// Where it cannot be opened or is no regular file.
pub fn open_regular(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(std::io::Error::other("it is not a regular file"))
    }
}
