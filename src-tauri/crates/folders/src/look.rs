//! What is in a folder, as far as a card needs it: how much, whether it is a repository, and which names in it are
//! those of secrets. It looks at names and sizes and never into a file, follows no link, and stops at a number of
//! entries and after a time, which the card then says.

use std::collections::VecDeque;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    pub entries: u32,
    pub time: Duration,
}

impl Default for Most {
    fn default() -> Self {
        Self {
            entries: 20_000,
            time: Duration::from_millis(1500),
        }
    }
}

/// How many names of secrets are listed.
const MOST_NAMED: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FolderContents {
    pub files: u32,
    pub bytes: u64,
    /// Whether everything was looked at.
    pub whole: bool,
    pub repository: bool,
    pub secrets: Vec<String>,
    pub more_secrets: u32,
}

/// Looks into a folder. Blocks; what lies near the top is seen first.
pub(crate) fn list_folder(folder: &Path, most: Most) -> FolderContents {
    let end = Instant::now() + most.time;
    let mut seen = FolderContents::unread(folder);
    let mut entries = 0;
    let mut waiting = VecDeque::from([folder.to_owned()]);
    while let Some(next) = waiting.pop_front() {
        let Ok(listing) = fs::read_dir(&next) else {
            seen.whole = false;
            continue;
        };
        for entry in listing.flatten() {
            entries += 1;
            if entries > most.entries || Instant::now() > end {
                seen.whole = false;
                return seen;
            }
            seen.take(&entry, folder, &mut waiting);
        }
    }
    seen
}

impl FolderContents {
    /// The contents of a folder of which no entry was looked at yet.
    fn unread(folder: &Path) -> Self {
        Self {
            repository: folder.join(".git").exists(),
            whole: true,
            ..Self::default()
        }
    }

    fn take(&mut self, entry: &DirEntry, top: &Path, waiting: &mut VecDeque<PathBuf>) {
        let Ok(kind) = entry.file_type() else { return };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if is_secret(&name, kind.is_dir()) {
            self.name(&entry.path(), top, kind.is_dir());
        }
        if kind.is_dir() && name != ".git" {
            waiting.push_back(entry.path());
        } else if kind.is_file() {
            self.files = self.files.saturating_add(1);
            self.bytes += entry.metadata().map_or(0, |facts| facts.len());
        }
    }

    fn name(&mut self, path: &Path, top: &Path, folder: bool) {
        if self.secrets.len() == MOST_NAMED {
            self.more_secrets = self.more_secrets.saturating_add(1);
            return;
        }
        let inside = path.strip_prefix(top).unwrap_or(path).display();
        self.secrets.push(if folder {
            format!("{inside}/")
        } else {
            inside.to_string()
        });
    }
}

/// Folders whose contents usually are secrets.
const SECRET_FOLDERS: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    ".azure",
    ".gcloud",
    ".password-store",
];
/// Files that usually are secrets, by their whole name.
const SECRET_FILES: &[&str] = &[
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    "credentials",
    "credentials.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "wallet.dat",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];
/// How the names of files begin that usually are secrets.
const SECRET_STARTS: &[&str] = &[".env.", "service-account"];
/// How the names of files end that usually are secrets.
const SECRET_ENDS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".kdbx",
    ".keystore",
    ".jks",
    ".ovpn",
];
/// How the names of files end that only show what a secret looks like.
const EXAMPLE_ENDS: &[&str] = &[".example", ".sample", ".template", ".dist"];

/// Whether things of this name usually are secrets.
fn is_secret(name: &str, folder: bool) -> bool {
    let name = name.to_lowercase();
    if folder {
        return SECRET_FOLDERS.contains(&name.as_str());
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    !ends(EXAMPLE_ENDS)
        && (SECRET_FILES.contains(&name.as_str())
            || SECRET_STARTS.iter().any(|start| name.starts_with(start))
            || ends(SECRET_ENDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[&str]) -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for file in files {
            let path = place.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "12345").unwrap();
        }
        place
    }

    #[test]
    fn files_are_counted_and_secrets_named() {
        let place = place(&[
            "a.txt",
            "deep/er/b.txt",
            ".env",
            "deep/server.PEM",
            ".ssh/id_ed25519",
            ".env.example",
            ".git/config",
        ]);
        let mut seen = list_folder(place.path(), Most::default());
        seen.secrets.sort();
        assert_eq!((seen.files, seen.bytes, seen.whole), (6, 30, true));
        assert!(seen.repository);
        assert_eq!(
            seen.secrets,
            [".env", ".ssh/", ".ssh/id_ed25519", "deep/server.PEM"]
        );
    }

    #[test]
    fn looking_stops_and_says_so() {
        let names: Vec<String> = (0..50).map(|number| format!("{number}.key")).collect();
        let place = place(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let all = list_folder(place.path(), Most::default());
        assert_eq!(
            (all.files, all.whole, all.secrets.len(), all.more_secrets),
            (50, true, 8, 42)
        );
        let most = Most {
            entries: 10,
            ..Most::default()
        };
        let some = list_folder(place.path(), most);
        assert_eq!((some.files, some.whole), (10, false));
        let no_time = Most {
            time: Duration::ZERO,
            ..Most::default()
        };
        assert!(!list_folder(place.path(), no_time).whole);
    }

    /// F2: nothing outside the folder is counted through a link, and a link to itself is no endless way.
    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (inside, outside) = (place(&["a"]), place(&["b", "c"]));
        std::os::unix::fs::symlink(outside.path(), inside.path().join("out")).unwrap();
        std::os::unix::fs::symlink(inside.path(), inside.path().join("self")).unwrap();
        let seen = list_folder(inside.path(), Most::default());
        assert_eq!((seen.files, seen.whole), (1, true));
    }
}
