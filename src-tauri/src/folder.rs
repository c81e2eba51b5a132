//! Where Vestibule keeps its data: one folder, which `VESTIBULE_HOME` moves as a whole, for a second profile or a
//! test.

use std::path::PathBuf;

use vestibule_host::{AppFolders, AppSystem};

/// The name of the folder under the system's data folder.
const NAME: &str = "app.vestibule.desktop";

/// The data folder. It may not exist yet.
pub(crate) fn data() -> PathBuf {
    if let Some(moved) = std::env::var_os("VESTIBULE_HOME").filter(|path| !path.is_empty()) {
        return moved_to(moved.into());
    }
    let home = std::env::home_dir().unwrap_or_else(std::env::temp_dir);
    let system = if cfg!(target_os = "macos") {
        home.join("Library/Application Support")
    } else if cfg!(windows) {
        std::env::var_os("APPDATA").map_or_else(|| home.join("AppData/Roaming"), PathBuf::from)
    } else {
        std::env::var_os("XDG_DATA_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| home.join(".local/share"))
    };
    system.join(NAME)
}

/// The folder that `VESTIBULE_HOME` names. A relative path means another folder to a server that works elsewhere, and no
/// path in a call can be compared with it.
fn moved_to(folder: PathBuf) -> PathBuf {
    std::path::absolute(&folder).unwrap_or(folder)
}

/// The folders in which the system's web view and its libraries keep configuration for Vestibule. They may not exist.
pub(crate) fn configuration() -> Vec<PathBuf> {
    let home = std::env::home_dir().unwrap_or_else(std::env::temp_dir);
    let folder = |variable: &str, usual: &str| {
        std::env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| home.join(usual))
            .join(NAME)
    };
    vec![
        folder("XDG_CONFIG_HOME", ".config"),
        folder("XDG_CACHE_HOME", ".cache"),
        folder("XDG_DATA_HOME", ".local/share"),
    ]
}

/// Where other applications keep their configurations. Without a home folder none is looked for.
pub(crate) fn applications() -> AppFolders {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    home.map_or_else(AppFolders::default, |home| {
        AppFolders::new(AppSystem::current(), home, |name| std::env::var_os(name))
    })
}

/// The database inside the data folder.
pub(crate) fn database() -> PathBuf {
    data().join("vestibule.db")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_data_folder_is_one_below_the_working_folder() {
        let working = std::env::current_dir().unwrap();
        assert_eq!(
            moved_to("profiles/second".into()),
            working.join("profiles/second")
        );
        assert_eq!(moved_to("./second".into()), working.join("second"));
        let absolute = working.join("third");
        assert_eq!(moved_to(absolute.clone()), absolute);
    }
}
