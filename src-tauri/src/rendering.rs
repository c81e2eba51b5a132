//! Chooses how WebKitGTK draws a window: with OpenGL where the computer has a graphics card, without it elsewhere.

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

/// Whether this process may open a DRM render node, through which Mesa's drivers reach a graphics card.
#[cfg(target_os = "linux")]
pub(crate) fn has_graphics_card() -> bool {
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
