//! Attention: what the operating system says while no window of ours is in front. Of a question that waits it names the
//! server as the user named it and the kind of question, never what the question says; of a chat it says only that its
//! turn ended. A notification is shown once for each, is taken back when its question is answered or Vestibule comes to
//! the front, and brings the consent window or the chat when it is clicked. Where the system has no such service the
//! window still asks for attention.

#[cfg(target_os = "linux")]
mod freedesktop;
mod words;

use std::collections::HashSet;
use std::time::Duration;

use tauri::{AppHandle, Manager, Runtime};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use vestibule_host::Host;
use vestibule_host::view::{FinishedChat, NoticeView};
use vestibule_protocol::{ChatId, QuestionId};

use crate::{consent_window, windows};
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

/// Shows and takes back notifications as questions come and go and chats finish.
pub(crate) fn follow<R: Runtime>(app: AppHandle<R>, host: Host) {
    let mut snapshots = host.inbox_snapshots();
    let mut finished = host.finished_chats();
    let mut front = app.state::<FocusWatch>().0.subscribe();
    tauri::async_runtime::spawn(async move {
        let mut notifier = Notifier::new();
        loop {
            let (goes_on, clicked) = tokio::select! {
                changed = snapshots.changed() => (changed.is_ok(), None),
                changed = front.changed() => (changed.is_ok(), None),
                chat = finished.recv() => {
                    let goes_on = !matches!(chat, Err(RecvError::Closed));
                    notifier.unread.extend(chat.ok());
                    (goes_on, None)
                }
                subject = notifier.clicked() => (true, Some(subject)),
            };
            if !goes_on {
                return;
            }
            match clicked {
                Some(Subject::Question(question)) => {
                    show_question(&app, &host, question).await;
                    continue;
                }
                Some(Subject::Chat(chat)) => {
                    host.show_chat(chat);
                    windows::raise_main(&app);
                    continue;
                }
                None => {}
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

/// What a notification is about, and what a click on it brings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Question(QuestionId),
    /// A chat whose turn ended.
    Chat(ChatId),
}

/// What was announced, and what is shown of it.
struct Notifier {
    /// Questions the user knows of.
    announced: HashSet<QuestionId>,
    /// The chats that finished since a window of ours was in front and that no notification told of.
    unread: Vec<FinishedChat>,
    /// The subject of the notification that is shown.
    shown: Option<Subject>,
    #[cfg(target_os = "linux")]
    notifier: DesktopNotifier,
}

impl Notifier {
    fn new() -> Self {
        Self {
            announced: HashSet::new(),
            unread: vec![],
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
        let answered = match self.shown {
            Some(Subject::Question(shown)) => !waiting.iter().any(|one| one.question == shown),
            Some(Subject::Chat(_)) | None => false,
        };
        let ring = fresh.filter(|_| !quiet).cloned();
        self.announced.extend(waiting.iter().map(|one| one.question));
        let finished = std::mem::take(&mut self.unread);
        if let Some(notice) = ring {
            let (title, text) = words::notification_text(&notice, waiting.len(), language);
            self.show(Subject::Question(notice.question), &title, &text).await;
            return;
        }
        if quiet || answered {
            self.shown = None;
            self.withdraw().await;
        }
        // Where a question waits, it brings the user anyway.
        if let Some(last) = finished.last().filter(|_| !quiet && waiting.is_empty()) {
            let (title, text) = words::finished_text(*last, language);
            self.show(Subject::Chat(last.chat), &title, &text).await;
        }
    }

    /// The subject of a notification that was clicked.
    async fn clicked(&mut self) -> Subject {
        loop {
            self.click().await;
            if let Some(subject) = self.shown {
                return subject;
            }
        }
    }

    async fn show(&mut self, subject: Subject, title: &str, text: &str) {
        self.shown = Some(subject);
        self.display(title, text).await;
    }
}

#[cfg(target_os = "linux")]
impl Notifier {
    async fn display(&mut self, title: &str, text: &str) {
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
    async fn display(&mut self, _title: &str, _text: &str) {}

    async fn withdraw(&mut self) {}

    async fn click(&mut self) {
        std::future::pending().await
    }
}
