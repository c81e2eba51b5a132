//! Draws the pages of both windows as large as the settings say.

use tauri::{AppHandle, Manager, Runtime, WebviewWindow};
use vestibule_host::Host;

use crate::consent_window::CONSENT;
use crate::windows::MAIN;

/// Zooms both windows now and at each change of the setting. A window that is made later is zoomed when it is built.
pub(crate) fn follow<R: Runtime>(app: AppHandle<R>, host: Host) {
    let mut settings = host.settings_changes();
    tauri::async_runtime::spawn(async move {
        let mut drawn = None;
        loop {
            let zoom = settings.borrow_and_update().zoom;
            if drawn.replace(zoom) != Some(zoom) {
                for window in [MAIN, CONSENT]
                    .iter()
                    .filter_map(|label| app.get_webview_window(label))
                {
                    apply(&window, zoom);
                }
                // What is zoomed moves, the buttons of a card too.
                host.consent_disturbed();
            }
            if settings.changed().await.is_err() {
                return;
            }
        }
    });
}

/// Zooms a window, in percent.
pub(crate) fn apply<R: Runtime>(window: &WebviewWindow<R>, zoom: u16) {
    if let Err(error) = window.set_zoom(f64::from(zoom) / 100.0) {
        tracing::warn!(%error, zoom, window = window.label(), "failed to zoom a window");
    }
}
