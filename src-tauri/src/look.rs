//! The user's appearance and language in the first frame of a window. Without them the page would follow the system until
//! it has read the settings, and the window would be white until the page is drawn.

use serde_json::json;
use tauri::window::Color;
use tauri::{AppHandle, Manager, Runtime, WebviewWindow, WebviewWindowBuilder};
use vestibule_host::Host;
use vestibule_host::view::{Appearance, Settings};

use crate::consent_window::CONSENT;
use crate::windows::MAIN;

/// A function of JavaScript that takes the look.
const SCRIPT: &str = include_str!("look.js");

/// The background of the pages, `--bg` in `ui/src/kit/tokens.css`.
const LIGHT: Color = Color(0xfa, 0xfa, 0xf8, 0xff);
const DARK: Color = Color(0x15, 0x16, 0x17, 0xff);

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

/// Paints both windows again at each change of the appearance. [`paint`] does it when one is built.
pub(crate) fn follow<R: Runtime>(app: AppHandle<R>, host: Host) {
    let mut settings = host.settings_changes();
    tauri::async_runtime::spawn(async move {
        let mut painted = settings.borrow_and_update().appearance;
        while settings.changed().await.is_ok() {
            let appearance = settings.borrow_and_update().appearance;
            if appearance != painted {
                painted = appearance;
                for window in [MAIN, CONSENT]
                    .iter()
                    .filter_map(|label| app.get_webview_window(label))
                {
                    paint(&window, appearance);
                }
            }
        }
    });
}

/// Paints what a window shows until its page is drawn, and while it grows. Call it right after the window is built.
pub(crate) fn paint<R: Runtime>(window: &WebviewWindow<R>, appearance: Appearance) {
    let painted = window.clone();
    let queued = window.run_on_main_thread(move || {
        let colour = match appearance {
            Appearance::Light => Some(LIGHT),
            Appearance::Dark => Some(DARK),
            Appearance::System => system_is_dark(&painted).then_some(DARK),
        };
        if let Err(error) = painted.set_background_color(colour) {
            tracing::warn!(%error, window = painted.label(), "failed to paint the background of a window");
        }
    });
    if let Err(error) = queued {
        tracing::warn!(%error, window = window.label(), "failed to paint the background of a window");
    }
}

/// What GTK knows of the desktop. `WebviewWindow::theme` would ask the desktop portal, which may take five seconds.
#[cfg(target_os = "linux")]
fn system_is_dark<R: Runtime>(_window: &WebviewWindow<R>) -> bool {
    use gtk::prelude::GtkSettingsExt as _;
    gtk::Settings::default().is_some_and(|settings| {
        let is_dark = |name: gtk::glib::GString| name.ends_with("-dark");
        settings.is_gtk_application_prefer_dark_theme() || settings.gtk_theme_name().is_some_and(is_dark)
    })
}

#[cfg(not(target_os = "linux"))]
fn system_is_dark<R: Runtime>(window: &WebviewWindow<R>) -> bool {
    matches!(window.theme(), Ok(tauri::Theme::Dark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_painted_like_its_page() {
        let tokens = include_str!("../../ui/src/kit/tokens.css");
        let (light, dark) = tokens.split_once("\n[data-theme=\"dark\"] {").unwrap();
        let is_of = |theme: &str, Color(red, green, blue, _): Color| {
            theme.contains(&format!("  --bg: #{red:02x}{green:02x}{blue:02x};"))
        };
        assert!(is_of(light, LIGHT));
        assert!(is_of(dark, DARK));
    }
}
