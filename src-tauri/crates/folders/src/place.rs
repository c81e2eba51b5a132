//! Where a folder is. A folder is known by its canonical path: absolute, without links and without `..` in it. A
//! path that is no longer its own canonical form has been replaced by something else and is not shared.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use url::Url;
use vestibule_consent::{FolderReach, FolderTrouble};

use vestibule_app_protocol::StoreProblem;

/// Which folder it is, whatever its name; `None` where the system does not say.
pub(crate) type Identity = Option<(u64, u64)>;

/// The canonical path of a folder the user named.
///
/// # Errors
/// When there is no such folder, or it cannot be read or named to a server.
pub fn canonical(typed: &str, home: Option<&Path>) -> Result<String, StoreProblem> {
    let unusable = |detail: &str| StoreProblem::FolderUnusable {
        folder: typed.to_owned(),
        detail: detail.to_owned(),
    };
    let path = absolute(typed.trim(), home).ok_or_else(|| unusable("it is not a full path"))?;
    let path = path
        .canonicalize()
        .map_err(|error| unusable(&error.to_string()))?;
    if !path.is_dir() {
        return Err(unusable("it is not a folder"));
    }
    fs::read_dir(&path).map_err(|error| unusable(&error.to_string()))?;
    let text = path.to_str().ok_or_else(|| unusable("its name is not text"))?;
    if uri(text).is_none() {
        return Err(unusable("it has no address of its own"));
    }
    Ok(text.to_owned())
}

fn absolute(typed: &str, home: Option<&Path>) -> Option<PathBuf> {
    if let Ok(url) = Url::parse(typed)
        && url.scheme() == "file"
    {
        return url.to_file_path().ok();
    }
    let path = match typed.strip_prefix('~') {
        Some("") => home?.to_owned(),
        Some(rest) => home?.join(rest.strip_prefix(['/', '\\'])?),
        None => PathBuf::from(typed),
    };
    path.is_absolute().then_some(path)
}

/// The address of a folder: `file://`, percent-encoded. `None` where a path has none.
pub(crate) fn uri(path: &str) -> Option<String> {
    Url::from_file_path(path).ok().map(String::from)
}

/// The folder's own name, for the server and the list.
pub(crate) fn name(path: &str) -> String {
    let last = Path::new(path).file_name().and_then(|name| name.to_str());
    last.unwrap_or(path).to_owned()
}

/// Looks whether a folder is still what it was when it was added.
///
/// # Errors
/// What became of it.
pub(crate) fn still_there(path: &str) -> Result<Identity, FolderTrouble> {
    let canonical = Path::new(path)
        .canonicalize()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => FolderTrouble::Gone,
            ErrorKind::NotADirectory => FolderTrouble::Replaced,
            _ => FolderTrouble::Unreadable,
        })?;
    if canonical != Path::new(path) || !canonical.is_dir() {
        return Err(FolderTrouble::Replaced);
    }
    fs::read_dir(&canonical).map_err(|_| FolderTrouble::Unreadable)?;
    let facts = fs::metadata(&canonical).map_err(|_| FolderTrouble::Unreadable)?;
    Ok(identity(&facts))
}

/// Which file or folder is at a path, links followed.
pub(crate) fn identity_of(path: &Path) -> Identity {
    fs::metadata(path).ok().as_ref().and_then(identity)
}

#[cfg(unix)]
fn identity(facts: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Some((facts.dev(), facts.ino()))
}

#[cfg(not(unix))]
fn identity(_facts: &fs::Metadata) -> Identity {
    None
}

/// How much a folder spans.
pub(crate) fn reach(path: &str, home: Option<&Path>) -> FolderReach {
    let path = Path::new(path);
    if path.parent().is_none() {
        FolderReach::Disk
    } else if home.is_some_and(|home| home.starts_with(path)) {
        FolderReach::Home
    } else {
        FolderReach::Folder
    }
}

/// The user's own folder.
pub fn home() -> Option<PathBuf> {
    let home = std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
    let home = PathBuf::from(home);
    home.canonicalize()
        .ok()
        .or(Some(home))
        .filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RO-003, RO-015: spaces, other alphabets and signs with a meaning in addresses are encoded.
    #[cfg(unix)]
    #[test]
    fn an_address_is_encoded() {
        for (path, address) in [
            ("/home/ada", "file:///home/ada"),
            ("/home/ada/My notes", "file:///home/ada/My%20notes"),
            ("/home/ada/旅行", "file:///home/ada/%E6%97%85%E8%A1%8C"),
            ("/a#b?c%20d", "file:///a%23b%3Fc%2520d"),
            ("/", "file:///"),
        ] {
            assert_eq!(uri(path).unwrap(), address);
            let back = Url::parse(address).unwrap().to_file_path().unwrap();
            assert_eq!(back, Path::new(path));
        }
    }

    /// RO-009, F5: whatever is typed, what is kept has no links and no `..` in it.
    #[cfg(unix)]
    #[test]
    fn a_typed_path_is_resolved() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let real = place.join("real");
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, place.join("link")).unwrap();
        let wanted = real.to_str().unwrap();
        let within = |rest: &str| format!("{}/{rest}", place.display());
        for typed in [
            within("real"),
            within("link"),
            within("real/../link/."),
            format!("file://{wanted}"),
            "~/real".into(),
        ] {
            assert_eq!(canonical(&typed, Some(&place)).unwrap(), wanted, "{typed}");
        }
        fs::write(place.join("file"), "x").unwrap();
        for typed in [
            "real",
            "../real",
            "",
            "file://server/share",
            "~bob",
            &within("none"),
            &within("file"),
        ] {
            assert!(canonical(typed, Some(&place)).is_err(), "{typed}");
        }
    }

    /// RO-009, RO-013, F2: a folder that was swapped for a link, removed or replaced says so.
    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_no_longer_itself_says_so() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let (folder, other) = (place.join("folder"), place.join("other"));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&other).unwrap();
        let path = folder.to_str().unwrap();
        let before = still_there(path).unwrap();
        fs::remove_dir(&folder).unwrap();
        assert_eq!(still_there(path), Err(FolderTrouble::Gone));
        std::os::unix::fs::symlink(&other, &folder).unwrap();
        assert_eq!(still_there(path), Err(FolderTrouble::Replaced));
        fs::remove_file(&folder).unwrap();
        fs::write(&folder, "x").unwrap();
        assert_eq!(still_there(path), Err(FolderTrouble::Replaced));
        fs::remove_file(&folder).unwrap();
        fs::rename(&other, &folder).unwrap();
        assert_ne!(still_there(path).unwrap(), before);
    }

    #[cfg(unix)]
    #[test]
    fn wide_folders_are_known() {
        let home = Path::new("/home/ada");
        for (path, reaches) in [
            ("/", FolderReach::Disk),
            ("/home", FolderReach::Home),
            ("/home/ada", FolderReach::Home),
            ("/home/ada/x", FolderReach::Folder),
            ("/home/adam", FolderReach::Folder),
        ] {
            assert_eq!(reach(path, Some(home)), reaches, "{path}");
        }
    }
}
