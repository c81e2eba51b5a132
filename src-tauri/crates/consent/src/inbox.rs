//! The one place where questions wait. A question is parked with a drop guard that takes it out again when the caller that
//! asked goes away, and it is answered at most once, only with its nonce and the digest of what was shown, and a
//! yes only after the card has been in front, unmoved, for its click delay. The inbox decides nothing and remembers nothing.

mod autosave;
mod flood_batch;
mod groups;
mod mute;
mod not_taken;
mod pending_answer;
mod state;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, oneshot};
use tokio::time::Instant;
use uuid::Uuid;
use vestibule_policy::{Digest, RateLimiter, RequestKind, Scope};
use vestibule_protocol::{QuestionId, ServerId};

use crate::{About, Answer, Cause, Misfit, Question, Reply, ServerFace};
use flood_batch::{FloodBatch, UncountedQuestions};
pub use not_taken::NotTaken;
pub use pending_answer::PendingAnswer;

/// How many cards of one server may wait at once.
const MOST_A_SERVER: usize = 32;

/// How many bytes they and what waits behind them may hold; all of it is sent to a window.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// A question before it is asked.
#[derive(Clone)]
pub struct Draft {
    pub server: ServerFace,
    pub cause: Option<Cause>,
    pub about: About,
    /// The scopes on offer, narrowest first.
    pub scopes: Vec<Scope>,
    /// How long a yes stays inert.
    pub click_delay: Duration,
    /// When it is asked.
    pub asked_ms: i64,
    /// Says what is wrong with arguments the user changed, so that the card can say it and stay.
    pub validate: Option<Validate>,
}

/// A check of arguments that were changed on a card; fails with the reason why they cannot be sent.
#[derive(Clone)]
pub enum Validate {
    /// A short check of our own; runs while the answer is taken.
    Now(Arc<ValidateNow>),
    /// A check that a server can make slow; [`Inbox::answer_when_checked`] waits for it before the answer is taken.
    Later(Arc<dyn Fn(Map<String, Value>) -> Validation + Send + Sync>),
}

/// A check that is made at once.
pub type ValidateNow = dyn Fn(&Map<String, Value>) -> Result<(), String> + Send + Sync;

/// A check that is being made.
pub type Validation = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

impl Validate {
    /// A short check of our own.
    pub fn now(check: impl Fn(&Map<String, Value>) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self::Now(Arc::new(check))
    }

    /// A check that is waited for.
    pub fn later<F>(check: impl Fn(Map<String, Value>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self::Later(Arc::new(move |arguments| Box::pin(check(arguments))))
    }
}

/// What happened in the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxEvent {
    /// The set of waiting questions changed.
    Changed,
    /// The card in front was taken back before it was answered; the change itself follows.
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

impl InboxEvent {
    /// Waits until the set of waiting questions changed, also where the event was missed. False once the inbox is closed.
    pub async fn changed(events: &mut broadcast::Receiver<Self>) -> bool {
        loop {
            match events.recv().await {
                Ok(Self::Changed) | Err(RecvError::Lagged(_)) => return true,
                Ok(_) => {}
                Err(RecvError::Closed) => return false,
            }
        }
    }
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
    events: broadcast::Sender<InboxEvent>,
    clock: fn() -> Timestamp,
}

#[derive(Default)]
struct InboxState {
    pending: HashMap<QuestionId, PendingQuestion>,
    /// What waits behind one card instead of on cards of their own.
    batches: HashMap<(ServerId, RequestKind), FloodBatch>,
    limiter: RateLimiter,
    /// How often in a row the user denied questions of a kind.
    denials: HashMap<(ServerId, RequestKind), u32>,
    /// Questions turned away while no other of their kind waited.
    uncounted: HashMap<(ServerId, RequestKind), UncountedQuestions>,
    /// The card in front, and since when it has not moved.
    presented: Option<(QuestionId, Instant)>,
    /// The shortest click delay of a card, whatever its kind asks for.
    least_delay: Duration,
    closed: bool,
}

struct PendingQuestion {
    question: Question,
    validate: Option<Validate>,
    answer: oneshot::Sender<DeliveredAnswer>,
    /// About how much memory it takes.
    bytes: usize,
    /// Whether it waits behind the card of a flood.
    batched: bool,
    /// Whether its card was in front once.
    seen: bool,
    /// What the user has entered on its card.
    autosaved: Option<Map<String, Value>>,
}

/// An answer, and the digest of the card it was given to.
struct DeliveredAnswer {
    answer: Answer,
    shown: Digest,
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
        let (often, denied) = {
            let mut state = self.state();
            draft.click_delay = draft.click_delay.max(state.least_delay);
            (state.count_question(&draft, now)?, state.denied(&draft))
        };
        let (answer, waits) = oneshot::channel();
        let (question, bytes) = question(&draft, often, denied);
        let (id, digest) = (question.id, question.digest);
        let pending = PendingQuestion {
            question,
            validate: draft.validate,
            answer,
            bytes,
            batched: false,
            seen: false,
            autosaved: None,
        };
        let moved = {
            let mut state = self.state();
            let moved = state.add(pending, often);
            if let Some(asking) = draft.about.request_kind() {
                state.count_earlier(draft.server.id, asking, now);
            }
            moved
        };
        self.emit(InboxEvent::Changed);
        self.emit_click_delay(moved?);
        Ok(PendingAnswer::new(id, digest, waits, self.clone()))
    }

    /// The cards that wait, oldest first.
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        let mut all: Vec<_> = self.state().cards().cloned().collect();
        all.sort_by_key(|question| question.id);
        all
    }

    /// How many cards wait.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state().cards().count()
    }

    /// The ids of the cards that wait, oldest first.
    #[must_use]
    pub fn ids(&self) -> Vec<QuestionId> {
        let mut all: Vec<_> = self.state().cards().map(|card| card.id).collect();
        all.sort_unstable();
        all
    }

    /// The card a question stands on: its own, or that of a flood. `None` where it does not wait.
    #[must_use]
    pub fn card_of(&self, question: QuestionId) -> Option<QuestionId> {
        self.state().card_of(question)
    }

    /// The card of `question` is now painted and in front: its guard starts.
    pub fn presented(&self, question: QuestionId) {
        let lasts = {
            let mut state = self.state();
            let Some(card) = state.card(question) else {
                return;
            };
            let lasts = click_delay(card);
            if let Some(pending) = state.pending.get_mut(&question) {
                pending.seen = true;
            }
            state.presented = Some((question, Instant::now()));
            lasts
        };
        self.emit(InboxEvent::ClickDelay { question, lasts });
    }

    /// The window was shown, moved, resized, covered or uncovered, or came to the front: the guard starts again.
    pub fn disturbed(&self) {
        let presented = self.state().presented;
        if let Some((question, _)) = presented {
            self.presented(question);
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
        self.state().presented = None;
        self.emit(InboxEvent::Concealed);
    }

    /// The card in front, or the oldest one that waits.
    #[must_use]
    pub fn front(&self) -> Option<Question> {
        let state = self.state();
        let presented = state.presented.and_then(|(question, _)| state.card(question));
        presented
            .or_else(|| state.cards().min_by_key(|card| card.id))
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
        let moved = self.state().accept_reply(reply, is_checked, (self.clock)())?;
        self.emit(InboxEvent::Changed);
        self.emit_click_delay(moved);
        Ok(())
    }

    /// Answers everything with "not now" and takes no further questions.
    pub fn close(&self) {
        let pending: Vec<_> = {
            let mut state = self.state();
            state.closed = true;
            state.presented = None;
            state.batches.clear();
            state.pending.drain().map(|(_, pending)| pending).collect()
        };
        for pending in pending {
            let shown = pending.question.digest;
            deliver(pending, Answer::Cancel, shown);
        }
        self.emit(InboxEvent::Changed);
    }

    /// What is wrong with what stands in a form; `None` where no such form waits.
    #[must_use]
    pub fn invalid_fields(&self, question: QuestionId, content: &Map<String, Value>) -> Option<Vec<Misfit>> {
        let form = match content_of(&self.state().card(question)?.about)? {
            About::FillForm(form) => form.clone(),
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
        let (in_front, moved) = {
            let mut state = self.state();
            let in_front = state
                .presented
                .is_some_and(|(presented, _)| presented == question);
            match state.remove(question) {
                Some(pending) => (in_front, state.refresh_batch(&pending.question, pending.batched)),
                None => return,
            }
        };
        if in_front {
            self.emit(InboxEvent::TakenBack);
        }
        self.emit(InboxEvent::Changed);
        self.emit_click_delay(moved);
    }

    /// A card that was in front is another one now, and its guard started again.
    fn emit_click_delay(&self, moved: Option<(QuestionId, Duration)>) {
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

/// The question, and about how many bytes it holds.
fn question(draft: &Draft, often: Option<u32>, denied: Option<u32>) -> (Question, usize) {
    let shown = json!({
        "server": draft.server, "cause": draft.cause, "about": draft.about, "scopes": draft.scopes,
    });
    let mut same = shown.clone();
    same["cause"] = json!(draft.cause.as_ref().map(|cause| cause.chat));
    let bytes = shown.to_string().len();
    let question = Question {
        id: QuestionId::new(),
        server: draft.server.clone(),
        cause: draft.cause.clone(),
        about: draft.about.clone(),
        scopes: draft.scopes.clone(),
        guard_ms: u32::try_from(draft.click_delay.as_millis()).unwrap_or(u32::MAX),
        asked_ms: draft.asked_ms,
        often,
        denied,
        nonce: nonce(),
        digest: Digest::of_question(&shown),
        same: Digest::of_question(&same),
    };
    (question, bytes)
}

fn nonce() -> String {
    Uuid::new_v4().simple().to_string()
}

fn click_delay(card: &Question) -> Duration {
    Duration::from_millis(card.guard_ms.into())
}

/// What a card has to be answered by: its own, or what every question behind it asks.
fn content_of(about: &About) -> Option<&About> {
    match about {
        About::Flood(flood) => flood.alike.as_deref(),
        own => Some(own),
    }
}

/// The caller may have been dropped in this very moment; then the answer is dropped too.
fn deliver(pending: PendingQuestion, answer: Answer, shown: Digest) {
    let _ = pending.answer.send(DeliveredAnswer { answer, shown });
}

#[cfg(test)]
mod tests;
