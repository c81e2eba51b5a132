//! One running application per data folder. A second start raises the main window of the first and ends, or has
//! it opened again where it closes.

use std::path::Path;

use sha2::{Digest, Sha256};
use tauri::Runtime;
use tauri::plugin::TauriPlugin;

use crate::app::on_second_start;

/// Detects a running application with the same data folder. It must be the first plugin: it ends a second process
/// before that process opens anything. Where there is no session bus, the lock of the database stays the only guard.
pub(crate) fn plugin<R: Runtime>(data_folder: &Path) -> TauriPlugin<R> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(bus_name(data_folder))
        .callback(|app, _, _| on_second_start(app))
        .build()
}

/// The name to own on the session bus. Applications with different data folders run side by side.
fn bus_name(data_folder: &Path) -> String {
    let digest = Sha256::digest(data_folder.as_os_str().as_encoded_bytes());
    let short: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("app.vestibule.desktop.profile_{short}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_data_folder_has_a_bus_name_of_its_own() {
        let name = bus_name(Path::new("/home/ada/.local/share/app.vestibule.desktop"));
        assert_ne!(name, bus_name(Path::new("/tmp/second profile")));
        let is_allowed = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_alphabetic())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        assert!(name.split('.').all(is_allowed), "{name}");
    }
}
