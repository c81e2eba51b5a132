//! What GTK knows of the desktop that Tauri does not pass on: whether another window covers the consent window, where the
//! pointer is, when the window gets the focus and when a mouse button goes down in it, in the order in which they happen;
//! and how far apart two clicks of the user's double-click can be. X11 reports what covers a window unless a compositor
//! draws the windows; Wayland never does.

use std::time::Duration;

use gtk::gdk::{self, CrossingMode, EventMask, EventType, NotifyType, VisibilityState};
use gtk::glib::Propagation;
use gtk::prelude::{GtkSettingsExt, IsA, ObjectExt, WidgetExt, WidgetExtManual};
use tauri::{Manager, Runtime, WebviewWindow};
use vestibule_host::{Host, WindowReport};

use super::ConsentWindow;
use crate::app::host;

/// Reports to the inbox what happens to the window. What GDK reports when a new window comes on screen is over by now, so
/// it counts as covered until something covers it or it is shown again.
pub(super) fn watch<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    let watched = window.clone();
    window.run_on_main_thread(move || match watched.gtk_window() {
        Ok(gtk) => {
            watch_window(&gtk, &host(&watched));
            watched.state::<ConsentWindow>().reports_focus();
        }
        Err(error) => tracing::warn!(%error, "failed to watch what covers the consent window"),
    })?;
    let host = host(window);
    window.with_webview(move |webview| watch_pointer(&webview.inner(), host))
}

/// What covers the window, and when it gets the focus.
fn watch_window(window: &gtk::ApplicationWindow, host: &Host) {
    window.add_events(EventMask::VISIBILITY_NOTIFY_MASK | EventMask::FOCUS_CHANGE_MASK);
    let covering = host.clone();
    window.connect_event(move |window, event| {
        if let Some(visibility) = event.downcast_ref::<gdk::EventVisibility>() {
            let seen = visibility.state() == VisibilityState::Unobscured && tells_covering(window);
            covering.consent_window_reported(if seen {
                WindowReport::Uncovered
            } else {
                WindowReport::Covered
            });
        }
        Propagation::Proceed
    });
    let focused = host.clone();
    window.connect_focus_in_event(move |window, _| {
        // A compositor that began meanwhile reports nothing.
        if !tells_covering(window) {
            focused.consent_window_reported(WindowReport::Covered);
        }
        focused.consent_window_reported(WindowReport::Focused);
        Propagation::Proceed
    });
}

/// Where the pointer is, and when a button goes down. The page fills the window and gets these events first.
fn watch_pointer(page: &impl IsA<gtk::Widget>, host: Host) {
    page.add_events(
        EventMask::ENTER_NOTIFY_MASK | EventMask::LEAVE_NOTIFY_MASK | EventMask::BUTTON_PRESS_MASK,
    );
    page.connect_event(move |_, event| {
        if event.event_type() == EventType::ButtonPress {
            host.consent_window_reported(WindowReport::Pressed);
        } else if let Some(report) = event.downcast_ref::<gdk::EventCrossing>().and_then(crossing) {
            host.consent_window_reported(report);
        }
        Propagation::Proceed
    });
}

/// What it means that the pointer crossed the edge of the page; `None` where it came from or went to a part of the page.
fn crossing(event: &gdk::EventCrossing) -> Option<WindowReport> {
    let enters = event.event_type() == EventType::EnterNotify;
    match (event.mode(), enters) {
        _ if event.detail() == NotifyType::Inferior => None,
        (CrossingMode::Grab, false) => Some(WindowReport::PointerGrabbed),
        (CrossingMode::Ungrab, true) => Some(WindowReport::PointerReleased),
        (_, true) => Some(WindowReport::PointerEntered),
        (_, false) => Some(WindowReport::PointerLeft),
    }
}

/// A compositor draws every window whole, so X11 reports none as covered.
fn tells_covering(window: &impl IsA<gtk::Widget>) -> bool {
    // Under Wayland the X server of the compositor cannot know either.
    let is_wayland = std::env::var_os("WAYLAND_DISPLAY").is_some_and(|name| !name.is_empty());
    let screen = WidgetExt::screen(window);
    let is_composited = screen.is_none_or(|screen| screen.is_composited());
    let is_x11 = window.display().type_().name() == "GdkX11Display";
    is_x11 && !is_wayland && !is_composited
}

/// The longest time between the two clicks of a double-click. Only on the main thread.
pub(super) fn double_click_time() -> Option<Duration> {
    if !gtk::is_initialized_main_thread() {
        return None;
    }
    let milliseconds = gtk::Settings::default()?.gtk_double_click_time();
    Some(Duration::from_millis(milliseconds.try_into().ok()?))
}
