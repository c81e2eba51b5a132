//! Attention: what the operating system says while a question waits and no window of ours is in front. It names the
//! server as the user named it and the kind of question, never what the question says. A notification is shown once
//! for each question, is taken back when nothing waits or Vestibule comes to the front, and brings the consent window
//! when it is clicked. Where the system has no such service the window still asks for attention.

#[cfg(target_os = "linux")]
mod freedesktop;
mod words;

use std::collections::HashSet;
use std::time::Duration;

use tauri::{AppHandle, Manager, Runtime};
use tokio::sync::watch;
use vestibule_host::Host;
use vestibule_host::view::NoticeView;
use vestibule_protocol::QuestionId;

use crate::consent_window;
#[cfg(target_os = "linux")]
use freedesktop::DesktopNotifier;

/// How long nothing may change before it is looked at: going from one of our windows to the other is not
/// leaving, and ten questions in a moment are one notification.
const SETTLES: Duration = Duration::from_millis(400);

/// Whether a window of ours came to the front or left it. Counts, so that no change is missed.
pub(crate) struct FocusWatch(watch::Sender<u64>);

impl Default for FocusWatch {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl FocusWatch {
    /// A window came to the front or left it.
    pub(crate) fn changed(&self) {
        self.0.send_modify(|count| *count += 1);
    }
}

/// Shows and takes back notifications as questions come and go.
pub(crate) fn follow<R: Runtime>(app: AppHandle<R>, host: Host) {
    let mut snapshots = host.inbox_snapshots();
    let mut front = app.state::<FocusWatch>().0.subscribe();
    tauri::async_runtime::spawn(async move {
        let mut notifier = Notifier::new();
        loop {
            let (goes_on, clicked) = tokio::select! {
                changed = snapshots.changed() => (changed.is_ok(), None),
                changed = front.changed() => (changed.is_ok(), None),
                question = notifier.clicked() => (true, Some(question)),
            };
            if !goes_on {
                return;
            }
            if let Some(question) = clicked {
                show_question(&app, &host, question).await;
                continue;
            }
            tokio::time::sleep(SETTLES).await;
            let waiting = host.notices();
            let in_front = app
                .webview_windows()
                .values()
                .any(|window| window.is_focused().unwrap_or(false));
            let wanted = host.settings().notify;
            notifier
                .sync(&waiting, in_front || !wanted, host.settings().language)
                .await;
        }
    });
}

async fn show_question<R: Runtime>(app: &AppHandle<R>, host: &Host, question: QuestionId) {
    host.consent_show(question);
    if let Err(error) = consent_window::raise(app).await {
        tracing::error!(%error, "failed to raise the consent window");
    }
}

/// What was announced, and what is shown of it.
struct Notifier {
    /// Questions the user knows of.
    announced: HashSet<QuestionId>,
    /// The question the notification that is shown speaks of.
    shown: Option<QuestionId>,
    #[cfg(target_os = "linux")]
    notifier: DesktopNotifier,
}

impl Notifier {
    fn new() -> Self {
        Self {
            announced: HashSet::new(),
            shown: None,
            #[cfg(target_os = "linux")]
            notifier: DesktopNotifier::default(),
        }
    }

    /// Brings what is shown in line with what waits.
    async fn sync(&mut self, waiting: &[NoticeView], quiet: bool, language: vestibule_host::view::Language) {
        self.announced
            .retain(|announced| waiting.iter().any(|one| one.question == *announced));
        let fresh = waiting
            .iter()
            .rev()
            .find(|one| !self.announced.contains(&one.question));
        let answered = self
            .shown
            .is_some_and(|shown| !waiting.iter().any(|one| one.question == shown));
        let ring = fresh.filter(|_| !quiet).cloned();
        self.announced.extend(waiting.iter().map(|one| one.question));
        match ring {
            Some(notice) => {
                let (title, text) = words::notification_text(&notice, waiting.len(), language);
                self.shown = Some(notice.question);
                self.show(&title, &text).await;
            }
            None if quiet || answered => {
                self.shown = None;
                self.withdraw().await;
            }
            None => {}
        }
    }

    /// The question of a notification that was clicked.
    async fn clicked(&mut self) -> QuestionId {
        loop {
            self.click().await;
            if let Some(question) = self.shown {
                return question;
            }
        }
    }
}

#[cfg(target_os = "linux")]
impl Notifier {
    async fn show(&mut self, title: &str, text: &str) {
        self.notifier.show(title, text).await;
    }

    async fn withdraw(&mut self) {
        self.notifier.withdraw().await;
    }

    async fn click(&mut self) {
        self.notifier.clicked().await;
    }
}

#[cfg(not(target_os = "linux"))]
impl Notifier {
    /// Here the window's own call for attention is all there is.
    async fn show(&mut self, _title: &str, _text: &str) {}

    async fn withdraw(&mut self) {}

    async fn click(&mut self) {
        std::future::pending().await
    }
}
