//! What the two windows follow. The main window gets events and questions without their content; the consent
//! window gets the questions and is the only one that answers.

use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use futures::stream::unfold;
use serde_json::{Map, Value};
use tokio::sync::broadcast::Receiver;
use tokio::sync::watch;
use vestibule_consent::{FieldError, InboxEvent, InboxSnapshot, Question, Reply, WindowReport};
use vestibule_protocol::QuestionId;

use super::Host;
use crate::view::{
    Envelope, FrontCard, HostEvent, InboxState, LastEvent, NoticeView, Problem, Snapshot, WaitingView,
};

impl Host {
    /// Everything the main window shows now, and what happens from then on. Events that are already in the snapshot
    /// may come again; their numbers say so. The stream ends when the window fell too far behind: it then asks for a
    /// new snapshot.
    ///
    /// # Errors
    /// When the data cannot be read.
    pub async fn main_window(
        &self,
    ) -> Result<(Snapshot, impl Stream<Item = Envelope> + Send + use<>), Problem> {
        let events = self.0.events.follow();
        // Each event that follows carries its object whole, so that a part of the snapshot that is read after this
        // number is only told again.
        let (seq, ()) = self.0.events.at_once(|| ());
        let snapshot = Snapshot {
            seq,
            chats: self.chat_views().await?,
            servers: self.0.servers.views(),
            connections: self.0.models.connection_views().await?,
            models: self.0.models.views().await?,
            workspaces: self.0.folders.views().await?,
            settings: self.settings(),
            costs: self.0.models.costs().await?,
            secrets: self.0.secrets.state(),
            ledger: self.ledger_head_state(),
            ledger_check: self.ledger_check(),
            rows: self.rows(),
            waiting: waiting(&self.0.inbox.snapshot()),
            muted: self.muted(),
            profiles: self.profiles().await?,
            drafts: self.drafts().await?,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_folder: self.0.data_folder.display().to_string(),
            log_folder: crate::log_folder(&self.0.data_folder).display().to_string(),
        };
        Ok((snapshot, follow(events)))
    }

    /// The last event so far.
    #[must_use]
    pub fn host_last_event(&self) -> LastEvent {
        let (seq, ()) = self.0.events.at_once(|| ());
        LastEvent { seq }
    }

    /// The user wants to see this question in the consent window.
    pub fn consent_show(&self, question: QuestionId) {
        self.0.inbox.show(question);
    }

    /// The card of a question is painted and in front.
    pub fn consent_present(&self, question: QuestionId) {
        self.0.inbox.presented(question);
    }

    /// No card asked from now on takes a yes sooner than this.
    pub fn set_least_click_delay(&self, least: Duration) {
        self.0.inbox.set_least_delay(least);
    }

    /// The consent window was shown, moved, resized or zoomed, or came to the front.
    pub fn consent_disturbed(&self) {
        self.0.inbox.disturbed();
    }

    /// The window system reports something of the consent window.
    pub fn consent_window_reported(&self, report: WindowReport) {
        self.0.inbox.window_reported(report);
    }

    /// The consent window is not to be seen any more.
    pub fn consent_concealed(&self) {
        self.0.inbox.concealed();
    }

    /// Takes the user's answer.
    ///
    /// # Errors
    /// When it does not belong to the question, came too soon, or does not fit.
    pub async fn consent_answer(&self, reply: Reply) -> Result<(), Problem> {
        Ok(self.0.gate.questions().answer_when_checked(reply).await?)
    }

    /// Keeps what was entered on a card while its question waits, so that the window may be reloaded.
    pub fn consent_keep(&self, question: QuestionId, nonce: &str, entered: Option<Map<String, Value>>) {
        self.0.inbox.autosave(question, nonce, entered);
    }

    /// What is wrong with what stands in a form, while it is filled in; nothing where the form is gone.
    #[must_use]
    pub fn consent_check(&self, question: QuestionId, content: Map<String, Value>) -> Vec<FieldError> {
        self.0
            .inbox
            .invalid_fields(question, &content)
            .unwrap_or_default()
    }

    /// The cards that wait, oldest first.
    #[must_use]
    pub fn questions_waiting(&self) -> Vec<QuestionId> {
        self.0.inbox.snapshot().cards.iter().map(|card| card.id).collect()
    }

    /// What the title of the consent window says: of the card in front, or of the oldest one that waits.
    #[must_use]
    pub fn front_card(&self) -> Option<FrontCard> {
        self.0.inbox.front().as_deref().map(FrontCard::from)
    }

    /// What the operating system may say of the cards that wait, oldest first.
    #[must_use]
    pub fn notices(&self) -> Vec<NoticeView> {
        let waiting = self.0.inbox.snapshot();
        waiting
            .cards
            .iter()
            .map(|card| NoticeView::from(&**card))
            .collect()
    }

    /// Whether a question still waits.
    #[must_use]
    pub fn question_waits(&self, question: QuestionId) -> bool {
        self.0.inbox.card_of(question).is_some()
    }

    /// The cards that wait, now and after each change.
    #[must_use]
    pub fn inbox_snapshots(&self) -> watch::Receiver<Arc<InboxSnapshot>> {
        self.0.inbox.snapshots()
    }

    /// What happens in the inbox besides.
    #[must_use]
    pub fn inbox_events(&self) -> Receiver<InboxEvent> {
        self.0.inbox.events()
    }

    pub(super) fn inbox_state(&self) -> InboxState {
        let waiting = self.0.inbox.snapshot();
        InboxState {
            questions: waiting.cards.iter().map(|card| Question::clone(card)).collect(),
            muted: self.muted(),
            settings: self.settings(),
        }
    }

    /// Tells the main window which questions wait, without what they ask.
    pub(super) fn tell_of_waiting(&self) {
        let host = self.clone();
        let mut snapshots = self.0.inbox.snapshots();
        let closing = self.0.servers.closing();
        tokio::spawn(async move {
            let mut told = waiting(&snapshots.borrow_and_update());
            while let Some(Ok(())) = closing.run_until_cancelled(snapshots.changed()).await {
                let waiting = waiting(&snapshots.borrow_and_update());
                // A flood goes on behind its card, and the card is announced once.
                if waiting != told {
                    told.clone_from(&waiting);
                    host.0.events.tell(HostEvent::Waiting { waiting });
                }
            }
        });
    }
}

/// The questions without what they ask.
fn waiting(inbox: &InboxSnapshot) -> Vec<WaitingView> {
    let view = |question: &Arc<Question>| WaitingView {
        question: question.id,
        server: question.server.id,
        entry: question.cause.as_ref().and_then(|cause| cause.entry),
        asked_ms: question.asked_ms,
    };
    inbox.cards.iter().map(view).collect()
}

/// Events as a stream that ends where one was missed.
fn follow(events: Receiver<Envelope>) -> impl Stream<Item = Envelope> + Send {
    unfold(events, |mut events| async move {
        events.recv().await.ok().map(|event| (event, events))
    })
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;

    use super::*;
    use crate::view::EventStream;

    #[tokio::test]
    async fn a_window_that_missed_an_event_gets_no_later_one() {
        let events = EventStream::default();
        let mut followed = Box::pin(follow(events.follow()));
        events.tell(HostEvent::Rules);
        assert_eq!(followed.next().await.map(|event| event.seq), Some(1));
        for _ in 0..5_000 {
            events.tell(HostEvent::Rules);
        }
        assert!(followed.next().await.is_none());
    }
}
