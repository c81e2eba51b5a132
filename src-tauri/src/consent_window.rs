//! The consent window: made at the first question, shown beside the main window without taking the keyboard,
//! hidden when nothing waits or when the user hides it. Hiding answers nothing: the questions go on waiting until the
//! user comes back to them or their asker ends. Whatever moves the window or gives it the focus starts the click delay of
//! its card again, and where the system reports it, also what covers or uncovers it. There a click of a pointer that was at
//! rest in the window answers although it also brings the focus.

#[cfg(target_os = "linux")]
mod desktop;
mod place;
mod title;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tauri::{
    AppHandle, Manager, Runtime, UserAttentionType, WebviewUrl, WebviewWindow, WebviewWindowBuilder, Window,
    WindowEvent,
};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::Instant;
use vestibule_consent::{InboxEvent, InboxSnapshot};
use vestibule_host::Host;
use vestibule_protocol::QuestionId;

use crate::app::host;
use crate::windows::{MAIN, is_ours, offline};
use crate::{look, rendering, web_process, zoom};

/// The label of the consent window; its capability names it.
pub(crate) const CONSENT: &str = "consent";

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
    /// Whether the desktop reports the focus with what else happens to the window, so that Tauri's report comes too late.
    reports_focus: AtomicBool,
    /// What waited when the user hid the window. Only another question shows it again.
    put_aside: Mutex<HashSet<QuestionId>>,
}

impl ConsentWindow {
    #[cfg(target_os = "linux")]
    fn reports_focus(&self) {
        self.reports_focus.store(true, Ordering::SeqCst);
    }

    /// The oldest question that the user has not put aside, and whether others were.
    fn fresh(&self, waiting: &[QuestionId]) -> Option<(QuestionId, bool)> {
        let mut aside = self.put_aside.lock().unwrap_or_else(PoisonError::into_inner);
        aside.retain(|question| waiting.contains(question));
        let fresh = waiting.iter().find(|question| !aside.contains(question))?;
        Some((*fresh, !aside.is_empty()))
    }

    fn put_aside(&self, waiting: Vec<QuestionId>) {
        *self.put_aside.lock().unwrap_or_else(PoisonError::into_inner) = waiting.into_iter().collect();
    }
}

/// Shows and hides the window as questions come and go. Called on the main thread.
pub(crate) fn follow<R: Runtime>(app: AppHandle<R>, host: Host) {
    // The second press of a double-click that was meant for something else comes within this time.
    #[cfg(target_os = "linux")]
    if let Some(time) = desktop::double_click_time() {
        host.set_least_click_delay(time);
    }
    let mut follower = InboxFollower {
        snapshots: host.inbox_snapshots(),
        events: host.inbox_events(),
        hide_at: None,
    };
    tauri::async_runtime::spawn(async move {
        let mut titles = title::Titles::default();
        loop {
            match follower.next(&app).await {
                WindowChange::Closed => return,
                WindowChange::Title => {}
                WindowChange::Questions => show_or_hide(&app, &host, follower.hide_at.is_some()).await,
            }
            titles.follow(&app, &host);
        }
    });
}

/// Shows the window for a question that the user has not put aside, and hides it where none waits. `lingers` keeps it on
/// screen a little longer.
async fn show_or_hide<R: Runtime>(app: &AppHandle<R>, host: &Host, lingers: bool) {
    let waiting = host.questions_waiting();
    let shown = match app.state::<ConsentWindow>().fresh(&waiting) {
        _ if waiting.is_empty() && lingers => Ok(()),
        _ if waiting.is_empty() => hide(app),
        // What was put aside stays where the user left it; the title bar and the chat say that it waits.
        None => Ok(()),
        Some((question, others_aside)) => {
            if others_aside {
                host.consent_show(question);
            }
            show(app).await
        }
    };
    if let Err(error) = shown {
        tracing::error!(%error, "failed to show or hide the consent window");
    }
}

/// What changed for the window.
enum WindowChange {
    /// Questions came or went, or it is time to hide the window.
    Questions,
    /// The question on screen may be another one, or may be shown or answered now.
    Title,
    /// The inbox is closed.
    Closed,
}

/// What the window follows.
struct InboxFollower {
    snapshots: watch::Receiver<Arc<InboxSnapshot>>,
    events: Receiver<InboxEvent>,
    /// A card that is taken back while the user types keeps the window until then.
    hide_at: Option<Instant>,
}

impl InboxFollower {
    /// Waits until questions came or went, or until it is time to hide the window.
    async fn next<R: Runtime>(&mut self, app: &AppHandle<R>) -> WindowChange {
        loop {
            let event = tokio::select! {
                event = self.events.recv() => event,
                changed = self.snapshots.changed() => {
                    // A card is taken back before the snapshot without it, so the event is here already.
                    while let Ok(event) = self.events.try_recv() {
                        self.note_taken_back(app, event);
                    }
                    return if changed.is_ok() { WindowChange::Questions } else { WindowChange::Closed };
                }
                () = until(self.hide_at) => {
                    self.hide_at = None;
                    return WindowChange::Questions;
                }
            };
            match event {
                Ok(InboxEvent::ClickDelay { .. } | InboxEvent::Concealed) => return WindowChange::Title,
                Ok(event) => self.note_taken_back(app, event),
                Err(RecvError::Lagged(_)) => return WindowChange::Questions,
                Err(RecvError::Closed) => return WindowChange::Closed,
            }
        }
    }

    fn note_taken_back<R: Runtime>(&mut self, app: &AppHandle<R>, event: InboxEvent) {
        if event == InboxEvent::TakenBack && is_focused(app) {
            self.hide_at = Some(Instant::now() + LINGER);
        }
    }
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

/// Hides the window, as the user asked. Everything that waits goes on waiting.
pub(crate) fn put_aside<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    app.state::<ConsentWindow>()
        .put_aside(host(app).questions_waiting());
    hide(app)
}

/// What happens to the window.
pub(crate) fn on_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    let host = host(window);
    match event {
        WindowEvent::Moved(_) | WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => {
            host.consent_disturbed();
        }
        WindowEvent::Focused(true) if !is_focus_reported(window) => host.consent_disturbed(),
        WindowEvent::CloseRequested { api, .. } => {
            // Closing is no answer: the window is hidden, and stays for what waits and for the next question.
            api.prevent_close();
            if let Err(error) = put_aside(window.app_handle()) {
                tracing::error!(%error, "failed to hide the consent window");
            }
        }
        _ => {}
    }
}

async fn show<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let state = app.state::<ConsentWindow>();
    state.put_aside(vec![]);
    if state.shown.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    let presented = present(app).await;
    if presented.is_err() {
        state.shown.store(false, Ordering::SeqCst);
    }
    presented
}

/// Puts the window on the screen, where it is not.
async fn present<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
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

/// Whether the desktop has reported a focus already when Tauri does.
fn is_focus_reported<R: Runtime>(window: &Window<R>) -> bool {
    let state = window.state::<ConsentWindow>();
    state.reports_focus.load(Ordering::SeqCst)
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
        .inner_size(place::WIDTH, place::HEIGHT)
        .min_inner_size(420.0, 420.0)
        .focused(false)
        .on_navigation(is_ours);
    if let Some(main) = app.get_webview_window(MAIN) {
        builder = builder.parent(&main)?;
        if let Some(place) = place::next_to(&main) {
            builder = builder
                .inner_size(place.width, place::HEIGHT)
                .position(place.x, place.y);
        }
    }
    let settings = host(app).settings();
    let window = offline(look::from_settings(builder, &settings))?.build()?;
    rendering::choose(&window);
    web_process::reload_after_end(&window);
    zoom::apply(&window, settings.zoom);
    #[cfg(target_os = "linux")]
    desktop::watch(&window)?;
    Ok(window)
}

fn attention<R: Runtime>(window: &WebviewWindow<R>) {
    if !host(window).settings().notify {
        return;
    }
    // Where the system has no such thing, the waiting row in the chat says it too.
    let _ = window.request_user_attention(Some(UserAttentionType::Informational));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids<const N: usize>() -> [QuestionId; N] {
        std::array::from_fn(|_| QuestionId::new())
    }

    #[test]
    fn what_was_put_aside_does_not_show_the_window_again_and_another_question_does() {
        let window = ConsentWindow::default();
        let [first, second, third] = ids();
        assert_eq!(window.fresh(&[first, second]), Some((first, false)));
        window.put_aside(vec![first, second]);
        assert_eq!(window.fresh(&[first, second]), None);
        assert_eq!(window.fresh(&[second]), None, "the other one ended");
        assert_eq!(window.fresh(&[second, third]), Some((third, true)));
        window.put_aside(vec![]);
        assert_eq!(
            window.fresh(&[second, third]),
            Some((second, false)),
            "the user came back"
        );
    }

    #[test]
    fn what_has_ended_is_no_longer_put_aside() {
        let window = ConsentWindow::default();
        let [first, second] = ids();
        window.put_aside(vec![first]);
        assert_eq!(window.fresh(&[]), None);
        assert_eq!(window.fresh(&[second]), Some((second, false)));
    }
}
