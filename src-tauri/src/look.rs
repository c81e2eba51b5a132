//! The user's appearance and language in the first frame of a window. Without them the page would follow the system until
//! it has read the settings.

use serde_json::json;
use tauri::{Manager, Runtime, WebviewWindowBuilder};
use vestibule_host::view::Settings;

/// A function of JavaScript that takes the look.
const SCRIPT: &str = include_str!("look.js");

/// Gives the page of a window the look of these settings before it loads.
pub(crate) fn from_settings<'a, R: Runtime, M: Manager<R>>(
    builder: WebviewWindowBuilder<'a, R, M>,
    settings: &Settings,
) -> WebviewWindowBuilder<'a, R, M> {
    builder.initialization_script(script(settings))
}

fn script(settings: &Settings) -> String {
    let look = json!({ "appearance": settings.appearance, "language": settings.language });
    format!("({SCRIPT})({look});")
}
