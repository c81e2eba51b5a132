//! The main window, and what both windows have in common: neither can be led away from the application's own pages.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tauri::plugin::TauriPlugin;
use tauri::{
    AppHandle, CloseRequestApi, DragDropEvent, Manager, Runtime, Url, WebviewUrl, WebviewWindowBuilder,
    Window, WindowEvent,
};
use tauri_plugin_window_state::StateFlags;
use vestibule_host::Host;
use vestibule_host::view::Problem;

use crate::app::host;
use crate::{attention, consent_window, look, rendering, spelling, web_process};

/// The label of the main window; its capability names it.
pub(crate) const MAIN: &str = "main";
/// The label of the window that says why the application cannot start; no capability names it.
const FAILED: &str = "failed";
/// The file in the data folder that keeps where the main window was.
const WINDOW_STATE: &str = "windows.json";

/// Brings the main window back where it was, in its size. The consent window is placed beside the main window each time.
pub(crate) fn remembered<R: Runtime>(data_folder: &Path) -> TauriPlugin<R> {
    tauri_plugin_window_state::Builder::new()
        .with_state_flags(
            StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN,
        )
        .with_filter(|label| label == MAIN)
        // An absolute path takes the place of the plugin's own folder.
        .with_filename(data_folder.join(WINDOW_STATE).to_string_lossy())
        .build()
}

/// Opens the main window.
pub(crate) fn open_main<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let builder = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App("index.html".into()))
        .title("Vestibule")
        .inner_size(1280.0, 840.0)
        .min_inner_size(720.0, 480.0)
        .on_navigation(is_ours);
    let settings = host(app).settings();
    let window = offline(look::from_settings(builder, &settings))?.build()?;
    rendering::choose(&window);
    web_process::reload_after_end(&window);
    spelling::check(&window);
    Ok(())
}

/// Brings the main window to the front, or the one that says why the application could not start. Nothing is raised while
/// the application is still starting: its window comes up by itself.
pub(crate) fn raise_main<R: Runtime>(app: &AppHandle<R>) {
    let failed = || app.get_webview_window(FAILED);
    let Some(main) = app.get_webview_window(MAIN).or_else(failed) else {
        return;
    };
    let raised = main
        .unminimize()
        .and_then(|()| main.show())
        .and_then(|()| main.set_focus());
    if let Err(error) = raised {
        tracing::warn!(%error, "failed to raise the main window");
    }
}

/// A proxy where nothing can listen without administrator rights.
const UNREACHABLE: &str = "http://127.0.0.1:1/";

/// Cuts a webview off from the network. A content security policy does not stop `preconnect` and `dns-prefetch`; a
/// proxy that refuses every connection does. Our own pages come by Tauri's URI scheme, which uses no proxy; in
/// development they come from Vite, so there the webview stays connected.
pub(crate) fn offline<'a, R: Runtime, M: Manager<R>>(
    builder: WebviewWindowBuilder<'a, R, M>,
) -> tauri::Result<WebviewWindowBuilder<'a, R, M>> {
    if cfg!(dev) {
        return Ok(builder);
    }
    let proxy = Url::parse(UNREACHABLE).map_err(tauri::Error::InvalidUrl)?;
    Ok(builder.proxy_url(proxy))
}

/// Whether an address is a page of the application. Nothing else ever loads in its windows.
pub(crate) fn is_ours(url: &Url) -> bool {
    let own_scheme = url.scheme() == "tauri" && url.host_str() == Some("localhost");
    let own_origin = url.host_str() == Some("tauri.localhost") && matches!(url.scheme(), "http" | "https");
    own_scheme
        || (cfg!(windows) && own_origin)
        || (cfg!(dev) && url.as_str().starts_with("http://localhost:5173/"))
}

/// Whether the user was asked about closing. Closing again then closes, also where the page does not answer.
#[derive(Default)]
pub(crate) struct CloseRequests {
    asked: AtomicBool,
}

/// Keeps the main window open and asks the user, where closing would end a call or withdraw a request.
fn on_close<R: Runtime>(window: &Window<R>, api: &CloseRequestApi) {
    let (Some(host), Some(requests)) = (window.try_state::<Host>(), window.try_state::<CloseRequests>())
    else {
        return;
    };
    if let Some((chats, waiting)) = host.unfinished()
        && !requests.asked.swap(true, Ordering::SeqCst)
    {
        api.prevent_close();
        host.ask_to_close(chats, waiting);
        // The question is in the page, which is not seen while the window is minimized.
        raise_main(window.app_handle());
    }
}

/// Closes the main window without asking, or asks again the next time.
pub(crate) fn on_close_answer<R: Runtime>(app: &AppHandle<R>, close: bool) {
    if !close {
        if let Some(requests) = app.try_state::<CloseRequests>() {
            requests.asked.store(false, Ordering::SeqCst);
        }
    } else if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.destroy()
    {
        tracing::error!(%error, "failed to close the main window");
    }
}

/// Hands the paths of dropped files to the host; the page learns only that there are some.
fn on_drag<R: Runtime>(window: &Window<R>, drag: &DragDropEvent) {
    let Some(host) = window.try_state::<Host>().filter(|_| window.label() == MAIN) else {
        return;
    };
    match drag {
        // What is dragged within the page has no paths.
        DragDropEvent::Enter { paths, .. } if !paths.is_empty() => host.files_dragged(true),
        DragDropEvent::Drop { paths, .. } if !paths.is_empty() => host.keep_dropped(paths.clone()),
        DragDropEvent::Leave | DragDropEvent::Drop { .. } => host.files_dragged(false),
        _ => {}
    }
}

/// What happens to the windows.
pub(crate) fn on_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    if let WindowEvent::Focused(_) = event
        && let Some(front) = window.try_state::<attention::FocusWatch>()
    {
        front.changed();
    }
    if window.label() == consent_window::CONSENT {
        consent_window::on_event(window, event);
    } else if let WindowEvent::CloseRequested { api, .. } = event {
        on_close(window, api);
    } else if let WindowEvent::DragDrop(drag) = event {
        on_drag(window, drag);
    } else if let WindowEvent::Destroyed = event {
        // Without the main window there is nothing left to consent to.
        window.app_handle().exit(i32::from(window.label() == FAILED));
    }
}

/// Says why the application cannot start: on standard error, and in a window that has no commands at all.
#[allow(
    clippy::print_stderr,
    reason = "a user who started it from a terminal looks there"
)]
pub(crate) fn open_failure<R: Runtime>(app: &AppHandle<R>, problem: &Problem) -> tauri::Result<()> {
    eprintln!("Vestibule could not start: {problem}");
    let script =
        serde_json::to_string(problem).map(|json| format!("window.__VESTIBULE_PROBLEM__ = {json};"))?;
    let builder = WebviewWindowBuilder::new(app, FAILED, WebviewUrl::App("index.html".into()))
        .title("Vestibule")
        .inner_size(640.0, 360.0)
        .initialization_script(script)
        .on_navigation(is_ours);
    rendering::choose(&offline(builder)?.build()?);
    Ok(())
}
