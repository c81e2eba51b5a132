//! Chooses how WebKitGTK draws a window: with OpenGL where the computer has a graphics card, without it elsewhere.

#[cfg(target_os = "linux")]
use std::{env, ffi::OsStr, process::Command};

use tauri::{Runtime, WebviewWindow};

/// Turns OpenGL off for this window where the computer has no graphics card. Mesa would emulate OpenGL on the processor
/// there; docs/measurements.md says what that costs. Call it right after the window is built: once the page is drawn,
/// the memory that OpenGL took is not given back.
#[cfg(target_os = "linux")]
pub(crate) fn choose<R: Runtime>(window: &WebviewWindow<R>) {
    use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt as _, WebViewExt as _};
    if has_graphics_card() {
        return;
    }
    let chosen = window.with_webview(|webview| {
        if let Some(settings) = webview.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    });
    if let Err(error) = chosen {
        tracing::warn!(%error, window = window.label(), "failed to turn OpenGL off for a window");
    }
}

/// The webviews of other systems choose by themselves.
#[cfg(not(target_os = "linux"))]
pub(crate) fn choose<R: Runtime>(_window: &WebviewWindow<R>) {}

/// With this variable WebKitGTK shares no buffers of a graphics card between its processes.
#[cfg(target_os = "linux")]
const NO_DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Begins this process again with the variable that WebKitGTK needs under Wayland where the computer has no graphics card:
/// without it, its process for pages ends at once (2.50.6), and the window stays empty. A variable of a process with
/// threads cannot be set safely. Returns where there is nothing to do, or where it failed.
#[cfg(target_os = "linux")]
#[allow(clippy::print_stderr, reason = "there is no log yet")]
pub(crate) fn restart_without_dmabuf() {
    use std::os::unix::process::CommandExt as _;
    let has = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_wayland =
        has("WAYLAND_DISPLAY") && env::var_os("GDK_BACKEND").as_deref() != Some(OsStr::new("x11"));
    if !is_wayland || has(NO_DMABUF) || has_graphics_card() {
        return;
    }
    let Ok(program) = env::current_exe() else {
        return;
    };
    #[allow(
        clippy::disallowed_methods,
        reason = "it is this program, and takes the place of this process"
    )]
    let mut again = Command::new(program);
    let error = again.args(env::args_os().skip(1)).env(NO_DMABUF, "1").exec();
    eprintln!("Vestibule could not start again with {NO_DMABUF}=1, so its window may stay empty: {error}");
}

/// Other systems need no such variable.
#[cfg(not(target_os = "linux"))]
pub(crate) fn restart_without_dmabuf() {}

/// Whether this process may open a DRM render node, through which Mesa's drivers reach a graphics card.
#[cfg(target_os = "linux")]
fn has_graphics_card() -> bool {
    let Ok(nodes) = std::fs::read_dir("/dev/dri") else {
        return false;
    };
    let mut options = std::fs::File::options();
    options.read(true).write(true);
    nodes
        .flatten()
        .filter(|node| node.file_name().to_string_lossy().starts_with("renderD"))
        .any(|node| options.open(node.path()).is_ok())
}
