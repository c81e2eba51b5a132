//! Where Vestibule keeps its data: one folder, which `VESTIBULE_HOME` moves as a whole, for a second profile or a
//! test.

use std::path::PathBuf;

/// The name of the folder under the system's data folder.
const NAME: &str = "app.vestibule.desktop";

/// The data folder. It may not exist yet.
pub(crate) fn data() -> PathBuf {
    if let Some(moved) = std::env::var_os("VESTIBULE_HOME").filter(|path| !path.is_empty()) {
        return PathBuf::from(moved);
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

/// The database inside the data folder.
pub(crate) fn database() -> PathBuf {
    data().join("vestibule.db")
}
