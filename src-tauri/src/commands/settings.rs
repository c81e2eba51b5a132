//! Settings, and the one button that stops everything.

use tauri::State;
use vestibule_host::Host;
use vestibule_host::view::{Problem, SettingsChange};

#[tauri::command]
pub(crate) async fn settings_save(host: State<'_, Host>, change: SettingsChange) -> Result<(), Problem> {
    host.settings_save(change).await
}

#[tauri::command]
pub(crate) async fn stop_everything(host: State<'_, Host>) -> Result<(), Problem> {
    host.stop_everything().await
}
