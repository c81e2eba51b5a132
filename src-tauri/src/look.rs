//! The user's appearance and language in the first frame of a window. Without them the page would follow the system until
//! it has read the settings, and the window would be white until the page is drawn.

use serde_json::json;
use tauri::window::Color;
use tauri::{AppHandle, Manager, Runtime, Theme, WebviewWindow, WebviewWindowBuilder};
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

/// Paints both windows like their pages now and at each change of the appearance.
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
    let colour = match appearance {
        Appearance::Light => Some(LIGHT),
        Appearance::Dark => Some(DARK),
        // A system that does not say counts as a light one.
        Appearance::System => matches!(window.theme(), Ok(Theme::Dark)).then_some(DARK),
    };
    if let Err(error) = window.set_background_color(colour) {
        tracing::warn!(%error, window = window.label(), "failed to paint the background of a window");
    }
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
