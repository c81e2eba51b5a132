//! The processes that WebKitGTK draws pages in: the variables that they start with, and what follows when one ends. They
//! inherit the environment of this process, and WebKitGTK has no other setting for it. A variable that the user set stays as
//! it is.

#[cfg(target_os = "linux")]
use std::{
    collections::VecDeque,
    env,
    ffi::OsStr,
    time::{Duration, Instant},
};

use tauri::{Runtime, WebviewWindow};

/// When JavaScriptCore collects garbage. On a computer with 16 GB or more it lets a heap grow to four times what is in use, and
/// to 32 MB before the first collection. What is freed then lies between other objects, and the process does not give it
/// back. These values describe a small computer. docs/measurements.md has the figures with and without them.
#[cfg(target_os = "linux")]
const COLLECTOR: [(&str, &str); 2] = [
    // The memory of the computer in bytes, in place of what the system says.
    ("JSC_forceRAMSize", "134217728"),
    // How much may be allocated between two collections where little is in use, in bytes.
    ("JSC_largeHeapSize", "8388608"),
];

/// With this variable WebKitGTK shares no buffers of a graphics card between its processes.
#[cfg(target_os = "linux")]
const NO_DMABUF: (&str, &str) = ("WEBKIT_DISABLE_DMABUF_RENDERER", "1");

/// Sets the variables of this process. Call it first: nothing else may read or set variables meanwhile, in any thread.
#[cfg(target_os = "linux")]
#[allow(clippy::print_stderr, reason = "there is no log yet")]
pub(crate) fn set_variables() {
    let dmabuf = needs_no_dmabuf().then_some(NO_DMABUF);
    for (name, value) in COLLECTOR.into_iter().chain(dmabuf) {
        if let Err(error) = gtk::glib::setenv(name, value, false) {
            eprintln!("Vestibule could not set {name} for its windows: {error}");
        }
    }
}

/// Other systems need no variables.
#[cfg(not(target_os = "linux"))]
pub(crate) fn set_variables() {}

/// Under Wayland, where the computer has no graphics card, WebKitGTK's process for pages ends at once with such buffers (2.50.6), and
/// the window stays empty.
#[cfg(target_os = "linux")]
fn needs_no_dmabuf() -> bool {
    let is_wayland = env::var_os("WAYLAND_DISPLAY").is_some_and(|name| !name.is_empty());
    let is_x11 = env::var_os("GDK_BACKEND").as_deref() == Some(OsStr::new("x11"));
    is_wayland && !is_x11 && !crate::rendering::has_graphics_card()
}

/// How often a page is loaded again within `WITHIN`. A page that ends its process each time stays empty after that.
#[cfg(target_os = "linux")]
const MOST_RELOADS: usize = 5;

#[cfg(target_os = "linux")]
const WITHIN: Duration = Duration::from_secs(60);

/// Loads the page of a window again when its process ended, for example because the system had no memory left. WebKitGTK
/// shows an empty window otherwise, and a request in it could not be answered.
#[cfg(target_os = "linux")]
pub(crate) fn reload_after_end<R: Runtime>(window: &WebviewWindow<R>) {
    use std::cell::RefCell;
    use webkit2gtk::{WebProcessTerminationReason, WebViewExt as _};
    let label = window.label().to_owned();
    let connected = window.with_webview(move |webview| {
        let reloads = RefCell::new(Reloads::default());
        webview
            .inner()
            .connect_web_process_terminated(move |view, reason| {
                if reason == WebProcessTerminationReason::TerminatedByApi {
                    return;
                }
                let reload = reloads.borrow_mut().allow(Instant::now());
                tracing::error!(window = label, ?reason, reload, "the process of a page ended");
                if reload {
                    view.reload();
                }
            });
    });
    if let Err(error) = connected {
        tracing::warn!(%error, window = window.label(), "failed to watch the process of a page");
    }
}

/// The webviews of other systems are not watched.
#[cfg(not(target_os = "linux"))]
pub(crate) fn reload_after_end<R: Runtime>(_window: &WebviewWindow<R>) {}

/// When a page was loaded again.
#[cfg(target_os = "linux")]
#[derive(Default)]
struct Reloads(VecDeque<Instant>);

#[cfg(target_os = "linux")]
impl Reloads {
    /// Whether the page is loaded again now; counts it then.
    fn allow(&mut self, now: Instant) -> bool {
        while self.0.front().is_some_and(|at| now.duration_since(*at) > WITHIN) {
            self.0.pop_front();
        }
        let allowed = self.0.len() < MOST_RELOADS;
        if allowed {
            self.0.push_back(now);
        }
        allowed
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_ends_its_process_each_time_is_not_loaded_for_ever() {
        let mut reloads = Reloads::default();
        let start = Instant::now();
        for _ in 0..MOST_RELOADS {
            assert!(reloads.allow(start));
        }
        assert!(!reloads.allow(start + WITHIN));
        assert!(reloads.allow(start + WITHIN + Duration::from_secs(1)));
    }
}
