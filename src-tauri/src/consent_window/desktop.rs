//! What GTK knows of the desktop that Tauri does not pass on: whether another window covers the consent window, and how
//! far apart two clicks of the user's double-click can be. X11 reports the first unless a compositor draws the windows;
//! Wayland never does.

use std::time::Duration;

use gtk::gdk::{EventMask, EventType};
use gtk::glib::Propagation;
use gtk::prelude::{GtkSettingsExt, WidgetExt, WidgetExtManual};
use tauri::{Runtime, WebviewWindow};

use crate::app::host;

/// Starts the click delay again whenever another window covers more or less of this one.
pub(super) fn watch_covering<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    let watched = window.clone();
    window.run_on_main_thread(move || {
        let gtk = match watched.gtk_window() {
            Ok(gtk) => gtk,
            Err(error) => {
                tracing::warn!(%error, "failed to watch what covers the consent window");
                return;
            }
        };
        gtk.add_events(EventMask::VISIBILITY_NOTIFY_MASK);
        let host = host(&watched);
        gtk.connect_event(move |_, event| {
            if event.event_type() == EventType::VisibilityNotify {
                host.consent_disturbed();
            }
            Propagation::Proceed
        });
    })
}

/// The longest time between the two clicks of a double-click. Only on the main thread.
pub(super) fn double_click_time() -> Option<Duration> {
    if !gtk::is_initialized_main_thread() {
        return None;
    }
    let milliseconds = gtk::Settings::default()?.gtk_double_click_time();
    Some(Duration::from_millis(milliseconds.try_into().ok()?))
}
