//! The variables that WebKitGTK's processes start with. They inherit the environment of this process, and WebKitGTK has no other
//! setting for it. A variable that the user set stays as it is.

#[cfg(target_os = "linux")]
use std::{env, ffi::OsStr};

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
