//! The one place where questions wait. A question is parked with a drop guard that takes it out again when the caller that
//! asked goes away, and it is answered at most once, only with its nonce and the digest of what was shown, and a
//! yes only after the card has been in front, unmoved, for its click delay. The inbox decides nothing. It keeps mutes,
//! counts of denials and input that was not sent, in memory alone.

mod autosave;
mod card;
mod counts;
mod flood_batch;
mod groups;
mod mute;
mod not_taken;
mod pending_answer;
mod state;
mod validate;
mod waiting;
mod window;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::{broadcast, oneshot, watch};
use vestibule_protocol::{QuestionId, ServerId};

use crate::{Answer, FieldError, Question, QuestionBody, Reply};
pub use card::{Draft, Validate, ValidateNow, Validation};
use card::{click_delay, content_of, question};
pub use not_taken::NotTaken;
pub use pending_answer::PendingAnswer;
use state::{InboxState, RestartedDelay};
use waiting::PendingQuestion;
use window::PresentedCard;
pub use window::WindowReport;

/// The cards that wait. Each change publishes a new one.
#[derive(Clone, Debug, Default)]
pub struct InboxSnapshot {
    /// All of them, oldest first.
    pub cards: Vec<Arc<Question>>,
}

/// What happened in the inbox, besides that cards came, changed or went: the [`InboxSnapshot`] shows that. It is published
/// before the event that speaks of a card, except for [`TakenBack`](Self::TakenBack).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxEvent {
    /// The card in front was taken back before it was answered; the snapshot without it follows.
    TakenBack,
    /// The guard of the presented question starts again.
    ClickDelay {
        question: QuestionId,
        /// How long it lasts.
        lasts: Duration,
    },
    /// The user asked to see this question.
    Show { question: QuestionId },
    /// The window was hidden. Its questions go on waiting; a card is presented again before it can be permitted.
    Concealed,
}

/// Why a question was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NotAsked {
    /// Enough of them wait.
    #[error("too many questions of this server wait already")]
    TooMany,
    /// The user muted it.
    #[error("the user has muted these questions")]
    Muted,
    /// No question is asked any more.
    #[error("Vestibule is closing")]
    Closing,
}

/// The longest click delay that a setting of the system leads to.
const MAX_LEAST_DELAY: Duration = Duration::from_secs(5);

/// The questions that wait. Cheap to clone; all clones are one inbox.
#[derive(Clone)]
pub struct Inbox {
    state: Arc<Mutex<InboxState>>,
    snapshots: watch::Sender<Arc<InboxSnapshot>>,
    events: broadcast::Sender<InboxEvent>,
    clock: fn() -> Timestamp,
}

impl Default for Inbox {
    fn default() -> Self {
        Self::new(Timestamp::now)
    }
}

impl Inbox {
    /// An empty inbox that knows the time by `clock`.
    #[must_use]
    pub fn new(clock: fn() -> Timestamp) -> Self {
        Self {
            state: Arc::default(),
            snapshots: watch::Sender::default(),
            events: broadcast::channel(256).0,
            clock,
        }
    }

    /// Parks a question and gives back what waits for its answer. Dropping that withdraws the question. A question
    /// of a server that asks too fast waits with others like it behind one card.
    ///
    /// # Errors
    /// When this server asks too much, is muted, or everything is being closed.
    pub fn ask(&self, mut draft: Draft) -> Result<PendingAnswer, NotAsked> {
        let now = (self.clock)();
        let (often, denied) = self.state().count_question(&mut draft, now)?;
        let (answer, waits) = oneshot::channel();
        let (question, bytes) = question(&draft, often, denied);
        let (id, digest) = (question.id, question.digest);
        let pending = PendingQuestion {
            question: Arc::new(question),
            validate: draft.validate,
            answer,
            bytes,
            batched: false,
            seen: false,
            autosaved: None,
        };
        let moved = self.change(|state| state.add(pending, often, now));
        self.emit_click_delay(moved?);
        Ok(PendingAnswer::new(id, digest, waits, self.clone()))
    }

    /// The cards that wait, now and after each change.
    #[must_use]
    pub fn snapshots(&self) -> watch::Receiver<Arc<InboxSnapshot>> {
        self.snapshots.subscribe()
    }

    /// The cards that wait now.
    #[must_use]
    pub fn snapshot(&self) -> Arc<InboxSnapshot> {
        Arc::clone(&self.snapshots.borrow())
    }

    /// The card a question stands on: its own, or that of a flood. `None` where it does not wait.
    #[must_use]
    pub fn card_of(&self, question: QuestionId) -> Option<QuestionId> {
        self.state().cards.card_of(question)
    }

    /// The card of `question` is now painted and in front: its guard starts.
    pub fn presented(&self, question: QuestionId) {
        let lasts = {
            let mut state = self.state();
            let Some(card) = state.cards.get(question) else {
                return;
            };
            let lasts = click_delay(card);
            if let Some(pending) = state.cards.pending.get_mut(&question) {
                pending.seen = true;
            }
            state.presented = Some(PresentedCard::now(question));
            lasts
        };
        self.emit(InboxEvent::ClickDelay { question, lasts });
    }

    /// The window was shown, moved or resized, or came to the front: the guard starts again.
    pub fn disturbed(&self) {
        let presented = self.state().presented;
        if let Some(shown) = presented {
            self.presented(shown.question);
        }
    }

    /// The window system reports something of the window. The guard starts again, except for a focus that comes by a click
    /// of a pointer at rest on a card that could be read.
    pub fn window_reported(&self, report: WindowReport) {
        let disturbs = self.state().note_window(report);
        if disturbs {
            self.disturbed();
        }
    }

    /// No card asked from now on takes a yes sooner than this. More than five seconds count as five.
    pub fn set_least_delay(&self, least: Duration) {
        self.state().least_delay = least.min(MAX_LEAST_DELAY);
    }

    /// The user wants to see this question.
    pub fn show(&self, question: QuestionId) {
        let question = self.card_of(question).unwrap_or(question);
        self.emit(InboxEvent::Show { question });
    }

    /// No card is in front any more (the window was hidden).
    pub fn concealed(&self) {
        self.state().conceal();
        self.emit(InboxEvent::Concealed);
    }

    /// The card in front, or the oldest one that waits.
    #[must_use]
    pub fn front(&self) -> Option<Arc<Question>> {
        let state = self.state();
        let presented = state.presented.and_then(|shown| state.cards.get(shown.question));
        presented
            .or_else(|| state.cards.iter().min_by_key(|card| card.id))
            .cloned()
    }

    /// Takes an answer.
    ///
    /// # Errors
    /// When it is not an answer to this question, or a yes that came too soon; the question goes on waiting.
    pub fn answer(&self, reply: Reply) -> Result<(), NotTaken> {
        self.accept_reply(reply, false)
    }

    /// Takes an answer, after a check of changed arguments that has to be waited for. Nothing is locked meanwhile; the
    /// answer is not taken where the card has changed by then.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub async fn answer_when_checked(&self, reply: Reply) -> Result<(), NotTaken> {
        let check = self.state().check_of(&reply)?;
        let is_checked = check.is_some();
        if let Some(check) = check {
            check.await.map_err(NotTaken::Invalid)?;
        }
        self.accept_reply(reply, is_checked)
    }

    fn accept_reply(&self, reply: Reply, is_checked: bool) -> Result<(), NotTaken> {
        let now = (self.clock)();
        let moved = {
            let mut state = self.state();
            let moved = state.accept_reply(reply, is_checked, now)?;
            self.publish(&state);
            moved
        };
        self.emit_click_delay(moved);
        Ok(())
    }

    /// Answers everything with "not now" and takes no further questions.
    pub fn close(&self) {
        let pending = self.change(|state| {
            state.closed = true;
            state.presented = None;
            std::mem::take(&mut state.cards).pending
        });
        for pending in pending.into_values() {
            let shown = pending.question.digest;
            pending.deliver(Answer::Cancel, shown);
        }
    }

    /// Answers everything about one server with "not now".
    pub(crate) fn dismiss_server(&self, server: ServerId) {
        let of_server: Vec<QuestionId> = {
            let state = self.state();
            let pending = state.cards.pending.iter();
            let pending = pending.filter(|(_, pending)| pending.question.server.id == server);
            pending.map(|(id, _)| *id).collect()
        };
        // Dropping what waits for the answer counts as "not now".
        of_server.into_iter().for_each(|question| self.withdraw(question));
    }

    /// What is wrong with what stands in a form; `None` where no such form waits.
    #[must_use]
    pub fn invalid_fields(
        &self,
        question: QuestionId,
        content: &Map<String, Value>,
    ) -> Option<Vec<FieldError>> {
        let form = match content_of(&self.state().cards.get(question)?.about)? {
            QuestionBody::FillForm(form) => form.clone(),
            _ => return None,
        };
        Some(form.invalid_fields(content))
    }

    /// What happens from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<InboxEvent> {
        self.events.subscribe()
    }

    fn withdraw(&self, question: QuestionId) {
        let mut state = self.state();
        let in_front = state.is_in_front(question);
        let Some((_, moved)) = state.remove(question) else {
            return;
        };
        if in_front {
            self.emit(InboxEvent::TakenBack);
        }
        self.publish(&state);
        drop(state);
        self.emit_click_delay(moved);
    }

    /// Makes a change and publishes what waits then.
    fn change<T>(&self, change: impl FnOnce(&mut InboxState) -> T) -> T {
        let mut state = self.state();
        let outcome = change(&mut state);
        self.publish(&state);
        outcome
    }

    /// Under the lock, so that the last snapshot is the latest state.
    fn publish(&self, state: &InboxState) {
        let mut cards: Vec<_> = state.cards.iter().cloned().collect();
        cards.sort_unstable_by_key(|card| card.id);
        self.snapshots.send_replace(Arc::new(InboxSnapshot { cards }));
    }

    /// A card that was in front is another one now, and its guard started again.
    fn emit_click_delay(&self, moved: RestartedDelay) {
        if let Some((question, lasts)) = moved {
            self.emit(InboxEvent::ClickDelay { question, lasts });
        }
    }

    fn emit(&self, event: InboxEvent) {
        // No window listens yet: the next one to open starts from the whole state.
        let _ = self.events.send(event);
    }

    fn state(&self) -> MutexGuard<'_, InboxState> {
        // Every change under the lock is a single insert or remove, so a panic elsewhere leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
