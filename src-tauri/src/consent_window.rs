//! The consent window: made at the first question, shown beside the main window without taking the keyboard,
//! hidden when nothing waits. Whatever moves, covers or uncovers it starts the guard of its card again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tauri::{
    AppHandle, LogicalSize, Manager, PhysicalPosition, Runtime, UserAttentionType, WebviewUrl, WebviewWindow,
    WebviewWindowBuilder, Window, WindowEvent,
};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;
use vestibule_consent::InboxEvent;
use vestibule_host::Host;

use crate::app::host;
use crate::windows::{MAIN, is_ours, offline};

/// The label of the consent window; its capability names it.
pub(crate) const CONSENT: &str = "consent";

const WIDTH: f64 = 580.0;
const HEIGHT: f64 = 760.0;
/// How long the window may not take the keyboard after it is shown. Some window managers give it the keyboard at the
/// first draw whatever was asked, and then a key typed into the chat could land on a button.
const FOCUS_DELAY: Duration = Duration::from_millis(400);
/// How long the window stays when its last card was taken back while the user was in it. What they are typing must
/// not go on into the chat behind it, and they are to read what became of the card.
const LINGER: Duration = Duration::from_millis(3400);

/// Whether the window is to be seen.
#[derive(Default)]
pub(crate) struct ConsentWindow {
    shown: AtomicBool,
}

/// Shows and hides the window as questions come and go.
pub(crate) fn follow<R: Runtime>(app: AppHandle<R>, host: Host) {
    let mut changes = host.inbox_changes();
    tauri::async_runtime::spawn(async move {
        let mut titled = 0;
        let mut hide_at: Option<Instant> = None;
        loop {
            tokio::select! {
                change = changes.recv() => match change {
                    Ok(InboxEvent::ClickDelay { .. } | InboxEvent::Show { .. }) => continue,
                    Ok(InboxEvent::TakenBack) => {
                        if is_focused(&app) {
                            hide_at = Some(Instant::now() + LINGER);
                        }
                        continue;
                    }
                    Ok(InboxEvent::Changed) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                () = until(hide_at) => hide_at = None,
            }
            let waiting = host.questions_waiting();
            let shown = match waiting {
                0 if hide_at.is_some() => Ok(()),
                0 => hide(&app),
                _ => show(&app).await,
            };
            if let Err(error) = shown {
                tracing::error!(%error, "failed to show or hide the consent window");
            }
            if waiting != titled {
                titled = waiting;
                title(&app, waiting);
            }
        }
    });
}

/// Brings the window to the user, who asked for it: it may take the keyboard.
pub(crate) async fn raise<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    show(app).await?;
    if let Some(window) = app.get_webview_window(CONSENT) {
        window.unminimize()?;
        window.set_focusable(true)?;
        window.set_focus()?;
    }
    Ok(())
}

/// What happens to the window.
pub(crate) fn on_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    let host = host(window);
    match event {
        WindowEvent::Moved(_)
        | WindowEvent::Resized(_)
        | WindowEvent::ScaleFactorChanged { .. }
        | WindowEvent::Focused(true) => host.consent_disturbed(),
        WindowEvent::CloseRequested { api, .. } => {
            // Closing is "not now" to everything that waits; the window itself stays for the next question.
            api.prevent_close();
            host.consent_dismiss();
        }
        _ => {}
    }
}

async fn show<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let state = app.state::<ConsentWindow>();
    if state.shown.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    match app.get_webview_window(CONSENT) {
        Some(window) => {
            window.set_focusable(false)?;
            window.show()?;
            attention(&window);
            tokio::time::sleep(FOCUS_DELAY).await;
            window.set_focusable(true)?;
        }
        None => attention(&build(app)?),
    }
    host(app).consent_disturbed();
    Ok(())
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Whether the window has the keyboard.
fn is_focused<R: Runtime>(app: &AppHandle<R>) -> bool {
    let window = app.get_webview_window(CONSENT);
    window.is_some_and(|window| window.is_focused().unwrap_or(false))
}

fn hide<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    if app.state::<ConsentWindow>().shown.swap(false, Ordering::SeqCst)
        && let Some(window) = app.get_webview_window(CONSENT)
    {
        window.hide()?;
        host(app).consent_concealed();
    }
    Ok(())
}

fn build<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<WebviewWindow<R>> {
    let mut builder = WebviewWindowBuilder::new(app, CONSENT, WebviewUrl::App("consent.html".into()))
        .title("Vestibule")
        .inner_size(WIDTH, HEIGHT)
        .min_inner_size(420.0, 420.0)
        .focused(false)
        .on_navigation(is_ours);
    if let Some(main) = app.get_webview_window(MAIN) {
        builder = builder.parent(&main)?;
        if let Some(place) = position_next_to(&main) {
            builder = builder.position(place.x, place.y);
        }
    }
    offline(builder)?.build()
}

/// A place at the right edge of the main window, on its screen.
fn position_next_to<R: Runtime>(main: &WebviewWindow<R>) -> Option<tauri::LogicalPosition<f64>> {
    let scale = main.scale_factor().ok()?;
    let at: PhysicalPosition<i32> = main.outer_position().ok()?;
    let at = at.to_logical::<f64>(scale);
    let size: LogicalSize<f64> = main.outer_size().ok()?.to_logical(scale);
    let screen = main.current_monitor().ok()??;
    let left = screen.position().to_logical::<f64>(scale);
    let room: LogicalSize<f64> = screen.size().to_logical(scale);
    let x = (at.x + size.width - 48.0)
        .min(left.x + room.width - WIDTH - 16.0)
        .max(left.x);
    let y = (at.y + 40.0)
        .min(left.y + room.height - HEIGHT - 48.0)
        .max(left.y);
    Some(tauri::LogicalPosition { x, y })
}

fn attention<R: Runtime>(window: &WebviewWindow<R>) {
    if !host(window).settings().notify {
        return;
    }
    // Where the system has no such thing, the waiting row in the chat says it too.
    let _ = window.request_user_attention(Some(UserAttentionType::Informational));
}

/// The number of questions in the main window's title.
fn title<R: Runtime>(app: &AppHandle<R>, waiting: usize) {
    let Some(main) = app.get_webview_window(MAIN) else {
        return;
    };
    let title = if waiting == 0 {
        "Vestibule".to_owned()
    } else {
        format!("({waiting}) Vestibule")
    };
    // A title that cannot be set is no reason to disturb anyone.
    let _ = main.set_title(&title);
}
